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
        (redact_in(*t, CLASS_UPPER) && is_name(t, len)))
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
