/* What names that were asked for say, kept: the same few come again and again. */
#include <string.h>
#include <strings.h>

#include "envelope/redact/rules.h"

#define WHOSE_LEAST 8 /* bytes of a name that says whose it is, behind what */
#define WHOSE_MOST  64

enum redact_telling redact_whose_tells(const char *name, size_t len)
{
    const char *end = name + len, *at = len < WHOSE_LEAST || len > WHOSE_MOST ? end : name;
    while ((at = memchr(at, '_', (size_t)(end - at))) && end - at > 4) {
        bool whose = (at[1] | 0x20) == 'o'   ? !strncasecmp(at, "_of_", 4)
                     : (at[1] | 0x20) == 'f' ? !strncasecmp(at, "_for_", 5)
                                             : false;
        if (whose)
            return redact_is_of_it(name, len) ? TELLS_NOTHING
                                              : redact_telling(name, (size_t)(at - name));
        at++;
    }
    return TELLS_NOTHING;
}

/* What its beginning tells, or whose it is. */
static enum redact_telling front_tells(const char *name, size_t len)
{
    enum redact_telling whose = redact_whose_tells(name, len);
    return whose ? whose : redact_begins_telling(name, len, true);
}

/* The name's last eight bytes, or all. */
static uint64_t last_of(const struct redact_scan *s, size_t at, size_t len)
{
    uint64_t last = 0;
    size_t most = len < sizeof last ? len : sizeof last, end = at + len;
    if (end >= sizeof last) {
        memcpy(&last, s->text + end - sizeof last, sizeof last);
        last >>= 8 * (sizeof last - most); /* without what is in front of it */
    } else {
        memcpy(&last, s->text + at, most);
    }
    return last;
}

/* The same few names come again and again: what was found out of one is kept, and of two that fall
 * into one place both. */
enum redact_telling redact_look_up(struct redact_scan *s, size_t at, size_t len)
{
    const char *name = s->text + at;
    if (len == 3 && !memcmp(name, "PWD", 3))
        return redact_is_password(s, at + len) ? TELLS_ALL : TELLS_NOTHING;
    for (int i = 0; i < REDACT_TOLD; i++)
        if (s->told[i].at == at && s->told[i].len == len)
            return (enum redact_telling)s->told[i].tells;
    bool may = redact_may(name, len) & (MAY_TELL | MAY_TELL_LAST);
    enum redact_telling begins = may ? TELLS_NOTHING : front_tells(name, len);
    if (!may && !begins)
        return TELLS_NOTHING;
    struct redact_named *told = &s->told[s->tells_next = (s->tells_next + 1) % REDACT_TOLD];
    if (!may) {
        *told = (struct redact_named){at, len, (int)begins, 0};
        return begins;
    }
    uint64_t last = last_of(s, at, len);
    struct redact_named *kept = s->named[((last ^ len) * 0x9e3779b97f4a7c15 >> 32) % REDACT_NAMES];
    struct redact_named *first = kept;
    int i = 0;
    while (i < REDACT_WAYS && (kept->len != len || kept->last != last ||
                               (len > sizeof last && memcmp(s->text + kept->at, name, len) != 0)))
        i++, kept++;
    if (i < REDACT_WAYS) {
        *told = (struct redact_named){at, len, kept->tells, last};
    } else {
        enum redact_telling tells = redact_telling(name, len);
        tells = tells ? tells : front_tells(name, len);
        *told = (struct redact_named){at, len, (int)tells, last};
        memmove(first + 1, first, (REDACT_WAYS - 1) * sizeof *first);
        *first = *told;
    }
    return (enum redact_telling)told->tells;
}

bool redact_is_telling(const char *name, size_t len)
{
    return redact_telling(name, len) != TELLS_NOTHING;
}
