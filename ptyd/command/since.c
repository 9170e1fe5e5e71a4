#define _GNU_SOURCE
#include "ptyd/command/since.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptyd/command/cli.h"
#include "ptyd/core/clock.h"

#define SECOND_MS INT64_C(1000)

static int64_t unit_ms(char unit)
{
    switch (unit) {
    case 's':
        return SECOND_MS;
    case 'm':
        return 60 * SECOND_MS;
    case 'h':
        return 3600 * SECOND_MS;
    case 'd':
        return 24 * 3600 * SECOND_MS;
    default:
        return unit == 'w' ? 7 * 24 * 3600 * SECOND_MS : 0;
    }
}

static bool parse_duration(const char *text, int64_t now_ms, int64_t *ret_ms)
{
    char *end;
    if (!isdigit((unsigned char)text[0]) || strlen(text) > 12)
        return false;
    int64_t count = strtoll(text, &end, 10), unit = unit_ms(*end);
    if (!unit || end[1] || count > now_ms / unit)
        return false;
    *ret_ms = now_ms - count * unit;
    return true;
}

/* A day that there is not, mktime() would take for another; an hour that a change of the clocks
 * left out is the next one. */
static bool to_ms(struct tm local, bool exact, int64_t *ret_ms)
{
    int day = local.tm_mday, month = local.tm_mon;
    local.tm_isdst = -1;
    time_t seconds = mktime(&local);
    if (seconds < 0 || (exact && (local.tm_mday != day || local.tm_mon != month)))
        return false;
    *ret_ms = (int64_t)seconds * SECOND_MS;
    return true;
}

static bool local_day(int64_t now_ms, struct tm *ret_day)
{
    time_t seconds = (time_t)(now_ms / SECOND_MS);
    if (!localtime_r(&seconds, ret_day))
        return false;
    ret_day->tm_hour = ret_day->tm_min = ret_day->tm_sec = 0;
    return true;
}

static bool parse_word(const char *text, int64_t now_ms, int64_t *ret_ms)
{
    struct tm day;
    bool yesterday = !strcmp(text, "yesterday");
    if ((!yesterday && strcmp(text, "today") != 0) || !local_day(now_ms, &day))
        return false;
    day.tm_mday -= yesterday;
    return to_ms(day, false, ret_ms);
}

static bool parse_date(const char *text, int64_t now_ms, int64_t *ret_ms)
{
    static const char *const forms[] = {
        "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M",
        "%Y-%m-%d",          "%H:%M:%S",          "%H:%M"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm local = {0};
        if (forms[i][1] == 'H' && !local_day(now_ms, &local))
            return false;
        const char *end = strptime(text, forms[i], &local);
        if (end && !*end)
            return to_ms(local, true, ret_ms);
    }
    return false;
}

bool since_parse(const char *text, int64_t now_ms, int64_t *ret_ms)
{
    return parse_duration(text, now_ms, ret_ms) || parse_word(text, now_ms, ret_ms) ||
           parse_date(text, now_ms, ret_ms);
}

int64_t since_option(const char *text)
{
    int64_t at;
    if (!since_parse(text, clock_wall_ms(), &at))
        cli_usage("'%s' is no time: say how long ago (90s, 30m, 2h, 2d, 1w), or when (14:30, "
                  "today, yesterday, 2026-11-20, '2026-11-20 14:30')",
                  text);
    return at;
}
