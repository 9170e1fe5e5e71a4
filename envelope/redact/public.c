/* What stands where a secret would and is none, whoever found it: types of columns and of
 * languages, keys that are public, cookies that are taken back, armour with nothing in it. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define TYPE_MOST   48  /* bytes of a type */
#define PATH_MOST   60  /* of where a manager of secrets keeps one */
#define EMPTY_MOST  200 /* bytes of armour that may hold nothing */
#define ARMOUR_WORD 16  /* letters and digits of what does hold something */
#define LINE_MOST   200 /* bytes of the line above */
#define HEAD_MOST   400 /* up to a table's heading */
#define PROMPT_MOST 40  /* bytes of the prompt in it */

#define IS_ONE_OF(s, from, to, words)                                                              \
    is_one_of(s, from, to, *(words), sizeof(words) / sizeof *(words), sizeof *(words))
static bool is_one_of(const struct redact_scan *s, size_t from, size_t to, const char *words,
                      size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words + i * size) == to - from && redact_at(s, from, words + i * size))
            return true;
    return false;
}

/* `varchar`, `character varying`, of which how long it may be is behind in parentheses. */
static bool is_sized(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][20] = {
        "varchar",   "char",      "varchar2", "nvarchar",  "nchar",   "nvarchar2",
        "int",       "integer",   "bigint",   "smallint",  "tinyint", "binary",
        "varbinary", "character", "numeric",  "decimal",   "number",  "character varying",
        "float",     "double",    "bit",      "mediumint", "raw",     "string",
        "timestamp", "text",      "blob",     "bpchar",    "bytes"};
    return IS_ONE_OF(s, from, to, words);
}

/* `varchar(255)`, `nvarchar(max)`, `VARCHAR2(255 CHAR)`, `decimal(10,2) unsigned`. */
static bool is_column_type(const struct redact_scan *s, size_t from, size_t to)
{
    const char *open = memchr(s->text + from, '(', to - from);
    size_t at = open ? (size_t)(open - s->text) : to, in = at + 1;
    if (!open || !is_sized(s, from, at))
        return false;
    while (in < to && (redact_in(s->text[in], CLASS_DIGIT | CLASS_BLANK) || s->text[in] == ','))
        in++;
    if (redact_at(s, in, "max") || redact_at(s, in, "char") || redact_at(s, in, "byte"))
        in = in + 3 + (s->text[in] != 'm' && s->text[in] != 'M');
    return in >= to || (s->text[in] == ')' && (in + 1 >= to || s->text[in + 1] == ' '));
}

/* Whether a type's brackets hold types: a digit is only in `u8`, `Int16`, `bytes32`. */
static bool is_of_types(const struct redact_scan *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!redact_in(s->text[i], CLASS_ALNUM | CLASS_UNDER) &&
            !REDACT_ONE_OF(s->text[i], "<>[](){},:&*' ?"))
            return false;
        else if (redact_in(s->text[i], CLASS_DIGIT) &&
                 !(REDACT_ONE_OF(s->text[i - 1], "uift8136ns") ||
                   redact_in(s->text[i - 1], CLASS_DIGIT)))
            return false;
        else if (redact_in(s->text[i - 1], CLASS_DIGIT) && redact_in(s->text[i], CLASS_LOWER))
            return false;
    return true;
}

/* `Uint8Array`, `bytes32`, `[u8`, `Vec<u8>`, `Optional[bytes]`. */
static bool is_language_type(const struct redact_scan *s, size_t from, size_t name, size_t to)
{
    static const char wraps[][12] = {"Vec",    "Option", "Optional",  "Box",       "Arc",  "Rc",
                                     "Cow",    "Result", "List",      "Promise",   "Dict", "Union",
                                     "Secret", "Array",  "Annotated", "Zeroizing", "Map",  "Set"};
    static const char words[][20] = {"Uint8Array",   "Uint16Array",   "Uint32Array",
                                     "Int8Array",    "Int32Array",    "Float32Array",
                                     "Float64Array", "BigInt64Array", "bytes32",
                                     "bytes16",      "uint256",       "Uint8ClampedArray"};
    return name < to ? IS_ONE_OF(s, from, name, wraps) && is_of_types(s, name, to)
                     : IS_ONE_OF(s, from, name, words);
}

/* The same of one that has no length, or whose length is not told. */
static bool is_bare_type(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][28] = {"character varying",
                                     "uuid",
                                     "bytea",
                                     "boolean",
                                     "bool",
                                     "json",
                                     "jsonb",
                                     "date",
                                     "timestamp with time zone",
                                     "timestamp without time zone",
                                     "double precision",
                                     "inet",
                                     "varchar",
                                     "text",
                                     "integer",
                                     "bigint",
                                     "varbinary",
                                     "nvarchar",
                                     "citext"};
    return IS_ONE_OF(s, from, to, words);
}

bool redact_is_typed_column(const struct redact_scan *s, size_t at)
{
    size_t most = s->len - at > TYPE_MOST ? at + TYPE_MOST : s->len;
    while (at < most && (redact_in(s->text[at], CLASS_BLANK) || redact_is_bar(s, at)))
        at += redact_in(s->text[at], CLASS_BLANK) || s->text[at] == '|' ? 1 : 3;
    size_t to = at;
    while (to < most && !REDACT_ONE_OF(s->text[to], ")\n|"))
        to++;
    size_t word = to;
    while (word > at && redact_in(s->text[word - 1], CLASS_BLANK))
        word--;
    return to > at && (is_column_type(s, at, to) || is_bare_type(s, at, word));
}

/* `age1...`, which who has it can only write to. */
static bool is_recipient(const struct redact_scan *s, size_t from, size_t to)
{
    return to - from >= 58 && to - from <= 66 && redact_at(s, from, "age1") &&
           !redact_in(s->text[from], CLASS_UPPER);
}

/* Printed below a command that makes a public key of a private one, which it does not show. */
static bool is_made_public(const struct redact_scan *s, size_t from)
{
    size_t line = redact_line_start(s, from, LINE_MOST);
    if (line != from || line == 0)
        return false;
    size_t above = redact_line_start(s, line - 1, LINE_MOST);
    const char *t = s->text + above;
    size_t len = line - 1 - above;
    const char *from_file = memmem(t, len, "wg pubkey <", 11);
    bool last = len > 11 && !memcmp(t + len - 11, "| wg pubkey", 11);
    return (last || (from_file && from_file - t <= PROMPT_MOST)) && !memchr(t, ';', len) &&
           !memchr(t, '&', len) && !memmem(t, len, "tee /dev/", 9) && !memmem(t, len, "tee >(", 6);
}

/* `sid=deleted`, as a server takes a cookie back. */
static bool is_taken_back(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][12] = {"deleted", "deleteMe", "removed", "expired",
                                     "invalid", "none",     "cleared", "EXPIRED"};
    const char *sign = memchr(s->text + from, '=', to - from);
    size_t value = sign ? (size_t)(sign - s->text) + 1 : from;
    return IS_ONE_OF(s, value, to, words);
}

/* A key's armour around dots or a placeholder. */
static bool is_empty(const struct redact_scan *s, size_t from, size_t to)
{
    if (to - from > EMPTY_MOST || !redact_at(s, from, "-----BEGIN"))
        return false;
    const char *head = memmem(s->text + from + 10, to - from - 10, "-----", 5),
               *tail =
                   head ? memmem(head + 5, to - (size_t)(head + 5 - s->text), "-----END", 8) : NULL;
    if (!tail)
        return false;
    size_t word = 0;
    char before = ' ';
    for (const char *c = head + 5; c < tail; c++) {
        bool part = redact_in(*c, CLASS_ALNUM | CLASS_BASE64) && before != '\\';
        if (redact_in(*c, CLASS_DIGIT))
            return false;
        word = part ? word + 1 : 0;
        if (word >= ARMOUR_WORD || (word > 1 && redact_in(*c, CLASS_UPPER) &&
                                    redact_in(before, CLASS_LOWER | CLASS_DIGIT)))
            return false; /* base64, if little */
        before = part || *c == '\\' ? *c : ' ';
    }
    return true;
}

/* `my-long-passcode`: whose it is, and what, with a word between them at most. */
static bool is_mine(const struct redact_scan *s, size_t from, size_t to)
{
    static const char whose[][6] = {"my-", "my_", "your-", "your_", "some-", "some_"};
    static const char what[][12] = {"passcode", "password", "passphrase", "secret",
                                    "token",    "api-key",  "api_key",    "access-key"};
    bool is = false;
    size_t last = from, words = 1;
    for (size_t i = from; i < to; i++) {
        if (!redact_in(s->text[i], CLASS_LOWER) && !REDACT_ONE_OF(s->text[i], "-_"))
            return false;
        bool sign = REDACT_ONE_OF(s->text[i], "-_");
        last = sign ? i + 1 : last;
        words += sign;
    }
    for (size_t i = 0; i < sizeof whose / sizeof *whose; i++)
        is = is || redact_at(s, from, whose[i]);
    return is && words <= 3 && (IS_ONE_OF(s, last, to, what) || IS_ONE_OF(s, from + 3, to, what));
}

/* A type, or what stands for a secret: by the sign behind its first word. */
static bool is_said(const struct redact_scan *s, size_t from, size_t to)
{
    size_t name = from + 1;
    while (name < to && redact_in(s->text[name], CLASS_ALNUM))
        name++;
    switch (name < to ? s->text[name] : 0) {
    case '(':
    case ' ':
        return is_column_type(s, from, to);
    case '<':
    case '[':
    case 0:
        return REDACT_ONE_OF(s->text[to - 1], "y26>]8sre") && is_language_type(s, from, name, to);
    case '-':
    case '_':
        return REDACT_ONE_OF(s->text[from], "mys") && is_mine(s, from, to);
    default:
        return false;
    }
}

/* `Secret: infra/nas`, as gopass says which it shows. */
static bool is_path_of_one(const struct redact_scan *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!redact_in(s->text[i], CLASS_LOWER | CLASS_DASH) && s->text[i] != '/')
            return false;
    return memchr(s->text + from, '/', to - from) && redact_at(s, to, "\n\n");
}

/* What says by its beginning that it is encrypted (hiera's eyaml, sops), or a machine's public key
 * (Tailscale's); and how to have `op` show one. */
static bool is_shown_to_all(const struct redact_scan *s, size_t from, size_t to)
{
    static const char fronts[][11] = {"ENC[PKCS7,", "ENC[GPG,", "ENC[AES256", "ENC[RSA,",
                                      "mkey:",      "nodekey:", "discokey:"};
    bool may = to - from > 40 && REDACT_ONE_OF(s->text[from], "Emnd");
    for (size_t i = 0; may && i < sizeof fronts / sizeof *fronts; i++)
        if (redact_at(s, from, fronts[i]))
            return true;
    return redact_char(s, to + 1) == '-' && redact_at(s, to, " --reveal' to reveal");
}

/* In a table of what an account has: `Token   Balance`, in which it is a coin's address. */
static bool is_of_balance(const struct redact_scan *s, size_t from)
{
    size_t back = from > HEAD_MOST ? from - HEAD_MOST : 0;
    const char *head = memmem(s->text + back, from - back, "Token  ", 7);
    return head && memmem(head, (size_t)(s->text + from - head), " Balance\n", 9) != NULL;
}

bool redact_is_public(const struct redact_scan *s, const struct redact_match *match)
{
    size_t from = match->from, to = match->to;
    switch (match->type[0]) {
    case 'v': /* value */
        break;
    case 'c':
        return !strcmp(match->type, "cookie") && is_taken_back(s, from, to);
    case 'p':
        return is_empty(s, from, to);
    default:
        return false;
    }
    size_t len = to - from;
    if (len >= 32 && len <= 44 && redact_at(s, to, "  ") && is_of_balance(s, from))
        return true;
    if (len <= TYPE_MOST && redact_in(s->text[from], CLASS_UPPER | CLASS_LOWER) &&
        is_said(s, from, to))
        return true;
    if (len <= PATH_MOST && from >= 8 && redact_at(s, from - 8, "Secret: ") &&
        is_path_of_one(s, from, to))
        return true;
    if (len > 20 && is_shown_to_all(s, from, to))
        return true;
    if (len == 24 && from >= 19 && s->text[from - 2] == ':' &&
        redact_at(s, from - 19, "Sec-WebSocket-Key: "))
        return true; /* RFC 6455, 11.3.1: a nonce */
    return (s->text[from] == 'a' && is_recipient(s, from, to)) ||
           (len == 44 && is_made_public(s, from));
}
