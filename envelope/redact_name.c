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
    enum redact_telling tells;
};

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
        if (!strcmp(word, list[i]))
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
        size_t row = strlen(rows[i].word);
        if (row <= len && word[len - 1] == rows[i].word[row - 1] &&
            !memcmp(word + len - row, rows[i].word, row))
            return rows[i].tells;
    }
    return TELLS_NOTHING;
}

static enum redact_telling is_one_of(const char *word, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, rows[i].word))
            return rows[i].tells;
    return TELLS_NOTHING;
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* What a word ends in. */
static const struct row endings[] = {
    {"password", TELLS_ALL},      {"passwd", TELLS_ALL},      {"passphrase", TELLS_ALL},
    {"passwort", TELLS_ALL},      {"secret", TELLS_ALL},      {"passcode", TELLS_ALL},
    {"requirepass", TELLS_ALL},   {"masterauth", TELLS_ALL},  {"storepass", TELLS_ALL},
    {"keypass", TELLS_ALL},       {"dbpass", TELLS_ALL},      {"userpass", TELLS_ALL},
    {"rootpass", TELLS_ALL},      {"adminpass", TELLS_ALL},   {"smtppass", TELLS_ALL},
    {"mailpass", TELLS_ALL},      {"ftppass", TELLS_ALL},     {"bindpw", TELLS_ALL},
    {"rootpw", TELLS_ALL},        {"dbpw", TELLS_ALL},        {"dbpwd", TELLS_ALL},
    {"userpwd", TELLS_ALL},       {"secretkey", TELLS_ALL},   {"encryptionkey", TELLS_ALL},
    {"signingkey", TELLS_ALL},    {"masterkey", TELLS_ALL},   {"token", TELLS_CODE},
    {"apikey", TELLS_CODE},       {"accesskey", TELLS_CODE},  {"privatekey", TELLS_CODE},
    {"authkey", TELLS_CODE},      {"accountkey", TELLS_CODE}, {"credential", TELLS_CODE},
    {"credentials", TELLS_CODE},  {"cookie", TELLS_CODE},     {"sharedkey", TELLS_CODE},
    {"presharedkey", TELLS_CODE}, {"keydata", TELLS_CODE},    {"sharedaccesssignature", TELLS_CODE},
    {"passkey", TELLS_CODE},      {"userpasswd", TELLS_ALL},
};

/* What a word is. */
static const struct row single[] = {
    {"pass", TELLS_ALL},  {"pwd", TELLS_ALL},    {"pw", TELLS_ALL},         {"psk", TELLS_ALL},
    {"auth", TELLS_CODE}, {"creds", TELLS_CODE}, {"jwt", TELLS_CODE},       {"bearer", TELLS_CODE},
    {"sas", TELLS_LONG},  {"sig", TELLS_LONG},   {"signature", TELLS_LONG}, {"salt", TELLS_LONG},
    {"passw", TELLS_ALL}, {"mdp", TELLS_ALL},    {"contraseña", TELLS_ALL},
};

/* What stands in front of `key`. */
static const struct row keys[] = {
    {"secret", TELLS_ALL},        {"encryption", TELLS_ALL}, {"signing", TELLS_ALL},
    {"master", TELLS_ALL},        {"api", TELLS_CODE},       {"private", TELLS_CODE},
    {"access", TELLS_CODE},       {"account", TELLS_CODE},   {"auth", TELLS_CODE},
    {"shared", TELLS_CODE},       {"session", TELLS_CODE},   {"license", TELLS_CODE},
    {"service", TELLS_CODE},      {"app", TELLS_CODE},       {"application", TELLS_CODE},
    {"client", TELLS_CODE},       {"deploy", TELLS_CODE},    {"storage", TELLS_CODE},
    {"admin", TELLS_CODE},        {"consumer", TELLS_CODE},  {"subscription", TELLS_CODE},
    {"write", TELLS_CODE},        {"server", TELLS_CODE},    {"function", TELLS_CODE},
    {"webhook", TELLS_CODE},      {"crypt", TELLS_CODE},     {"cipher", TELLS_CODE},
    {"aes", TELLS_CODE},          {"hmac", TELLS_CODE},      {"jwt", TELLS_CODE},
    {"integration", TELLS_CODE},  {"preshared", TELLS_CODE}, {"security", TELLS_CODE},
    {"secure", TELLS_CODE},       {"logged", TELLS_LONG},    {"in", TELLS_LONG},
    {"nonce", TELLS_LONG},        {"transport", TELLS_CODE}, {"cookie", TELLS_CODE},
    {"unseal", TELLS_CODE},       {"recovery", TELLS_CODE},  {"registration", TELLS_CODE},
    {"interface", TELLS_NOTHING}, {"write", TELLS_CODE},     {"agent", TELLS_CODE},
};

/* What in front of `key` says that it is none. */
static const struct row open_keys[] = {
    {"public", TELLS_ALL},      {"primary", TELLS_ALL},   {"foreign", TELLS_ALL},
    {"sort", TELLS_ALL},        {"partition", TELLS_ALL}, {"cache", TELLS_ALL},
    {"object", TELLS_ALL},      {"hot", TELLS_ALL},       {"hkey", TELLS_ALL},
    {"gpg", TELLS_ALL},         {"pgp", TELLS_ALL},       {"publishable", TELLS_ALL},
    {"idempotency", TELLS_ALL}, {"host", TELLS_ALL},      {"pub", TELLS_ALL},
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
        const char *end = rows[i].word + strlen(rows[i].word) - 2;
        if (end[0] >= 'a' && end[0] <= 'z' && end[1] >= 'a' && end[1] <= 'z')
            last_letters[end[0] - 'a'] |= 1u << (end[1] - 'a');
    }
}

static void read_letters(void)
{
    static const struct row more[] = {{"key", 0}, {"phrase", 0}, {"word", 0}, {"hash", 0}};
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

bool redact_is_telling(const char *name, size_t len)
{
    return redact_telling(name, len) != TELLS_NOTHING;
}
