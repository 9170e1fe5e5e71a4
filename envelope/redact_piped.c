/* Secrets that are printed into what reads them: `echo X | tool --password-stdin`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact_private.h"

/* Words that say so, and what they begin with: most characters begin none. */
static const struct reader {
    const char *text;
    size_t len;
} readers[] = {
#define READER(text)                                                                               \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }
    READER("--password-stdin"), READER("sudo -S"),           READER("chpasswd"),
    READER("--with-token"),     READER("--stdin"),           READER("--passphrase-fd"),
    READER("sudo -kS"),         READER("sudo -Sk"),          READER("vault login -"),
    READER("cryptsetup "),      READER("vncpasswd"),         READER("smbpasswd "),
    READER("pass insert"),      READER("wrangler secret"),   READER("gh secret"),
    READER("--data-file=-"),    READER("secret create"),     READER("vercel env add"),
    READER("secrets import"),   READER("--passwd-on-stdin"), READER("kinit "),
    READER("secret set"),
};
static const bool begins[256] = {['-'] = true, ['s'] = true, ['c'] = true, ['v'] = true,
                                 ['p'] = true, ['w'] = true, ['g'] = true, ['k'] = true};

static bool is_reader(const struct redact_scan *s, size_t at, size_t end)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].text[1] == s->text[at + 1] && *readers[i].text == s->text[at] &&
            readers[i].len <= end - at && !memcmp(s->text + at, readers[i].text, readers[i].len))
            return true;
    return false;
}

/* Where the last of those words begins that reads a secret from its input; 0 for none. It is looked
 * for once in a line. */
static size_t find_reader(struct redact_scan *s, size_t at)
{
    size_t end = redact_line_end(s, at);
    if (s->reader_line == end && s->reader_from <= at)
        return s->reader;
    s->reader_line = end;
    s->reader_from = at;
    s->reader = 0;
    for (size_t i = at; i + 1 < end; i++)
        if (begins[(unsigned char)s->text[i]] && is_reader(s, i, end))
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

void redact_piped(struct redact_scan *s, size_t at, struct redact_command_found *found)
{
    size_t words = at, end = redact_line_end(s, at);
    size_t reader = is_piped(s, at, end) ? find_reader(s, at) : 0;
    bool pairs = reader && redact_at(s, reader, "chpasswd");
    if (reader <= at)
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
