/* Words that stand where a secret would: `your-api-key`, `hf_YOUR_TOKEN_HERE`, and the name of one,
 * PERSONAL_ACCESS_TOKEN. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/value.h"

#define STANDIN_MOST 64
#define MARK_MOST    8 /* letters of an issuer's mark */
#define MARKS_MOST   2

/* Whether what begins at `t` asks to be replaced. */
static bool asks(const char *t, size_t len)
{
    static const char *const fronts[] = {"your", "insert", "replace", "enter", "put", "change"};
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        size_t front = strlen(fronts[i]);
        if (len > front && ((*t ^ *fronts[i]) & ~0x20) == 0 && !strncasecmp(t, fronts[i], front) &&
            redact_in(t[front], CLASS_UNDER | CLASS_DASH))
            return true;
    }
    return false;
}

/* The name of a secret in capital letters, of several words. */
static bool is_name(const char *t, size_t len)
{
    static const char *const ends[] = {"_TOKEN", "_PASSWORD", "_SECRET",
                                       "_KEY",   "_PAT",      "_PASSPHRASE"};
    for (size_t i = 0; i < len; i++)
        if (!redact_in(t[i], CLASS_UPPER | CLASS_UNDER))
            return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (len > strlen(ends[i]) + 2 &&
            !memcmp(t + len - strlen(ends[i]), ends[i], strlen(ends[i])))
            return true;
    return false;
}

/* `SECRET_GOES_HERE`, `api-key-here`: in small letters only where a word of it is a secret's. */
static bool is_place(const char *t, size_t len)
{
    static const char words[][7] = {"token", "secret", "passwo", "key", "pass", "value", "goes"};
    if (len < 8 || strncasecmp(t + len - 4, "here", 4) != 0 ||
        !redact_in(t[len - 5], CLASS_UNDER | CLASS_DASH))
        return false; /* most */
    for (size_t at = 0; at + 5 < len; at++)
        for (size_t i = 0; (at == 0 || redact_in(t[at - 1], CLASS_UNDER | CLASS_DASH)) &&
                           i < sizeof words / sizeof *words;
             i++)
            if (!strncasecmp(t + at, words[i], strlen(words[i])))
                return true;
    return redact_in(t[0], CLASS_UPPER) && redact_in(t[len - 1], CLASS_UPPER);
}

bool redact_asks_for_one(const struct redact_scan *s, size_t from, size_t to)
{
    const char *t = s->text + from;
    size_t len = to - from, mark = 0, parts = 1;
    if (len > STANDIN_MOST)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!redact_in(t[i], CLASS_UPPER | CLASS_LOWER | CLASS_UNDER | CLASS_DASH | CLASS_DOT))
            return false; /* most */
        parts += redact_in(t[i], CLASS_UNDER | CLASS_DASH);
    }
    if (parts == 1)
        return len == 8 && !strncasecmp(t, "changeme", 8);
    if (memmem(t, len, "-your-", 6) || memmem(t, len, "_your_", 6) ||
        (redact_in(*t, CLASS_UPPER) && is_name(t, len)) || is_place(t, len))
        return true;
    for (int i = 0; i <= MARKS_MOST; i++) { /* hf_, sk-proj- */
        if ((!mark || redact_in(t[mark], CLASS_UPPER) || !strncasecmp(t + mark, "your", 4)) &&
            asks(t + mark, len - mark))
            return true;
        size_t end = mark;
        while (end < len && end - mark < MARK_MOST && redact_in(t[end], CLASS_LOWER))
            end++;
        if (end == mark || end == len || !redact_in(t[end], CLASS_UNDER | CLASS_DASH) ||
            !redact_in(t[end + 1], CLASS_UPPER | CLASS_LOWER))
            return false;
        mark = end + 1;
    }
    return false;
}
