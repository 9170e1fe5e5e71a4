/* fair: key-to-echo in one session while others flood.
 *
 * usage: fair flood SLOTS INDEX       waits for the start, writes without end, counts its bytes
 *        fair keys SESSION KEYS SLOTS FLOODS    starts the floods, types, ends them
 *
 * SLOTS is a file that all map: whether the floods are to wait, write or end, then the bytes of
 * each. `keys` attaches to the session of the daemon at PTYD_SOCKET as a person's terminal does,
 * and prints a line for each key: the microseconds until the view showed it; at last "bytes" and
 * the bytes a second of all floods and of the one that got least. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/rpc.h"
#include "ptyd/core/view_wire.h"
#include "tests/bench/works.h"

#define SLOTS      1024
#define WORK_BYTES (4 << 20)
#define START_S    60 /* for all floods to write */
#define SETTLE_S   1
#define ECHO_S     20 /* for a key to be shown */
#define LINE_KEYS  40 /* then the line is killed */
#define KILL_LINE  0x15

enum phase { WAIT, WRITE, END };

struct slots {
    _Atomic int phase;
    _Atomic unsigned long bytes[SLOTS];
};

static struct slots *map_slots(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct slots *slots = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, sizeof *slots) == 0)
        slots = mmap(NULL, sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (slots == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    close(fd);
    return slots;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what)
{
    fprintf(stderr, "fair: %s\n", what);
    exit(1);
}

/* ---- a flood ---- */

static int flood(struct slots *slots, int index)
{
    struct bytes work = {0};
    const struct work *mix = &works[WORK_COUNT - 1];
    work_make(mix, WORK_BYTES, &work);
    while (slots->phase == WAIT)
        usleep(10000);
    for (size_t at = 0; slots->phase == WRITE; at %= work.len) {
        size_t n = work.len - at < 65536 ? work.len - at : 65536;
        ssize_t wrote = write(STDOUT_FILENO, work.data + at, n);
        if (wrote < 0 && errno != EINTR)
            return 1;
        at += wrote > 0 ? (size_t)wrote : 0;
        slots->bytes[index] += wrote > 0 ? (unsigned long)wrote : 0;
    }
    return 0;
}

/* ---- a person ---- */

struct person {
    struct rpc rpc;
    int socket;
    struct view_reader reader;
    struct bytes shown; /* since the last key */
};

static void read_frames(struct person *p)
{
    struct view_frame frame;
    ssize_t n = recv(p->socket, view_reader_room(&p->reader), VIEW_READ_BYTES, 0);
    if (n <= 0)
        fail("the daemon is gone");
    view_reader_came(&p->reader, (size_t)n);
    while (view_reader_next(&p->reader, &frame) > 0)
        if (frame.kind == VIEW_OUTPUT || frame.kind == VIEW_DRAW)
            bytes_append(&p->shown, frame.data, frame.len);
}

/* Reads until the text was shown. */
static void await_echo(struct person *p, const char *text)
{
    double deadline = now() + ECHO_S;
    while (!p->shown.data || !strstr(p->shown.data, text)) {
        struct pollfd fd = {.fd = p->socket, .events = POLLIN};
        if (poll(&fd, 1, 100) > 0)
            read_frames(p);
        if (now() > deadline)
            fail("a key was not shown");
    }
}

static void send_frame(struct person *p, enum view_kind kind, uint64_t offset, const char *data,
                       size_t len)
{
    struct bytes out = {0};
    view_frame_append(&out, kind, offset, data, len);
    if (send(p->socket, out.data, out.len, MSG_NOSIGNAL) != (ssize_t)out.len)
        fail("the daemon is gone");
    bytes_finish(&out);
}

/* All that came was shown: it is far less than may be under way. */
static void type(struct person *p, char key)
{
    p->shown.len = 0;
    if (p->shown.data)
        p->shown.data[0] = '\0';
    send_frame(p, VIEW_ACK, UINT64_MAX, NULL, 0);
    send_frame(p, VIEW_INPUT, 0, &key, 1);
}

static void attach(struct person *p, const char *session)
{
    if (rpc_connect(&p->rpc, false, LIMIT_START_MS) < 0)
        exit(1);
    json_decref(
        rpc_call(&p->rpc, "session.attach",
                 json_pack("{s:s, s:{s:i, s:i}}", "name", session, "size", "cols", 80, "rows", 24),
                 LIMIT_ANSWER_MS));
    p->socket = rpc_take_passed(&p->rpc);
    if (p->socket < 0)
        fail("there is no socket");
}

static void start_floods(struct slots *slots, int floods)
{
    double deadline = now() + START_S;
    slots->phase = WRITE;
    for (int i = 0; i < floods; i++)
        while (!slots->bytes[i]) {
            usleep(10000);
            if (now() > deadline)
                fail("a flood does not flow");
        }
    usleep(SETTLE_S * 1000000);
}

static void type_all(struct person *p, int keys)
{
    for (int i = 0; i < keys; i++) {
        char key[2] = {(char)('a' + i % 26), 0};
        double began = now();
        type(p, key[0]);
        await_echo(p, key);
        printf("%.0f\n", (now() - began) * 1e6);
        if (i % LINE_KEYS == LINE_KEYS - 1) {
            type(p, KILL_LINE);
            usleep(200000);
        }
        usleep(10000 + (unsigned)rand() % 20000);
    }
}

static int keys(const char *session, int count, struct slots *slots, int floods)
{
    static unsigned long before[SLOTS];
    struct person p = {.rpc.fd = -1};
    double least = 0, sum = 0;
    attach(&p, session);
    type(&p, 'z');
    await_echo(&p, "z"); /* a prompt stands */
    type(&p, KILL_LINE);
    start_floods(slots, floods);
    for (int i = 0; i < floods; i++)
        before[i] = slots->bytes[i];
    double began = now();
    type_all(&p, count);
    double took = now() - began;
    for (int i = 0; i < floods; i++) {
        double rate = (double)(slots->bytes[i] - before[i]) / took;
        sum += rate;
        least = i == 0 || rate < least ? rate : least;
    }
    slots->phase = END;
    printf("bytes %.0f %.0f\n", sum, least);
    rpc_close(&p.rpc);
    bytes_finish(&p.shown);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "flood") && atoi(argv[3]) < SLOTS)
        return flood(map_slots(argv[2]), atoi(argv[3]));
    if (argc == 6 && !strcmp(argv[1], "keys") && atoi(argv[5]) <= SLOTS)
        return keys(argv[2], atoi(argv[3]), map_slots(argv[4]), atoi(argv[5]));
    return 2;
}
