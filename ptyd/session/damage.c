#define _GNU_SOURCE
#include "ptyd/session/damage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* What a session opens by a fixed name, from the outside in; with what it is opened. Links to
 * directories are their owner's. Files that are kept twice see to it themselves. */
static const struct {
    const char *name; /* behind `<state>/conversations/<name>` */
    int flags;
} parts[] = {
    {"", O_DIRECTORY},
    {"/agent_pty", O_DIRECTORY},
    {"/agent_pty/blocks", O_DIRECTORY | O_NOFOLLOW},
    {"/agent_pty/checkpoint", O_NOFOLLOW},
    {"/agent_pty/events.jsonl", O_NOFOLLOW},
    {"/agent_pty/events.jsonl.1", O_NOFOLLOW},
    {"/agent_pty/output.idx", O_NOFOLLOW},
    {"/agent_pty/output.raw", O_NOFOLLOW},
    {"/agent_pty/screen.jsonl", O_NOFOLLOW},
    {"/agent_pty/screen.jsonl.1", O_NOFOLLOW},
    {"/agent_pty/screen.snapshot.json", O_NOFOLLOW},
    {"/agent_pty/screen_size.json", O_NOFOLLOW},
    {"/agent_pty/scrollback.snapshot.json", O_NOFOLLOW},
    {"/agent_pty/shell_id.txt", O_NOFOLLOW},
};

int damage_set_aside(const char *directory, struct aside *aside)
{
    int above = (int)(strlen(directory) - strlen("/agent_pty")), result = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *path = text_format("%.*s%s", above, directory, parts[i].name);
        int one = aside_check(aside, path, parts[i].flags);
        result = one < 0 ? one : result;
        free(path);
    }
    return result;
}

void damage_set_all_aside(const char *state, const char *name)
{
    char *path = text_format("%s/conversations/%s", state, name);
    char *moved = NULL;
    int result = file_move_aside(path, &moved);
    if (result < 0)
        say("%s can neither be read nor moved: %s", path, strerror(-result));
    else
        say("%s cannot be read; it is %s now", path, moved);
    free(moved);
    free(path);
}
