/* What the first word of a name tells. */
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
    static const struct first others[] = {
        FIRST("length", 0),  FIRST("len", 0),   FIRST("file", 0),   FIRST("path", 0),
        FIRST("dir", 0),     FIRST("hash", 0),  FIRST("url", 0),    FIRST("uri", 0),
        FIRST("type", 0),    FIRST("name", 0),  FIRST("id", 0),     FIRST("field", 0),
        FIRST("count", 0),   FIRST("limit", 0), FIRST("size", 0),   FIRST("policy", 0),
        FIRST("days", 0),    FIRST("ttl", 0),   FIRST("expiry", 0), FIRST("prefix", 0),
        FIRST("issuer", 0),  FIRST("scope", 0), FIRST("regex", 0),  FIRST("pattern", 0),
        FIRST("version", 0), FIRST("arn", 0),   FIRST("ref", 0),    FIRST("digest", 0),
        FIRST("label", 0),   FIRST("hint", 0)};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        const struct first *row = &firsts[i];
        if ((name[0] | 0x20) != *row->word || len < row->len + 2 || name[row->len] != '_' ||
            strncasecmp(name, row->word, row->len) != 0)
            continue;
        for (size_t j = 0; j < sizeof others / sizeof *others; j++)
            if (len > others[j].len && name[len - others[j].len - 1] == '_' &&
                !strncasecmp(name + len - others[j].len, others[j].word, others[j].len))
                return TELLS_NOTHING;
        return redact_in(name[0], CLASS_UPPER) ? TELLS_LONG : row->tells;
    }
    return TELLS_NOTHING;
}
