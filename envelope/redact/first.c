/* What the first word of a name tells. */
#include <string.h>
#include <strings.h>

#include "envelope/redact/rules.h"

struct first {
    const char *word;
    size_t len;
    enum redact_telling tells;
};

#define GLUED_LEAST 8  /* letters of a word that tells whatever is behind it */
#define WORD_MOST   16 /* of the first word, where the second may tell */

#define FIRST(word, tells)                                                                         \
    {                                                                                              \
        word, sizeof(word) - 1, tells                                                              \
    }

bool redact_is_of_it(const char *name, size_t len)
{
    static redact_words others = {
        ['a' & 31] = {REDACT_WORD("arn"), REDACT_WORD("at"), REDACT_WORD("age")},
        ['c' & 31] = {REDACT_WORD("count"), REDACT_WORD("change"), REDACT_WORD("changed"),
                      REDACT_WORD("complexity")},
        ['d' & 31] = {REDACT_WORD("dir"), REDACT_WORD("days"), REDACT_WORD("digest"),
                      REDACT_WORD("date")},
        ['e' & 31] = {REDACT_WORD("expiry"), REDACT_WORD("error"), REDACT_WORD("erreur"),
                      REDACT_WORD("enabled"), REDACT_WORD("expires"), REDACT_WORD("encryption")},
        ['f' & 31] = {REDACT_WORD("file"), REDACT_WORD("field")},
        ['h' & 31] = {REDACT_WORD("hash"), REDACT_WORD("hint"), REDACT_WORD("history")},
        ['i' & 31] = {REDACT_WORD("id"), REDACT_WORD("issuer"), REDACT_WORD("invalid")},
        ['l' & 31] = {REDACT_WORD("length"), REDACT_WORD("len"), REDACT_WORD("limit"),
                      REDACT_WORD("label")},
        ['m' & 31] = {REDACT_WORD("message")},
        ['n' & 31] = {REDACT_WORD("name")},
        ['o' & 31] = {REDACT_WORD("oublie"), REDACT_WORD("olvidada"), REDACT_WORD("on")},
        ['p' & 31] = {REDACT_WORD("path"), REDACT_WORD("policy"), REDACT_WORD("prefix"),
                      REDACT_WORD("pattern"), REDACT_WORD("placeholder")},
        ['r' & 31] = {REDACT_WORD("regex"), REDACT_WORD("ref"), REDACT_WORD("reset")},
        ['s' & 31] = {REDACT_WORD("size"), REDACT_WORD("scope")},
        ['t' & 31] = {REDACT_WORD("type"), REDACT_WORD("ttl"), REDACT_WORD("time"),
                      REDACT_WORD("timestamp"), REDACT_WORD("title"), REDACT_WORD("titel")},
        ['u' & 31] = {REDACT_WORD("url"), REDACT_WORD("uri")},
        ['v' & 31] = {REDACT_WORD("version"), REDACT_WORD("vergessen")},
    };
    size_t at = len;
    while (at > 0 && redact_in(name[at - 1], CLASS_UPPER | CLASS_LOWER)) {
        at--;
        if (at + 1 < len && redact_in(name[at], CLASS_UPPER) &&
            redact_in(name[at + 1], CLASS_LOWER))
            break; /* mdpHash */
    }
    if (at && redact_in(name[at - 1], CLASS_DIGIT))
        return false;
    return at < len && at > 0 && redact_is_word_of(others, name + at, len - at);
}

/* Words of other languages, which no name of a program's has for anything else; the letters of some
 * are enough, whatever is behind them: `contrasenadb`. */
static const struct first foreign[] = {
    FIRST("mdp", TELLS_ALL),         FIRST("motdepasse", TELLS_ALL),
    FIRST("senha", TELLS_ALL),       FIRST("contrasena", TELLS_ALL),
    FIRST("contrasenya", TELLS_ALL), FIRST("kennwort", TELLS_ALL),
    FIRST("passwort", TELLS_ALL),    FIRST("wachtwoord", TELLS_ALL),
    FIRST("haslo", TELLS_ALL),       FIRST("heslo", TELLS_ALL),
    FIRST("salasana", TELLS_ALL),    FIRST("losenord", TELLS_ALL),
    FIRST("adgangskode", TELLS_ALL), FIRST("jelszo", TELLS_ALL),
    FIRST("lozinka", TELLS_ALL),     FIRST("parola", TELLS_ALL),
    FIRST("sifre", TELLS_ALL),       FIRST("geslo", TELLS_ALL),
    FIRST("passord", TELLS_ALL),     FIRST("kodeord", TELLS_ALL),
    FIRST("geheimnis", TELLS_ALL),   FIRST("segredo", TELLS_ALL),
    FIRST("clave", TELLS_CODE),      FIRST("chave", TELLS_CODE),
    FIRST("cle", TELLS_CODE),        FIRST("jeton", TELLS_CODE),
    FIRST("chiave", TELLS_CODE),     FIRST("llave", TELLS_CODE),
    FIRST("schlussel", TELLS_CODE),  FIRST("schluessel", TELLS_CODE),
    FIRST("sleutel", TELLS_CODE),    FIRST("nyckel", TELLS_CODE),
    FIRST("nokkel", TELLS_CODE),     FIRST("klucz", TELLS_CODE),
    FIRST("anahtar", TELLS_CODE)};

/* What a name tells that begins with one of them, at a word's beginning. */
static enum redact_telling foreign_tells(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        const struct first *row = &foreign[i];
        if (row->len > len || (row->word[1] ^ name[1]) & 31 ||
            strncasecmp(name, row->word, row->len) != 0)
            continue;
        if (row->len == len)
            return row->tells;
        char last = name[row->len - 1], next = name[row->len];
        bool ends = !redact_in(next, CLASS_UPPER | CLASS_LOWER) ||
                    (redact_in(next, CLASS_UPPER) && redact_in(last, CLASS_LOWER)) ||
                    row->len >= GLUED_LEAST;
        if (ends && !redact_is_of_it(name, len))
            return row->tells;
    }
    return TELLS_NOTHING;
}

/* The word behind the first sign, or behind a word of two or three letters: `myChaveApi`; `len` for
 * none. */
static size_t second_word(const char *name, size_t len)
{
    for (size_t i = 2; i < 4 && i + 3 < len; i++)
        if (redact_in(name[i], CLASS_UPPER) && redact_in(name[i - 1], CLASS_LOWER))
            return i;
    size_t most = len < WORD_MOST ? len : WORD_MOST, at = 1;
    while (at < most && redact_in(name[at], CLASS_ALNUM))
        at++;
    return at < most ? at + 1 : len;
}

/* `password_di_accesso`: of a word that names of programs have, too. */
static enum redact_telling own_tells(const char *name, size_t len)
{
    static const struct first firsts[] = {
        FIRST("password", TELLS_CODE), FIRST("passwd", TELLS_CODE), FIRST("pwd", TELLS_CODE),
        FIRST("secret", TELLS_LONG),   FIRST("token", TELLS_LONG),  FIRST("apikey", TELLS_LONG),
        FIRST("pass", TELLS_LONG)};
    const char *under =
        REDACT_ONE_OF(*name | 0x20, "psta") && len >= 5 ? memchr(name, '_', len) : NULL;
    if (!under || under == name + len - 1)
        return TELLS_NOTHING; /* most */
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        const struct first *row = &firsts[i];
        if (row->len != (size_t)(under - name) || strncasecmp(name, row->word, row->len) != 0)
            continue;
        if (redact_is_of_it(name, len))
            return TELLS_NOTHING;
        return redact_in(name[0], CLASS_UPPER) ? TELLS_LONG : row->tells;
    }
    return TELLS_NOTHING;
}

uint8_t redact_firsts[(1 << 15) / 8];

void redact_read_firsts(void)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        unsigned bit = redact_first_letters(foreign[i].word);
        redact_firsts[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
}

/* `kennwort_admin`, `CLAVE_API`, `senhaBanco`: the first word tells, or the second, and what it is
 * of stands behind; unless that says what else of it: PASSWORD_MIN_LENGTH. */
enum redact_telling redact_begins_telling(const char *name, size_t len, bool words)
{
    if (len < 3)
        return TELLS_NOTHING;
    enum redact_telling tells = redact_is_first(name) ? foreign_tells(name, len) : TELLS_NOTHING;
    size_t second = tells || !words ? len : second_word(name, len);
    if (second + 3 <= len && redact_is_first(name + second))
        tells = foreign_tells(name + second, len - second);
    return tells || !words ? tells : own_tells(name, len);
}
