/* Which rules a tool has, by its name. */
#include <pthread.h>
#include <string.h>

#include "envelope/redact_command.h"

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

int redact_tool_first(const char *name, size_t len)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!len || len > TOOL_MOST)
        return -1;
    pthread_once(&once, read_tools);
    unsigned bit = beginning(name, len);
    if (!(beginnings[bit / 32] & 1u << bit % 32))
        return -1;
    return named(tools.buckets[hash(name, len)], name, len);
}

int redact_tool_next(int tool)
{
    return tools.list[tool].same;
}

const struct redact_rule *redact_tool_rule(int tool)
{
    return redact_rule(tools.list[tool].rule);
}
