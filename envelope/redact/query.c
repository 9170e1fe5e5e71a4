/* What is asked for at a prompt, and printed below: `$ echo $DB_PASS`, `> process.env.SECRET`, a
 * file whose name says what it holds, hashes that were found out. Where the command says that all
 * that it prints is the secret, it may be made of anything. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/places.h"

#define PROMPT_MOST  80  /* bytes of a prompt */
#define RUN_MOST     160 /* bytes in front of a command that is run elsewhere */
#define PRINTED_MOST 300 /* bytes of a secret on a line of its own */
#define WORDS_MOST   6
#define FILTERS_MOST 200 /* bytes of pipes behind a command */
#define REST_MOST    160 /* bytes behind the name that is asked for */
#define FILES_MOST   4
#define CODES_MOST   15
#define OBJECT_MOST  600 /* bytes of an object that is the answer */
#define CRACKED_MOST 3000
#define HASH_LEAST   32

/* Behind pipes into what shows a part of it, or decodes it: `wg show wg0 dump | head -2`. */
size_t redact_behind_filters(struct redact_scan *s, size_t end)
{
    static const char filters[][15] = {"head",   "tail",   "cat",    "less",           "more",
                                       "grep ",  "sort",   "column", "tee ",           "tr ",
                                       "base64", "jq",     "awk ",   "sed ",           "cut ",
                                       "xargs",  "gunzip", "fold",   "openssl base64", "xxd",
                                       "rev"};
    size_t line = redact_line_end(s, end);
    line = line - end > FILTERS_MOST ? end + FILTERS_MOST : line;
    while (redact_char(s, end) == '|' && end < line) {
        size_t at = redact_run(s, end + 1, CLASS_BLANK), i = 0;
        while (i < sizeof filters / sizeof *filters && !redact_at(s, at, filters[i]))
            i++;
        if (i == sizeof filters / sizeof *filters)
            return end;
        if (redact_at(s, at, "tee /dev/stderr") || redact_at(s, at, "tee /dev/tty") ||
            redact_at(s, at, "tee /dev/fd/2"))
            return redact_line_end(s, at); /* here it is shown, whatever is made of it behind */
        for (end = at; end < line && s->text[end] != '|';)
            end = redact_in(s->text[end], CLASS_DOUBLE | CLASS_SINGLE)
                      ? redact_shell_word(s, end, line)
                      : end + 1;
    }
    return end;
}

/* ---- what is printed ---- */

/* What says that there is none, or that it went wrong. */
static bool is_complaint(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][10] = {"rror",      "sage:",     "not found", "denied",    "No such",
                                     "ssh-",      "ailed",     "nvalid",    "ermission", "annot",
                                     "can't",     "fatal",     "warning",   "nable to",  "null",
                                     "undefined", "None",      "nil",       "true",      "false",
                                     "ALREADY",   "is locked", "logged in"};
    return REDACT_HOLDS(s, from, to, words) || redact_at(s, from, "(no") ||
           redact_at(s, from, "OK") || redact_at(s, from, "total ");
}

/* Of several words: letters, digits and signs, but no sentence. */
static bool is_passphrase(struct redact_scan *s, size_t from, size_t to)
{
    size_t blanks = 0, odd = 0;
    for (size_t i = from; i < to; i++) {
        blanks += s->text[i] == ' ';
        if (REDACT_ONE_OF(s->text[i], "\";=,"))
            return redact_is_phrase(s, from, to, 3);
        odd += redact_in(s->text[i], CLASS_DIGIT) || REDACT_ONE_OF(s->text[i], "!#$%&*+^~@");
    }
    return redact_is_phrase(s, from, to, 3) || (blanks < WORDS_MOST && odd >= 2) ||
           redact_is_spoken(s, from, to);
}

/* `comet866.`, `(9pSsJ`: one word with a digit, whose sign at an end neither closes anything nor
 * ends a sentence. */
static bool is_odd_word(struct redact_scan *s, size_t from, size_t to)
{
    static const char pairs[] = "()<>[]{}";
    char first = s->text[from], last = s->text[to - 1];
    if (!redact_has_digit(s, from, to) || redact_run(s, from, ~(uint32_t)CLASS_SPACE) < to ||
        first == '/' || last == ':' || (first == '-' && !redact_in(s->text[from + 1], CLASS_ALNUM)))
        return false;
    for (const char *pair = pairs; *pair; pair += 2)
        if ((first == pair[0] && memchr(s->text + from, pair[1], to - from)) ||
            (last == pair[1] && memchr(s->text + from, pair[0], to - from)))
            return false;
    for (size_t i = from; i < to; i++)
        if (REDACT_ONE_OF(s->text[i], ":/\"',") || (i + 1 < to && s->text[i] == '.'))
            return false;
    return true;
}

bool redact_is_printed(struct redact_scan *s, size_t from, size_t to)
{
    if (to < from + 4 || to - from > PRINTED_MOST ||
        ((REDACT_ONE_OF(s->text[from], "{[<-/(") || REDACT_ONE_OF(s->text[to - 1], ".:>)")) &&
         !is_odd_word(s, from, to)) ||
        redact_is_number(s, from, to) || redact_is_placeholder(s, from, to) ||
        (redact_in(redact_char(s, to), CLASS_SPACE) && redact_begins_prompt(s, from)) ||
        is_complaint(s, from, to) || memmem(s->text + from, to - from, "://", 3) ||
        memmem(s->text + from, to - from, " = ", 3))
        return false;
    if (redact_run(s, from, ~(uint32_t)CLASS_SPACE) >= to)
        return redact_run(s, from, CLASS_UPPER | CLASS_UNDER) != to - 1 || s->text[to - 1] != '=';
    size_t label = redact_run(s, from, CLASS_NAME); /* `Package: libsecret-1-0` is no words */
    return redact_char(s, label) != ':' && is_passphrase(s, from, to);
}

bool redact_is_all(struct redact_scan *s, size_t start, const char *option, size_t from, size_t to)
{
    static const char said[][9] = {"found", "exist",  "xpired", "lease ",   "could",
                                   " not ", "locked", "nter ",  "xception", "failed"};
    size_t line = redact_line_end(s, start),
           most = line - start > PRINTED_MOST ? start + PRINTED_MOST : line;
    return to >= from + 4 && to - from <= PRINTED_MOST && !redact_at(s, from, "no ") &&
           !REDACT_HOLDS(s, from, to, said) && !REDACT_ONE_OF(s->text[from], "{[<-/(") &&
           !REDACT_ONE_OF(s->text[to - 1], ".:") && !is_complaint(s, from, to) &&
           !redact_begins_prompt(s, from) && !redact_is_number(s, from, to) &&
           !redact_is_placeholder(s, from, to) &&
           memmem(s->text + start, most - start, option, strlen(option)) != NULL;
}

/* ---- files ---- */

/* Whether a file's word ends there, or goes on as these do: `passwords`, `keyfile`, not `keymap`.
 */
static bool ends_word(const struct redact_scan *s, size_t at, size_t to)
{
    static const char on[][7] = {"word", "s", "file", "phrase", "ential", "code", "store", "key"};
    if (at >= to || !redact_in(s->text[at], CLASS_UPPER | CLASS_LOWER))
        return at <= to;
    for (size_t i = 0; i < sizeof on / sizeof *on; i++)
        if (redact_at(s, at, on[i]))
            return true;
    return false;
}

/* Whether a file's name says that a secret is all that it holds: `pw.txt`, `.erlang.cookie`,
 * `db-password`. */
bool redact_is_secret_file(struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][13] = {
        "pass", "pw",      "pwd",      "secret",       "token",        "cred",       "auth",
        "key",  "cookie",  "psk",      "pin",          "seed",         "mnemonic",   "login",
        "priv", "private", "recovery", "backup-codes", "backup_codes", "backupcodes"};
    static const char ends[][10] = {".txt",    ".key",   ".pass",     ".pw",   ".pwd",
                                    ".secret", ".token", ".cookie",   ".cred", ".psk",
                                    ".hex",    ".priv",  ".password", ".bin"};
    size_t name = to;
    while (name > from && !REDACT_ONE_OF(s->text[name - 1], "/\\\"'"))
        name--;
    const char *dot = memrchr(s->text + name, '.', to - name);
    bool known = (!dot || dot == s->text + name) && !redact_at(s, to - 4, "keys");
    known = known || (redact_at(s, from, "/etc/openvpn/") && redact_at(s, to - 5, ".conf"));
    for (size_t i = 0; dot && !known && i < sizeof ends / sizeof *ends; i++)
        known = (size_t)(s->text + to - dot) == strlen(ends[i]) &&
                redact_at(s, (size_t)(dot - s->text), ends[i]);
    known = known || redact_at(s, to - (to > 10 ? 10 : to), "login.conf");
    for (size_t at = name; known && at < to; at++) {
        bool begins = at == name || !redact_in(s->text[at - 1], CLASS_ALNUM) ||
                      (redact_in(s->text[at], CLASS_UPPER) &&
                       redact_in(s->text[at - 1], CLASS_LOWER)); /* initialAdminPassword */
        for (size_t i = 0; begins && i < sizeof words / sizeof *words; i++)
            if (redact_at(s, at, words[i]) && ends_word(s, at + strlen(words[i]), to))
                return !redact_at(s, name, "passwd") && !redact_at(s, at, "authenticator");
    }
    size_t letters = redact_run(s, name, CLASS_NAME & ~(uint32_t)CLASS_DOT);
    bool kept = letters >= to && redact_in(s->text[name], CLASS_LOWER | CLASS_DIGIT) &&
                name >= from + 8 && redact_at(s, name - 8, "secrets/") &&
                (name == from + 8 || s->text[name - 9] == '/');
    return kept || redact_at(s, from, "/run/secrets/");
}

/* `username=kim`: the first line of a file of settings, whose names tell what they hold. */
static bool is_setting(struct redact_scan *s, size_t at)
{
    size_t sign = redact_run(s, at, CLASS_LOWER | CLASS_UNDER),
           below = redact_line_end(s, sign) + 1;
    return sign > at && redact_char(s, sign) == '=' && below < s->len &&
           redact_char(s, redact_run(s, below, CLASS_LOWER | CLASS_UNDER)) == '=';
}

/* What ends a line that a word is all of. */
static size_t word_line(struct redact_scan *s, size_t begins, size_t at)
{
    size_t line = redact_line_end(s, at), to = redact_before_prompt(s, begins, at, line);
    while (to > at && redact_in(s->text[to - 1], CLASS_SPACE))
        to--;
    bool is = redact_is_printed(s, at, to) ||
              (to > at && redact_is_stated(s, at, to) && !redact_is_expression(s, at, to));
    return is ? to : at;
}

/* Whether the command is the last of a line's, and those in front of it print into files: `wg
 * genkey > priv; cat priv`. */
static bool is_behind_silence(struct redact_scan *s, size_t start)
{
    size_t line = redact_line_start(s, start, RUN_MOST);
    return start > line + 4 && (line == 0 || s->text[line - 1] == '\n') &&
           (redact_at(s, start - 2, "; ") || redact_at(s, start - 4, " && ")) &&
           memmem(s->text + line, start - line, " > ", 3) && redact_begins_prompt(s, line);
}

/* The others of a list of codes: lines as long as its first. */
static void add_alike(struct redact_scan *s, size_t at, size_t len,
                      struct redact_command_found *found)
{
    for (int i = 0; i < CODES_MOST && at < s->len; i++) {
        size_t line = redact_line_end(s, at);
        if (line - at != len || !redact_has_digit(s, at, line) || redact_begins_prompt(s, at))
            return;
        redact_command_add(s, found, at, line);
        at = line + 1;
    }
}

void redact_output_files(struct redact_scan *s, size_t start, size_t from, size_t to, size_t at,
                         struct redact_command_found *found)
{
    size_t files = 0, line = redact_line_end(s, from);
    size_t begins = redact_line_start(s, start, PROMPT_MOST);
    bool login = false, codes = false;
    if (redact_char(s, at) == '{' && memmem(s->text + from, to - from, "passwords.json", 14))
        redact_output_object(s, at, found);
    if (!redact_is_prompted(s, start) && !is_behind_silence(s, start))
        return;
    for (size_t word = redact_shell_word(s, from, line); word < to;) {
        word = redact_run(s, word, CLASS_BLANK);
        size_t end = redact_shell_word(s, word, line), quote = REDACT_ONE_OF(s->text[word], "\"'");
        if (end == word)
            break;
        bool is = s->text[word] != '-' && redact_is_secret_file(s, word + quote, end - quote);
        codes = codes || (is && (memmem(s->text + word, end - word, "code", 4) ||
                                 memmem(s->text + word, end - word, "recovery", 8)));
        login = login || (is && (memmem(s->text + word, end - word, "auth", 4) ||
                                 memmem(s->text + word, end - word, "login", 5)));
        files += is;
        word = end;
    }
    for (size_t i = 0; files <= FILES_MOST && i < files + login && at < s->len; i++) {
        size_t end = word_line(s, begins, at), next = redact_line_end(s, at) + 1;
        if (is_setting(s, at))
            return;
        bool two = login && !i && next < s->len && word_line(s, begins, next) > next;
        if (end == at && !two)
            return;
        if (!two) /* the first is a user */
            redact_command_add(s, found, at, end);
        if (codes)
            add_alike(s, next, end - at, found);
        if (login && !two)
            return;
        at = next;
    }
}

/* ---- hashes that were found out ---- */

/* `HASH:X`, `bob:HASH:X`, `bob:X:1001:1001::/home/bob:`: where X is. */
static bool read_cracked(struct redact_scan *s, size_t at, size_t line, size_t *ret_from,
                         size_t *ret_to)
{
    const char *t = s->text;
    const char *first = memchr(t + at, ':', line - at);
    size_t word = redact_run(s, at, ~(uint32_t)CLASS_SPACE),
           user = redact_run(s, word, CLASS_BLANK);
    if (redact_at(s, at, "$dynamic_") && first &&
        !memchr(first + 1, ':', line - (size_t)(first - t) - 1)) {
        *ret_from = at; /* `$dynamic_0$HASH:X`, john's */
        *ret_to = line;
        return line > (size_t)(first - t) + 3;
    }
    if (user > word + 1 && redact_char(s, user) == '(' && t[line - 1] == ')') {
        *ret_from = at; /* `X       (bob)` */
        *ret_to = word;
        return word >= at + 3;
    }
    if (!first)
        return false;
    size_t colon = (size_t)(first - t), hash = redact_run(s, at, CLASS_HEX);
    const char *second = memchr(first + 1, ':', line - colon - 1);
    size_t from = colon + 1, to = second ? (size_t)(second - t) : line;
    if (hash == colon && colon - at >= HASH_LEAST) {
        from = at; /* who has it can try, too */
        to = line;
    } else if (second && redact_run(s, from, CLASS_HEX) == to && to - from >= HASH_LEAST) {
        from = to + 1;
        to = line;
    } else if (!second || redact_run(s, to + 1, CLASS_DIGIT) == to + 1) {
        return false; /* no line of passwd */
    }
    *ret_from = from;
    *ret_to = to;
    return to >= from + 3 && t[colon + 1] != ' ' && t[from] != '/';
}

void redact_output_cracked(struct redact_scan *s, size_t at, struct redact_command_found *found)
{
    size_t most = s->len - at < CRACKED_MOST ? s->len : at + CRACKED_MOST, from, to;
    for (size_t line; at < most && s->text[at] != '\n'; at = line + 1) {
        line = redact_line_end(s, at);
        size_t end = line - (line > at && s->text[line - 1] == '\r');
        if (redact_begins_prompt(s, at))
            return;
        if (read_cracked(s, at, end, &from, &to))
            redact_command_add(s, found, from, to);
    }
}

/* ---- names that are asked for ---- */

/* What prints: none of these changes anything, or says more than the value. */
static bool is_question(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][12] = {
        "echo",     "printenv",    "get",         "Get",    "show",    "read",   "view",
        "reveal",   "decr",        "access",      "lookup", "print",   "cat",    "dump",
        "puts",     "$env:",       "find",        "query",  "fetch",   "Write-", "generate",
        "initial",  "console.log", "process.env", "ENV[",   "environ", "getenv", "getProperty",
        "var_dump", "inspect",     "output",      "jq ",    "yq ",     "x/s "};
    return REDACT_HOLDS(s, from, to, words);
}

/* Whether the name is in an address that is fetched. */
static bool is_fetched(const struct redact_scan *s, size_t from, size_t name)
{
    static const char words[][6] = {"curl ", "http ", "xh ", "wget "};
    return name > from && s->text[name - 1] == '/' && REDACT_HOLDS(s, from, name, words);
}

/* Where the prompt ends in the line that begins at `line`; 0 for none. */
static size_t behind_prompt(struct redact_scan *s, size_t line, size_t name)
{
    static const char repls[][9] = {
        ">>> ",  "irb> ",  "> ",      "=> ",     "(Pdb) ",  "(gdb) ",   "(lldb) ", "ipdb> ",
        "pry> ", "php > ", "user=> ", "scala> ", "julia> ", "jshell> ", "ghci> ",  "groovy> "};
    for (size_t i = 0; i < sizeof repls / sizeof *repls; i++)
        if (redact_at(s, line, repls[i]))
            return line + strlen(repls[i]);
    if (redact_at(s, line, "irb(") || redact_at(s, line, "iex(") || redact_at(s, line, "In [") ||
        redact_at(s, line, "[")) {
        const char *sign =
            memmem(s->text + line, name - line, redact_at(s, line, "In") ? ": " : "> ", 2);
        if (sign)
            return (size_t)(sign - s->text) + 2;
    }
    return 0;
}

/* What may follow the name: signs that close, options, words that ask, and filters. */
static bool ends_question(struct redact_scan *s, size_t end, size_t line)
{
    size_t at = end;
    while (at < line && REDACT_ONE_OF(s->text[at], "'\"]})%;.`,"))
        at++;
    while (at < line) {
        size_t word = redact_run(s, at, CLASS_BLANK);
        if (word == at && word < line)
            return redact_at(s, word, ".hex()") || redact_at(s, word, "hex()");
        if (word == line || s->text[word] == '#')
            return true;
        if (s->text[word] == '|')
            return redact_behind_filters(s, word) >= line;
        at = redact_shell_word(s, word, line);
        if (s->text[word] == '-' && redact_char(s, at) == ' ' && redact_char(s, at + 1) != '-' &&
            redact_char(s, at + 1) != '|')
            at = redact_shell_word(s, at + 1, line);
        else if (s->text[word] != '-' && !is_question(s, word, at))
            return false;
        if (at == word)
            return false;
    }
    return true;
}

/* `$1 ==> `, `res0: String = `: behind what a shell of a language calls the answer. */
static size_t behind_result(struct redact_scan *s, size_t from)
{
    from += redact_at(s, from, "(char *) ") ? 9 : redact_at(s, from, "(const char *) ") ? 15 : 0;
    size_t number = from + (redact_at(s, from, "res") ? 3 : redact_char(s, from) == '$');
    size_t end = number > from ? redact_run(s, number, CLASS_DIGIT) : number;
    if (end == number)
        return from; /* most */
    if (redact_at(s, end, " ==> "))
        return end + 5;
    if (redact_at(s, end, " = 0x")) /* the debuggers' */
        return end + 3;
    return redact_at(s, end, ": String = ") ? end + 11 : from;
}

/* Whether the name is the field of a secret that the command is to print: `-field=db_pw kv/app`,
 * `--fields pin`. What follows says of which. */
static bool is_field(const struct redact_scan *s, size_t at)
{
    static const char options[][12] = {"-field", "-fields", "-attribute", "-attributes"};
    size_t end = at;
    end -= end && REDACT_ONE_OF(s->text[end - 1], "\"'");
    end -= end && REDACT_ONE_OF(s->text[end - 1], "= ");
    for (size_t i = 0; end < at && i < sizeof options / sizeof *options; i++) {
        size_t len = strlen(options[i]);
        if (end >= len && !memcmp(s->text + end - len, options[i], len))
            return true;
    }
    return false;
}

/* Whether all that the line does besides is to say of which secret the field is. */
static bool prints_field(struct redact_scan *s, size_t at, size_t end, size_t line)
{
    const char *pipe = memchr(s->text + end, '|', line - end);
    return is_field(s, at) && !memchr(s->text + end, '>', line - end) &&
           !memchr(s->text + end, ';', line - end) &&
           (!pipe || redact_behind_filters(s, (size_t)(pipe - s->text)) >= line);
}

/* What is no single word of a program: tags and annotations have such. */
static bool is_member(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    return redact_strength(s, &v) > REDACT_WEAK || redact_has_sign(s, from, to) ||
           redact_is_wordy(s, from, to);
}

/* What Terraform says of an output that it does not show by itself. */
static bool is_sensitive(const struct redact_scan *s, size_t from, size_t to)
{
    return memmem(s->text + from, to - from, "\"sensitive\": true", 17) != NULL;
}

/* `"value" : "X"`, `"result": "X"` of the object that was answered, by a command that names what it
 * is: `get clients/81aa/client-secret`, `select(.type == "random_password")`. */
static bool read_member(struct redact_scan *s, size_t at, size_t *ret_from, size_t *ret_to)
{
    static const char names[][10] = {"\"value\"", "\"result\"", "\"Value\""};
    struct redact_value v;
    size_t open = redact_run(s, at, CLASS_SPACE),
           most = s->len - at < OBJECT_MOST ? s->len : at + OBJECT_MOST;
    if (!REDACT_ONE_OF(redact_char(s, open), "{["))
        return false; /* most */
    const char *prompt = memmem(s->text + at, most - at, "\n$ ", 3);
    most = prompt ? (size_t)(prompt - s->text) : most;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = memmem(s->text + open, most - open, names[i], strlen(names[i]));
        size_t sign = name ? (size_t)(name - s->text) + strlen(names[i]) : most;
        sign = redact_run(s, sign, CLASS_BLANK);
        size_t value = redact_run(s, sign + 1, CLASS_BLANK);
        if (sign >= most || s->text[sign] != ':' || redact_char(s, value) != '"' ||
            !redact_read_value(s, value, false, &v) || !redact_is_printed(s, v.from, v.to) ||
            !(is_member(s, v.from, v.to) || is_sensitive(s, open, most)) ||
            memmem(s->text + open, sign - open, "\"Key\"", 5))
            continue; /* a tag's, among others */
        *ret_from = v.from;
        *ret_to = v.to;
        return true;
    }
    return false;
}

/* The answer's first line without what a shell of a language shows around it. */
static bool read_answer(struct redact_scan *s, size_t line, size_t at, size_t *ret_from,
                        size_t *ret_to)
{
    size_t from = redact_run(s, at, CLASS_BLANK), to = redact_line_end(s, from);
    if (to > from && to + 1 < s->len && s->text[to - 1] == ':' &&
        redact_in(s->text[to + 1], CLASS_BLANK)) { /* whose it is: Salt's `web1:` */
        from = redact_run(s, to + 1, CLASS_BLANK);
        to = redact_line_end(s, from);
    }
    if (is_setting(s, from) ||
        (redact_at(s, to, "\n  ") && redact_run(s, from, CLASS_LOWER | CLASS_DOT) == to))
        return false; /* `github.com`, over what is told of it */
    to = redact_before_prompt(s, line, from, to);
    from = behind_result(s, from);
    if (redact_at(s, from, "--- ") && redact_in(redact_char(s, from + 4), CLASS_ALNUM))
        from += 4; /* YAML's document */
    static const char marks[][8] = {"=> ", "= ", "$1 = ", "[1] ", "Out[", "string("};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (redact_at(s, from, marks[i])) {
            const char *sign = i < 4 || from >= to ? NULL : memchr(s->text + from, ' ', to - from);
            from = sign ? (size_t)(sign - s->text) + 1 : i < 4 ? from + strlen(marks[i]) : to;
            break;
        }
    while (to > from && redact_in(s->text[to - 1], CLASS_SPACE))
        to--;
    if (redact_at(s, from, "0x")) { /* where it is, as debuggers tell */
        size_t number = redact_run(s, from, CLASS_ALNUM);
        number += redact_char(s, number) == ':';
        from = redact_in(redact_char(s, number), CLASS_BLANK) && redact_char(s, number + 1) == '"'
                   ? number + 1
                   : from;
    }
    char quote = from < to ? s->text[from] : 0;
    bool quoted = to > from + 2 && (quote == '"' || quote == '\'') && s->text[to - 1] == quote;
    *ret_from = from + quoted;
    *ret_to = to - quoted;
    return quoted ? to - from > 5 && to - from < PRINTED_MOST && s->text[from + 1] != '/' &&
                        !redact_is_placeholder(s, from + 1, to - 1) &&
                        !memmem(s->text + from, to - from, "://", 3)
                  : redact_is_printed(s, from, to);
}

/* Whether nothing is printed beside the name: not `echo seen "$A_TOKEN"`. */
static bool is_alone(struct redact_scan *s, size_t start, size_t at)
{
    const char *echo = memmem(s->text + start, at - start, "echo ", 5);
    size_t word = echo ? (size_t)(echo - s->text) + 5 : at;
    while (redact_char(s, word) == '-')
        word = redact_run(s, redact_run(s, word, ~(uint32_t)CLASS_SPACE), CLASS_BLANK);
    return redact_run(s, word, ~(uint32_t)CLASS_SPACE) >= at;
}

/* The heading of a table, which is the name itself, or the line over it: `+------+`. */
static bool is_heading(const struct redact_scan *s, size_t at, size_t end, size_t from, size_t to)
{
    if (to - from == end - at && !memcmp(s->text + from, s->text + at, end - at))
        return true;
    while (from < to && REDACT_ONE_OF(s->text[from], "+-=|"))
        from++;
    return from == to;
}

bool redact_query(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end), start = redact_line_start(s, at, REDACT_LINE_LOOKED_AT);
    if (line - end > REST_MOST || line + 5 >= s->len ||
        (redact_at(s, at, "passwd") && s->text[start] != '(') ||
        (start && s->text[start - 1] != '\n'))
        return false;
    size_t repl = behind_prompt(s, start, at);
    if (!repl && !redact_begins_prompt(s, start))
        return false; /* most */
    size_t from, to;
    bool asked = repl || is_question(s, start, end) ||
                 (s->text[at] == '.' && redact_at(s, start, "PS ")); /* `$cred.Password` */
    if ((!asked && !is_fetched(s, start, at)) || !is_alone(s, start, at))
        return false;
    if (!(!repl && read_member(s, line + 1, &from, &to)) &&
        (!asked || !(ends_question(s, end, line) || prints_field(s, at, end, line)) ||
         !read_answer(s, start, line + 1, &from, &to)))
        return false;
    struct redact_reached v = {.from = from, .to = to};
    if (is_heading(s, at, end, from, to))
        return false;
    if (redact_tells(s, at, end - at) < TELLS_CODE && redact_strength(s, &v) < REDACT_RANDOM)
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}
