#define _GNU_SOURCE
#include "ptyd/core/prompt_line.h"

#include <string.h>

#define ESC       '\x1b'
#define ERASE     '\x7f'
#define INTERRUPT '\x03' /* an editor that takes it for itself gives the line up, too */

static bool ends_line(const char *keys, size_t at)
{
    bool enter = (keys[at] == '\r' || keys[at] == '\n') && !(at && keys[at - 1] == ESC);
    return enter || keys[at] == INTERRUPT;
}

/* Behind the last key that ends a line, 0 for none. An Enter behind an ESC is a line feed in it. */
static size_t end_of_lines(const char *keys, size_t len)
{
    while (len && !ends_line(keys, len - 1))
        len--;
    return len;
}

/* An ESC that begins no sequence of a key's, nor stands for Alt: a key of its own. */
static bool has_escape(const char *keys, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (keys[i] == ESC && (i + 1 == len || keys[i + 1] < ' '))
            return true;
    return false;
}

/* ---- the last keys ---- */

static bool is_text(char key)
{
    return key >= ' ' && key < ERASE;
}

static size_t tail_len(const struct prompt_line *line)
{
    return strnlen(line->tail, sizeof line->tail);
}

/* Of what is text the newest stays. */
static void add_to_tail(struct prompt_line *line, const char *text, size_t len)
{
    size_t kept = tail_len(line), most = sizeof line->tail;
    size_t come = len < most ? len : most;
    size_t stay = kept + come <= most ? kept : most - come;
    memmove(line->tail, line->tail + kept - stay, stay);
    memcpy(line->tail + stay, text + len - come, come);
}

static void note_other_key(struct prompt_line *line, char key)
{
    size_t len = tail_len(line);
    if (key == ERASE && len)
        line->tail[len - 1] = '\0';
    else
        memset(line->tail, 0, sizeof line->tail);
}

/* Of what came before the last key that is neither text nor takes some back nothing stays. */
static size_t last_other_key(const char *keys, size_t len)
{
    while (len && (is_text(keys[len - 1]) || keys[len - 1] == ERASE))
        len--;
    return len ? len - 1 : 0;
}

static void note_keys(struct prompt_line *line, const char *keys, size_t len)
{
    for (size_t i = last_other_key(keys, len), end; i < len; i = end) {
        for (end = i; end < len && is_text(keys[end]);)
            end++;
        if (end > i)
            add_to_tail(line, keys + i, end - i);
        else
            note_other_key(line, keys[end++]);
    }
}

/* ---- keys and prompts ---- */

/* What ends a line there may go on with it (PS2): until a prompt comes it counts as typed. */
static void type_here(struct prompt_line *line, const char *keys, size_t len, size_t end)
{
    line->flags |= PROMPT_LINE_TYPED;
    if (end)
        line->flags &= ~(PROMPT_LINE_ESCAPED | PROMPT_LINE_GOES_ON);
    if (end && keys[end - 1] != INTERRUPT)
        line->flags |= PROMPT_LINE_GOES_ON;
    if (has_escape(keys + end, len - end))
        line->flags |= PROMPT_LINE_ESCAPED;
    if (end && end < len)
        line->flags |= PROMPT_LINE_AHEAD;
}

/* Behind what ended the last line. */
static void type_ahead(struct prompt_line *line, enum prompt_line_place place, const char *keys,
                       size_t len)
{
    if (place == PROMPT_LINE_NOWHERE || !len)
        line->flags &= ~(PROMPT_LINE_AHEAD | PROMPT_LINE_ESCAPED_AHEAD);
    else
        line->flags |= PROMPT_LINE_AHEAD;
    if (place == PROMPT_LINE_ELSEWHERE && has_escape(keys, len))
        line->flags |= PROMPT_LINE_ESCAPED_AHEAD;
}

void prompt_line_typed(struct prompt_line *line, enum prompt_line_place place, const char *keys,
                       size_t len)
{
    size_t end = end_of_lines(keys, len);
    note_keys(line, keys, len);
    if (place == PROMPT_LINE_HERE)
        type_here(line, keys, len, end);
    else
        type_ahead(line, place, keys + end, len - end);
}

void prompt_line_prompted(struct prompt_line *line, uint64_t look, bool more)
{
    uint32_t ahead = line->flags;
    uint32_t stays = more ? ahead & (PROMPT_LINE_AHEAD | PROMPT_LINE_ESCAPED_AHEAD) : 0;
    line->flags = ahead & PROMPT_LINE_AHEAD ? PROMPT_LINE_TYPED : 0;
    line->flags |= ahead & PROMPT_LINE_ESCAPED_AHEAD ? PROMPT_LINE_ESCAPED : 0;
    line->flags |= stays;
    line->bare = 0;
    line->drawn = look;
}

void prompt_line_forget(struct prompt_line *line)
{
    line->flags &= PROMPT_LINE_AHEAD | PROMPT_LINE_ESCAPED_AHEAD;
    line->bare = 0;
}

static bool is_shown(const struct prompt_line *line, const char *text)
{
    size_t len = strnlen(line->tail, sizeof line->tail);
    while (len && line->tail[len - 1] == ' ') /* blanks at a line's end are not in the text */
        len--;
    return len && memmem(text, strlen(text), line->tail, len);
}

bool prompt_line_is_half(const struct prompt_line *line, uint64_t look, const char *text)
{
    if (!(line->flags & PROMPT_LINE_TYPED))
        return false;
    if (line->flags & PROMPT_LINE_ESCAPED)
        return true;
    return line->bare ? line->bare != look && line->drawn != look
                      : (line->flags & PROMPT_LINE_GOES_ON) || is_shown(line, text);
}
