/* What the first word of a name tells. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact_private.h"

struct first {
    const char *word;
    size_t len;
    enum redact_telling tells;
};

#define FIRST(word, tells)                                                                         \
    {                                                                                              \
        word, sizeof(word) - 1, tells                                                              \
    }

/* Whether the last of a name's words says what else of it that is: PASSWORD_MIN_LENGTH. */
static bool is_of_it(const char *name, size_t len)
{
    static redact_words others = {
        ['a' & 31] = {REDACT_WORD("arn")},
        ['c' & 31] = {REDACT_WORD("count")},
        ['d' & 31] = {REDACT_WORD("dir"), REDACT_WORD("days"), REDACT_WORD("digest")},
        ['e' & 31] = {REDACT_WORD("expiry")},
        ['f' & 31] = {REDACT_WORD("file"), REDACT_WORD("field")},
        ['h' & 31] = {REDACT_WORD("hash"), REDACT_WORD("hint")},
        ['i' & 31] = {REDACT_WORD("id"), REDACT_WORD("issuer")},
        ['l' & 31] = {REDACT_WORD("length"), REDACT_WORD("len"), REDACT_WORD("limit"),
                      REDACT_WORD("label")},
        ['n' & 31] = {REDACT_WORD("name")},
        ['p' & 31] = {REDACT_WORD("path"), REDACT_WORD("policy"), REDACT_WORD("prefix"),
                      REDACT_WORD("pattern")},
        ['r' & 31] = {REDACT_WORD("regex"), REDACT_WORD("ref")},
        ['s' & 31] = {REDACT_WORD("size"), REDACT_WORD("scope")},
        ['t' & 31] = {REDACT_WORD("type"), REDACT_WORD("ttl")},
        ['u' & 31] = {REDACT_WORD("url"), REDACT_WORD("uri")},
        ['v' & 31] = {REDACT_WORD("version")},
    };
    const char *under = memrchr(name, '_', len);
    size_t at = under ? (size_t)(under - name) + 1 : len;
    return at < len && redact_in(name[at], CLASS_UPPER | CLASS_LOWER) &&
           redact_is_word_of(others, name + at, len - at);
}

/* `kennwort_admin`, `CLAVE_API`, `password_di_accesso`: the first word tells, and what it is of
 * stands behind; unless that says what else of it: PASSWORD_MIN_LENGTH. */
enum redact_telling redact_begins_telling(const char *name, size_t len)
{
    static const struct first firsts[] = {
        FIRST("password", TELLS_CODE),   FIRST("passwort", TELLS_CODE),
        FIRST("passwd", TELLS_CODE),     FIRST("kennwort", TELLS_CODE),
        FIRST("contrasena", TELLS_CODE), FIRST("clave", TELLS_CODE),
        FIRST("parola", TELLS_CODE),     FIRST("senha", TELLS_CODE),
        FIRST("pwd", TELLS_CODE),        FIRST("motdepasse", TELLS_CODE),
        FIRST("mdp", TELLS_CODE),        FIRST("wachtwoord", TELLS_CODE),
        FIRST("chave", TELLS_LONG),      FIRST("cle", TELLS_LONG),
        FIRST("secret", TELLS_LONG),     FIRST("token", TELLS_LONG),
        FIRST("apikey", TELLS_LONG),     FIRST("pass", TELLS_LONG)};
    const char *under =
        REDACT_ONE_OF(*name | 0x20, "pkcsmwta") && len >= 5 ? memchr(name, '_', len) : NULL;
    if (!under || under == name + len - 1)
        return TELLS_NOTHING; /* most */
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        const struct first *row = &firsts[i];
        if (row->len != (size_t)(under - name) || strncasecmp(name, row->word, row->len) != 0)
            continue;
        if (is_of_it(name, len))
            return TELLS_NOTHING;
        return redact_in(name[0], CLASS_UPPER) ? TELLS_LONG : row->tells;
    }
    return TELLS_NOTHING;
}

bool redact_is_telling(const char *name, size_t len)
{
    return redact_telling(name, len) != TELLS_NOTHING;
}
