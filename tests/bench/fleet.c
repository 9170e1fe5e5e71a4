/* fleet: many hosts that publish commands to a hub as `ptyd relay` does, and what of it a reader's
 * daemon has on offer.
 *
 * usage: fleet keys COUNT FILE     makes so many hosts, a line each, and prints ID=KEY of each
 *        fleet run FILE PORT USER HEARD-DIRECTORY RATE SECONDS FIRST BYTES [CONNECTIONS SEED-FILE]
 *
 * RATE: commands a second of each host, whose numbers begin at FIRST and whose output's end has so
 * many BYTES. A host has a connection of its own with its own key; or all share so many, with the
 * key in SEED-FILE, which must be allowed to publish as any. As of a relay's session one command is
 * under way of a host, and the next when that one is acknowledged.
 *
 * A command's time begins when it is due, whether or not the host may send it then, and ends when
 * its line stands in HEARD-DIRECTORY/blocks.jsonl: it was put on offer before that. Prints one line
 * of JSON.
 *
 * The server's protocol is spoken here: a library's three threads for each of a thousand hosts
 * would be what is measured. What is sent is made by ptyd's own code. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/keys.h"
#include "ptyd/relay/letter.h"
#include "ptyd/relay/subject.h"

#define SESSION  "work"
#define RING     256        /* commands of a host that are not heard of yet; a power of two */
#define DRAIN_US 15000000LL /* without anything of what is under way when the time is over */
#define STEP_US  1000LL     /* between two looks at what is due */

struct host {
    struct identity own;
    struct setup setup;
    char *subject;
    struct connection *connection;
    struct block *block;
    uint64_t due, sent, acked, heard; /* how many, of this run */
    int64_t due_us[RING], sent_us[RING];
};

struct connection {
    int fd;
    struct bytes in, out;
    char inbox[64];
};

struct time {
    uint32_t us, second; /* what it took, and in which of the run it was due */
};

struct times {
    struct time *list;
    size_t count;
};

static struct host *hosts;
static size_t host_count;
static struct connection *connections;
static size_t connection_count;
static uint64_t first, refused, duplicates, lost, twice;
static struct times acks, ends;
static int epoll;
static int64_t wall_offset_us, begun_us, connecting_us;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "fleet: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(1);
}

static int64_t now_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t now(void)
{
    return now_of(CLOCK_MONOTONIC);
}

static void add_time(struct times *t, int64_t due_us, int64_t us)
{
    if (!(t->count & (t->count - 1))) /* a power of two: full */
        t->list = memory_grow(t->list, (t->count ? 2 * t->count : 1) * sizeof *t->list);
    t->list[t->count++] = (struct time){.us = (uint32_t)(us > 0 ? us : 0),
                                        .second = (uint32_t)((due_us - begun_us) / 1000000)};
}

static int by_size(const void *a, const void *b)
{
    const struct time *x = a, *y = b;
    return x->us < y->us ? -1 : x->us > y->us;
}

static int by_second(const void *a, const void *b)
{
    const struct time *x = a, *y = b;
    return x->second != y->second ? (x->second < y->second ? -1 : 1) : by_size(a, b);
}

static double part_of(const struct time *list, size_t count, double part)
{
    size_t at = (size_t)(part * (double)count);
    return count ? list[at < count ? at : count - 1].us / 1000.0 : 0;
}

static double part_ms(const struct times *t, double part)
{
    return part_of(t->list, t->count, part);
}

/* What took how long of that which was due in each second: [p50, p99, most], in ms. */
static void print_series(const char *name, struct times *t)
{
    qsort(t->list, t->count, sizeof *t->list, by_second);
    printf("\"%s\":[", name);
    for (size_t from = 0, to; from < t->count; from = to) {
        for (to = from; to < t->count && t->list[to].second == t->list[from].second;)
            to++;
        const struct time *of = t->list + from;
        printf("%s[%.1f,%.1f,%.1f]", from ? "," : "", part_of(of, to - from, 0.5),
               part_of(of, to - from, 0.99), part_of(of, to - from, 1));
    }
    printf("],");
    qsort(t->list, t->count, sizeof *t->list, by_size);
}

/* ---- keys ---- */

static int make_keys(size_t count, const char *path)
{
    char seed[KEYS_SEED_SIZE], public[KEYS_PUBLIC_SIZE];
    FILE *file = fopen(path, "w");
    if (!file)
        fail(path);
    for (size_t i = 0; i < count; i++) {
        keys_new_seed(seed);
        keys_public(seed, public);
        fprintf(file, "%016zx %s\n", i + 1, seed);
        printf("%016zx=%s\n", i + 1, public);
    }
    return fclose(file) ? 1 : 0;
}

static struct block *new_block(size_t preview)
{
    struct block *b = block_create();
    struct bytes text = {0};
    for (int i = 1; text.len < preview; i++)
        bytes_printf(&text, "cc -O2 -Wall -c -o build/part%02d.o src/part%02d.c\n", i, i);
    free(b->conversation_id);
    free(b->shell_id);
    free(b->cmd);
    free(b->cwd);
    free(b->cwd_after);
    free(b->preview);
    b->conversation_id = text_copy(SESSION);
    b->shell_id = text_copy("shell_1");
    b->cmd = text_copy("make -C services/billing test FILTER=invoices");
    b->cwd = text_copy("/home/dana/src/services");
    b->cwd_after = text_copy(b->cwd);
    b->preview = text.data ? text.data : text_copy("");
    b->duration_ms = 1234;
    block_set_exit(b, 0);
    return b;
}

static void read_hosts(const char *path, const char *user, size_t preview)
{
    char id[32], seed[64];
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path);
    while (fscanf(file, "%31s %63s", id, seed) == 2) {
        hosts = memory_grow(hosts, (host_count + 1) * sizeof *hosts);
        struct host *h = &hosts[host_count++];
        *h =
            (struct host){.block = new_block(preview), .subject = subject_block(user, id, SESSION)};
        strcpy(h->own.host_id, id);
        strcpy(h->own.seed, seed);
        memcpy(h->own.key, seed, sizeof h->own.key);
        h->setup.host = text_format("host%zu", host_count);
    }
    fclose(file);
}

/* ---- a connection ---- */

static void write_out(struct connection *c)
{
    ssize_t n = write(c->fd, c->out.data, c->out.len);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        fail("the hub is gone");
    if (n > 0)
        bytes_consume(&c->out, (size_t)n);
    struct epoll_event event = {.events = EPOLLIN | (c->out.len ? EPOLLOUT : 0), .data.ptr = c};
    epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
}

static void read_line(int fd, char *line, size_t size)
{
    size_t len = 0;
    while (len + 1 < size && read(fd, line + len, 1) == 1 && line[len] != '\n')
        len++;
    line[len] = '\0';
}

/* Proves who it is, as the server's INFO asks; waits until it is let in. */
static void shake_hands(struct connection *c, const char *seed)
{
    char line[4096], nonce[128] = "", public[KEYS_PUBLIC_SIZE];
    unsigned char signature[KEYS_SIGNATURE_BYTES];
    struct bytes text = {0};
    read_line(c->fd, line, sizeof line);
    const char *at = strstr(line, "\"nonce\":\"");
    if (!at || sscanf(at + 9, "%127[^\"]", nonce) != 1 || !keys_public(seed, public) ||
        !keys_sign(seed, nonce, signature))
        fail("the hub asks for no key");
    base64_encode((const char *)signature, sizeof signature, &text);
    for (char *p = text.data; *p; p++)
        *p = (char)(*p == '+' ? '-' : *p == '/' ? '_' : *p == '=' ? '\0' : *p);
    dprintf(c->fd,
            "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true,"
            "\"lang\":\"c\",\"version\":\"1\",\"nkey\":\"%s\",\"sig\":\"%s\"}\r\nSUB %s.> "
            "1\r\nPING\r\n",
            public, text.data, c->inbox);
    bytes_finish(&text);
    do
        read_line(c->fd, line, sizeof line);
    while (strncmp(line, "PONG", 4) && *line != '-' && *line);
    if (*line != 'P')
        fail(line);
}

static void connect_one(struct connection *c, int port, const char *seed)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0)
        fail("cannot connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    shake_hands(c, seed);
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event);
}

static void connect_all(int port, size_t shared, const char *seed_path)
{
    char seed[64] = "";
    FILE *file = seed_path ? fopen(seed_path, "r") : NULL;
    if (file && fscanf(file, "%63s", seed) != 1)
        fail(seed_path);
    connection_count = shared ? shared : host_count;
    connections = memory_new(connection_count * sizeof *connections);
    for (size_t i = 0; i < connection_count; i++) {
        connections[i] = (struct connection){0};
        snprintf(connections[i].inbox, sizeof connections[i].inbox, "_INBOX.%s.%zu",
                 shared ? "owner" : hosts[i].own.host_id, i);
        connect_one(&connections[i], port, shared ? seed : hosts[i].own.seed);
    }
    for (size_t i = 0; i < host_count; i++)
        hosts[i].connection = &connections[i % connection_count];
}

/* ---- commands ---- */

static void send_next(struct host *h)
{
    struct connection *c = h->connection;
    struct block *b = h->block;
    uint64_t number = first + h->sent;
    char id[KEYS_ID_SIZE], head[128];
    b->seq = number;
    b->ts_end = (h->due_us[h->sent % RING] + wall_offset_us) / 1000;
    b->ts_begin = b->ts_end - b->duration_ms;
    char *text = letter_text(b, &h->setup, &h->own, SESSION, number);
    letter_id(b, &h->setup, &h->own, number, 0, id);
    int head_len = snprintf(head, sizeof head, "NATS/1.0\r\nNats-Msg-Id: %s\r\n\r\n", id);
    size_t len = strlen(text);
    bytes_printf(&c->out, "HPUB %s %s.%zu.%llu %d %zu\r\n%s", h->subject, c->inbox,
                 (size_t)(h - hosts), (unsigned long long)h->sent, head_len, (size_t)head_len + len,
                 head);
    bytes_append(&c->out, text, len);
    bytes_append(&c->out, "\r\n", 2);
    free(text);
    h->sent_us[h->sent++ % RING] = now();
    write_out(c);
}

static void take_ack(struct connection *c, const char *subject, const char *data)
{
    size_t host;
    unsigned long long number;
    if (sscanf(subject + strlen(c->inbox), ".%zu.%llu", &host, &number) != 2 || host >= host_count)
        return;
    struct host *h = &hosts[host];
    refused += strstr(data, "\"error\"") || !strstr(data, "\"seq\"");
    duplicates += strstr(data, "\"duplicate\"") != NULL;
    add_time(&acks, h->due_us[number % RING], now() - h->sent_us[number % RING]);
    h->acked++;
    if (h->sent < h->due)
        send_next(h);
}

/* Returns how many bytes of it are a whole one; 0 for none. */
static size_t take_one(struct connection *c)
{
    char word[16] = "", subject[160] = "";
    char *end = c->in.len ? memmem(c->in.data, c->in.len, "\r\n", 2) : NULL;
    if (!end)
        return 0;
    *end = '\0';
    size_t line = (size_t)(end - c->in.data) + 2, size = 0;
    sscanf(c->in.data, "%15s %159s", word, subject);
    bool is_message = !strcmp(word, "MSG") || !strcmp(word, "HMSG");
    if (is_message)
        size = strtoul(strrchr(c->in.data, ' ') + 1, NULL, 10) + 2;
    *end = '\r';
    if (c->in.len < line + size)
        return 0;
    if (!strcmp(word, "PING"))
        bytes_append_text(&c->out, "PONG\r\n");
    if (!strcmp(word, "-ERR"))
        fail(c->in.data);
    if (is_message) {
        char data[1024];
        snprintf(data, sizeof data, "%.*s", (int)size - 2, c->in.data + line);
        take_ack(c, subject, data);
    }
    return line + size;
}

static void take_in(struct connection *c)
{
    char buffer[16 << 10];
    ssize_t n = read(c->fd, buffer, sizeof buffer);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        fail("the hub is gone");
    if (n > 0)
        bytes_append(&c->in, buffer, (size_t)n);
    for (size_t whole; (whole = take_one(c));)
        bytes_consume(&c->in, whole);
}

/* ---- the reader's file ---- */

static struct {
    char *path;
    int fd;
    ino_t inode;
    struct bytes text;
} heard = {.fd = -1};

static void take_line(const char *line, int64_t when)
{
    const char *id = strstr(line, "\"host_id\":\""), *number = strstr(line, "\"number\":");
    size_t host = id ? strtoul(id + 11, NULL, 16) - 1 : host_count;
    if (host >= host_count || !number)
        return;
    struct host *h = &hosts[host];
    uint64_t at = strtoull(number + 9, NULL, 10);
    if (at < first) /* of a run before */
        return;
    at -= first;
    twice += at < h->heard;
    lost += at > h->heard ? at - h->heard : 0;
    if (at < h->heard)
        return;
    h->heard = at + 1;
    add_time(&ends, h->due_us[at % RING], when - h->due_us[at % RING]);
}

static void read_lines(void)
{
    char buffer[64 << 10];
    int64_t when = now();
    for (ssize_t n; heard.fd >= 0 && (n = read(heard.fd, buffer, sizeof buffer)) > 0;)
        bytes_append(&heard.text, buffer, (size_t)n);
    size_t from = 0;
    for (char *end; from < heard.text.len &&
                    (end = memchr(heard.text.data + from, '\n', heard.text.len - from));
         from = (size_t)(end + 1 - heard.text.data)) {
        *end = '\0';
        take_line(heard.text.data + from, when);
    }
    bytes_consume(&heard.text, from);
}

/* What was written, in the file that there is and in the one that took its place. */
static void hear(int64_t when_beginning)
{
    struct stat st;
    read_lines();
    if (stat(heard.path, &st) < 0 || (heard.fd >= 0 && st.st_ino == heard.inode))
        return;
    if (heard.fd >= 0)
        close(heard.fd);
    heard.fd = open(heard.path, O_RDONLY | O_CLOEXEC);
    heard.inode = st.st_ino;
    if (when_beginning)
        lseek(heard.fd, 0, SEEK_END);
    read_lines();
}

static uint64_t sum_of(size_t member)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < host_count; i++)
        sum += *(const uint64_t *)(const void *)((const char *)&hosts[i] + member);
    return sum;
}
#define SUM(member) sum_of(offsetof(struct host, member))

/* ---- a run ---- */

/* Makes due what is; false where somebody's ring is full: the hub or the reader is far behind. */
static bool make_due(int64_t begin, double gap_us, uint64_t *ticks, uint64_t most)
{
    int64_t when = now();
    for (; *ticks < most; (*ticks)++) {
        int64_t due = begin + (int64_t)((double)*ticks * gap_us);
        struct host *h = &hosts[*ticks % host_count];
        if (due > when)
            break;
        if (h->due - h->heard >= RING)
            return false;
        h->due_us[h->due++ % RING] = due;
        if (h->sent == h->acked)
            send_next(h);
    }
    return true;
}

static void turn(int news)
{
    struct epoll_event events[256];
    char buffer[4096] __attribute__((aligned(8)));
    int count = epoll_wait(epoll, events, 256, STEP_US / 1000);
    for (int i = 0; i < count; i++) {
        struct connection *c = events[i].data.ptr;
        if (!c)
            while (read(news, buffer, sizeof buffer) > 0)
                ;
        else if (events[i].events & EPOLLOUT)
            write_out(c);
        if (c && (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
            take_in(c);
        if (c && c->out.len)
            write_out(c);
    }
    hear(0);
}

static void run(double rate, double seconds)
{
    struct rusage before, after;
    int news = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    char *directory = text_copy(heard.path);
    *strrchr(directory, '/') = '\0';
    inotify_add_watch(news, directory, IN_MODIFY | IN_MOVED_TO | IN_CREATE);
    epoll_ctl(epoll, EPOLL_CTL_ADD, news, &(struct epoll_event){.events = EPOLLIN});
    free(directory);
    hear(1);
    getrusage(RUSAGE_SELF, &before);
    double gap_us = 1000000.0 / (rate * (double)host_count);
    uint64_t ticks = 0, most = (uint64_t)(seconds * rate * (double)host_count);
    int64_t begin = begun_us = now();
    bool keeps_up = true;
    while (keeps_up && ticks < most) {
        keeps_up = make_due(begin, gap_us, &ticks, most);
        turn(news);
    }
    uint64_t backlog = SUM(due) - SUM(heard);
    int64_t over = now(), last = over;
    for (uint64_t so_far = 0, all; (all = SUM(heard)) < SUM(due) && now() - last < DRAIN_US;) {
        last = all > so_far ? now() : last;
        so_far = all;
        turn(news);
    }
    getrusage(RUSAGE_SELF, &after);
    double cpu = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                 (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
                 (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6 +
                 (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec) / 1e6;
    char *text = letter_text(hosts[0].block, &hosts[0].setup, &hosts[0].own, SESSION, first);
    printf("{\"connecting_ms\":%lld,", (long long)connecting_us / 1000);
    print_series("ack_series", &acks);
    print_series("series", &ends);
    printf(
        "\"due\":%llu,\"acked\":%llu,\"heard\":%llu,\"lost\":%llu,\"twice\":%llu,\"refused\":%llu,"
        "\"duplicates\":%llu,\"backlog\":%llu,\"seconds\":%.2f,\"drained_ms\":%lld,\"bytes\":%zu,"
        "\"ack_p50\":%.2f,\"ack_p99\":%.2f,\"p50\":%.2f,\"p99\":%.2f,\"most\":%.2f,\"cpu\":%.2f}\n",
        (unsigned long long)SUM(due), (unsigned long long)SUM(acked),
        (unsigned long long)SUM(heard), (unsigned long long)lost, (unsigned long long)twice,
        (unsigned long long)refused, (unsigned long long)duplicates, (unsigned long long)backlog,
        (double)(over - begin) / 1e6, (long long)(now() - over) / 1000, strlen(text),
        part_ms(&acks, 0.5), part_ms(&acks, 0.99), part_ms(&ends, 0.5), part_ms(&ends, 0.99),
        part_ms(&ends, 1), cpu);
    free(text);
}

int main(int argc, char **argv)
{
    struct rlimit files;
    errno = 0;
    if (argc == 4 && !strcmp(argv[1], "keys"))
        return make_keys(strtoul(argv[2], NULL, 10), argv[3]);
    if ((argc != 10 && argc != 12) || strcmp(argv[1], "run") != 0)
        return 2;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    first = strtoull(argv[8], NULL, 10);
    heard.path = text_format("%s/blocks.jsonl", argv[5]);
    wall_offset_us = now_of(CLOCK_REALTIME) - now();
    read_hosts(argv[2], argv[4], strtoul(argv[9], NULL, 10));
    connecting_us = -now();
    connect_all(atoi(argv[3]), argc == 12 ? strtoul(argv[10], NULL, 10) : 0,
                argc == 12 ? argv[11] : NULL);
    connecting_us += now();
    run(atof(argv[6]), atof(argv[7]));
    return 0;
}
