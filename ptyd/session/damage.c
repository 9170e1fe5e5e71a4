#define _GNU_SOURCE
#include "ptyd/session/damage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/file.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* All that a session opens by a fixed name, from the outside in; with what it is opened. Links to
 * directories, and to meta.json, are their owner's. */
static const struct {
    const char *name; /* behind `<state>/conversations/<name>` */
    int flags;
} parts[] = {
    {"", O_DIRECTORY},
    {"/agent_pty", O_DIRECTORY},
    {"/agent_pty/blocks", O_DIRECTORY | O_NOFOLLOW},
    {"/meta.json", 0},
    {"/agent_pty/blocks.jsonl", O_NOFOLLOW},
    {"/agent_pty/blocks.jsonl.1", O_NOFOLLOW},
    {"/agent_pty/checkpoint", O_NOFOLLOW},
    {"/agent_pty/events.jsonl", O_NOFOLLOW},
    {"/agent_pty/output.idx", O_NOFOLLOW},
    {"/agent_pty/output.raw", O_NOFOLLOW},
    {"/agent_pty/screen.jsonl", O_NOFOLLOW},
    {"/agent_pty/screen.snapshot.json", O_NOFOLLOW},
    {"/agent_pty/screen_size.json", O_NOFOLLOW},
    {"/agent_pty/scrollback.snapshot.json", O_NOFOLLOW},
    {"/agent_pty/shell_id.txt", O_NOFOLLOW},
};

static int set_aside(const char *path, int flags, struct bytes *names)
{
    char *moved = NULL;
    int result = file_set_aside(path, flags, &moved);
    if (result < 0)
        say("%s can neither be opened nor moved: %s", path, strerror(-result));
    if (result > 0) {
        say("%s cannot be opened; it is %s now", path, moved);
        bytes_printf(names, "%s%s", names->len ? ", " : "", moved);
    }
    free(moved);
    return result < 0 ? result : 0;
}

int damage_set_aside(const char *directory, struct bytes *names)
{
    int above = (int)(strlen(directory) - strlen("/agent_pty")), result = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *path = text_format("%.*s%s", above, directory, parts[i].name);
        int one = set_aside(path, parts[i].flags, names);
        result = one < 0 ? one : result;
        free(path);
    }
    return result;
}
