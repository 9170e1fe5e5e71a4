#include "ptyd/record/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptyd/core/file.h"
#include "ptyd/core/say.h"

/* One that was there is the owner's alone before anything is written to it. */
static bool make_empty(int fd, const struct stat *st)
{
    return !S_ISREG(st->st_mode) ||
           (((st->st_mode & 0777) == 0600 || fchmod(fd, 0600) == 0) && ftruncate(fd, 0) == 0);
}

int sink_open(struct sink *s, const char *path, bool overwrite)
{
    struct stat st;
    *s = (struct sink){.path = path, .fd = STDOUT_FILENO};
    if (!strcmp(path, "-"))
        return 0;
    s->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? 0 : O_EXCL), 0600);
    if (s->fd < 0 && errno == EEXIST) {
        say("%s is there already; --overwrite replaces it", path);
        return -1;
    }
    if (s->fd < 0 || fstat(s->fd, &st) < 0 || !make_empty(s->fd, &st)) {
        say("cannot make %s: %s", path, strerror(errno));
        return -1;
    }
    s->seeks = S_ISREG(st.st_mode);
    return 0;
}

static void note(struct sink *s, int error)
{
    s->error = error;
    if (error)
        say("cannot write %s: %s; what was recorded before stays a whole recording", s->path,
            strerror(-error));
}

void sink_write(struct sink *s, struct bytes *lines)
{
    if (lines->len && !s->error) {
        note(s, s->seeks ? file_write_whole(s->fd, lines->data, lines->len, s->written)
                         : file_write_all(s->fd, lines->data, lines->len, -1));
        if (!s->error)
            s->written += (long long)lines->len;
    }
    lines->len = 0;
}

void sink_unread(struct sink *s)
{
    if (!s->error)
        note(s, -EPIPE);
}

int sink_close(struct sink *s)
{
    if (s->fd > STDERR_FILENO && close(s->fd) < 0 && !s->error) {
        s->error = -errno;
        say("cannot write %s: %s", s->path, strerror(errno));
    }
    s->fd = -1;
    return s->error;
}
