/* A process that is confined stays so; one that is gone may be followed by another of its number.
 * So it is looked at through a descriptor of the one that connected, or, where the kernel has none
 * (before 6.5), by when it began. */
#define _GNU_SOURCE
#include "ptyd/worker/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/proc.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define FIRST      1   /* the first process */
#define ROOT_BYTES 512 /* of what is mounted, for its first line */

/* What stands in status. */
struct facts {
    bool known;
    long no_new_privileges, filtering, filters; /* Seccomp and Seccomp_filters */
    int depth;                                  /* of process namespaces */
};

static struct facts own;

/* ---- files of /proc ---- */

/* False where it cannot be read, or there is nothing in it. */
static bool read_proc(pid_t pid, const char *name, struct bytes *out)
{
    out->len = 0;
    return proc_read(pid, name, LIMIT_META_BYTES, out);
}

/* The number behind a line's name; 0 where there is no such line. */
static long number_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtol(at + strlen(name), NULL, 10) : 0;
}

static int count_numbers(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    int count = 0;
    at = at ? at + strlen(name) : "";
    for (char *end; *at != '\n' && strtol(at, &end, 10) && end != at; at = end)
        count++;
    return count;
}

static struct facts facts_of(pid_t pid)
{
    struct bytes text = {0};
    struct facts facts = {.known = read_proc(pid, "status", &text)};
    if (facts.known) {
        facts.no_new_privileges = number_of(text.data, "\nNoNewPrivs:");
        facts.filtering = number_of(text.data, "\nSeccomp:");
        facts.filters = number_of(text.data, "\nSeccomp_filters:");
        facts.depth = count_numbers(text.data, "\nNSpid:");
    }
    bytes_finish(&text);
    return facts;
}

/* ---- what differs ---- */

enum namespace { USER, MOUNT, PID, NET, IPC, UTS, CGROUP, TIME, NAMESPACES };
static const char *const namespace_names[NAMESPACES] = {"user", "mnt", "pid",    "net",
                                                        "ipc",  "uts", "cgroup", "time"};

/* One that lets nobody look into it shows no links, which are empty then. What makes a namespace
 * without being root is another of users, which all may see. */
struct links {
    char of[NAMESPACES][64];
};

static void read_links(pid_t pid, struct links *links)
{
    char path[64], who[16] = "self";
    if (pid != PROC_SELF)
        snprintf(who, sizeof who, "%d", (int)pid);
    for (int i = 0; i < NAMESPACES; i++) {
        char *to = links->of[i];
        snprintf(path, sizeof path, "/proc/%s/ns/%s", who, namespace_names[i]);
        ssize_t len = readlink(path, to, sizeof links->of[i] - 1);
        to[len > 0 ? len : 0] = '\0';
    }
}

static bool is_shown_same(const char *one, const char *two)
{
    return *one && !strcmp(one, two);
}

/* As we are, or as the first process is: then it is we who are confined. What these two are in is
 * looked at once: nobody but we could put us elsewhere. */
static const struct links *others(void)
{
    static struct links links[2];
    if (!*links[0].of[USER]) {
        read_links(PROC_SELF, &links[0]);
        read_links(FIRST, &links[1]);
    }
    return links;
}

static bool is_open_link(const struct links *l, enum namespace i)
{
    const struct links *o = others();
    return is_shown_same(l->of[i], o[0].of[i]) || is_shown_same(l->of[i], o[1].of[i]);
}

/* Whether a file of both, or (first) its first line, is the same. */
static bool is_same_file(pid_t pid, pid_t other, const char *name, bool first)
{
    struct bytes one = {0}, two = {0};
    bool same = read_proc(other, name, &one) && read_proc(pid, name, &two);
    size_t len = first && same ? strcspn(one.data, "\n") + 1 : one.len;
    same = same && two.len >= len && (first || two.len == len) && !memcmp(one.data, two.data, len);
    bytes_finish(&one);
    bytes_finish(&two);
    return same;
}

static bool is_open(pid_t pid, const char *name, bool first)
{
    return is_same_file(pid, PROC_SELF, name, first) || is_same_file(pid, FIRST, name, first);
}

/* The same for the first line of what is mounted, which as a rule is the one that we had. */
static bool has_open_root(pid_t pid)
{
    static char ours[ROOT_BYTES];
    char theirs[ROOT_BYTES];
    if (!*ours)
        proc_head(PROC_SELF, "mountinfo", ours, sizeof ours);
    proc_head(pid, "mountinfo", theirs, sizeof theirs);
    size_t len = strcspn(ours, "\n") + 1;
    return (len < sizeof ours && !strncmp(ours, theirs, len)) || is_open(pid, "mountinfo", true);
}

/* The maps are those of the namespace; in the same one of mounts a root may yet be another. */
static const char *differing_namespace(pid_t pid)
{
    struct links links;
    read_links(pid, &links);
    if (!is_open_link(&links, USER) &&
        (!is_open(pid, "uid_map", false) || !is_open(pid, "gid_map", false)))
        return "user namespace";
    if (!has_open_root(pid))
        return "mount namespace";
    for (int i = 0; i < NAMESPACES; i++)
        if (*links.of[i] && !is_open_link(&links, i))
            return "namespaces";
    return NULL;
}

static const char *look_at(pid_t pid)
{
    struct facts facts = facts_of(pid);
    if (!facts.known)
        return "gone";
    if (facts.no_new_privileges > own.no_new_privileges)
        return "NoNewPrivs";
    if (facts.filtering > own.filtering || facts.filters > own.filters)
        return "Seccomp";
    if (facts.depth > own.depth)
        return "process namespace";
    return differing_namespace(pid);
}

/* ---- who it is ---- */

void peer_prepare(void)
{
    own = facts_of(getppid());
    if (!own.known) /* /proc shows nobody others' processes (hidepid) */
        own = facts_of(PROC_SELF);
}

unsigned long long peer_began(pid_t pid)
{
    struct bytes text = {0};
    unsigned long long began = 0;
    char *at = read_proc(pid, "stat", &text) ? strrchr(text.data, ')') : NULL;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (at)
        began = strtoull(at, NULL, 10);
    bytes_finish(&text);
    return began;
}

static bool has_ended(int process)
{
    struct pollfd ended = {.fd = process, .events = POLLIN};
    return poll(&ended, 1, 0) != 0;
}

const char *peer_confinement(int socket, pid_t pid, unsigned long long began)
{
    int process = -1;
    socklen_t len = sizeof process;
    if (!own.known) /* there is no /proc */
        return NULL;
    if (pid <= 0)
        return "process namespace";
    bool has = getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &process, &len) == 0 && process >= 0;
    bool gone = !has && (errno == ESRCH || errno == EINVAL);
    const char *found = look_at(pid);
    if (gone || (has && has_ended(process)) || !began || peer_began(pid) != began)
        found = "gone";
    if (has)
        close(process);
    return found;
}
