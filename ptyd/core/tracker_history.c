/* The text of a command from its shell's history: what bash's D says, against what was typed and
 * what the screen showed. Where they do not agree the text is unknown. */
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* Of a long line bash tells the head. The keys of all of it are believed, if nothing in it stands
 * for something else. */
static bool is_head(const struct tracker *t, const char *entry)
{
    return t->keyed && !strpbrk(t->keyed, "!^") && !strncmp(t->keyed, entry, strlen(entry));
}

/* A line that entered history, and is there as it was typed or seen, or as `!` and `^` make it.
 * What a script put there in its place (`history -s`) is not. */
static bool is_recorded(const struct tracker *t, const char *entry)
{
    return !t->keyed || same(t->keyed, entry) || same(t->echoed, entry) || strpbrk(t->keyed, "!^");
}

/* Whether a line that did not enter history is the same as the last that did. The echo alone, into
 * which others can print, is believed in a log and a trace, where there is nothing else. */
static bool is_repeated(const struct tracker *t, const char *entry)
{
    if (t->keyed)
        return same(t->keyed, entry);
    if (t->keeps == MARK_KEEPS_REPEATS || (t->keeps == MARK_KEEPS_BLANKS && !t->blank))
        return true;
    return t->block->cmd_source == BLOCK_FROM_ECHO && same(t->echoed, entry);
}

/* Whether the entries are all that ran, and nothing else: what was pasted runs without a prompt
 * between its commands, each with an entry of its own, and some may have none. Of more entries than
 * commands one may be a comment, or of another shell (`history -n`). */
static bool is_all(const struct tracker *t, const struct mark *mark, size_t found,
                   const char *entry)
{
    uint64_t entries = mark->entries ? mark->entries : 1, ran = mark->ran ? mark->ran : 1;
    bool seen = same(t->keyed, entry) || same(t->echoed, entry);
    return found == entries && (ran == entries || seen);
}

/* Of more entries than the one command the last, where that is what was typed or seen: those before
 * it ran without a prompt (edit-and-execute-command). NULL where it is not. (PS0 may have printed
 * behind what was seen.) */
static const char *find_last(const struct tracker *t, const struct mark *mark, size_t found,
                             const char *entry)
{
    const char *feed = strrchr(entry, '\n'), *last = feed ? feed + 1 : "";
    const char *line = t->keyed ? t->keyed : t->echoed ? t->echoed : "";
    size_t len = t->keyed ? strlen(line) : strcspn(line, "\n");
    bool single = mark->entries > 1 && mark->ran <= 1 && found == mark->entries;
    return single && len && strlen(last) == len && !strncmp(last, line, len) ? last : NULL;
}

/* History does not have the line. Where it was typed as it was seen, its command put another in its
 * place (`fc`, `history -s`), and the line is known all the same. */
static void miss_entry(struct tracker *t, const struct mark *mark)
{
    if (mark->ran > 1 || !same(t->keyed, t->echoed))
        t->block->cmd_source = BLOCK_FROM_UNKNOWN;
}

/* A line that its shell keeps out of history is private; a paste with one in it, too. */
static void set_spaced(struct tracker *t, bool spaced)
{
    if (t->block->spaced != spaced)
        t->block->private = t->ignore_space && spaced;
    t->block->spaced = spaced;
}

void tracker_take_history(struct tracker *t, const struct mark *mark, const struct bytes *line)
{
    struct bytes text = {0};
    struct block *b = t->block;
    size_t found = mark_history_text(line->data ? line->data : "", line->len,
                                     mark->entries ? mark->entries : 1, &text);
    bytes_append_text(&text, "");
    char *entry = text_clean(text.data, text.len, LIMIT_COMMAND_BYTES);
    bool told = *entry && b->cmd_source != BLOCK_FROM_SHELL;
    const char *last = told ? find_last(t, mark, found, entry) : NULL;
    if (told && !mark->unrecorded && mark->truncated && is_head(t, entry)) {
        b->cmd_source = BLOCK_FROM_HISTORY; /* the text is known already */
    } else if (last && !is_all(t, mark, found, entry)) {
        tracker_set_command(b, last, strlen(last), BLOCK_FROM_HISTORY, false);
    } else if (told && (mark->ran > 1 || !mark->unrecorded) && !is_all(t, mark, found, entry)) {
        miss_entry(t, mark);
        set_spaced(t, b->spaced || mark->ran > mark->entries);
    } else if (told && !mark->unrecorded && !is_recorded(t, entry)) {
        miss_entry(t, mark);
    } else if (told && (!mark->unrecorded || is_repeated(t, entry))) {
        tracker_set_command(b, text.data, text.len, BLOCK_FROM_HISTORY, mark->truncated);
        set_spaced(t, b->cmd[0] == ' ');
    }
    free(entry);
    bytes_finish(&text);
    b->nested = block_command_nests(b->cmd);
}

/* ---- a line that its shell could not parse ---- */

static size_t plain_len(const char *text)
{
    size_t len = 0;
    while ((unsigned char)text[len] >= ' ')
        len++;
    return len;
}

/* Whether all of the line's first row is there, up to what is shown as something else: its editor
 * may have broken it at the edge, and a right prompt may stand behind it. */
static bool shows(const char *seen, const char *line)
{
    size_t len = plain_len(line), i = 0;
    for (; i < len; i++) {
        seen += *seen == '\n';
        if (*seen++ != line[i])
            return false;
    }
    return len > 0;
}

/* Whether it is the first of the lines of which bash makes one in history. */
static bool is_first_of(const char *seen, const char *told)
{
    size_t len = plain_len(seen);
    return len && !strncmp(seen, told, len) && (told[len] == ';' || told[len] == ' ');
}

/* Whether what was seen or typed is the line that was told; one that history did not take has to be
 * what it has, whole. */
static bool is_told(const char *line, const char *told, bool unrecorded)
{
    return shows(line, told) || (!unrecorded && is_first_of(line, told));
}

/* Whether the keys, where they are known, may have made that line: who only pressed Enter has not,
 * whatever a job printed behind the prompt. */
static bool may_be_typed(const struct tracker *t, const char *seen, const char *told,
                         const struct mark *mark)
{
    if (line_keys_empty(&t->keys))
        return false;
    char *keyed = line_keys_text(&t->keys, seen);
    bool may = !keyed || strpbrk(keyed, "!^") ||
               (mark->unrecorded ? same(keyed, told) : is_told(keyed, told, false));
    free(keyed);
    return may;
}

static const char *next_row(const char *seen)
{
    const char *end = strchr(seen, '\n');
    return end ? end + 1 : "";
}

/* Behind the row that holds the end of this line, which its editor may have broken at the edge. */
static const char *behind_line(const char *seen, const char *line)
{
    size_t len = plain_len(line);
    for (size_t i = 0; i < len && *seen; i++) {
        bool broken = *seen == '\n';
        if (seen[broken] != line[i])
            return broken ? seen + 1 : next_row(seen);
        seen += broken + 1;
    }
    return next_row(seen);
}

/* What stands behind the echo of what was told; "" for nothing. */
static const char *behind_echo(const char *seen, const char *told)
{
    seen = behind_line(seen, told);
    for (const char *at = strchr(told, '\n'); at && *seen; at = strchr(at + 1, '\n'))
        seen = behind_line(seen, "");
    return seen;
}

static bool is_by_history(const struct mark *mark)
{
    return mark->entries || mark->unrecorded;
}

/* The line as the shell told it, of several entries the first one's beginning: a new string, ""
 * where it told none. */
static char *told_line(const struct mark *mark)
{
    struct bytes text = {0};
    const char *cmd = mark->cmd.data ? mark->cmd.data : "";
    uint64_t entries = mark->entries ? mark->entries : 1;
    if (!is_by_history(mark))
        bytes_append(&text, cmd, mark->cmd.len);
    else if (!mark_history_text(cmd, mark->cmd.len, entries, &text))
        text.len = 0;
    char *line = text_clean(text.data ? text.data : "", text.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&text);
    if (mark->entries > 1)
        line[strcspn(line, "\n")] = '\0';
    return line;
}

/* zsh says the same of a line that was given up where it went on. */
static bool may_be_given_up(const struct tracker *t, const struct mark *mark)
{
    return mark->status == 130 && (t->interrupted_ms >= 0 || !t->keys.told);
}

/* Of a line that stays fish speaks in rows that begin with its name, the last of what is there; the
 * line itself it may not have drawn yet. */
static const char *find_complaint(const char *seen)
{
    const char *last = "";
    for (const char *at = seen; (at = strstr(at, "\nfish: "));)
        last = ++at;
    return last;
}

/* Where its output stands in what was seen; NULL where that shows none, and the shell may mean
 * another line. */
static const char *find_output(const struct tracker *t, const struct mark *mark, const char *seen,
                               const char *told)
{
    if (!mark->has_status)
        return find_complaint(seen);
    if (!is_told(seen, told, mark->unrecorded) || !may_be_typed(t, seen, told, mark))
        return NULL;
    const char *output = behind_echo(seen, told);
    return *output ? output : NULL;
}

void tracker_begin_refused(struct tracker *t, const struct mark *mark, struct moment now)
{
    char *seen = tracker_echoed_line(t), *told = told_line(mark);
    const char *output = find_output(t, mark, seen, told);
    bool by_history = is_by_history(mark);
    if (output && !may_be_given_up(t, mark)) {
        tracker_start_block(t, by_history ? &(struct mark){.kind = MARK_COMMAND} : mark, now);
        if (by_history) { /* until that says more */
            tracker_set_command(t->block, seen, strcspn(seen, "\n"), BLOCK_FROM_UNKNOWN, false);
            set_spaced(t, t->blank);
        }
        terminal_alt_screen_seen(t->options.terminal, true);
        t->stage = STAGE_ENDED;
        tracker_output(t, output, strlen(output));
    }
    free(seen);
    free(told);
}
