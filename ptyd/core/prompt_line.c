#include "ptyd/core/prompt_line.h"

#define ESC       '\x1b'
#define INTERRUPT '\x03' /* an editor that takes it for itself gives the line up, too */

bool prompt_line_begins(const struct prompt_line *line)
{
    return line->stands == PROMPT_LINE_NONE;
}

/* Behind the last key that ends a line, 0 for none. An Enter behind an ESC is a line feed in it. */
static size_t end_of_lines(const char *keys, size_t len)
{
    size_t end = 0;
    for (size_t i = 0; i < len; i++) {
        bool enter = (keys[i] == '\r' || keys[i] == '\n') && !(i && keys[i - 1] == ESC);
        if (enter || keys[i] == INTERRUPT)
            end = i + 1;
    }
    return end;
}

/* An ESC that begins no sequence of a key's: a key of its own. */
static bool has_escape(const char *keys, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (keys[i] == ESC && (i + 1 == len || (keys[i + 1] != '[' && keys[i + 1] != 'O')))
            return true;
    return false;
}

static void type_here(struct prompt_line *line, bool given_up, const char *keys, size_t len)
{
    size_t end = end_of_lines(keys, len);
    bool behind = given_up || end || line->stands == PROMPT_LINE_ENDED;
    if (has_escape(keys + end, len - end))
        line->bare = 0;
    if (end)
        line->stands = PROMPT_LINE_ENDED;
    else if (given_up)
        line->stands = PROMPT_LINE_NONE;
    if (end < len && line->stands != PROMPT_LINE_AHEAD)
        line->stands = behind ? PROMPT_LINE_AHEAD : PROMPT_LINE_HALF;
}

void prompt_line_typed(struct prompt_line *line, enum prompt_line_place place, bool given_up,
                       const char *keys, size_t len)
{
    if (place == PROMPT_LINE_HERE) {
        type_here(line, given_up, keys, len);
        return;
    }
    bool ends = end_of_lines(keys, len) == len;
    if (place == PROMPT_LINE_NOWHERE || (ends && (len || given_up)))
        line->stands = PROMPT_LINE_NONE;
    else if (len)
        line->stands = PROMPT_LINE_AHEAD;
}

void prompt_line_prompted(struct prompt_line *line)
{
    bool ahead = line->stands == PROMPT_LINE_AHEAD;
    line->stands = ahead ? PROMPT_LINE_HALF : PROMPT_LINE_NONE;
}

bool prompt_line_is_none(const struct prompt_line *line)
{
    return line->stands == PROMPT_LINE_NONE;
}

bool prompt_line_is_bare(const struct prompt_line *line, uint64_t shown)
{
    return prompt_line_is_none(line) || (line->bare && line->bare == shown);
}
