/* Prompts of shells, as people have them: `$ `, `kim@db1:~/src$ `, `PS C:\\> `, `~/src (main) $ `,
 * an arrow and where one is, a frame around two lines. Whether one is in front of a command, and
 * whether a line begins with one. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"

#define PROMPT_MOST 80             /* bytes of one */
#define CLOCK_MOST  16             /* bytes of a clock behind its hours */
#define RUN_MOST    160            /* bytes in front of a command that is run elsewhere */
#define PLACE_MOST  40             /* bytes of where one is, in a prompt */
#define ARROW       "\xe2\x9e\x9c" /* robbyrussell's of oh-my-zsh */

/* ---- signs ---- */

/* How long the sign is that ends a prompt at `at`: a shell's own, or one that people like; 0 for
 * none. */
static size_t sign_at(const struct redact_scan *s, size_t at)
{
    static const char signs[][4] = {"\xe2\x9d\xaf", ARROW,          "\xe2\x96\xb6", "\xe2\x9f\xa9",
                                    "\xe2\x9e\xa4", "\xe2\x80\xba", "\xc2\xbb",     "\xce\xbb"};
    char c = redact_char(s, at);
    if (REDACT_ONE_OF(c, "$#%>"))
        return 1;
    for (size_t i = 0; (unsigned char)c >= 0x80 && i < sizeof signs / sizeof *signs; i++)
        if (redact_at(s, at, signs[i]))
            return strlen(signs[i]);
    return 0;
}

/* Behind an arrow that begins the line at `line`: where one is, a branch, and what says that
 * something is changed: `[arrow]  src git:(main) [cross] `. */
static size_t behind_arrow(struct redact_scan *s, size_t line)
{
    size_t at = redact_run(s, line + strlen(ARROW), CLASS_BLANK);
    size_t word = redact_run(s, at, ~(uint32_t)CLASS_SPACE),
           blank = redact_run(s, word, CLASS_BLANK);
    if (word - at > PLACE_MOST || !redact_at(s, blank, "git:("))
        return blank;
    word = redact_run(s, blank, ~(uint32_t)CLASS_SPACE);
    blank = redact_run(s, word, CLASS_BLANK);
    return redact_at(s, blank, "\xe2\x9c\x97 ") ? blank + 4 : blank;
}

/* Whether a sign that ends a prompt is right in front of `at`, with or without blanks. */
static bool ends_prompt(struct redact_scan *s, size_t line, size_t at)
{
    if (redact_at(s, line, ARROW) && behind_arrow(s, line) == at)
        return true;
    bool blank = at > line && s->text[at - 1] == ' ';
    at -= blank;
    at -= blank && at > line && s->text[at - 1] == ' ';
    if (at == line)
        return false;
    char sign = s->text[at - 1];
    if ((unsigned char)sign < 0x80)
        return blank ? REDACT_ONE_OF(sign, "$#%>") : sign == '>';
    return (at - line >= 3 && sign_at(s, at - 3) == 3) ||
           (at - line >= 2 && sign_at(s, at - 2) == 2);
}

bool redact_is_prompted(struct redact_scan *s, size_t at)
{
    static const char before[][9] = {"sudo ",  "command ", "doas ", "time ", "env ", "-E ",
                                     "xcrun ", "bin/",     "./",    "npx ",  "php "};
    size_t line = redact_line_start(s, at, PROMPT_MOST);
    if (line && s->text[line - 1] != '\n')
        return false;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t len = strlen(before[i]);
        if (at - line >= len && !memcmp(s->text + at - len, before[i], len)) {
            at -= len;
            i = (size_t)-1;
        }
    }
    return (at == line && at == 0) || ends_prompt(s, line, at);
}

size_t redact_run_elsewhere(struct redact_scan *s, size_t at)
{
    static const char shells[][7] = {"ssh ", "sh -", "bash -", "su ", "wsl ", "tsh ", "mosh "};
    size_t line = redact_line_start(s, at, RUN_MOST), word = line;
    while (word + 1 < at && !(REDACT_ONE_OF(s->text[word], "$#%>") && s->text[word + 1] == ' '))
        word++;
    word += 2;
    return word < at && REDACT_HOLDS(s, word, at, shells) && redact_is_prompted(s, word) ? word : 0;
}

/* ---- lines ---- */

/* Behind what clocks and frames put in front: `[12:34:56] `, `12:34:56 `, the corner of a frame. */
static size_t skip_front(const struct redact_scan *s, size_t at)
{
    size_t open = redact_char(s, at) == '[', colon = at + open + 2;
    if (redact_at(s, at, "\xe2\x95\xb0\xe2\x94\x80") ||
        redact_at(s, at, "\xe2\x94\x94\xe2\x94\x80"))
        return at + 6;
    if (redact_char(s, colon) != ':' || !redact_in(s->text[colon - 1], CLASS_DIGIT))
        return at; /* most */
    size_t most = colon + CLOCK_MOST;
    while (colon < most && redact_in(redact_char(s, colon), CLASS_DIGIT | CLASS_COLON))
        colon++;
    colon += open && redact_char(s, colon) == ']';
    return redact_char(s, colon) == ' ' ? colon + 1 : at;
}

/* `~/src (main) $ `: where one is, in front of the sign. */
static bool is_placed(struct redact_scan *s, size_t at)
{
    size_t path = at;
    while (path - at < PLACE_MOST && (redact_in(redact_char(s, path), CLASS_NAME | CLASS_TILDE) ||
                                      redact_char(s, path) == '/'))
        path++;
    if (redact_char(s, path) == ' ' && redact_char(s, path + 1) == '(') {
        size_t branch = redact_run(s, path + 2, CLASS_NAME | CLASS_BASE64);
        path = redact_at(s, branch, ") ") ? branch + 1 : path;
    }
    size_t sign = path + (redact_char(s, path) == ' '), len = sign_at(s, sign);
    return len && redact_char(s, sign + len) == ' ';
}

/* One of a shell's, of a language's or of a database's own. */
static bool is_known(struct redact_scan *s, size_t at)
{
    static const char known[][8] = {"PS ",     "PS>",    ">>> ",   "irb",          "In [", "mysql>",
                                    "sqlite>", "(venv)", "(base)", "\xe2\x9d\xaf", ARROW,  ">> "};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (redact_at(s, at, known[i]))
            return true;
    return false;
}

bool redact_begins_prompt(struct redact_scan *s, size_t at)
{
    size_t line = redact_line_end(s, at), most = line - at > PROMPT_MOST ? at + PROMPT_MOST : line;
    size_t front = skip_front(s, at), len = sign_at(s, front);
    if (at + 1 < line && len && redact_char(s, front + len) == ' ')
        return true;
    if (is_known(s, at))
        return true;
    at = front;
    if (at + 3 < most && s->text[at + 1] == ':' && s->text[at + 2] == '\\')
        return memchr(s->text + at, '>', most - at) != NULL;
    if (REDACT_ONE_OF(redact_char(s, at), "~/"))
        return is_placed(s, at);
    size_t user = at + REDACT_ONE_OF(s->text[at], "[("), host = redact_run(s, user, CLASS_NAME);
    bool is = redact_char(s, host) == '@' && host > user;
    for (size_t i = host; host > user && i + 1 < most; i++) {
        if (REDACT_ONE_OF(s->text[i], "$#%>") && s->text[i + 1] == ' ')
            return s->text[i - 1] != '-';
        if (!is && s->text[i] == ' ')
            return false;
    }
    return false;
}
