/* Secrets that are printed into what reads them: `echo X | tool --password-stdin`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/places.h"

#define WRITTEN_MOST 400 /* bytes behind echo in which all of it is */
#define LINES_MOST   4   /* over which its word goes on */

/* Words that say so. */
static const struct reader {
    char text[24];
    size_t len;
} readers[] = {
#define READER(text)                                                                               \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }
    READER("--password-stdin"),
    READER("sudo -S"),
    READER("chpasswd"),
    READER("--with-token"),
    READER("--stdin"),
    READER("--passphrase-fd"),
    READER("sudo -kS"),
    READER("sudo -Sk"),
    READER("vault login -"),
    READER("cryptsetup "),
    READER("vncpasswd"),
    READER("smbpasswd "),
    READER("pass insert"),
    READER("wrangler secret"),
    READER("gh secret"),
    READER("--data-file=-"),
    READER("secret create"),
    READER("vercel env add"),
    READER("secrets import"),
    READER("--passwd-on-stdin"),
    READER("kinit "),
    READER("secret set"),
    READER("| passwd"),
    READER("| sudo passwd"),
    READER("redis-cli"),
    READER("valkey-cli"),
    READER("keepassxc-cli"),
    READER("htpasswd -i"),
    READER("htpasswd -n"),
    READER("bw unlock"),
    READER("bw login"),
    READER("op signin"),
    READER("lpass login"),
    READER("borg "),
    READER("restic "),
    READER("kopia "),
    READER("gocryptfs"),
    READER("encfs"),
    READER("veracrypt"),
    READER("openconnect"),
    READER("pinentry"),
    READER("su -"),
    READER("wg pubkey"),
    READER("docker secret"),
    READER("podman secret"),
    READER("kubeseal"),
    READER("age -p"),
    READER("zfs "),
    READER("zpool "),
    READER("p4 login"),
    READER("pihole "),
    READER("| sudo zfs"),
    READER("heroku login"),
    READER("vault kv put"),
    READER("secret-tool store"),
    READER("gpg-preset"),
    READER("mokutil"),
    READER("--password-fd"),
    READER("--pass-stdin"),
    READER("systemd-creds"),
    READER("--password -"),
    READER("caddy hash-"),
    READER("mkpasswd"),
    READER("slappasswd"),
    READER("doveadm pw"),
    READER("argon2"),
    READER("saslpasswd2"),
    READER("keyctl padd"),
    READER("fdesetup"),
    READER("rclone obscure"),
    READER("fscrypt"),
    READER("7z "),
    READER("| tee /run/secrets"),
    READER("realm join"),
    READER("adcli"),
    READER("ldappasswd"),
    READER("wpa_passphrase"),
    READER("ykman"),
    READER("security add"),
    READER("elasticsearch-keystore"),
    READER("kibana-keystore"),
    READER("login "),
    READER("logstash-keystore"),
};
/* By what one begins with, what may be its second character: most words begin none. */
static const char seconds[128][8] = {
    ['-'] = "-",   ['7'] = "z",  ['a'] = "dgr",  ['b'] = "ow", ['c'] = "ahr",    ['d'] = "o",
    ['e'] = "ln",  ['f'] = "ds", ['g'] = "hop",  ['h'] = "et", ['k'] = "eiou",   ['l'] = "dop",
    ['m'] = "ko",  ['o'] = "p",  ['p'] = "aio4", ['r'] = "ce", ['s'] = "aelmuy", ['v'] = "aen",
    ['w'] = "gpr", ['y'] = "k",  ['z'] = "fp",   ['|'] = " ",
};

static bool may_read(char first, char second)
{
    const char *may = seconds[(unsigned char)first & 127u];
    return *may && strchr(may, second) != NULL;
}

static bool is_reader(const struct redact_scan *s, size_t at, size_t end)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].text[1] == s->text[at + 1] && *readers[i].text == s->text[at] &&
            readers[i].len <= end - at && !memcmp(s->text + at, readers[i].text, readers[i].len))
            return *readers[i].text != 's' || memcmp(readers[i].text, "su -", 5) != 0 ||
                   !memmem(s->text + at, end - at, " -c", 3); /* what it is to run reads */
    return false;
}

/* Where the command ends that goes on at `at`, its pipes included. */
static size_t command_end(struct redact_scan *s, size_t at)
{
    size_t line = redact_line_end(s, at);
    while (at < line && s->text[at] != ';' &&
           !(s->text[at] == '&' && redact_char(s, at + 1) == '&'))
        at = redact_in(s->text[at], CLASS_DOUBLE | CLASS_SINGLE) ? redact_shell_word(s, at, line)
                                                                 : at + 1;
    return at < line ? at : line;
}

/* Where the last of those words begins that reads a secret from its input; 0 for none. It is looked
 * for once in a command. */
static size_t find_reader(struct redact_scan *s, size_t at)
{
    if (s->reader_from <= at && at < s->reader_line)
        return s->reader;
    size_t end = command_end(s, at);
    s->reader_line = end;
    s->reader_from = at;
    s->reader = 0;
    bool piped = false; /* what asks for it by `login` is behind one */
    for (size_t i = at; i + 1 < end; piped = piped || s->text[i] == '|', i++)
        if (redact_in(s->text[i - (i > 0)], CLASS_BLANK | CLASS_SEPARATOR | CLASS_BASE64) &&
            may_read(s->text[i], s->text[i + 1]) && is_reader(s, i, end) &&
            (piped || !redact_at(s, i, "login")))
            s->reader = i;
    return s->reader;
}

/* Whether the words at `at` end at a pipe. */
static bool is_piped(struct redact_scan *s, size_t at, size_t end)
{
    for (int i = 0; i < 16; i++) {
        at = redact_run(s, at, CLASS_BLANK);
        size_t word = redact_shell_word(s, at, end);
        if (word == at)
            break;
        at = word;
    }
    return at + 1 < end && s->text[at] == '|' && s->text[at + 1] != '|';
}

/* `'AUTH user X'`, which a database is told. */
static void take_auth(struct redact_scan *s, size_t at, size_t end,
                      struct redact_command_found *found)
{
    const char *pipe = memchr(s->text + at, '|', end - at);
    size_t from = redact_run(s, at, CLASS_BLANK | CLASS_DOUBLE | CLASS_SINGLE);
    size_t to = pipe ? (size_t)(pipe - s->text) : end;
    while (to > from && redact_in(s->text[to - 1], CLASS_BLANK | CLASS_DOUBLE | CLASS_SINGLE))
        to--;
    size_t word = to;
    while (word > from && !redact_in(s->text[word - 1], CLASS_BLANK))
        word--;
    if (redact_at(s, from, "AUTH ") && word > from)
        redact_command_add(s, found, word, to);
}

/* A word at `word`, and what the next lines add to it behind a backslash: `"A"\`, `> "B"`. */
static size_t written_word(struct redact_scan *s, size_t word, size_t end)
{
    size_t to = redact_shell_word(s, word, end);
    for (int i = 0; i < LINES_MOST && to > word && s->text[to - 1] != ' '; i++) {
        size_t next = redact_at(s, to, "\\\n") ? to + 2 : redact_at(s, to - 1, "\\\n") ? to + 1 : 0;
        if (!next || next >= s->len)
            break;
        next = redact_at(s, next, "> ") ? next + 2 : next;
        to = redact_shell_word(s, next, redact_line_end(s, next));
    }
    return to;
}

/* Where the name of the file is that what ends at `at` goes into: `> FILE`, `| sudo tee -a FILE`;
 * `at` for none. */
static size_t behind_into(struct redact_scan *s, size_t at, size_t end)
{
    size_t sign = redact_run(s, at, CLASS_BLANK), file = sign;
    while (file < end && s->text[file] == '>')
        file++;
    if (file > sign)
        return redact_run(s, file, CLASS_BLANK);
    if (redact_char(s, sign) != '|')
        return at;
    file = redact_run(s, sign + 1, CLASS_BLANK);
    file += redact_at(s, file, "sudo ") ? 5 : 0;
    if (!redact_at(s, file, "tee "))
        return at;
    file += 4;
    return file + (redact_at(s, file, "-a ") ? 3 : 0);
}

/* `echo "db:5432:app:kim:X" >> ~/.pgpass`, `echo "host kim:X" > sasl_passwd`: what of a line of the
 * file's form is the secret. */
static bool take_field(struct redact_scan *s, size_t word, size_t to, size_t file, size_t last,
                       struct redact_command_found *found)
{
    bool pg = memmem(s->text + file, last - file, "pgpass", 6),
         sasl = !pg && memmem(s->text + file, last - file, "sasl_passwd", 11);
    size_t quote = REDACT_ONE_OF(s->text[word], "\"'"), at = word + quote;
    if (!(pg || sasl) || to < word + 2 * quote + 4)
        return false;
    for (int colons = pg ? 4 : 1; colons; colons--) {
        const char *blank = sasl ? memchr(s->text + at, ' ', to - at) : NULL;
        at = blank ? (size_t)(blank - s->text) : at;
        const char *colon = memchr(s->text + at, ':', to - at);
        if (!colon)
            return false;
        at = (size_t)(colon - s->text) + 1;
    }
    redact_command_add(s, found, at, to - quote);
    return true;
}

/* `echo X > ~/.restic-pass`: into a file whose name says what it holds. */
static void take_written(struct redact_scan *s, size_t at, size_t end,
                         struct redact_command_found *found)
{
    size_t word = redact_run(s, at, CLASS_BLANK), to = written_word(s, word, end);
    bool format = redact_at(s, word, "%s") || redact_at(s, word + 1, "%s");
    while ((redact_char(s, word) == '-' || format) && to < end) { /* -n, '%s\n' */
        word = redact_run(s, to, CLASS_BLANK);
        to = written_word(s, word, end);
        format = false;
    }
    size_t line = redact_line_end(s, to), file = behind_into(s, to, line);
    size_t last = redact_shell_word(s, file, line);
    if (last > file && take_field(s, word, to, file, last, found))
        return;
    if (file <= to) { /* a user in front of it: `printf '%s\n%s\n' kim X` */
        word = redact_run(s, to, CLASS_BLANK);
        to = written_word(s, word, end);
        line = redact_line_end(s, to), file = behind_into(s, to, line);
        last = redact_shell_word(s, file, line);
    }
    if (file > to && to > word + 4 && last > file && redact_is_secret_file(s, file, last))
        redact_command_add(s, found, word, to);
}

/* Whether the first pipe is into tee. */
static bool may_be_tee(struct redact_scan *s, size_t at, size_t end)
{
    const char *pipe = memchr(s->text + at, '|', end - at);
    size_t word = pipe ? redact_run(s, (size_t)(pipe - s->text) + 1, CLASS_BLANK) : end;
    return redact_at(s, word, "tee ") || redact_at(s, word, "sudo tee ");
}

/* A first look: an option and a word are in front, or `--user=kim`, and a quote at most behind. */
static bool may_be_behind_user(const struct redact_scan *s, size_t line, size_t at)
{
    size_t to = at - (at > line && !redact_in(s->text[at - 1], CLASS_SPACE));
    for (int i = 0; i < 2; i++) {
        while (to > line && redact_in(s->text[to - 1], CLASS_BLANK))
            to--;
        size_t from = to;
        while (from > line && !redact_in(s->text[from - 1], CLASS_SPACE))
            from--;
        if (from == to || s->text[from] == '-')
            return from < to &&
                   (redact_at(s, from, "--user") ||
                    (i && ((s->text[from + 1] | 0x20) == 'u' || redact_at(s, from, "--login"))));
        to = from;
    }
    return false;
}

bool redact_login_option(struct redact_scan *s, size_t at, size_t end,
                         struct redact_match *ret_match)
{
    static const char users[][12] = {" -u ", " --user ",  " --username",
                                     " -U ", " --login ", " --user="};
    static const char others[][12] = {
        "sudo",    "docker", "podman", "journalctl", "mkdir", "mysql", "mariadb", "install",
        "useradd", "lsof",   "ps ",    "psql",       "ssh",   "diff",  "su ",     "kill"};
    size_t line = redact_line_start(s, at, REDACT_LINE_LOOKED_AT), from = end + 1;
    if (!may_be_behind_user(s, line, at))
        return false; /* most */
    size_t to = redact_shell_word(s, from, redact_line_end(s, end));
    bool quoted = to > from + 2 && redact_in(s->text[from], CLASS_DOUBLE | CLASS_SINGLE) &&
                  s->text[to - 1] == s->text[from];
    struct redact_reached v = {.from = from + quoted, .to = to - quoted};
    bool user = false;
    for (size_t i = 0; i < sizeof users / sizeof *users && !user; i++) {
        const char *option = memmem(s->text + line, at - line, users[i], strlen(users[i]));
        size_t name = option ? (size_t)(option - s->text) + strlen(users[i]) : at;
        size_t behind = redact_run(s, name, ~(uint32_t)CLASS_SPACE);
        user = option && behind > name && s->text[name] != '-' &&
               redact_run(s, behind, CLASS_BLANK) + 1 >= at; /* `-u kim -p`, not `cp -u -p` */
    }
    user = user && redact_char(s, redact_run(s, v.from, CLASS_ALNUM)) != '=';
    for (size_t i = 0; user && i < sizeof others / sizeof *others; i++)
        user = !memmem(s->text + line, at - line, others[i], strlen(others[i]));
    if (!user || v.to < v.from + 4 || redact_is_placeholder(s, v.from, v.to) ||
        redact_is_number(s, v.from, v.to) || s->text[v.from] == '-' ||
        (!quoted && redact_strength(s, &v) == REDACT_WEAK && !redact_has_sign(s, v.from, v.to) &&
         !redact_is_wordy(s, v.from, v.to)))
        return false;
    *ret_match = (struct redact_match){v.from, v.to, "value"};
    return true;
}

/* Of `(echo X; echo X) | tool` and `{ echo X; echo X; } | tool` where the first's pipe is, or `at`:
 * what is asked twice is told twice. */
static size_t behind_group(struct redact_scan *s, size_t at, size_t end)
{
    bool group = at >= 5 && s->text[at - 5] == '(';
    if (!group && !(at >= 6 && redact_at(s, at - 6, "{ ")))
        return at; /* most */
    size_t most = end - at > WRITTEN_MOST ? at + WRITTEN_MOST : end;
    const char *second = memmem(s->text + at, most - at, "; echo ", 7);
    const char *close =
        second ? memmem(second, (size_t)(s->text + most - second), group ? ") |" : "} |", 3) : NULL;
    return close ? (size_t)(close - s->text) + 1 : at;
}

bool redact_is_converted(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t line = redact_line_start(s, at, WRITTEN_MOST), to = at;
    to -= to > line && s->text[to - 1] == ' ';
    if (to <= line + 4 || s->text[--to] != '|')
        return false;
    to -= s->text[to - 1] == ' ';
    char quote = s->text[--to];
    size_t from = to;
    if (quote != '"' && quote != '\'')
        return false;
    while (from > line && s->text[from - 1] != quote)
        from--;
    if (from == line || to < from + 3 || redact_is_placeholder(s, from, to))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}

void redact_piped(struct redact_scan *s, size_t at, struct redact_command_found *found)
{
    size_t words = at, end = redact_line_end(s, at);
    if (end - at < WRITTEN_MOST &&
        (memmem(s->text + at, end - at, "base64", 6) || memmem(s->text + at, end - at, "sum", 3)))
        redact_output_encoded(s, at, end, found);
    size_t reader = find_reader(s, behind_group(s, at, end));
    bool pairs = reader && redact_at(s, reader, "chpasswd");
    size_t most = end - at > WRITTEN_MOST ? at + WRITTEN_MOST : end;
    if (reader <= at && (memchr(s->text + at, '>', most - at) || may_be_tee(s, at, most) ||
                         (end > at && s->text[end - 1] == '\\')))
        take_written(s, at, most, found);
    if (reader <= at || !(is_piped(s, at, end) || s->reader_from > at))
        return;
    if (redact_at(s, reader, "redis") || redact_at(s, reader, "valkey")) {
        take_auth(s, at, end, found);
        return;
    }
    for (int i = 0; i < 16; i++) {
        words = redact_run(s, words, CLASS_BLANK);
        size_t word = redact_shell_word(s, words, end);
        if (word == words || word >= reader || s->text[words] == ';')
            break;
        const char *colon = pairs ? memchr(s->text + words, ':', word - words) : NULL;
        size_t to =
            word - (s->text[word - 1] == ')' && !memchr(s->text + words, '(', word - words));
        size_t quote = s->text[to - 1] == '"' || s->text[to - 1] == '\'';
        if (colon)
            redact_command_add(s, found, (size_t)(colon - s->text) + 1, to - quote);
        else if (!pairs && !redact_at(s, words, "-") && !redact_at(s, words, "'%") &&
                 !redact_at(s, words, "\"%"))
            redact_command_add(s, found, words, to);
        words = word;
    }
}

/* ---- printed where a file or a command is asked for ---- */

#define FED_MOST 120 /* bytes in front of what is printed */

static bool has_word(const struct redact_scan *s, size_t from, size_t to)
{
    static const char *const words[] = {"pass",    "PASS",   "Pass",        "key-file",
                                        "keyfile", "secret", "SECRET",      "token",
                                        "TOKEN",   "auth",   "private-key", "preshared-key"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(s->text + from, to - from, words[i], strlen(words[i])))
            return true;
    return false;
}

/* `-u kim:"$(echo X)"`, `PASSWORD=$(echo X)`: the dollar is at `dollar`, and only a word is
 * printed.
 */
static bool is_substituted(struct redact_scan *s, size_t from, size_t dollar)
{
    static const char users[][8] = {" -u ", " -u", "--user "};
    size_t to = dollar - (dollar > from && s->text[dollar - 1] == '"');
    size_t word = redact_run(s, redact_run(s, dollar + 2, CLASS_LOWER), CLASS_BLANK);
    size_t end = redact_run(s, word, CLASS_ALL & ~(uint32_t)(CLASS_SPACE | CLASS_TICK));
    const char *close = memchr(s->text + word, ')', end - word);
    if (to < from + 3 || !close || memchr(s->text + word, '$', end - word) || *(close - 1) == '(')
        return false;
    if (s->text[to - 1] == ':')
        return REDACT_HOLDS(s, from, to, users) && redact_at(s, dollar + 2, "echo ");
    size_t name = to - 1;
    while (name > from && redact_in(s->text[name - 1], CLASS_WORD))
        name--;
    return s->text[to - 1] == '=' && redact_tells(s, name, to - 1 - name) == TELLS_ALL;
}

/* `Authorization: Basic $(echo -n kim:X | base64)`: a user and it, where a shell puts in what it is
 * in base64. */
static bool is_basic(const struct redact_scan *s, size_t at)
{
    size_t opens = at > 1 && s->text[at - 1] == '(' && s->text[at - 2] == '$' ? at - 2 : at - 1;
    return at > 7 && (opens < at - 1 || s->text[opens] == '`') && redact_at(s, opens - 6, "Basic ");
}

bool redact_is_fed(struct redact_scan *s, size_t at)
{
    char before = at ? s->text[at - 1] : 0;
    size_t from = redact_line_start(s, at, FED_MOST);
    if (is_basic(s, at))
        return true;
    if (before == '(' && at > 1 && s->text[at - 2] == '<')
        return has_word(s, from, at);
    if (before == '(' && at > 1 && s->text[at - 2] == '$')
        return is_substituted(s, from, at - 2);
    size_t name = at < 2 ? 0 : at - 1;
    if ((before != '"' && before != '\'') || !REDACT_ONE_OF(s->text[name - (name > 0)], " =:"))
        return false;
    while (name > from && REDACT_ONE_OF(s->text[name - 1], " =:"))
        name--;
    static const char *const ends[] = {"command", "cmd", "eval", "extpass", "askpass"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t len = strlen(ends[i]);
        if (name - from >= len && redact_at(s, name - len, ends[i]))
            return has_word(s, name - from > 40 ? name - 40 : from, name);
    }
    return false;
}

void redact_fed(struct redact_scan *s, size_t at, size_t end, struct redact_command_found *found)
{
    char close = s->text[at - 1] == '(' ? ')' : s->text[at - 1];
    size_t line = redact_line_end(s, end), from = redact_run(s, end, CLASS_BLANK);
    line = line - from > WRITTEN_MOST && line > from ? from + WRITTEN_MOST : line;
    const char *last = memchr(s->text + from, close, line - from);
    size_t to = last ? (size_t)(last - s->text) : line;
    while (from + 1 < to && s->text[from] == '-' && redact_in(s->text[from + 1], CLASS_LOWER))
        from = redact_run(s, redact_run(s, from, CLASS_WORD), CLASS_BLANK);
    if (from + 4 < to && redact_at(s, from + 1, "%s") && s->text[from + 3] != ' ')
        from = redact_run(s, redact_shell_word(s, from, to), CLASS_BLANK);
    if (from < to && is_basic(s, at)) {
        size_t word = redact_shell_word(s, from, to);
        bool quote = word > from + 1 && redact_in(s->text[from], CLASS_DOUBLE | CLASS_SINGLE);
        redact_user_behind(s, found, from + quote, word - quote, ':');
    } else if (from < to) {
        redact_command_add(s, found, from, to);
    }
}
