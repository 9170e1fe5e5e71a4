/* proxy: what a proxy costs, against a relay that only reads and writes.
 *
 * usage: proxy PTYD STANDIN [SESSION-WITH-TEN-BLOCKS SESSION-WITH-NONE]
 *
 * Two chains, client - relay - echo and client - PTYD proxy - echo, take turns: round trips of
 * 200 B, 4 KB and 1 MB, then as many as go in flight at once. With the sessions given, turn/start
 * with ten blocks against one with none, through two proxies in front of STANDIN. Client and far
 * end are pinned to one processor, what stands between them to another. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 7
#define CHUNK  (1 << 16)

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void pin(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor % (int)sysconf(_SC_NPROCESSORS_ONLN), &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void write_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno != EINTR)
            exit(1);
        data += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
}

/* ---- what stands at the far end and in between ---- */

static _Noreturn void echo(void)
{
    static char buffer[CHUNK];
    ssize_t n;
    pin(0);
    while ((n = read(0, buffer, sizeof buffer)) > 0)
        write_all(1, buffer, (size_t)n);
    exit(0);
}

static _Noreturn void copy(int from, int to)
{
    static char buffer[CHUNK];
    ssize_t n;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while ((n = read(from, buffer, sizeof buffer)) > 0)
        write_all(to, buffer, (size_t)n);
    exit(0);
}

/* Reads and writes, a process for each way so that neither waits for the other; the far end is
 * started as the proxy starts its server. */
static _Noreturn void relay(const char *self)
{
    int up[2], down[2];
    if (pipe(up) < 0 || pipe(down) < 0)
        exit(1);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(up[0], 0);
        dup2(down[1], 1);
        close(up[1]);
        close(down[0]);
        execl(self, self, "echo", (char *)NULL);
        _exit(1);
    }
    close(up[0]);
    close(down[1]);
    pin(1);
    if (fork() == 0) {
        close(up[1]);
        copy(down[0], 1);
    }
    close(down[0]);
    copy(0, up[1]);
}

/* ---- the client ---- */

struct chain {
    const char *name;
    int in, out; /* to it, from it */
    char *line;  /* read and not used yet */
    size_t len;
};

static struct chain start(const char *name, char **argv)
{
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        exit(1);
    fcntl(in[1], F_SETPIPE_SZ, 1 << 20);
    fcntl(out[0], F_SETPIPE_SZ, 1 << 20);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        pin(1);
        dup2(in[0], 0);
        dup2(out[1], 1);
        execv(argv[0], argv);
        _exit(1);
    }
    close(in[0]);
    close(out[1]);
    return (struct chain){.name = name, .in = in[1], .out = out[0]};
}

/* Writes and reads at once, until `lines` came back. */
static void exchange(struct chain *c, const char *data, size_t len, size_t lines)
{
    static char buffer[CHUNK];
    fcntl(c->in, F_SETFL, O_NONBLOCK);
    while (lines) {
        struct pollfd fds[] = {{.fd = c->out, .events = POLLIN},
                               {.fd = len ? c->in : -1, .events = POLLOUT}};
        ssize_t n = len ? write(c->in, data, len) : 0;
        data += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
        poll(fds, 2, -1);
        n = fds[0].revents ? read(c->out, buffer, sizeof buffer) : 0;
        for (ssize_t i = 0; i < n && lines; i++)
            lines -= buffer[i] == '\n';
    }
}

/* Sends a line and waits for the answer of that id. */
static void ask(struct chain *c, const char *line, const char *id)
{
    char *wanted = NULL;
    if (asprintf(&wanted, "\"id\":\"%s\"", id) < 0)
        exit(1);
    write_all(c->in, line, strlen(line));
    for (size_t len = 0;;) {
        c->line = realloc(c->line, len + CHUNK + 1);
        ssize_t n = read(c->out, c->line + len, CHUNK);
        if (n <= 0)
            exit(1);
        len += (size_t)n;
        c->line[len] = '\0';
        if (strstr(c->line, wanted) && c->line[len - 1] == '\n')
            break;
    }
    free(wanted);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static char *message(size_t size)
{
    char *text = malloc(size + 2);
    int head = sprintf(text, "{\"id\":1,\"method\":\"item/any\",\"params\":{\"text\":\"");
    memset(text + head, 'x', size - (size_t)head - 3);
    memcpy(text + size - 3, "\"}}", 3);
    strcpy(text + size, "\n");
    return text;
}

/* ---- the works ---- */

static void round_trips(struct chain chains[2], const char *what, size_t size, size_t count)
{
    double rounds[2][ROUNDS], ratios[ROUNDS], *samples = malloc(count * sizeof *samples);
    char *text = message(size);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < 2; i++) {
            for (size_t k = 0; k < count; k++) {
                double began = now_us();
                exchange(&chains[i], text, size + 1, 1);
                samples[k] = now_us() - began;
            }
            rounds[i][r] = median(samples, count);
        }
        ratios[r] = rounds[1][r] / rounds[0][r];
    }
    printf("  %-22s %10.1f us %10.1f us   %5.2f\n", what, median(rounds[0], ROUNDS),
           median(rounds[1], ROUNDS), median(ratios, ROUNDS));
    free(samples);
    free(text);
}

static void pipelined(struct chain chains[2], size_t size, size_t count)
{
    double rates[2][ROUNDS], ratios[ROUNDS];
    char *text = message(size), *all = malloc((size + 1) * count);
    for (size_t k = 0; k < count; k++)
        memcpy(all + k * (size + 1), text, size + 1);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < 2; i++) {
            double began = now_us();
            exchange(&chains[i], all, (size + 1) * count, count);
            rates[i][r] = (double)((size + 1) * count) / (now_us() - began);
        }
        ratios[r] = rates[1][r] / rates[0][r];
    }
    char what[64];
    snprintf(what, sizeof what, "pipelined, %zu B each", size);
    printf("  %-22s %8.0f MB/s %8.0f MB/s   %5.2f\n", what, median(rates[0], ROUNDS),
           median(rates[1], ROUNDS), median(ratios, ROUNDS));
    free(text);
    free(all);
}

#define TURNS 60 /* a thread each; the daemon remembers some 250 */

static double turn(struct chain *c, int number)
{
    char line[512], id[32];
    snprintf(id, sizeof id, "s%d", number);
    snprintf(line, sizeof line,
             "{\"id\":\"%s\",\"method\":\"thread/start\",\"params\":{\"name\":\"thread-%d\"}}\n",
             id, number);
    ask(c, line, id);
    snprintf(id, sizeof id, "t%d", number);
    snprintf(line, sizeof line,
             "{\"id\":\"%s\",\"method\":\"turn/"
             "start\",\"params\":{\"threadId\":\"thread-%d\",\"input\":[{\"type\":"
             "\"text\",\"text\":\"why?\"}]}}\n",
             id, number);
    double began = now_us();
    ask(c, line, id);
    return now_us() - began;
}

static void turns(const char *ptyd, const char *standin, const char *with, const char *without)
{
    double samples[2][TURNS], differences[TURNS];
    const char *sessions[] = {without, with};
    struct chain chains[2];
    for (int i = 0; i < 2; i++) {
        char *argv[] = {(char *)ptyd, "proxy",         "-s", (char *)sessions[i],
                        "--",         (char *)standin, NULL};
        chains[i] = start(sessions[i], argv);
        ask(&chains[i],
            "{\"id\":\"i\",\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\"b\","
            "\"version\":\"1\"}}}\n",
            "i");
        turn(&chains[i], 1000 + i); /* the question whether the server knows the field */
    }
    for (int k = 0; k < TURNS; k++) {
        for (int i = 0; i < 2; i++)
            samples[i][k] = turn(&chains[i], 2 * k + i);
        differences[k] = samples[1][k] - samples[0][k];
    }
    printf("\n  turn/start, none pending %7.0f us; with ten blocks %7.0f us; the difference %5.0f "
           "us\n",
           median(samples[0], TURNS), median(samples[1], TURNS), median(differences, TURNS));
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc == 2 && !strcmp(argv[1], "echo"))
        echo();
    if (argc == 2 && !strcmp(argv[1], "relay"))
        relay(argv[0]);
    if (argc < 3) {
        fprintf(stderr, "usage: proxy PTYD STANDIN [SESSION SESSION]\n");
        return 2;
    }
    pin(0);
    char *plain[] = {argv[0], "relay", NULL},
         *ours[] = {argv[1], "proxy", "--", argv[0], "echo", NULL};
    struct chain chains[] = {start("relay", plain), start("ptyd", ours)};
    round_trips(chains, "(warm-up)", 200, 200);
    printf("  %-22s %13s %13s   %5s\n", "", "relay", "ptyd proxy", "ratio");
    round_trips(chains, "round trip, 200 B", 200, 1000);
    round_trips(chains, "round trip, 4 KB", 4096, 1000);
    round_trips(chains, "round trip, 1 MB", 1 << 20, 30);
    pipelined(chains, 200, 50000);
    pipelined(chains, 4096, 5000);
    if (argc > 4)
        turns(argv[1], argv[2], argv[3], argv[4]);
    return 0;
}
