/* Marks as the shell meant them: whole, with what it said in parts, or in another one, in front. */
#include "ptyd/core/tracker_private.h"

#include <string.h>

#include "base/limits.h"

static int digits_of(uint64_t number)
{
    int digits = 1;
    while (number /= 10)
        digits++;
    return digits;
}

/* Its number follows the last one, as far as a lost mark or some leave that: who takes the end of
 * one for his own makes no later mark an old one. */
static bool follows(const struct tracker *t, const struct mark *mark)
{
    uint64_t last = t->uncounted ? t->uncounted : t->last_seq;
    return digits_of(mark->seq) == digits_of(last) &&
           mark->seq / 10 <= last / 10 + LIMIT_MARKS_LOST;
}

/* A shell that says lengths need not in an A, B or C that says nothing else: what others print in
 * the middle of it makes it none, its number longer than the last one or far from it, or leaves it
 * as it is. */
bool tracker_is_whole(const struct tracker *t, const struct mark *mark)
{
    bool says_nothing =
        mark->bare && mark->seal == MARK_UNSEALED && strchr("ABC", mark->kind) && follows(t, mark);
    return !t->seals || mark->seal != MARK_UNSEALED || says_nothing;
}

/* One more part; behind one that is missing none counts. */
static void take_part(struct parts *parts, const struct mark *mark, const struct bytes *part)
{
    bool begins = mark->index == 0;
    bool is_next = begins || (parts->last && mark->index == parts->count);
    if (begins)
        parts->text.len = (size_t)(parts->count = 0);
    parts->last = is_next && parts->count < LIMIT_MARK_PARTS ? mark->seq : 0;
    if (!parts->last)
        return;
    parts->count++;
    bytes_append(&parts->text, part->data ? part->data : "", part->len);
}

void tracker_take_parts(struct tracker *t, const struct mark *mark)
{
    if (mark->has_cmd)
        take_part(&t->cmd_parts, mark, &mark->cmd);
    if (mark->has_cwd)
        take_part(&t->cwd_parts, mark, &mark->cwd);
}

/* What the parts up to the one with that number told; nothing where they are not all there. */
static void join(const struct parts *parts, uint64_t last, struct bytes *ret_text)
{
    ret_text->len = 0;
    if (parts->last == last && parts->text.len)
        mark_decode(parts->text.data, parts->text.len, ret_text);
}

/* An A that says nothing stands behind a D that does. Without that one it is not known whether
 * lines are private. */
static void add_habits(const struct tracker *t, struct mark *prompt)
{
    bool known = prompt->seq / 10 == t->last_seq / 10;
    prompt->ignore_space = !known || t->ignore_space;
    prompt->keeps = known ? t->keeps : MARK_KEEPS_ANY;
}

void tracker_make_whole(const struct tracker *t, const struct mark *mark, struct mark *ret_whole)
{
    *ret_whole = *mark;
    ret_whole->truncated = mark->truncated || mark->cut;
    if (t->seals && mark->kind == MARK_PROMPT && mark->bare && mark->seal == MARK_UNSEALED)
        add_habits(t, ret_whole);
    if (mark->cmds) {
        ret_whole->cmd = (struct bytes){0};
        join(&t->cmd_parts, mark->cmds, &ret_whole->cmd);
        ret_whole->has_cmd = ret_whole->cmd.len;
    }
    if (mark->cwds) {
        ret_whole->cwd = (struct bytes){0};
        join(&t->cwd_parts, mark->cwds, &ret_whole->cwd);
        ret_whole->has_cwd = true;
    }
}

void tracker_finish_whole(const struct mark *mark, struct mark *whole)
{
    if (mark->cmds)
        bytes_finish(&whole->cmd);
    if (mark->cwds)
        bytes_finish(&whole->cwd);
}
