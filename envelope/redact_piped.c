/* Secrets that are printed into what reads them: `echo X | tool --password-stdin`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact_private.h"

/* Where the last of those words begins that reads a secret from its input; 0 for none. It is looked
 * for once in a line. */
static size_t find_reader(struct redact_scan *s, size_t at)
{
    static const char *const readers[] = {
        "--password-stdin", "sudo -S",       "chpasswd",       "--with-token",    "--stdin",
        "--passphrase-fd",  "sudo -kS",      "sudo -Sk",       "vault login -",   "cryptsetup ",
        "vncpasswd",        "smbpasswd ",    "pass insert",    "wrangler secret", "gh secret",
        "--data-file=-",    "secret create", "vercel env add", "secrets import",  "secret set"};
    size_t end = redact_line_end(s, at);
    if (s->reader_line == end && s->reader_from <= at)
        return s->reader;
    s->reader_line = end;
    s->reader_from = at;
    s->reader = 0;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const char *found = memmem(s->text + at, end - at, readers[i], strlen(readers[i]));
        if (found && (size_t)(found - s->text) > s->reader)
            s->reader = (size_t)(found - s->text);
    }
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

void redact_piped(struct redact_scan *s, size_t at, struct redact_command_found *found)
{
    size_t reader = find_reader(s, at), words = at, end = redact_line_end(s, at);
    bool pairs = reader && redact_at(s, reader, "chpasswd");
    if (reader <= at || !is_piped(s, at, end))
        return;
    for (int i = 0; i < 16; i++) {
        words = redact_run(s, words, CLASS_BLANK);
        size_t word = redact_shell_word(s, words, end);
        if (word == words || word >= reader)
            break;
        const char *colon = pairs ? memchr(s->text + words, ':', word - words) : NULL;
        size_t quote = s->text[word - 1] == '"' || s->text[word - 1] == '\'';
        if (colon)
            redact_command_add(s, found, (size_t)(colon - s->text) + 1, word - quote);
        else if (!pairs && !redact_at(s, words, "-") && !redact_at(s, words, "'%") &&
                 !redact_at(s, words, "\"%"))
            redact_command_add(s, found, words, word);
        words = word;
    }
}
