#define _GNU_SOURCE
#include "ptyd/session/spare.h"

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

static char *path_of(const char *state, const char *name)
{
    return text_format("%s/%s", state, name);
}

static void make(const char *directory, const char *name)
{
    char *path = text_format("%s/agent_pty/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    free(path);
    if (fd >= 0)
        close(fd);
}

static bool make_directories(const char *state, const char *directory)
{
    char *blocks = text_format("%s/agent_pty/blocks", directory);
    char *above = path_of(state, "conversations");
    bool made = file_make_private_directory(blocks) == 0 && file_make_private_directory(above) == 0;
    free(blocks);
    free(above);
    return made;
}

/* Under another name: who dies while it is made leaves half of one. */
void spare_make(const char *state, bool redacts)
{
    char *path = path_of(state, "spare"), *new = path_of(state, "spare.new");
    if (access(path, F_OK) < 0 && make_directories(state, new)) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            make(new, names[i]);
        if (!redacts)
            make(new, "screen.jsonl");
        rename(new, path);
    }
    free(path);
    free(new);
}

bool spare_take(const char *state, const char *name)
{
    char *from = path_of(state, "spare/"); /* no file, nor a link */
    char *to = text_format("%s/conversations/%s", state, name);
    bool taken = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0;
    free(from);
    free(to);
    return taken;
}

void spare_remove(const char *state)
{
    static const char *const both[] = {"spare", "spare.new"};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        char *path = path_of(state, both[i]);
        file_remove_tree(AT_FDCWD, path, LIMIT_KEPT_DEPTH);
        free(path);
    }
}
