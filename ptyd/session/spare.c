#define _GNU_SOURCE
#include "ptyd/session/spare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"

/* What a session makes when it opens. Of what it replaces it makes the new file (core/file.h). */
static const char *const names[] = {"output.raw", "output.idx", "shell_id.txt.new",
                                    "screen_size.json.new"};

static void make(const char *directory, const char *name)
{
    char *path = text_format("%s/agent_pty/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    free(path);
    if (fd >= 0)
        close(fd);
}

void spare_make(const char *state, bool redacts)
{
    char *directory = text_format("%s/spare", state);
    char *blocks = text_format("%s/agent_pty/blocks", directory);
    if (file_make_private_directory(blocks) == 0) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            make(directory, names[i]);
        if (!redacts)
            make(directory, "screen.jsonl");
    }
    free(directory);
    free(blocks);
}

void spare_take(const char *state, const char *name)
{
    char *from = text_format("%s/spare", state);
    char *to = text_format("%s/conversations/%s", state, name);
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) < 0)
        errno = 0; /* it is made */
    free(from);
    free(to);
}

void spare_remove(const char *state)
{
    char *path = text_format("%s/spare", state);
    file_remove_tree(AT_FDCWD, path, LIMIT_KEPT_DEPTH);
    free(path);
}
