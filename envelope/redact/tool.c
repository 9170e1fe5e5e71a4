/* Which rules a tool has, by its name; and whether a word is the last of a line that a tool, or a
 * device, is told. */
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "envelope/redact/command.h"

#define BUCKETS   2048
#define ENTRIES   4096 /* tools of all rules: a test finds each */
#define TOOL_MOST 40   /* bytes of a tool's name */

static struct tools {
    struct tool {
        const char *name;
        size_t len;
        int rule;
        int next, same; /* of its bucket, and of its name; -1 for none */
    } list[ENTRIES];
    int buckets[BUCKETS], count;
} tools;

static unsigned hash(const char *name, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return (h ^ h >> 16) % BUCKETS;
}

/* A bit for each beginning, end and length of a tool's name: most words have none. */
#define BEGINNINGS 16384
static uint32_t beginnings[BEGINNINGS / 32];

static unsigned beginning(const char *name, size_t len)
{
    unsigned last = (unsigned char)name[len - 1];
    return ((unsigned char)name[0] * 31u + (unsigned char)name[len > 1] * 67u + last * 521u +
            (unsigned)len) %
           BEGINNINGS;
}

/* The first tool of that name, of those in a bucket from `i` on. */
static int named(int i, const char *name, size_t len)
{
    while (i >= 0 && (tools.list[i].len != len || memcmp(tools.list[i].name, name, len) != 0))
        i = tools.list[i].next;
    return i;
}

static void read_tools(void)
{
    memset(tools.buckets, -1, sizeof tools.buckets);
    for (int i = 0; i < redact_rule_count(); i++)
        for (const char *at = redact_rule(i)->tools; *at && tools.count < ENTRIES;) {
            size_t len = 1;
            while (at[len] && at[len] != ' ')
                len++;
            unsigned bit = beginning(at, len);
            beginnings[bit / 32] |= 1u << bit % 32;
            int *first = &tools.buckets[hash(at, len)], same = named(*first, at, len),
                *link = first;
            while (same >= 0 && *link != same)
                link = &tools.list[*link].next;
            if (same >= 0)
                *link = tools.list[same].next; /* the new one leads to it */
            tools.list[tools.count] = (struct tool){at, len, i, *first, same};
            *first = tools.count++;
            at += len + (at[len] == ' ');
        }
}

/* Without what Windows' programs end in: `curl.exe`. */
static __attribute__((noinline)) int without_ending(const char *name, size_t len)
{
    const char *end = name + len - 4;
    bool is = !strncasecmp(end, ".exe", 4) || !strncasecmp(end, ".cmd", 4) ||
              !strncasecmp(end, ".bat", 4);
    return is ? redact_tool_first(name, len - 4) : -1;
}

int redact_tool_first(const char *name, size_t len)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!len || len > TOOL_MOST)
        return -1;
    pthread_once(&once, read_tools);
    unsigned bit = beginning(name, len);
    int tool = -1;
    if (beginnings[bit / 32] & 1u << bit % 32)
        tool = named(tools.buckets[hash(name, len)], name, len);
    return tool < 0 && len > 4 && name[len - 4] == '.' ? without_ending(name, len) : tool;
}

int redact_tool_next(int tool)
{
    return tools.list[tool].same;
}

const struct redact_rule *redact_tool_rule(int tool)
{
    return redact_rule(tools.list[tool].rule);
}

/* Whether a device's prompt is in front, or the line stands further in, as in its settings. */
static bool is_of_device(const struct redact_scan *s, size_t tool)
{
    size_t line = redact_line_start(s, tool, 64), blank = tool > line && s->text[tool - 1] == ' ';
    size_t sign = tool - blank;
    return tool > line && (redact_in(s->text[line], CLASS_BLANK) ||
                           (sign > line + 1 && REDACT_ONE_OF(s->text[sign - 1], "#>")));
}

bool redact_is_last_word(struct redact_scan *s, size_t tool, size_t from, size_t to)
{
    size_t line = redact_line_end(s, to), behind = to + (redact_char(s, to) == '"');
    size_t start = redact_line_start(s, tool, 64);
    while (start < tool && redact_in(s->text[start], CLASS_BLANK))
        start++;
    if (redact_run(s, from, CLASS_LOWER) >= to && !is_of_device(s, tool))
        return false; /* `enable secret scanning` */
    return to >= from + 4 && redact_run(s, behind, CLASS_BLANK) >= line &&
           (start == tool || REDACT_ONE_OF(s->text[tool - 1], "#>") ||
            (tool > 1 && REDACT_ONE_OF(s->text[tool - 2], "#>")) || redact_at(s, start, "ip ") ||
            redact_at(s, start, "set ") || redact_at(s, start, "no "));
}
