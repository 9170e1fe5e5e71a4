#include "ptyd/core/typed.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"

#define CTRL_C '\x03'

/* What edits a line before the shell reads it, by a terminal's defaults (termios(3)). */
#define ERASE     '\x7f'
#define KILL_LINE '\x15'
#define KILL_WORD '\x17'

void typed_finish(struct typed *t)
{
    bytes_finish(&t->keys);
}

/* ---- a line's keys ---- */

static void erase(struct bytes *line)
{
    while (line->len && ((unsigned char)line->data[--line->len] & 0xc0) == 0x80)
        ;
}

static void erase_word(struct bytes *line)
{
    while (line->len && line->data[line->len - 1] == ' ')
        line->len--;
    while (line->len && line->data[line->len - 1] != ' ')
        line->len--;
}

/* What the terminal makes of a line's keys; new string. */
static char *cook(const char *keys, size_t len)
{
    struct bytes line = {0};
    for (size_t i = 0; i < len; i++) {
        if (keys[i] == ERASE)
            erase(&line);
        else if (keys[i] == KILL_WORD)
            erase_word(&line);
        else if (keys[i] == KILL_LINE)
            line.len = 0;
        else
            bytes_append_char(&line, keys[i]);
    }
    char *text = text_clean(line.data ? line.data : "", line.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&line);
    return text;
}

static bool is_enter(char key)
{
    return key == '\r' || key == '\n';
}

static bool is_command(const char *line)
{
    line += strspn(line, " \t\n");
    return *line && *line != '#';
}

static bool is_given_up(const char *line)
{
    size_t len = strlen(line);
    return len >= 2 && line[len - 2] == '^' && (line[len - 1] == 'C' || line[len - 1] == '\\');
}

/* ---- what waits ---- */

static void drop(struct typed *t, size_t len)
{
    bytes_consume(&t->keys, len);
    t->shared -= len < t->shared ? len : t->shared;
}

/* The first whole line that was typed ahead; NULL for none. */
static char *take_line(struct typed *t)
{
    size_t len = 0;
    while (len < t->keys.len && !is_enter(t->keys.data[len]))
        len++;
    if (len == t->keys.len)
        return NULL;
    char *line = cook(t->keys.data, len);
    drop(t, len + 1);
    return line;
}

static void keep(struct typed *t, const char *keys, size_t len)
{
    if (t->keys.len + len < LIMIT_COMMAND_BYTES)
        bytes_append(&t->keys, keys, len);
    else
        t->trust = UNSURE;
}

static void hear(struct typed *t)
{
    if (t->trust == DEAF)
        t->trust = HEARS;
}

/* Types into the line that the shell reads; returns how many of the keys. A shell that edits lines
 * takes Ctrl-C for itself: the line is given up, a new prompt comes. */
static size_t type_line(struct typed *t, const char *keys, size_t len, bool *ret_given_up)
{
    size_t used = 0;
    while (used < len && !is_enter(keys[used]) &&
           !(t->editor == EDITOR_SHELL && keys[used] == CTRL_C))
        used++;
    if (used == len)
        return len;
    t->line = ENTERED;
    *ret_given_up = keys[used] == CTRL_C;
    return used + 1;
}

/* ---- it is told ---- */

void typed_begin(struct typed *t, enum typed_editor editor)
{
    t->editor = editor;
    if (editor == EDITOR_UNASKED) {
        typed_discard(t);
        t->in_doubt = false;
    }
}

bool typed_here(struct typed *t, const char *keys, size_t len)
{
    bool given_up = false;
    size_t used = 0;
    hear(t);
    if (t->line == NOTHING) {
        t->line = TYPED;
        if (t->keys.len && t->editor == EDITOR_TTY) { /* did a command read it? */
            t->trust = UNSURE;
            t->shared = t->keys.len;
        }
    }
    if (t->line == TYPED)
        used = type_line(t, keys, len, &given_up);
    keep(t, keys + used, len - used);
    return !given_up;
}

void typed_early(struct typed *t, const char *keys, size_t len, bool runs)
{
    hear(t);
    keep(t, keys, len);
    if (runs)
        typed_share(t);
}

void typed_share(struct typed *t)
{
    t->shared = t->keys.len;
}

void typed_discard(struct typed *t)
{
    t->keys.len = t->shared = 0;
}

void typed_deafen(struct typed *t)
{
    t->trust = DEAF;
}

struct typed_keys typed_keys(const struct typed *t)
{
    return (struct typed_keys){.line = (uint8_t)t->line,
                               .feed = (uint8_t)t->feed,
                               .trust = (uint8_t)t->trust,
                               .in_doubt = t->in_doubt,
                               .shared = t->shared,
                               .len = t->keys.len,
                               .keys = t->keys.data};
}

/* Without all keys no line can be told from another's output by them. */
void typed_recall(struct typed *t, const struct typed_keys *keys)
{
    t->line = (enum typed_line)keys->line;
    t->feed = (enum typed_feed)keys->feed;
    t->trust = keys->in_doubt ? UNSURE : (enum typed_trust)keys->trust;
    t->in_doubt = keys->in_doubt;
    t->keys.len = 0;
    bytes_append(&t->keys, keys->keys, keys->len);
    t->shared = keys->shared < keys->len ? keys->shared : keys->len;
}

/* ---- it is asked ---- */

/* A shell that edits lines reads what was typed before its prompt came, and echoes it. What a
 * command may have read instead gives nothing up. */
bool typed_await(struct typed *t)
{
    bool given_up = false, shared = t->shared;
    t->line = NOTHING;
    t->feed = NO_FEED;
    if (t->editor == EDITOR_SHELL)
        drop(t, type_line(t, t->keys.data, t->keys.len, &given_up));
    return !given_up || shared;
}

/* A line that was typed since B runs: what was typed before it is read. (A shell that edits lines
 * takes one at each prompt.) */
static void settle(struct typed *t)
{
    if (t->line != ENTERED)
        return;
    if (t->editor == EDITOR_TTY)
        drop(t, t->shared);
    if (t->trust == UNSURE)
        t->trust = HEARS;
    t->in_doubt = false;
}

/* A line feed behind a line of this prompt's own. */
static enum typed_answer end_line(struct typed *t, const char *echo)
{
    if (t->trust == HEARS && t->line != ENTERED)
        return LINE_IS_OTHERS;
    t->feed = is_given_up(echo) ? GIVEN_UP : FED;
    if (t->feed == GIVEN_UP)
        return LINE_IS_GIVEN_UP;
    if (!is_command(echo))
        return LINE_IS_NONE;
    settle(t);
    return LINE_RUNS;
}

/* Whether a line typed ahead is due. What was typed since B is read behind it, as long as no line
 * feed came. */
static char *take_due(struct typed *t)
{
    bool due = t->editor != EDITOR_SHELL && (t->line == NOTHING || t->feed == NO_FEED);
    return due ? take_line(t) : NULL;
}

/* The line, which it takes over, typed ahead: it has run, unless it is empty. */
static enum typed_answer ran_ahead(char *line, char **ret_line)
{
    if (is_command(line)) {
        *ret_line = line;
        return LINE_RAN_AHEAD;
    }
    free(line);
    return LINE_WAS_EMPTY;
}

enum typed_answer typed_line_ends(struct typed *t, const char *echo, char **ret_line)
{
    t->feed = t->feed == NO_FEED ? FED : t->feed;
    char *line = take_due(t);
    if (!line)
        return end_line(t, echo);
    if (!is_command(line) || strcmp(line, echo) != 0)
        return ran_ahead(line, ret_line);
    free(line); /* B came before it and was not seen yet: this is its echo */
    return LINE_RUNS;
}

char *typed_more(struct typed *t, const char *printed, size_t len)
{
    if (t->editor == EDITOR_SHELL)
        return NULL;
    while (len && printed[len - 1] != '\n')
        len--;
    if (len && !t->keys.len)
        bytes_append(&t->keys, printed, len);
    return take_line(t);
}

char *typed_ahead(struct typed *t)
{
    char *line = take_due(t), *ret_line = NULL;
    if (line)
        ran_ahead(line, &ret_line);
    return ret_line;
}

enum typed_answer typed_done(struct typed *t, char **ret_line)
{
    char *line = take_due(t);
    if (line && t->feed == GIVEN_UP)
        t->feed = FED;
    if (line)
        return ran_ahead(line, ret_line);
    return t->feed == GIVEN_UP ? LINE_IS_GIVEN_UP : LINE_IS_NONE;
}
