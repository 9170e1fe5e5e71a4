#include "ptyd/core/line_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/typed.h"

#define CTRL(letter) ((letter)&0x1f)
#define ESC          0x1b
#define DEL          0x7f

void line_keys_finish(struct line_keys *k)
{
    bytes_finish(&k->text);
}

static void clear(struct line_keys *k)
{
    *k = (struct line_keys){.told = k->told,
                            .text = {.data = k->text.data, .capacity = k->text.capacity}};
}

/* The end of an escape sequence. Up and Down bring a line in front of the cursor; a paste begins
 * and ends with one; any other may go anywhere. */
static void end_escape(struct line_keys *k, unsigned char key)
{
    k->escape = ESCAPE_NONE;
    k->edits = true;
    k->inside = key == 'A' || key == 'B';
}

static void hear_escape(struct line_keys *k, unsigned char key)
{
    if (k->escape == ESCAPE_BEGUN && (key == '[' || key == 'O'))
        k->escape = ESCAPE_SEQUENCE;
    else if (k->escape == ESCAPE_BEGUN || key >= 0x40)
        end_escape(k, k->escape == ESCAPE_BEGUN ? 0 : key);
}

/* Whether an editor whose line is not known to be empty goes on behind something: the line before,
 * or one that is searched. */
static bool brings_a_line(unsigned char key)
{
    return key == CTRL('p') || key == CTRL('n') || key == CTRL('r') || key == CTRL('s');
}

static void hear_control(struct line_keys *k, unsigned char key)
{
    k->escape = key == ESC ? ESCAPE_BEGUN : ESCAPE_NONE;
    k->edits = k->edits || (key != DEL && key != CTRL('u') && key != CTRL('w'));
    k->inside = brings_a_line(key);
}

static void keep(struct line_keys *k, char key)
{
    if (k->text.len < LIMIT_KEYED_BYTES)
        bytes_append_char(&k->text, key);
    else
        k->edits = true;
}

static size_t text_len(const char *keys, size_t len)
{
    size_t at = 0;
    while (at < len && (unsigned char)keys[at] >= ' ' && keys[at] != DEL)
        at++;
    return at;
}

/* So many keys that are text, one at least, outside of a sequence. */
static void hear_text(struct line_keys *k, const char *keys, size_t len)
{
    size_t room = LIMIT_KEYED_BYTES - k->text.len, blanks = 0;
    while (blanks < len && keys[blanks] == ' ')
        blanks++;
    k->behind = k->behind || k->enters;
    k->blank = k->blank || (blanks && !k->inside);
    k->inside = k->inside || blanks < len;
    k->edits = k->edits || len > room;
    bytes_append(&k->text, keys, len < room ? len : room);
}

/* Any other. */
static void hear_key(struct line_keys *k, unsigned char key)
{
    if (k->escape) {
        hear_escape(k, key);
        return;
    }
    if (key == '\r' || key == '\n') {
        k->behind = k->behind || k->enters;
        k->enters++;
        k->inside = false;
        keep(k, '\r');
        return;
    }
    k->behind = k->behind || k->enters;
    k->blank = k->blank || (key == '\t' && !k->inside);
    hear_control(k, key);
    keep(k, (char)key);
}

void line_keys_hear(struct line_keys *k, const char *keys, size_t len, enum line_keys_time time)
{
    k->told = true;
    k->here = k->here || (time == KEYS_HERE && len);
    k->ahead = k->ahead || (time != KEYS_HERE && len);
    k->shared = k->shared || (time == KEYS_SHARED && len);
    for (size_t i = 0, text; i < len; i += text ? text : 1) {
        text = k->escape ? 0 : text_len(keys + i, len - i);
        if (text)
            hear_text(k, keys + i, text);
        else
            hear_key(k, (unsigned char)keys[i]);
    }
}

void line_keys_lose(struct line_keys *k)
{
    k->told = k->ahead = k->shared = k->blank = k->edits = true;
}

/* A shell may keep the line all the same: then what is seen says another. */
void line_keys_give_up(struct line_keys *k)
{
    clear(k);
    k->told = k->ahead = k->anew = true;
}

void line_keys_deafen(struct line_keys *k)
{
    k->told = false;
    clear(k);
}

/* Of the first line that was typed; 0 for none. */
static size_t line_end(const struct line_keys *k)
{
    const char *end = k->text.len ? memchr(k->text.data, '\r', k->text.len) : NULL;
    return end ? (size_t)(end - k->text.data) : 0;
}

char *line_keys_text(const struct line_keys *k, const char *echo)
{
    size_t len = line_end(k);
    if (!k->told || k->edits || k->escape || !len)
        return NULL;
    char *line = typed_cook(k->text.data, len);
    if (!k->ahead && !k->behind)
        return line;
    if (!strcmp(line, echo))
        return line;
    free(line);
    return NULL;
}

char *line_keys_so_far(const struct line_keys *k)
{
    size_t len = k->enters ? line_end(k) : k->text.len;
    return !k->told || k->edits || k->escape || !len ? NULL : typed_cook(k->text.data, len);
}

bool line_keys_empty(const struct line_keys *k)
{
    return k->told && !k->ahead && !k->edits && !k->escape && k->text.len &&
           k->text.data[0] == '\r';
}

void line_keys_taken(struct line_keys *k, bool runs)
{
    bool kept = k->anew && !runs;
    k->anew = false;
    if (kept) {
        k->here = false;
        return;
    }
    if (!k->behind) {
        clear(k);
        return;
    }
    size_t len = line_end(k) + 1;
    bytes_consume(&k->text, len < k->text.len ? len : k->text.len);
    k->enters -= k->enters > 0;
    k->behind = k->enters && line_end(k) + 1 < k->text.len;
    k->ahead = true;
    k->shared = k->shared || runs;
    k->here = false;
}

bool line_keys_doubtful(const struct line_keys *k)
{
    return k->shared && !k->here;
}

void line_keys_settle(struct line_keys *k)
{
    if (line_keys_doubtful(k))
        clear(k);
}
