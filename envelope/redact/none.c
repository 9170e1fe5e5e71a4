/* What stands where a secret would, and says something of one instead: its fingerprint, how long it
 * is, which of several it is. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define UUID         36
#define PRINT_MOST   60 /* bytes of a fingerprint */
#define POINTER_MOST 18
#define PATH_MOST    200  /* in front of the sum of a file */
#define SIGNS_MOST   4    /* between a name and what it is given */
#define OBJECT_MOST  8    /* digits of an object */
#define THING_LEAST  10   /* bytes of an id, */
#define THING_MOST   10   /* and of the word in front of its digits */
#define SEALED_LEAST 120  /* of what was sealed, */
#define SEALED_MOST  1200 /* and of what is in front of it, up to the word that says so */

/* `24 bytes`, as `kubectl describe secret` tells of one. */
static bool is_length(struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = redact_run(s, from, CLASS_DIGIT);
    bool tests = redact_at(s, digits, " test");
    return digits > from && (tests || redact_at(s, digits, " byte")) &&
           to <= digits + strlen(" bytes") && redact_char(s, from - (from > 0)) == ' ';
}

/* `PASS: tests/a_b`, as a run of tests tells. */
static bool is_passed(struct redact_scan *s, size_t from)
{
    bool line = from >= 6 && (from == 6 || s->text[from - 7] == '\n');
    return line && !memcmp(s->text + from - 6, "PASS: ", 6) &&
           (redact_at(s, from, "test_") || redact_at(s, from, "test-") ||
            redact_at(s, from, "tests/") || redact_at(s, from, "test/"));
}

/* Of a cluster that alone can read it, below `encryptedData:`: Bitnami's sealed secrets. */
static bool is_sealed(const struct redact_scan *s, size_t from, size_t to)
{
    size_t back = from > SEALED_MOST ? from - SEALED_MOST : 0;
    return to - from >= SEALED_LEAST && redact_at(s, from, "Ag") &&
           memmem(s->text + back, from - back, "encryptedData", 13);
}

/* What a program says of a secret in an object's text: `"msg":"token expired","exp":1741190400`. */
static bool is_said_of_it(struct redact_scan *s, size_t from, size_t to)
{
    size_t word = redact_run(s, from, CLASS_LOWER | CLASS_BLANK);
    return word > from && word < to && redact_char(s, from - (from > 0)) == ' ' &&
           redact_at(s, word, "\",\"");
}

/* `MD5 (secret.txt) = X`, `SHA2-256(token)= X`: a sum of a file, as BSD and OpenSSL print it. */
static bool is_sum_of_file(const struct redact_scan *s, size_t from)
{
    static const char ways[][8] = {"md5", "sha", "rmd160", "ripemd", "blake", "sm3", "tiger"};
    size_t sign = from - (from && s->text[from - 1] == ' ');
    if (sign < 8 || s->text[sign - 1] != '=')
        return false; /* most */
    sign -= s->text[sign - 2] == ' ' ? 2 : 1;
    size_t line = redact_line_start(s, from, PATH_MOST);
    for (size_t i = 0; s->text[sign - 1] == ')' && i < sizeof ways / sizeof *ways; i++)
        if (redact_at(s, line, ways[i]))
            return true;
    return false;
}

/* A sum of it: detect-secrets' `"hashed_secret": "X"`; the digest that `fly secrets list` has in a
 * column; one of a file that is called as a secret is. */
static bool is_digest(struct redact_scan *s, size_t from, size_t to)
{
    size_t len = to - from, back = from > SEALED_MOST ? from - SEALED_MOST : 0;
    if (redact_run(s, from, CLASS_DIGIT | CLASS_HEX_LOWER) < to)
        return false;
    if (len >= 32 && is_sum_of_file(s, from))
        return true;
    if (len == 40)
        return from >= 18 && redact_at(s, from - 18, "\"hashed_secret\": \"");
    return len == 16 && redact_at(s, to, "  ") &&
           memmem(s->text + back, from - back, " DIGEST ", 8) != NULL;
}

/* `token:stats:2025-12`: a counter's name and a month. */
static bool is_counted(struct redact_scan *s, size_t from, size_t to)
{
    size_t word = redact_run(s, from, CLASS_LOWER | CLASS_UNDER), year = word + 1;
    return word > from && redact_char(s, word) == ':' && (to == year + 7 || to == year + 10) &&
           redact_run(s, year, CLASS_DIGIT) == year + 4 && redact_char(s, year + 4) == '-' &&
           redact_run(s, year, CLASS_DIGIT | CLASS_DASH) == to;
}

/* `subnet-0cd2de65e1127c25e`, `i-05bf39ea`: what a cloud calls one of its things. */
static bool is_thing(struct redact_scan *s, size_t from, size_t to)
{
    if (to < from + THING_LEAST || !redact_in(s->text[to - 1], CLASS_DIGIT | CLASS_HEX_LOWER))
        return false; /* most */
    size_t dash = redact_run(s, from, CLASS_LOWER), len = to - dash;
    return redact_char(s, dash) == '-' && dash - from <= THING_MOST && (len == 18 || len == 9) &&
           redact_run(s, dash + 1, CLASS_DIGIT | CLASS_HEX_LOWER) == to;
}

/* `= random_password.db.result`: where Terraform takes it from. */
static bool is_taken_from(struct redact_scan *s, size_t from, size_t to)
{
    int dots = 0;
    if (from < 2 || s->text[from - 1] != ' ' || s->text[from - 2] != '=' ||
        !memchr(s->text + from, '_', to - from) ||
        redact_run(s, from, CLASS_LOWER | CLASS_UNDER | CLASS_DOT | CLASS_DIGIT) < to)
        return false;
    for (size_t i = from; i < to; i++)
        dots += s->text[i] == '.';
    return dots > 1 && s->text[to - 1] != '.';
}

/* `loop.tasks.rotate_keys[UUID]`, `added to app 'UUID'`: which of several it is. */
static bool is_id(struct redact_scan *s, size_t from, size_t to)
{
    static const char *const whose[] = {"app '",    "application '", "client '",
                                        "tenant '", "user '",        "cache: API:"};
    if (to - from != UUID || s->text[from + 8] != '-' || s->text[from + 13] != '-' ||
        redact_run(s, from, CLASS_HEX | CLASS_DASH) != to || from < 2)
        return false;
    if (s->text[from - 1] == '{')
        return redact_char(s, to) == '}' && s->text[from - 2] == ' ';
    if (s->text[from - 1] == '[')
        return redact_char(s, to) == ']' && redact_in(s->text[from - 2], CLASS_LOWER);
    for (size_t i = 0; i < sizeof whose / sizeof *whose; i++)
        if (from >= strlen(whose[i]) && redact_at(s, from - strlen(whose[i]), whose[i]))
            return true;
    return false;
}

/* Behind names that are no secrets': `"ClientRequestToken": "X"`, `existingSecret=X`. */
static bool is_named_otherwise(const struct redact_scan *s, size_t from)
{
    static const char ends[][16] = {"RequestToken",   "ClientToken", "IdempotencyToken",
                                    "existingSecret", "_HASH_ALGO",  "SITE_KEY",
                                    "SITEKEY"};
    size_t at = from, least = from > SIGNS_MOST ? from - SIGNS_MOST : 0;
    while (at > least && REDACT_ONE_OF(s->text[at - 1], "\"'=: "))
        at--;
    if (at == from || at == 0 || !REDACT_ONE_OF(s->text[at - 1], "ntOY"))
        return false; /* most */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t len = strnlen(ends[i], sizeof *ends);
        if (at >= len && s->text[at - 1] == ends[i][len - 1] &&
            !memcmp(s->text + at - len, ends[i], len))
            return true;
    }
    return false;
}

/* `android.os.BinderProxy@4f2a91c`: an object, as Java prints one. */
static bool is_object(struct redact_scan *s, size_t from, size_t to)
{
    size_t at = redact_run(s, from, CLASS_NAME);
    return redact_char(s, at) == '@' && at > from && to - at - 1 <= OBJECT_MOST && to > at + 5 &&
           memchr(s->text + from, '.', at - from) &&
           redact_run(s, at + 1, CLASS_DIGIT | CLASS_HEX_LOWER) == to;
}

/* `secret="kube-system/bootstrap-token-abcdef"`: what a cluster calls its object, as its parts log
 * it. */
static bool is_object_of_cluster(struct redact_scan *s, size_t from, size_t to)
{
    size_t slash = redact_run(s, from, CLASS_LOWER | CLASS_DASH | CLASS_DIGIT), dash = slash + 1;
    if (redact_char(s, slash) != '/' || from < 8 || !redact_at(s, from - 8, "secret=\"") ||
        redact_run(s, dash, CLASS_LOWER | CLASS_DASH | CLASS_DIGIT | CLASS_DOT) != to)
        return false; /* most */
    dash = redact_run(s, dash, CLASS_LOWER);
    return redact_char(s, dash) == '-' || redact_run(s, from, CLASS_LOWER) < slash;
}

/* `(*Token).Refresh(0xc0000fae05, ...)`: an argument, as a trace of calls shows it. */
static bool is_pointer(struct redact_scan *s, size_t from, size_t to)
{
    return from && to - from <= POINTER_MOST && redact_at(s, from, "0x") &&
           redact_run(s, from + 2, CLASS_DIGIT | CLASS_HEX_LOWER) == to &&
           (REDACT_ONE_OF(s->text[from - 1], "({") ||
            (from >= 10 && redact_at(s, from - 10, "(password=")));
}

/* `utf8mb4_unicode_ci`: how a column's text is sorted. */
static bool is_collation(struct redact_scan *s, size_t from, size_t to)
{
    static const char sets[][6] = {"utf8", "utf16", "latin", "ascii", "ucs2", "cp125"};
    bool set = false;
    if (to < from + 7 || !(redact_at(s, to - 3, "_ci") || redact_at(s, to - 3, "_cs") ||
                           redact_at(s, to - 4, "_bin")))
        return false; /* most */
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        set = set || redact_at(s, from, sets[i]);
    return set && redact_run(s, from, CLASS_LOWER | CLASS_DIGIT | CLASS_UNDER) == to;
}

bool redact_is_none(struct redact_scan *s, const struct redact_match *match)
{
    size_t from = match->from, to = match->to;
    if (is_named_otherwise(s, from))
        return true;
    if (to - from == UUID && is_id(s, from, to))
        return true;
    if (redact_in(s->text[from], CLASS_HEX_LOWER | CLASS_DIGIT) && is_digest(s, from, to))
        return true;
    if (redact_in(s->text[from], CLASS_LOWER) &&
        (is_said_of_it(s, from, to) || is_counted(s, from, to) || is_thing(s, from, to) ||
         is_taken_from(s, from, to) || is_object(s, from, to) ||
         is_object_of_cluster(s, from, to) || is_collation(s, from, to)))
        return true;
    switch (s->text[from]) {
    case '-': /* an option behind one that takes no value: `--ask-password --user=kim` */
        return redact_at(s, from, "--") && redact_char(s, from - (from > 0)) == ' ' &&
               redact_in(redact_char(s, from + 2), CLASS_LOWER) &&
               memchr(s->text + from, '=', to - from);
    case '@': /* `//<credentials>@host` */
        return redact_char(s, from - (from > 0)) == '>';
    case '0':
        return is_pointer(s, from, to) || is_length(s, from, to);
    case 'A': /* and Pulumi's, sealed by a key of a cloud's */
        return is_sealed(s, from, to) ||
               (from >= 8 && redact_at(s, from, "AAABA") && redact_at(s, from - 8, "secure: "));
    case 'E': /* Vercel's, of what it does not show */
        return to - from == 9 && redact_at(s, from, "Encrypted");
    case 'U': /* what servers of mail ask for, in base64 */
        return to - from == 12 && !memcmp(s->text + from, "UGFzc3dvcmQ6", 12);
    case 'p': /* the community that everybody has, and keys that a page shows to everybody */
        return (to - from == 6 && !memcmp(s->text + from, "public", 6)) ||
               redact_at(s, from, "pk_live_") || redact_at(s, from, "pk_test_") ||
               redact_at(s, from, "phc_");
    case 'v': /* Pulumi's, sealed */
        return from >= 8 && redact_at(s, from, "v1:") && redact_at(s, from - 8, "secure: ");
    case 'V': /* Ansible's, of what a module is told */
        return redact_at(s, from, "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER");
    case 'S':
    case 'M':
        return to - from <= PRINT_MOST &&
               (redact_at(s, from, "SHA256:") || redact_at(s, from, "MD5:"));
    case 'k':
        return redact_at(s, from, "kid=") || redact_at(s, from, "keyid=");
    case 'P':
    case 'L': /* ways to log in: `AUTH=PLAIN` */
        return to - from == 5 && redact_char(s, from - (from > 0)) == '=' &&
               (!memcmp(s->text + from, "PLAIN", 5) || !memcmp(s->text + from, "LOGIN", 5));
    case 't': /* the phrase that all tests of wallets use */
        return redact_at(s, from, "test test test test ") || is_passed(s, from);
    default:
        return redact_in(s->text[from], CLASS_DIGIT) && is_length(s, from, to);
    }
}

bool redact_is_of_assembly(const struct redact_scan *s, size_t at, size_t end)
{
    if (end - at == 5) /* `Public Key Token: b77a5c561934e089` */
        return at >= 11 && redact_char(s, end) == ':' && redact_at(s, at - 11, "Public Key Token");
    return end - at == 14 && redact_char(s, end) == '=' && redact_at(s, at, "PublicKeyToken");
}
