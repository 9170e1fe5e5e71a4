#include "ptyd/search/abroad.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/heard.h"
#include "ptyd/core/json.h"

/* Text as it stands, as an expression. */
static struct regex *regex_of(const struct find_query *query)
{
    struct bytes pattern = {0};
    char *why = NULL;
    for (const char *at = query->pattern; *at; at++) {
        bool plain = (unsigned char)*at >= 0x80 || (*at >= '0' && *at <= '9') ||
                     (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        bytes_append_text(&pattern, plain ? "" : "\\");
        bytes_append_char(&pattern, *at);
    }
    struct regex *regex = regex_create(pattern.data, query->ignore_case, &why);
    free(why);
    bytes_finish(&pattern);
    return regex;
}

struct looking {
    struct regex *regex;
    json_t *matches;
    json_int_t count; /* lines that match */
    bool unknown;     /* of some nobody knows */
};

static void look_at(struct looking *l, const char *in, json_int_t number, const char *text,
                    size_t len)
{
    size_t from, to;
    enum regex_result result = regex_search(l->regex, text, len, 0, false, &from, &to);
    l->unknown = l->unknown || result == REGEX_LIMIT;
    if (result != REGEX_FOUND || l->count++ >= LIMIT_SEARCH_LINES)
        return;
    from = from < len ? from : len;
    size_t begin = from > LIMIT_SEARCH_LINE_BYTES / 2 ? from - LIMIT_SEARCH_LINE_BYTES / 2 : 0;
    begin = utf8_ceil(text, len, begin);
    size_t end = begin + utf8_floor(text + begin, len - begin, LIMIT_SEARCH_LINE_BYTES);
    to = to < end ? to : end > from ? end : from;
    json_array_append_new(l->matches,
                          json_pack("{s:s, s:I, s:o, s:I, s:I, s:b, s:b}", "in", in, "line", number,
                                    "text", json_stringn(text + begin, end - begin), "from",
                                    (json_int_t)(from - begin), "to", (json_int_t)(to - begin),
                                    "cut_before", begin > 0, "cut_after", end < len));
}

static void look_through(struct looking *l, const json_t *block, const struct find_query *query)
{
    const char *cmd = json_text(block, "cmd", "");
    json_int_t number = 1, omitted = json_number(block, "omitted_lines", 0);
    const json_t *line;
    size_t i;
    for (; query->command && *cmd; number++) {
        size_t len = strcspn(cmd, "\n");
        look_at(l, "command", number, cmd, len);
        cmd += len + (cmd[len] == '\n');
    }
    json_array_foreach(json_at(block, "preview", "lines"), i, line)
        if (query->output && json_string_value(line))
            look_at(l, "output", omitted + (json_int_t)i + 1, json_string_value(line),
                    json_string_length(line));
}

static bool is_wanted(const json_t *block, const struct find_query *query)
{
    const json_t *code = json_object_get(block, "exit_code");
    return json_number(block, "ts_begin", 0) >= query->since_ms &&
           (!query->failed || (json_is_integer(code) && json_integer_value(code)));
}

static json_t *result_of(const json_t *block, const struct looking *l)
{
    static const char *const members[] = {"block_id", "host",     "host_id", "conversation_id",
                                          "seq",      "cmd",      "cwd",     "exit_code",
                                          "status",   "ts_begin", "ts_end",  "duration_ms"};
    json_t *result = json_object();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set(result, members[i], json_object_get(block, members[i]));
    json_object_set_new(result, "match_count", json_integer(l->count));
    json_object_set(result, "matches", l->matches);
    return result;
}

bool abroad_find(const char *state, const char *host, const struct find_query *query,
                 struct find_answer *ret)
{
    char *directory = heard_directory(state);
    json_t *blocks = heard_blocks(directory, host, 0);
    struct regex *own = query->regex ? NULL : regex_of(query);
    size_t count = json_array_size(blocks);
    *ret = (struct find_answer){.results = json_array(), .ends = true};
    for (size_t i = count; i > 0 && !ret->more; i--) { /* the newest first */
        const json_t *block = json_array_get(blocks, i - 1);
        struct looking l = {.regex = own ? own : query->regex, .matches = json_array()};
        if (is_wanted(block, query))
            look_through(&l, block, query);
        ret->unknown += l.unknown;
        if (l.count && json_array_size(ret->results) == query->last)
            ret->more = true;
        else if (l.count)
            json_array_insert_new(ret->results, 0, result_of(block, &l));
        json_decref(l.matches);
    }
    ret->ends = !json_array_size(ret->results);
    regex_destroy(own);
    json_decref(blocks);
    free(directory);
    return count > 0;
}
