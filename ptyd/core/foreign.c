#include "ptyd/core/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "ptyd/core/base64.h"

typedef void decode(const char *text, size_t len, struct bytes *out);

static decode plain, inside_quotes, escaped, quoted, percent, field, url, base64;

/* One thing that a producer prints: `letter`, then fields, of which one begins with `field` ("":
 * any). With `decode` the rest of the mark behind that is its text. Letter 0: no letter. */
struct reading {
    int number;
    char letter;
    const char *field;
    enum foreign_kind kind;
    decode *decode;
};

/* Who prints what, as far as it is more than the first row, which nearly all print; and where that
 * can be read. Of two readings of a mark the one with the longer field counts. */
static const struct producer {
    const char *name, *file;
    struct reading readings[12];
} producers[] = {
    {"all",
     "gitlab.freedesktop.org/Per_Bothner/specifications proposals/semantic-prompts.md",
     {{133, 'A', "", FOREIGN_PROMPT, NULL},
      {133, 'N', "", FOREIGN_PROMPT, NULL},
      {133, 'B', "", FOREIGN_INPUT, NULL},
      {133, 'I', "", FOREIGN_INPUT, NULL},
      {133, 'C', "", FOREIGN_COMMAND, NULL},
      {133, 'D', "", FOREIGN_DONE, NULL}}},
    /* bash and zsh: no B; the text as `printf %q` makes it, raw `;` and all; fish: as fish 4 */
    {"kitty",
     "github.com/kovidgoyal/kitty shell-integration/",
     {{133, 'A', "k=s", FOREIGN_FURTHER, NULL},
      {133, 'C', "cmdline=", FOREIGN_COMMAND, quoted},
      {133, 'C', "cmdline_url=", FOREIGN_COMMAND, field},
      {7, 0, "kitty-shell-cwd://", FOREIGN_DIRECTORY, url}}},
    /* bash and zsh: k=i is the prompt again, and the title is what runs; fish: no B and no text
     * (tracker_foreign.c) */
    {"Ghostty",
     "github.com/ghostty-org/ghostty src/shell-integration/",
     {{133, 'P', "k=i", FOREIGN_PROMPT, NULL},
      {133, 'P', "k=s", FOREIGN_FURTHER, NULL},
      {2, 0, "", FOREIGN_TITLE, plain}}},
    /* an empty text is an empty or cancelled line; in bash also what its trap does not see */
    {"VS Code, with bash, zsh, fish and PowerShell",
     "github.com/microsoft/vscode src/vs/workbench/contrib/terminal/common/scripts/",
     {{633, 'A', "", FOREIGN_PROMPT, NULL},
      {633, 'B', "", FOREIGN_INPUT, NULL},
      {633, 'C', "", FOREIGN_COMMAND, NULL},
      {633, 'D', "", FOREIGN_DONE, NULL},
      {633, 'E', "", FOREIGN_TEXT, escaped},
      {633, 'F', "", FOREIGN_FURTHER, NULL},
      {633, 'G', "", FOREIGN_INPUT, NULL},
      {633, 'H', "", FOREIGN_RIGHT, NULL},
      {633, 'I', "", FOREIGN_INPUT, NULL},
      {633, 'P', "Cwd=", FOREIGN_DIRECTORY, escaped}}},
    {"WezTerm",
     "github.com/wezterm/wezterm assets/shell-integration/wezterm.sh",
     {{1337, 0, "SetUserVar=WEZTERM_PROG=", FOREIGN_LATE, base64},
      {133, 'P', "", FOREIGN_PROMPT, NULL},
      {133, 'P', "k=r", FOREIGN_RIGHT, NULL},
      {133, 'P', "k=c", FOREIGN_FURTHER, NULL}}},
    {"iTerm2",
     "github.com/gnachman/iTerm2-shell-integration shell_integration/",
     {{133, 'A', "k=c", FOREIGN_FURTHER, NULL},
      {133, 'A', "k=r", FOREIGN_RIGHT, NULL},
      {1337, 0, "CurrentDir=", FOREIGN_DIRECTORY, plain}}},
    {"fish 4",
     "github.com/fish-shell/fish-shell src/terminal.rs",
     {{7, 0, "file://", FOREIGN_DIRECTORY, url}}},
    /* the text comes in a VS Code mark or not at all */
    {"Nushell",
     "github.com/nushell/nushell crates/nu-cli/src/repl.rs",
     {{133, 'A', "k=i", FOREIGN_PROMPT, NULL}}},
    /* texts as fish 4 has them; in PowerShell C while the cursor is in the line yet, of an empty
     * one without text; D and A again in the prompt that stays behind a line (transient) */
    {"oh-my-posh", "github.com/JanDeDobbeleer/oh-my-posh src/shell/scripts/", {{0}}},
    /* PowerShell: no C, D without a status of an empty or cancelled line */
    {"Windows Terminal",
     "learn.microsoft.com/en-us/windows/terminal/tutorials/shell-integration",
     {{9, '9', "\"", FOREIGN_WINDOWS, inside_quotes}}},
    /* no C: of a line nothing is known, and nothing is made of it */
    {"starship", "github.com/starship/starship src/init/", {{0}}},
};

/* ---- texts ---- */

static int digit_of(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Up to `most` digits of base `base` at `*at`; -1 for none. */
static long take_number(const char **at, const char *end, int base, int most)
{
    long value = -1;
    for (; most-- && *at < end; (*at)++) {
        int digit = digit_of(**at);
        if (digit < 0 || digit >= base)
            break;
        value = (value < 0 ? 0 : value) * base + digit;
    }
    return value;
}

static void plain(const char *text, size_t len, struct bytes *out)
{
    bytes_append(out, text, len);
}

static void inside_quotes(const char *text, size_t len, struct bytes *out)
{
    bytes_append(out, text, len && text[len - 1] == '"' ? len - 1 : len);
}

static void percent(const char *text, size_t len, struct bytes *out)
{
    for (const char *at = text, *end = text + len; at < end;) {
        const char *digits = at + 1;
        long value = *at == '%' ? take_number(&digits, end, 16, 2) : -1;
        bytes_append_char(out, value < 0 ? *at : (char)value);
        at = value < 0 ? at + 1 : digits;
    }
}

/* Further ones may come behind it. */
static void field(const char *text, size_t len, struct bytes *out)
{
    const char *end = memchr(text, ';', len);
    percent(text, end ? (size_t)(end - text) : len, out);
}

/* `host/path`; without host for what is no path. */
static void url(const char *text, size_t len, struct bytes *out)
{
    const char *path = memchr(text, '/', len);
    if (path)
        percent(path, len - (size_t)(path - text), out);
}

static void base64(const char *text, size_t len, struct bytes *out)
{
    if (base64_decode(text, len, out) < 0)
        out->len = 0;
}

/* A UUID, or as many digits: what VS Code gives its shells so that it knows them again. */
static bool is_nonce(const char *field, size_t len)
{
    size_t digits = 0;
    for (size_t i = 0; i < len; i++) {
        if (field[i] != '-' && digit_of(field[i]) < 0)
            return false;
        digits += field[i] != '-';
    }
    return digits >= 16;
}

/* Another one may be any word. Where a text has two fields that is the second, but for the line
 * that ends fish's blocks. */
static bool may_be_nonce(const char *field, size_t len)
{
    return !memchr(field, ' ', len) && (len != 3 || memcmp(field, "end", 3) != 0);
}

/* The last field of a text may be a nonce, or the place of one. */
static size_t without_nonce(const char *text, size_t len, bool bare)
{
    size_t start = len;
    while (start && text[start - 1] != ';')
        start--;
    if (!start)
        return is_nonce(text, len) ? 0 : len;
    const char *field = text + start;
    bool second = !bare && !memchr(text, ';', start - 1);
    bool is_one = (start == len && !bare) || is_nonce(field, len - start) ||
                  (second && may_be_nonce(field, len - start));
    return is_one ? start - 1 : len;
}

/* `\\` and `\xHH`. A raw `;` stands between the lines of a command in fish, whose own are escaped.
 */
static void escaped(const char *text, size_t len, struct bytes *out)
{
    for (const char *at = text, *end = text + len; at < end;) {
        const char *digits = at + 2;
        bool is_byte = *at == '\\' && end - at > 2 && at[1] == 'x';
        long value = is_byte ? take_number(&digits, end, 16, 2) : -1;
        if (*at == '\\' && value < 0 && end - at > 1)
            at++;
        else if (*at == ';')
            value = '\n', digits = at + 1;
        bytes_append_char(out, value < 0 ? *at : (char)value);
        at = value < 0 ? at + 1 : digits;
    }
}

static void append_code(struct bytes *out, long code)
{
    char text[4];
    bool is_one = code >= 0 && code <= 0x10ffff;
    bytes_append(out, text, utf8_encode(is_one ? (uint32_t)code : 0xfffd, text));
}

/* What follows the backslash in $'…' at `at`; returns what is behind it. */
static const char *take_escape(const char *at, const char *end, struct bytes *out)
{
    static const char names[] = "abeEfnrtv", values[] = "\a\b\033\033\f\n\r\t\v";
    const char *name = *at ? strchr(names, *at) : NULL, *digits = at + 1;
    if (name) {
        bytes_append_char(out, values[name - names]);
    } else if (*at == 'x') {
        bytes_append_char(out, (char)take_number(&digits, end, 16, 2));
        return digits;
    } else if (*at == 'u' || *at == 'U') {
        append_code(out, take_number(&digits, end, 16, *at == 'u' ? 4 : 8));
        return digits;
    } else if (*at >= '0' && *at <= '7') {
        bytes_append_char(out, (char)take_number(&at, end, 8, 3));
        return at;
    } else {
        bytes_append_char(out, *at);
    }
    return at + 1;
}

/* `key=value` up to the end: what no shell's quoting leaves so. */
static bool is_field(const char *at, const char *end)
{
    size_t len = (size_t)(end - at), key = 0;
    while (key < len && ((at[key] >= 'a' && at[key] <= 'z') || at[key] == '_'))
        key++;
    return key && key < len && at[key] == '=' && !memchr(at, ' ', len);
}

/* One word of a shell's; further fields may come behind it. */
static void quoted(const char *text, size_t len, struct bytes *out)
{
    enum { OUTSIDE, DOLLAR, SINGLE, DOUBLE } inside = OUTSIDE;
    for (const char *at = text, *end = text + len; at < end;) {
        char c = *at++;
        if (inside == OUTSIDE && c == ';' && is_field(at, end))
            return;
        if (inside == OUTSIDE && c == '$' && at < end && *at == '\'') {
            inside = DOLLAR;
            at++;
        } else if (inside == OUTSIDE && (c == '\'' || c == '"')) {
            inside = c == '"' ? DOUBLE : SINGLE;
        } else if (inside != OUTSIDE && c == (inside == DOUBLE ? '"' : '\'')) {
            inside = OUTSIDE;
        } else if (c == '\\' && inside == DOLLAR && at < end) {
            at = take_escape(at, end, out);
        } else if (c == '\\' && inside != SINGLE && at < end) {
            bytes_append_char(out, *at++);
        } else {
            bytes_append_char(out, c);
        }
    }
}

/* ---- marks ---- */

/* Where the field that begins with `field` goes on behind that; NULL for none. */
static const char *find_field(const char *at, const char *end, const char *field)
{
    size_t len = strlen(field);
    bool whole = len && !strchr("=/\"", field[len - 1]);
    while (at < end) {
        const char *next = memchr(at, ';', (size_t)(end - at)), *stop = next ? next : end;
        if ((size_t)(stop - at) >= len && !memcmp(at, field, len) &&
            (!whole || (size_t)(stop - at) == len))
            return at + len;
        at = next ? next + 1 : end;
    }
    return len ? NULL : end;
}

/* Where its text begins, or would; NULL for another mark. */
static const char *match(const struct reading *r, int number, const char *payload, size_t len)
{
    if (!r->kind || r->number != number)
        return NULL;
    if (!r->letter)
        return *r->field ? find_field(payload, payload + len, r->field) : payload;
    if (!len || payload[0] != r->letter || (len > 1 && payload[1] != ';'))
        return NULL;
    return find_field(payload + (len > 1 ? 2 : 1), payload + len, r->field);
}

static const struct reading *find(int number, const char *payload, size_t len,
                                  const char **ret_text)
{
    const struct reading *found = NULL;
    for (size_t i = 0; i < sizeof producers / sizeof *producers; i++)
        for (const struct reading *r = producers[i].readings; r->kind; r++) {
            const char *text = match(r, number, payload, len);
            if (text && (!found || strlen(r->field) > strlen(found->field))) {
                found = r;
                *ret_text = text;
            }
        }
    return found;
}

static void take_status(struct foreign_mark *mark, const char *payload, size_t len)
{
    const char *at = payload + 2, *end = payload + len;
    bool negative = len > 2 && *at == '-';
    at += negative;
    long value = len > 2 ? take_number(&at, end, 10, 9) : -1;
    if (value < 0 || (at < end && *at != ';'))
        return;
    mark->has_status = true;
    mark->status = (int)(negative ? -value : value);
}

void foreign_read(int number, const char *payload, size_t len, bool bare,
                  struct foreign_mark *ret_mark)
{
    const char *text = NULL;
    const struct reading *r = find(number, payload, len, &text);
    *ret_mark = (struct foreign_mark){.kind = r ? r->kind : FOREIGN_NOTHING};
    if (!r)
        return;
    if (r->kind == FOREIGN_DONE)
        take_status(ret_mark, payload, len);
    ret_mark->has_text = r->decode;
    if (!r->decode)
        return;
    size_t text_len = (size_t)(payload + len - text);
    ret_mark->is_bare = r->kind == FOREIGN_TEXT && text_len && !memchr(text, ';', text_len) &&
                        !is_nonce(text, text_len);
    if (r->decode == escaped)
        text_len = without_nonce(text, text_len, bare);
    r->decode(text, text_len, &ret_mark->text);
}

void foreign_mark_finish(struct foreign_mark *mark)
{
    bytes_finish(&mark->text);
}
