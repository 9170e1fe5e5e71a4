#include "ptyd/core/typed.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/echo.h"
#include "ptyd/core/text.h"

#define CTRL_C '\x03'

void typed_finish(struct typed *t)
{
    bytes_finish(&t->keys);
}

/* ---- a line's keys ---- */

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

static size_t less(size_t value, size_t by)
{
    return value > by ? value - by : 0;
}

/* The first keys were read. */
static void drop(struct typed *t, size_t len)
{
    size_t doubt_end = less(t->doubt_from + t->doubted, len);
    size_t loose_end = less(t->loose_from + t->loose, len);
    bytes_consume(&t->keys, len);
    t->shared = less(t->shared, len);
    t->matched = len > t->echoed ? 0 : t->matched;
    t->echoed = less(t->echoed, len);
    t->piece = less(t->piece, len);
    t->doubt_from = less(t->doubt_from, len);
    t->doubted = less(doubt_end, t->doubt_from);
    t->loose_from = less(t->loose_from, len);
    t->loose = less(loose_end, t->loose_from);
    t->fresh = false;
}

/* Whether such are among the first keys that the shell may not have got, or others for them. */
static bool is_loose(const struct typed *t, size_t len)
{
    return t->loose && t->loose_from < len;
}

/* The keys from there on are, too. */
static void loosen(struct typed *t, size_t from)
{
    t->loose_from = t->loose && t->loose_from < from ? t->loose_from : from;
    t->loose = t->keys.len - t->loose_from;
}

/* How many keys the first whole line from there has, Enter included; 0 for none. */
static size_t line_at(const struct typed *t, size_t from)
{
    for (size_t i = from; i < t->keys.len; i++)
        if (is_enter(t->keys.data[i]))
            return i + 1 - from;
    return 0;
}

/* The first whole line that was typed ahead; NULL for none. */
static char *take_line(struct typed *t)
{
    size_t len = line_at(t, 0);
    if (!len)
        return NULL;
    char *line = typed_cook(t->keys.data, len - 1);
    t->doubtful = is_loose(t, len);
    drop(t, len);
    return line;
}

static void keep(struct typed *t, const char *keys, size_t len)
{
    if (t->keys.len + len < LIMIT_COMMAND_BYTES)
        bytes_append(&t->keys, keys, len);
    else
        t->trust = UNSURE;
}

/* The tty prints in one go what is typed in one go. */
static void keep_echoed(struct typed *t, const char *keys, size_t len, bool echoes)
{
    bool waits = line_at(t, t->echoed), none = t->echoed == t->keys.len;
    if (!waits)
        t->piece = t->keys.len;
    t->matched = waits ? t->matched : 0;
    keep(t, keys, len);
    if (!echoes && none)
        t->echoed = t->keys.len;
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

bool typed_here(struct typed *t, const char *keys, size_t len, bool echoes)
{
    bool given_up = false;
    size_t used = 0;
    hear(t);
    t->line = t->line == NOTHING ? TYPED : t->line;
    if (t->line == TYPED)
        used = type_line(t, keys, len, &given_up);
    if (t->editor == EDITOR_TTY)
        keep_echoed(t, keys, len, echoes);
    else
        keep(t, keys + used, len - used);
    return !given_up;
}

void typed_early(struct typed *t, const char *keys, size_t len, bool runs, bool echoes)
{
    hear(t);
    typed_reply(t, keys, len, runs, echoes);
}

void typed_reply(struct typed *t, const char *bytes, size_t len, bool runs, bool echoes)
{
    size_t from = t->keys.len;
    if (t->editor == EDITOR_TTY)
        keep_echoed(t, bytes, len, echoes);
    else
        keep(t, bytes, len);
    if (runs && t->editor == EDITOR_TTY && !echoes && t->keys.len > from)
        loosen(t, from);
    if (runs)
        typed_share(t);
}

void typed_change(struct typed *t, size_t len)
{
    if (t->editor == EDITOR_TTY && t->keys.len)
        loosen(t, less(t->keys.len, len));
}

/* Whether there are keys from before this prompt that are no whole line, in front of whole lines.
 */
static bool is_countable(const struct typed *t)
{
    size_t line = line_at(t, 0);
    for (size_t i = 0; i < t->shared; i++)
        if ((unsigned char)t->keys.data[i] < 0x20 || t->keys.data[i] == TYPED_ERASE)
            return false;
    for (size_t i = t->shared; i < t->keys.len; i++)
        if (!is_enter(t->keys.data[i]) && !typed_is_plain(t->keys.data + i, 1))
            return false;
    return t->editor == EDITOR_TTY && t->shared && t->shared < line &&
           is_enter(t->keys.data[t->keys.len - 1]) && t->loose_from + t->loose <= t->shared;
}

void typed_account(struct typed *t, size_t bytes)
{
    size_t shared = t->shared;
    if (t->trust != HEARS || !is_countable(t))
        return;
    size_t all = typed_cooked_len(t->keys.data, t->keys.len);
    if (bytes == all)
        t->loose = t->shared = 0;
    else if (bytes == typed_cooked_len(t->keys.data + shared, t->keys.len - shared))
        drop(t, shared);
    else if (bytes < all)
        loosen(t, 0);
}

void typed_share(struct typed *t)
{
    t->shared = t->keys.len;
}

void typed_discard(struct typed *t)
{
    drop(t, t->keys.len);
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
                               .echoed = t->echoed,
                               .matched = t->matched,
                               .piece = t->piece,
                               .doubt_from = t->doubt_from,
                               .doubted = t->doubted,
                               .doubt_matched = t->doubt_matched,
                               .len = t->keys.len,
                               .keys = t->keys.data};
}

static size_t at_most(size_t value, size_t most)
{
    return value < most ? value : most;
}

/* Whole lines that may have been typed are told from others by their echo. */
static void doubt(struct typed *t, const char *keys, size_t len)
{
    size_t from = t->keys.len;
    bool whole = t->editor == EDITOR_TTY && is_enter(keys[len - 1]) && !t->doubted &&
                 (!from || is_enter(t->keys.data[from - 1]));
    if (!whole) {
        t->trust = UNSURE;
        t->in_doubt = true;
        return;
    }
    t->doubt_from = from;
    t->doubted = len;
    t->line = ENTERED;
    hear(t);
    keep_echoed(t, keys, len, true);
}

/* Of keys that are no whole line, which a command may have read, nobody counts any more what did.
 */
static void loosen_rest(struct typed *t)
{
    size_t from = t->keys.len;
    while (from && !is_enter(t->keys.data[from - 1]))
        from--;
    t->loose = 0;
    if (from < t->shared)
        loosen(t, from);
}

/* Without all keys no line can be told from another's output by them. */
void typed_recall(struct typed *t, const struct typed_keys *keys)
{
    drop(t, t->keys.len);
    t->line = (enum typed_line)keys->line;
    t->feed = (enum typed_feed)keys->feed;
    t->trust = keys->in_doubt ? UNSURE : (enum typed_trust)keys->trust;
    t->in_doubt = keys->in_doubt;
    bytes_append(&t->keys, keys->keys, keys->len);
    t->shared = at_most(keys->shared, keys->len);
    t->echoed = at_most(keys->echoed, keys->len);
    t->piece = at_most(keys->piece, keys->len);
    t->matched = keys->matched;
    t->doubt_from = at_most(keys->doubt_from, keys->len);
    t->doubted = at_most(keys->doubted, keys->len - t->doubt_from);
    t->doubt_matched = keys->doubt_matched;
    loosen_rest(t);
    if (keys->typing_len)
        doubt(t, keys->typing, keys->typing_len);
}

/* ---- what is printed ---- */

/* The end of the echo of the line from there, which was typed in one go from `piece` on if that is
 * within it. */
static size_t echo_of(const struct typed *t, size_t from, size_t len, char ret_end[ECHO_BYTES])
{
    size_t begin = t->piece > from && t->piece < from + len ? t->piece : from;
    return echo_end(t->keys.data + begin, from + len - 1 - begin, ret_end);
}

static void note_echo(struct typed *t, size_t from, size_t len)
{
    t->fresh_from = from;
    t->echoed = from + len;
    t->matched = t->doubt_matched = 0;
    if (t->echoed > t->doubt_from)
        t->doubted = 0;
}

/* The lines in doubt were not typed: one behind them was echoed. */
static void drop_doubted(struct typed *t)
{
    size_t from = t->doubt_from, len = t->doubted;
    memmove(t->keys.data + from, t->keys.data + from + len, t->keys.len - from - len);
    t->keys.len -= len;
    t->shared = less(t->shared, len);
    t->piece = less(t->piece, len);
    t->loose = 0;
    t->doubted = 0;
}

/* Looks for the echo of the line from there; returns how much of the output it took, 0 for all. */
static size_t find_echo(const struct typed *t, size_t from, size_t len, size_t *matched,
                        const char *output, size_t output_len)
{
    char end[ECHO_BYTES];
    size_t end_len = echo_of(t, from, len, end);
    return echo_find(end, end_len, matched, output, output_len);
}

/* Finds the next line's echo; returns how much of the output there is up to its end, 0 for none. */
static size_t hear_line(struct typed *t, const char *output, size_t len)
{
    size_t line = line_at(t, t->echoed), behind = t->doubt_from + t->doubted;
    size_t used = line ? find_echo(t, t->echoed, line, &t->matched, output, len) : 0;
    if (used) {
        note_echo(t, t->echoed, line);
        return used;
    }
    line = t->doubted ? line_at(t, behind) : 0;
    used = line ? find_echo(t, behind, line, &t->doubt_matched, output, len) : 0;
    if (used) {
        drop_doubted(t);
        note_echo(t, t->doubt_from, line);
    }
    return used;
}

static bool awaits_echo(const struct typed *t)
{
    return t->editor == EDITOR_TTY && line_at(t, t->echoed);
}

bool typed_listens(const struct typed *t)
{
    return t->fresh || awaits_echo(t);
}

void typed_hear(struct typed *t, const char *output, size_t len)
{
    size_t used;
    t->fresh = t->fresh && !len;
    while (len && awaits_echo(t) && (used = hear_line(t, output, len))) {
        output += used;
        len -= used;
        t->fresh = !len;
    }
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

/* A line that was typed since B runs: what was typed before it is read. Not so where an editor runs
 * lines typed ahead: whose they are is counted, and some are missing. */
static void settle(struct typed *t)
{
    if (t->line != ENTERED || t->editor == EDITOR_SHELL)
        return;
    if (t->trust == UNSURE)
        t->trust = HEARS;
    t->in_doubt = false;
}

/* A line feed behind a line of this prompt's own. */
static enum typed_answer end_line(struct typed *t, const char *echo)
{
    if (t->trust == HEARS && (t->editor == EDITOR_TTY || t->line != ENTERED))
        return LINE_IS_OTHERS;
    t->feed = is_given_up(echo) ? GIVEN_UP : FED;
    if (t->feed == GIVEN_UP)
        return LINE_IS_GIVEN_UP;
    if (!is_command(echo))
        return LINE_IS_NONE;
    settle(t);
    return LINE_RUNS;
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

/* The first line's echo ended right here. Keys that were lost before stand on the screen. */
static enum typed_answer end_own_line(struct typed *t, const char *echo, char **ret_line)
{
    size_t len = line_at(t, 0);
    bool known = t->trust == HEARS && typed_is_plain(t->keys.data, len - 1) && !is_loose(t, len);
    char *line = take_line(t);
    bool runs = is_command(known ? line : echo);
    t->trust = HEARS;
    t->in_doubt = false;
    if (runs && known)
        *ret_line = line;
    else
        free(line);
    return runs ? LINE_RUNS : LINE_IS_NONE;
}

/* The same as below, where the tty echoes and a whole line was typed. */
static enum typed_answer end_tty_line(struct typed *t, const char *echo, bool overdue,
                                      char **ret_line)
{
    bool is_echoed = typed_due(t);
    if (is_echoed && t->fresh && t->fresh_from < line_at(t, 0))
        return end_own_line(t, echo, ret_line);
    if (is_echoed || overdue)
        return ran_ahead(take_line(t), ret_line);
    if (t->trust != HEARS)
        return end_line(t, echo);
    t->feed = is_given_up(echo) ? GIVEN_UP : t->feed;
    return LINE_IS_OTHERS;
}

enum typed_answer typed_line_ends(struct typed *t, const char *echo, bool overdue, char **ret_line)
{
    t->feed = t->feed == NO_FEED ? FED : t->feed;
    t->doubtful = false;
    return typed_waits(t) ? end_tty_line(t, echo, overdue, ret_line) : end_line(t, echo);
}

char *typed_more(struct typed *t, const char *printed, size_t len)
{
    if (t->editor == EDITOR_SHELL) { /* it reads this line as it read the first */
        typed_await(t);
        return NULL;
    }
    while (len && printed[len - 1] != '\n')
        len--;
    if (len && !t->keys.len && t->trust != HEARS) {
        bytes_append(&t->keys, printed, len);
        t->echoed = len;
    }
    return typed_due(t) ? take_line(t) : NULL;
}

bool typed_half(const struct typed *t)
{
    size_t from = t->keys.len;
    while (from && !is_enter(t->keys.data[from - 1]))
        from--;
    const char *keys = t->keys.data + from;
    size_t len = t->keys.len - from;
    if (t->editor != EDITOR_TTY || t->trust != HEARS || !len || !typed_is_plain(keys, len))
        return false;
    char *line = typed_cook(keys, len);
    bool half = *line;
    free(line);
    return half;
}

bool typed_waits(const struct typed *t)
{
    return t->editor == EDITOR_TTY && line_at(t, 0);
}

bool typed_due(const struct typed *t)
{
    return typed_waits(t) && t->echoed >= line_at(t, 0);
}

bool typed_unsure(const struct typed *t)
{
    return t->editor == EDITOR_SHELL && t->trust == UNSURE;
}

/* All that was typed stands in the line that the editor shows. */
static void settle_editor(struct typed *t)
{
    drop(t, t->keys.len);
    t->line = t->line == ENTERED ? TYPED : t->line;
    t->trust = t->trust == UNSURE ? HEARS : t->trust;
    t->in_doubt = false;
}

void typed_settle(struct typed *t, bool all)
{
    size_t len = t->keys.len;
    if (t->editor == EDITOR_SHELL && all)
        settle_editor(t);
    if (t->editor != EDITOR_TTY)
        return;
    while (len && !is_enter(t->keys.data[len - 1]))
        len--;
    drop(t, all ? len : at_most(t->echoed, len));
}

/* Before a key was typed at this prompt, all lines are from before it. */
char *typed_ahead(struct typed *t)
{
    bool due = typed_due(t) || (typed_waits(t) && t->line == NOTHING);
    char *line = due ? take_line(t) : NULL, *ret_line = NULL;
    if (line)
        ran_ahead(line, &ret_line);
    return ret_line;
}

/* A shell reads no line before it is echoed; where the echo was lost, it read it all the same. But
 * for one that was given up before that came. */
enum typed_answer typed_done(struct typed *t, char **ret_line)
{
    bool gave_up = t->feed == GIVEN_UP && !typed_due(t);
    char *line = t->editor == EDITOR_TTY && !gave_up ? take_line(t) : NULL;
    if (line)
        return ran_ahead(line, ret_line);
    return gave_up ? LINE_IS_GIVEN_UP : LINE_IS_NONE;
}

char *typed_read(struct typed *t)
{
    return t->editor == EDITOR_TTY ? take_line(t) : NULL;
}
