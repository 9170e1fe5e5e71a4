/* overlay.h - bytes are put over others of a file, all of them, whoever dies half-way.
 *
 * A text of which only the first half was covered is none that anybody would find. So what is about
 * to be written is noted first, in `overlay.json` beside the session's log, and where: whoever
 * comes next writes it again. It has what covers alone, nothing of what was there. */
#ifndef PTYD_FORGET_OVERLAY_H
#define PTYD_FORGET_OVERLAY_H

#include <stddef.h>

struct overlay {
    const char *directory; /* `agent_pty`, where it is noted; NULL: it is not */
    const char *path;      /* of the file; only one below the directory above that one is noted */
    int fd;                /* of it, for reading and writing */
    const char *bytes;     /* what it is to have, from `from` to `len` */
    size_t from, len;
};

/* Writes what differs. What was given back in the file (a hole) stays so, also what is only by now:
 * whoever writes a log may be giving back its oldest part. Returns 0 or -errno: what is left is
 * noted then. */
int overlay_write(const struct overlay *overlay);

/* Does what a process that died has left. Returns whether there was anything, or -errno. */
int overlay_go_on(const char *directory);

#endif
