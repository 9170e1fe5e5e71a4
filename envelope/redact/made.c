/* What commands print that make a secret out of nothing, by what they say of chance
 * (`python3 -c 'import secrets; ...'`, `head -c 32 /dev/urandom | base64`), the bytes of a file
 * whose name says that it holds one (`xxd munge.key`), what is encoded or summed at a prompt
 * (`echo X | base64`), files of users, and where an answer without a line's end ends: at the prompt
 * behind it. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/places.h"

#define COMMAND_MOST   400 /* bytes of a command's line */
#define MADE_LEAST     8
#define PROMPTED_LEAST 14  /* bytes of a line at the prompt of a language's shell */
#define MADE_MOST      300 /* of what it made */
#define MADE_LINES     8
#define ABOVE_MOST     40 /* lines in front of a dump's first */
#define DUMP_MOST      6000
#define PROMPT_MOST    80 /* bytes of one, as is told in front of a command */
#define ROW_LEAST      4  /* groups of digits in a dump's line that is not its last */
#define PLAIN_LEAST    32 /* characters of one that has no groups */

/* ---- made ---- */

/* What programs call that by which they choose a secret. */
static bool is_of_chance(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][24] = {"urandom",
                                     "/dev/random",
                                     "token_urlsafe",
                                     "token_hex",
                                     "token_bytes",
                                     "secrets.choice",
                                     "SecureRandom",
                                     "randomBytes",
                                     "random_bytes",
                                     "getRandomValues",
                                     "_secret_key()",
                                     "generate_key",
                                     "generateKey",
                                     "generateSecret",
                                     "crypto.rand",
                                     "gen-random",
                                     "Crypt::Random",
                                     "Bytes::Random",
                                     "[rand ",
                                     "NumberGenerator",
                                     "random.SystemR",
                                     "strong_rand_bytes",
                                     "random_password",
                                     "random_secret_key",
                                     "ascii_letters",
                                     "random.choices",
                                     "GeneratePassword",
                                     "generate_password",
                                     "generatePassword",
                                     "Get-Random",
                                     "random_int(",
                                     "Str::random",
                                     "randomAlphanumeric",
                                     "randomAscii",
                                     "nanoid",
                                     "gen_salt("};
    return REDACT_HOLDS(s, from, to, words) && !memmem(s->text + from, to - from, "uuid", 4);
}

/* `date | sha256sum | base64`, whose sum is taken as a password. */
static bool is_sum_of_time(const struct redact_scan *s, size_t from, size_t to)
{
    const char *sum = memmem(s->text + from, to - from, "sum | base64", 12);
    return sum && memmem(s->text + from, to - from, "date ", 5);
}

/* Letters, digits and signs, and nothing that parts words or closes: as Django makes its keys. */
static bool is_of_all_kinds(const struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = 0, upper = 0, lower = 0, signs = 0;
    for (size_t i = from; i < to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
        signs += REDACT_ONE_OF(s->text[i], "!@#$%^&*=+");
        if (REDACT_ONE_OF(s->text[i], "/:;,\"'`<>"))
            return false;
    }
    return digits && upper && lower && signs >= 2;
}

void redact_output_made(struct redact_scan *s, size_t start, size_t at,
                        struct redact_command_found *found)
{
    size_t begins = redact_line_start(s, start, COMMAND_MOST), len = 0;
    if (at - begins > 2 * (size_t)COMMAND_MOST ||
        !(is_of_chance(s, begins, at - 1) || is_sum_of_time(s, begins, at - 1)))
        return; /* most */
    for (int i = 0; i < MADE_LINES && at < s->len; i++) {
        size_t line = redact_line_end(s, at), to = redact_before_prompt(s, begins, at, line);
        while (to > at && redact_in(s->text[to - 1], CLASS_SPACE))
            to--;
        struct redact_reached v = {.from = at, .to = to};
        if (to < at + MADE_LEAST || to - at > MADE_MOST || (len && to - at != len) ||
            redact_run(s, at, ~(uint32_t)CLASS_SPACE) < to || redact_begins_prompt(s, at) ||
            (redact_strength(s, &v) < REDACT_MIXED && !redact_has_sign(s, at, to) &&
             !is_of_all_kinds(s, at, to)))
            return;
        redact_command_add(s, found, at, to);
        len = to - at; /* others it made are as long */
        at = line + 1;
    }
}

/* Behind what a language's shell puts in front of what it answers: `=> `, `Out[3]: `; at the quote
 * of a text, or `line`. */
static size_t answered_text(struct redact_scan *s, size_t at, size_t line)
{
    at += redact_at(s, at, "=> ") ? 3 : 0;
    if (redact_at(s, at, "Out[")) {
        size_t number = redact_run(s, at + 4, CLASS_DIGIT);
        at = redact_at(s, number, "]: ") ? number + 3 : line;
    }
    at += at < line && s->text[at] == 'b' && REDACT_ONE_OF(redact_char(s, at + 1), "'\"");
    return at < line && REDACT_ONE_OF(s->text[at], "'\"") ? at : line;
}

bool redact_made_at_prompt(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    static const char prompts[][5] = {">>> ", "> ", "In [", "irb(", "iex("};
    size_t line = redact_line_end(s, at), i = 0;
    while (i < sizeof prompts / sizeof *prompts && !redact_at(s, at, prompts[i]))
        i++;
    if (i == sizeof prompts / sizeof *prompts || line - at < PROMPTED_LEAST ||
        line - at > COMMAND_MOST || line + 1 >= s->len)
        return false; /* most */
    size_t end = redact_line_end(s, line + 1), quote = answered_text(s, line + 1, end);
    end -= end > quote + 1 && s->text[end - 1] == '\r';
    struct redact_reached v = {.from = quote + 1, .to = end - 1};
    if (end < v.from + MADE_LEAST + 1 || end - v.from > MADE_MOST ||
        s->text[end - 1] != s->text[quote] ||
        redact_run(s, v.from, ~(uint32_t)(CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE)) != end - 1 ||
        !is_of_chance(s, at, line))
        return false;
    *ret_match = (struct redact_match){v.from, v.to, "value"};
    return redact_strength(s, &v) >= REDACT_MIXED || redact_has_sign(s, v.from, v.to) ||
           (redact_has_digit(s, v.from, v.to) && redact_run(s, v.from, CLASS_HEX) == v.to);
}

/* ---- decoded ---- */

/* `echo Ym9iOlg= | base64 -d`: a login, or a word that is no word of a text. */
void redact_output_decoded(struct redact_scan *s, size_t start, size_t at,
                           struct redact_command_found *found)
{
    size_t begins = redact_line_start(s, start, COMMAND_MOST), line = redact_line_end(s, at);
    size_t to = redact_before_prompt(s, begins, at, line);
    while (to > at && redact_in(s->text[to - 1], CLASS_SPACE))
        to--;
    size_t name = redact_run(s, at, CLASS_NAME), from = at;
    if (name > at && redact_char(s, name) == ':' && redact_char(s, name + 1) != '/')
        from = name + 1;
    struct redact_reached v = {.from = from, .to = to};
    if (to > at + 6 && memchr(s->text + at, ' ', to - at) && redact_is_stated(s, at, to) &&
        redact_asks_secret(s, begins, at - 1) && !redact_is_expression(s, at, to))
        redact_command_add(s, found, at, to); /* of words */
    if (to < from + 6 || redact_run(s, at, ~(uint32_t)CLASS_SPACE) < to || s->text[from] == '{' ||
        (to < line ? false : redact_begins_prompt(s, at)) || redact_is_version(s, from, to) ||
        (redact_strength(s, &v) == REDACT_WEAK && !redact_has_sign(s, from, to)))
        return;
    redact_command_add(s, found, from, to);
}

/* ---- encoded ---- */

enum encoders { NO_ENCODER, BASE64, SUM };

/* What the pipe at `at` leads into. */
static enum encoders encoder(struct redact_scan *s, size_t at, size_t line)
{
    static const char sums[][10] = {"md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum"};
    size_t word = redact_run(s, at + 1, CLASS_BLANK);
    if (redact_char(s, at) != '|' || memchr(s->text + word, '>', line - word))
        return NO_ENCODER;
    if (redact_at(s, word, "base64") || redact_at(s, word, "openssl base64") ||
        redact_at(s, word, "openssl enc -base64"))
        return memmem(s->text + word, line - word, " -d", 3) ? NO_ENCODER : BASE64;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (redact_at(s, word, sums[i]))
            return memmem(s->text + word, line - word, " -c", 3) ||
                           memmem(s->text + word, line - word, "--c", 3)
                       ? NO_ENCODER
                       : SUM;
    return NO_ENCODER;
}

/* Whether the line [from, to) may be `len` bytes in base64, a line's end with them or not. */
static bool is_base64_of(struct redact_scan *s, size_t len, size_t from, size_t to)
{
    size_t is = to > from ? to - from : 0;
    return (is == (len + 2) / 3 * 4 || is == (len + 3) / 3 * 4) &&
           redact_run(s, from, CLASS_ALNUM | CLASS_BASE64) == to;
}

void redact_output_encoded(struct redact_scan *s, size_t at, size_t line,
                           struct redact_command_found *found)
{
    size_t word = redact_run(s, at, CLASS_BLANK), end = redact_shell_word(s, word, line);
    while (end > word &&
           (s->text[word] == '-' || redact_at(s, word, "%s") || redact_at(s, word + 1, "%s"))) {
        word = redact_run(s, end, CLASS_BLANK);
        end = redact_shell_word(s, word, line);
    }
    bool quoted = end > word + 2 && REDACT_ONE_OF(s->text[word], "\"'");
    size_t from = word + quoted, to = end - quoted, colon = redact_run(s, from, CLASS_NAME);
    size_t below = line < s->len ? redact_line_end(s, line + 1) : line;
    enum encoders by = encoder(s, redact_run(s, end, CLASS_BLANK), line);
    bool login = colon > from && colon + 4 < to && s->text[colon] == ':';
    struct redact_reached v = {.from = login ? colon + 1 : from, .to = to};
    if (by == NO_ENCODER || to < from + 6 || to - from > MADE_MOST ||
        (by == BASE64 && !is_base64_of(s, to - from, line + 1, below)))
        return;
    if (redact_strength(s, &v) == REDACT_WEAK && !redact_has_sign(s, v.from, to) &&
        !redact_is_phrase(s, v.from, to, 3))
        return;
    if (by == SUM && (redact_strength(s, &v) < REDACT_SHORT_WORD || to < v.from + MADE_LEAST ||
                      redact_is_version(s, v.from, to) || redact_is_path(s, v.from, to) ||
                      redact_run(s, from, CLASS_HEX | CLASS_DASH) >= to))
        return;
    redact_command_add(s, found, v.from, to);
    if (by == BASE64)
        redact_command_add(s, found, line + 1, below);
}

/* ---- typed too early ---- */

/* `read -s PW; X`, and what the shell says of X below: `-bash: X: command not found`. */
void redact_output_mistyped(struct redact_scan *s, size_t start, size_t at,
                            struct redact_command_found *found)
{
    size_t line = redact_line_end(s, at), most = line - at > MADE_MOST ? at + MADE_MOST : line;
    const char *told = memmem(s->text + at, most - at, ": command not found", 19);
    size_t to = told ? (size_t)(told - s->text) : at, from = to, last = at - 1;
    while (from > at && !redact_in(s->text[from - 1], CLASS_BLANK))
        from--;
    if (told && redact_at(s, to + 19, ": ")) { /* zsh tells of it behind that */
        from = to + 21;
        to = line;
    }
    while (last > start && redact_in(s->text[last - 1], CLASS_SPACE))
        last--;
    size_t len = to - from;
    if (len < 4 || last - start < len || memcmp(s->text + last - len, s->text + from, len) != 0)
        return;
    redact_command_add(s, found, last - len, last);
    redact_command_add(s, found, from, to);
}

/* ---- typed for read ---- */

/* `$ read PW`, and what was typed below, with the next prompt behind it. */
void redact_output_typed(struct redact_scan *s, size_t start, size_t at,
                         struct redact_command_found *found)
{
    size_t last = at - 1, line = redact_line_end(s, at),
           begins = redact_line_start(s, start, MADE_MOST);
    while (last > start && redact_in(s->text[last - 1], CLASS_SPACE))
        last--;
    size_t name = last;
    while (name > start && redact_in(s->text[name - 1], CLASS_ALNUM | CLASS_UNDER))
        name--;
    bool brief = last - name >= 2 && redact_at(s, last - 2, "pw"); /* PGPW */
    if (name == last || name < start + 5 || s->text[name - 1] != ' ' ||
        (!brief && redact_telling(s->text + name, last - name) < TELLS_CODE) ||
        !redact_is_prompted(s, start))
        return; /* most */
    if (!(name == start + 5 || (name == start + 8 && redact_at(s, start + 5, "-r "))))
        return; /* other options ask on the same line, or show nothing */
    size_t to = redact_before_prompt(s, begins, at, line);
    bool next = line >= s->len || redact_begins_prompt(s, line + 1);
    if (to >= at + 4 && to - at <= MADE_MOST && next && !redact_begins_prompt(s, at))
        redact_command_add(s, found, at, to);
}

/* ---- dumps ---- */

static size_t skip_group(struct redact_scan *s, size_t at, size_t line)
{
    size_t end = redact_run(s, at, CLASS_HEX);
    bool is = end - at == 2 || end - at == 4 || end - at == 8;
    return is && (end == line || s->text[end] == ' ') ? end : at;
}

/* Where the bytes begin in a dump's line: `00000010: 359e 7d9d`, ` d7 eb 50`, base64 or digits
 * alone; `line` where it is none. A dump's last line may have fewer. */
static size_t dumped(struct redact_scan *s, size_t at, size_t line, bool goes_on)
{
    size_t offset = redact_run(s, at, CLASS_BLANK), end = redact_run(s, offset, CLASS_HEX);
    size_t from = offset, groups = 0;
    size_t plain = redact_run(s, offset, CLASS_ALNUM | CLASS_BASE64);
    if (plain == line && (plain - offset >= PLAIN_LEAST || (goes_on && plain > offset)))
        return offset;
    if (end - offset >= 6 && (redact_char(s, end) == ':' || redact_char(s, end) == ' '))
        from = redact_run(s, end + 1, CLASS_BLANK);
    for (size_t word = from, to; (to = skip_group(s, word, line)) > word; groups++)
        word = redact_run(s, to, CLASS_BLANK);
    return groups >= (goes_on ? 1 : ROW_LEAST) ? from : line;
}

/* Whether a word of the command is such a file. */
static bool has_secret_file(struct redact_scan *s, size_t from, size_t line)
{
    while (from < line) {
        size_t at = redact_run(s, from, CLASS_BLANK), end = redact_shell_word(s, at, line);
        if (end > at + 3 && s->text[at] != '-' && redact_is_secret_file(s, at, end) &&
            !memmem(s->text + at, end - at, "pub", 3))
            return true;
        from = end > from ? end : from + 1;
    }
    return false;
}

void redact_output_dumped(struct redact_scan *s, size_t start, size_t at,
                          struct redact_command_found *found)
{
    size_t begins = redact_line_start(s, start, COMMAND_MOST), from = 0, to = 0;
    size_t most = s->len - at < DUMP_MOST ? s->len : at + DUMP_MOST;
    if (at - begins > 2 * (size_t)COMMAND_MOST || !has_secret_file(s, begins, at - 1))
        return;
    for (size_t line, others = 0; at < most && others < ABOVE_MOST; at = line + 1) {
        line = redact_line_end(s, at);
        size_t bytes = line - at < MADE_MOST ? dumped(s, at, line, from != 0) : line;
        if (bytes < line) {
            from = from ? from : bytes;
            to = line;
        } else if (from || redact_begins_prompt(s, at)) {
            break;
        } else {
            others++;
        }
    }
    if (from)
        redact_command_add(s, found, from, to);
}

/* ---- answers that end at a prompt ---- */

size_t redact_before_prompt(struct redact_scan *s, size_t line, size_t from, size_t to)
{
    size_t sign = line, most = s->len - line > PROMPT_MOST ? line + PROMPT_MOST : s->len;
    while (sign + 1 < most && s->text[sign] != '\n' &&
           !(REDACT_ONE_OF(s->text[sign], "$#%>") && s->text[sign + 1] == ' '))
        sign++;
    size_t len = sign + 2 - line, end = redact_line_end(s, from);
    if (sign + 1 >= most || s->text[sign] == '\n' || (line && s->text[line - 1] != '\n'))
        return to;
    if (len == 2) { /* a sign alone: behind a word that is no other prompt */
        size_t name = redact_run(s, from, CLASS_NAME);
        if (redact_char(s, name) == '@' || REDACT_ONE_OF(redact_char(s, from), "[(~/"))
            return to;
        size_t word = redact_run(s, from, ~(uint32_t)CLASS_SPACE) + 1;
        end = word < end ? word : end;
    }
    const char *prompt =
        end > from + len ? memmem(s->text + from, end - from, s->text + line, len) : NULL;
    size_t at = prompt ? (size_t)(prompt - s->text) : to;
    return at > from + 3 && at < to ? at : to;
}

/* ---- files of users ---- */

#define USERS_BYTES 600 /* of an object */
#define USERS_MOST  15

/* `{"admin": "X", ...}`: a file of users and what they have for a password. */
void redact_output_object(struct redact_scan *s, size_t at, struct redact_command_found *found)
{
    size_t most = s->len - at < USERS_BYTES ? s->len : at + USERS_BYTES;
    for (int i = 0; i < USERS_MOST && at < most && s->text[at] != '}'; i++) {
        struct redact_value name, v;
        size_t quote = redact_run(s, at + 1, CLASS_SPACE), sign, value;
        if (redact_char(s, quote) != '"' || !redact_read_value(s, quote, false, &name))
            return;
        sign = redact_run(s, name.end, CLASS_BLANK);
        value = redact_run(s, sign + 1, CLASS_BLANK);
        if (redact_char(s, sign) != ':' || redact_char(s, value) != '"' ||
            !redact_read_value(s, value, false, &v))
            return;
        redact_command_add(s, found, v.from, v.to);
        at = redact_run(s, v.end, CLASS_SPACE);
    }
}
