/* A shell whose lines the terminal edits: whether it gets what was typed. A command may have read
 * keys that came before the prompt, or have them thrown away (tcflush(3)); the kernel says how much
 * the shell read, and how much waits for it. */
#define _GNU_SOURCE
#include "ptyd/core/typed.h"
#include "ptyd/session/private.h"
#include "ptyd/session/process.h"

#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/limits.h"

#define COUNT_TRIES 4 /* the shell may read in between */

/* How much the shell has read of anything, and the terminal holds; 0 where that is not known. */
static uint64_t count_read(const struct session *s)
{
    uint64_t count = 0;
    for (int i = 0; i < COUNT_TRIES && !count; i++) {
        uint64_t read = process_read_bytes(s->pid);
        int waits;
        session_holds_input(s, &waits);
        if (read && waits >= 0 && process_read_bytes(s->pid) == read)
            count = read + (uint64_t)waits;
    }
    return count;
}

/* From the first key on that nothing was made of: while a command is in front the shell reads
 * nothing. */
void session_count_read(struct session *s)
{
    if (tracker_point(s->tracker).editor != EDITOR_TTY || tracker_holds_keys(s->tracker))
        return;
    bool runs = tracker_state(s->tracker) == TRACKER_RUNNING && tcgetpgrp(s->master) != s->pid;
    s->read_before = runs ? count_read(s) : 0;
}

static bool is_key(const struct termios *modes, int which, char key)
{
    bool extended = which == VWERASE || which == VEOL2 || which == VLNEXT;
    return key && modes->c_cc[which] == (unsigned char)key &&
           (!extended || modes->c_lflag & IEXTEN);
}

/* A terminal may be told to drop such bytes, or to make others of them. */
static bool is_changed(const struct termios *modes, char key)
{
    if (key == '\r')
        return !(modes->c_iflag & ICRNL) || modes->c_iflag & IGNCR;
    if (key == '\n')
        return modes->c_iflag & INLCR;
    return (unsigned char)key >= 0x80 && modes->c_iflag & ISTRIP;
}

/* The key that does by default what this one does here; false where none does. */
static bool make_usual(const struct termios *modes, char *key)
{
    bool lowers = (modes->c_iflag & IUCLC) && (modes->c_lflag & IEXTEN);
    bool known = !is_changed(modes, *key);
    if (is_key(modes, VERASE, *key))
        *key = TYPED_ERASE;
    else if (is_key(modes, VKILL, *key))
        *key = TYPED_KILL_LINE;
    else if (is_key(modes, VWERASE, *key))
        *key = TYPED_KILL_WORD;
    else if (*key == TYPED_ERASE || *key == TYPED_KILL_LINE || *key == TYPED_KILL_WORD)
        known = false;
    else if ((unsigned char)*key >= ' ')
        known = known && !is_key(modes, VEOF, *key) && !is_key(modes, VEOL, *key) &&
                !is_key(modes, VEOL2, *key) && !is_key(modes, VLNEXT, *key);
    if (lowers && *key >= 'A' && *key <= 'Z')
        *key = (char)(*key - 'A' + 'a');
    return known;
}

static bool edits_here(const struct session *s, const struct termios *modes)
{
    return tracker_point(s->tracker).editor == EDITOR_TTY && modes->c_lflag & ICANON;
}

/* What the keys are that do by default what these do; false where that cannot be said of all. */
static bool make_all_usual(const struct session *s, const struct termios *modes, char *keys,
                           size_t len)
{
    bool known = true;
    for (size_t i = 0; edits_here(s, modes) && i < len; i++)
        known = make_usual(modes, keys + i) && known;
    return known;
}

static void account_keys(struct session *s, const struct termios *modes, const char *keys,
                         size_t len)
{
    bool ends = len && (keys[len - 1] == '\r' || keys[len - 1] == '\n');
    bool here = tracker_state(s->tracker) == TRACKER_INPUT && edits_here(s, modes);
    uint64_t count = ends && here && s->read_before ? count_read(s) : 0;
    if (count && count >= s->read_before)
        tracker_account(s->tracker, (size_t)(count - s->read_before));
}

void session_tell_keys(struct session *s, const struct termios *modes, bool replied,
                       const char *bytes, size_t len)
{
    char keys[LIMIT_TYPED_PIECE];
    bool echoes = (modes->c_lflag & ICANON) && (modes->c_lflag & ECHO);
    memcpy(keys, bytes, len);
    bool known = make_all_usual(s, modes, keys, len);
    if (!replied)
        tracker_typed(s->tracker, keys, len, echoes);
    else
        tracker_replied(s->tracker, keys, len, echoes);
    if (known)
        account_keys(s, modes, keys, len);
    else
        tracker_change_keys(s->tracker, len);
}
