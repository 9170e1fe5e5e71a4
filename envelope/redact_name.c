/* What a name says of what it is set to: by its last words, whatever stands between them. */
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "envelope/redact_private.h"

#define WORDS_MOST     4
#define WORD_MOST      48
#define NAME_LOOKED_AT 96 /* bytes of a name's end */

/* The last words of a name, the last one first, in small letters and without digits at their end.
 */
struct words {
    char word[WORDS_MOST][WORD_MOST];
    int count;
};

struct row {
    const char *word;
    size_t len;
    enum redact_telling tells;
};

#define ROW(word, tells)                                                                           \
    {                                                                                              \
        word, sizeof(word) - 1, tells                                                              \
    }

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether a word ends in front of `at`: sshKey is two, APIKey is, APIKEY is one. */
static bool is_border(const char *name, size_t len, size_t at)
{
    if (!redact_in(name[at - 1], CLASS_ALNUM))
        return true;
    if (!redact_in(name[at], CLASS_UPPER))
        return false;
    return redact_in(name[at - 1], CLASS_LOWER) ||
           (at + 1 < len && redact_in(name[at + 1], CLASS_LOWER) &&
            redact_in(name[at - 1], CLASS_UPPER));
}

static size_t take_word(const char *name, size_t len, size_t to, struct words *words)
{
    size_t from = to;
    while (from > 0 && redact_in(name[from - 1], CLASS_ALNUM)) {
        from--;
        if (from == 0 || is_border(name, len, from))
            break;
    }
    size_t end = to;
    while (end > from && redact_in(name[end - 1], CLASS_DIGIT))
        end--;
    size_t start = end - from >= WORD_MOST ? end - WORD_MOST + 1 : from;
    if (end > start) {
        char *word = words->word[words->count++];
        for (size_t i = start; i < end; i++)
            *word++ = lower(name[i]);
        *word = 0;
    }
    return from;
}

/* Words behind the telling one that change nothing. */
static bool is_qualifier(const char *word)
{
    static const char *const list[] = {
        "base",         "prod",    "production", "staging",  "stage",  "dev",
        "live",         "old",     "new",        "value",    "plain",  "primary",
        "secondary",    "backup",  "current",    "previous", "main",   "plaintext",
        "local",        "b",       "v",          "test",     "string", "text",
        "confirmation", "confirm", "again",      "us",       "eu",     "encrypted"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (*word == *list[i] && !strcmp(word, list[i]))
            return true;
    return false;
}

static struct words words_of(const char *name, size_t len)
{
    struct words words = {.count = 0};
    if (len > NAME_LOOKED_AT) {
        name += len - NAME_LOOKED_AT;
        len = NAME_LOOKED_AT;
    }
    size_t at = len;
    while (at > 0 && words.count < WORDS_MOST) {
        while (at > 0 && !redact_in(name[at - 1], CLASS_ALNUM))
            at--;
        if (at > 0)
            at = take_word(name, len, at, &words);
        if (words.count == 1 && is_qualifier(words.word[0]))
            words.count = 0;
    }
    for (int i = words.count; i < WORDS_MOST; i++)
        words.word[i][0] = 0;
    return words;
}

static enum redact_telling ends_in(const char *word, const struct row *rows, size_t count)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < count; i++) {
        size_t row = rows[i].len;
        if (row <= len && word[len - 1] == rows[i].word[row - 1] &&
            !memcmp(word + len - row, rows[i].word, row))
            return rows[i].tells;
    }
    return TELLS_NOTHING;
}

static enum redact_telling is_one_of(const char *word, const struct row *rows, size_t count)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < count; i++)
        if (rows[i].len == len && *word == *rows[i].word && !memcmp(word, rows[i].word, len))
            return rows[i].tells;
    return TELLS_NOTHING;
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* What a word ends in. */
static const struct row endings[] = {
    ROW("password", TELLS_ALL),
    ROW("passwd", TELLS_ALL),
    ROW("passphrase", TELLS_ALL),
    ROW("passwort", TELLS_ALL),
    ROW("secret", TELLS_ALL),
    ROW("passcode", TELLS_ALL),
    ROW("requirepass", TELLS_ALL),
    ROW("masterauth", TELLS_ALL),
    ROW("storepass", TELLS_ALL),
    ROW("keypass", TELLS_ALL),
    ROW("dbpass", TELLS_ALL),
    ROW("userpass", TELLS_ALL),
    ROW("rootpass", TELLS_ALL),
    ROW("adminpass", TELLS_ALL),
    ROW("smtppass", TELLS_ALL),
    ROW("mailpass", TELLS_ALL),
    ROW("ftppass", TELLS_ALL),
    ROW("bindpw", TELLS_ALL),
    ROW("rootpw", TELLS_ALL),
    ROW("dbpw", TELLS_ALL),
    ROW("dbpwd", TELLS_ALL),
    ROW("userpwd", TELLS_ALL),
    ROW("secretkey", TELLS_ALL),
    ROW("encryptionkey", TELLS_ALL),
    ROW("signingkey", TELLS_ALL),
    ROW("masterkey", TELLS_ALL),
    ROW("token", TELLS_CODE),
    ROW("apikey", TELLS_CODE),
    ROW("accesskey", TELLS_CODE),
    ROW("privatekey", TELLS_CODE),
    ROW("authkey", TELLS_CODE),
    ROW("accountkey", TELLS_CODE),
    ROW("credential", TELLS_CODE),
    ROW("credentials", TELLS_CODE),
    ROW("cookie", TELLS_CODE),
    ROW("sharedkey", TELLS_CODE),
    ROW("presharedkey", TELLS_CODE),
    ROW("keydata", TELLS_CODE),
    ROW("sharedaccesssignature", TELLS_CODE),
    ROW("passkey", TELLS_CODE),
    ROW("userpasswd", TELLS_ALL),
};

/* What a word is. */
static const struct row single[] = {
    ROW("pass", TELLS_ALL),  ROW("pwd", TELLS_ALL),        ROW("pw", TELLS_ALL),
    ROW("psk", TELLS_ALL),   ROW("auth", TELLS_CODE),      ROW("creds", TELLS_CODE),
    ROW("jwt", TELLS_CODE),  ROW("bearer", TELLS_CODE),    ROW("sas", TELLS_LONG),
    ROW("sig", TELLS_LONG),  ROW("signature", TELLS_LONG), ROW("salt", TELLS_LONG),
    ROW("passw", TELLS_ALL), ROW("mdp", TELLS_ALL),
};

/* What stands in front of `key`. */
static const struct row keys[] = {
    ROW("secret", TELLS_ALL),        ROW("encryption", TELLS_ALL), ROW("signing", TELLS_ALL),
    ROW("master", TELLS_ALL),        ROW("api", TELLS_CODE),       ROW("private", TELLS_CODE),
    ROW("access", TELLS_CODE),       ROW("account", TELLS_CODE),   ROW("auth", TELLS_CODE),
    ROW("shared", TELLS_CODE),       ROW("session", TELLS_CODE),   ROW("license", TELLS_CODE),
    ROW("service", TELLS_CODE),      ROW("app", TELLS_CODE),       ROW("application", TELLS_CODE),
    ROW("client", TELLS_CODE),       ROW("deploy", TELLS_CODE),    ROW("storage", TELLS_CODE),
    ROW("admin", TELLS_CODE),        ROW("consumer", TELLS_CODE),  ROW("subscription", TELLS_CODE),
    ROW("write", TELLS_CODE),        ROW("server", TELLS_CODE),    ROW("function", TELLS_CODE),
    ROW("webhook", TELLS_CODE),      ROW("crypt", TELLS_CODE),     ROW("cipher", TELLS_CODE),
    ROW("aes", TELLS_CODE),          ROW("hmac", TELLS_CODE),      ROW("jwt", TELLS_CODE),
    ROW("integration", TELLS_CODE),  ROW("preshared", TELLS_CODE), ROW("security", TELLS_CODE),
    ROW("secure", TELLS_CODE),       ROW("logged", TELLS_LONG),    ROW("in", TELLS_LONG),
    ROW("nonce", TELLS_LONG),        ROW("transport", TELLS_CODE), ROW("cookie", TELLS_CODE),
    ROW("unseal", TELLS_CODE),       ROW("recovery", TELLS_CODE),  ROW("registration", TELLS_CODE),
    ROW("interface", TELLS_NOTHING), ROW("agent", TELLS_CODE),
};

/* What in front of `key` says that it is none. */
static const struct row open_keys[] = {
    ROW("public", TELLS_ALL),      ROW("primary", TELLS_ALL),   ROW("foreign", TELLS_ALL),
    ROW("sort", TELLS_ALL),        ROW("partition", TELLS_ALL), ROW("cache", TELLS_ALL),
    ROW("object", TELLS_ALL),      ROW("hot", TELLS_ALL),       ROW("hkey", TELLS_ALL),
    ROW("gpg", TELLS_ALL),         ROW("pgp", TELLS_ALL),       ROW("publishable", TELLS_ALL),
    ROW("idempotency", TELLS_ALL), ROW("host", TELLS_ALL),      ROW("pub", TELLS_ALL),
};

static bool is_upper(const char *name, size_t len)
{
    bool letters = false;
    for (size_t i = 0; i < len; i++) {
        if (redact_in(name[i], CLASS_LOWER))
            return false;
        letters = letters || redact_in(name[i], CLASS_UPPER);
    }
    return letters;
}

static enum redact_telling of_key(const struct words *w, bool upper)
{
    enum redact_telling tells = is_one_of(w->word[1], keys, COUNT(keys));
    bool secret = !strcmp(w->word[1], "secret") || !strcmp(w->word[2], "secret");
    if (secret)
        return TELLS_ALL;
    if (tells)
        return tells;
    bool open = !w->word[1][0] || is_one_of(w->word[1], open_keys, COUNT(open_keys));
    return upper && !open ? TELLS_LONG : TELLS_NOTHING;
}

/* The last two letters of every word that tells; a look at them spares most names the rest. */
static uint32_t last_letters[26];
static pthread_once_t letters_once = PTHREAD_ONCE_INIT;

static void add_letters(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *end = rows[i].word + rows[i].len - 2;
        if (end[0] >= 'a' && end[0] <= 'z' && end[1] >= 'a' && end[1] <= 'z')
            last_letters[end[0] - 'a'] |= 1u << (end[1] - 'a');
    }
}

static void read_letters(void)
{
    static const struct row more[] = {ROW("key", 0), ROW("phrase", 0), ROW("word", 0),
                                      ROW("hash", 0)};
    add_letters(endings, COUNT(endings));
    add_letters(single, COUNT(single));
    add_letters(more, COUNT(more));
}

/* Whether a name of one word ends as no telling one does. */
static bool ends_otherwise(const char *name, size_t len)
{
    char first = len < 2 ? '_' : lower(name[len - 2]), second = lower(name[len - 1]);
    if (first < 'a' || first > 'z' || second < 'a' || second > 'z' || memchr(name, '_', len) ||
        memchr(name, '-', len) || memchr(name, '.', len))
        return len < 2;
    for (size_t i = len > 24 ? len - 24 : 1; i < len; i++)
        if (redact_in(name[i], CLASS_UPPER) && redact_in(name[i - 1], CLASS_LOWER))
            return false;
    pthread_once(&letters_once, read_letters);
    return !(last_letters[first - 'a'] & 1u << (second - 'a'));
}

static bool is_directory(const char *name, size_t len)
{
    return (len == 3 && !memcmp(name, "PWD", 3)) ||
           (len >= 6 && !memcmp(name + len - 6, "OLDPWD", 6));
}

enum redact_telling redact_telling(const char *name, size_t len)
{
    if (!len || is_directory(name, len) || ends_otherwise(name, len))
        return TELLS_NOTHING;
    struct words w = words_of(name, len);
    if (!w.count)
        return TELLS_NOTHING;
    const char *last = w.word[0];
    enum redact_telling tells = ends_in(last, endings, COUNT(endings));
    if (!strcmp(last, "key") || (!strcmp(last, "data") && !strcmp(w.word[1], "key")))
        return strcmp(last, "key") ? TELLS_CODE : of_key(&w, is_upper(name, len));
    if (!tells)
        tells = is_one_of(last, single, COUNT(single));
    if (!tells && !strcmp(last, "pat") && w.count > 1 && is_upper(name, len))
        tells = TELLS_CODE;
    if (!tells && !strcmp(last, "phrase") && !strcmp(w.word[1], "pass"))
        tells = TELLS_ALL;
    if (!tells && !strcmp(last, "word") && !strcmp(w.word[1], "pass"))
        tells = TELLS_ALL;
    if (!tells && !strcmp(last, "hash") && ends_in(w.word[1], endings, COUNT(endings)) == TELLS_ALL)
        tells = TELLS_LONG;
    return tells;
}

/* The same few names come again and again: what was found out of one is kept. */
enum redact_telling redact_tells(struct redact_scan *s, size_t at, size_t len)
{
    unsigned place = (unsigned)len * 7 + (unsigned char)s->text[at] +
                     (unsigned char)s->text[at + len - 1] * 3u +
                     (unsigned char)s->text[at + len / 2] * 5u;
    struct redact_named *kept = &s->named[(place ^ place >> 6) % REDACT_NAMES];
    if (kept->len != len || memcmp(s->text + kept->at, s->text + at, len))
        *kept = (struct redact_named){at, len, redact_telling(s->text + at, len)};
    return (enum redact_telling)kept->tells;
}

bool redact_is_telling(const char *name, size_t len)
{
    return redact_telling(name, len) != TELLS_NOTHING;
}
