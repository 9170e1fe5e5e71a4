#define _GNU_SOURCE
#include "ptyd/worker/room.h"

#include <dirent.h>
#include <sys/resource.h>

#include "base/limits.h"
#include "ptyd/worker/leaving.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/view.h"
#include "ptyd/worker/worker.h"

/* The listener, what the loop opens when it first serves, and the thread that reads floods. */
#define LATER_FILES 5

void room_measure(struct worker *w)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = -3; /* `.`, `..` and the directory itself */
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    w->own_files = LATER_FILES + (count > 0 ? count : LIMIT_RESERVE_FILES);
}

long room_files(void)
{
    struct rlimit files;
    return getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur > INT32_MAX
               ? INT32_MAX
               : (long)files.rlim_cur;
}

static long left(const struct worker *w, int openings)
{
    long sessions = (long)(w->session_count + leaving_count(w) + openings) * SESSION_FILES;
    long clients = w->server ? server_client_count(w->server) + view_files() : 0;
    return room_files() - LIMIT_RESERVE_FILES - w->own_files - sessions - clients;
}

bool room_for_session(const struct worker *w, int openings)
{
    return left(w, openings) >= SESSION_FILES;
}

bool room_for_client(struct worker *w)
{
    return left(w, 0) >= 1;
}
