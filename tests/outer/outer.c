/* outer: a person's terminal for tests and measurements. It opens a pseudo-terminal of a size in
 * cells and pixels, runs a command in it, and is what that command takes for its terminal
 * (terminal.h).
 *
 * usage: outer [--size COLSxROWS] [--cell WIDTHxHEIGHT] [--ground dark|light] [--log FILE]
 *              [--blind] COMMAND...
 *
 * --log: all that was received goes there. --blind: no screen. stdin has a command a line,
 * `ID WORD ...`, and stdout an answer to each, a line of JSON with its id; texts come in hex:
 *
 *   type HEX            paste FILE          hangup             kill SIGNAL
 *   resize COLS ROWS [WIDTH HEIGHT]         in cells, and of a cell in pixels
 *   stop, go            reads nothing, reads again
 *   rate BYTES          reads that many a second; 0: without a bound
 *   hold [COUNT]        answers to queries wait, until COUNT more have come
 *   release             those that wait are given
 *   print FILE          history and screen as text: {"history":lines,"row","col","alternate"}
 *   modes               what is not as at the start (terminal.h)
 *   counts              {"received","lines","answered","typed","waiting"}
 *   await HEX MS        until that came, in what was received since the last key: {"us","bytes"}
 *   keys COUNT          types that many, waiting for the echo of each: {"us":[...]}
 *
 * When the command has ended and all it wrote is received: {"exit":status}, 128 + n for a signal.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "tests/outer/terminal.h"

#define READ_BYTES 65536
#define RATE_SLICE 20 /* pieces of a second: what a bounded reader takes at once */
#define LINE_BYTES (1 << 20)
#define KEY        '_'   /* in no escape sequence that a multiplexer draws with */
#define KEY_LINE   60    /* keys, then the line ends */
#define KEY_US     10000 /* between two keys */

struct outer {
    int master;
    pid_t child;
    bool ended; /* the command was reaped */
    int status;
    struct outer_terminal *terminal;
    struct outer_size size;

    bool stopped, holding;
    unsigned long held_until; /* so many queries were answered; 0: until it is told */
    long rate;                /* bytes a second, 0 without a bound */
    int64_t next_read;        /* for a bounded reader: when, in us */
    struct bytes input;       /* to be written to the master */
    size_t input_at;          /* of it, this is written */
    struct bytes held;        /* answers that wait */

    int log; /* -1: none */
    unsigned long received, lines, typed;

    /* await, keys: what is looked for, and since when */
    struct bytes pattern, seen;
    int64_t typed_at;
    unsigned long typed_received;
    int64_t await_until;
    long await_id;
    long keys_id, keys_left, keys_done;
    int64_t *keys_us;
    int64_t next_key; /* when, in us; 0: one is awaited */

    struct bytes commands; /* of stdin, incomplete */
    bool commands_ended;
};

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void fail(const char *what)
{
    fprintf(stderr, "outer: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- the pseudo-terminal ---- */

static struct winsize winsize_of(struct outer_size size)
{
    return (struct winsize){
        .ws_col = (unsigned short)size.cols,
        .ws_row = (unsigned short)size.rows,
        .ws_xpixel = (unsigned short)(size.cols * size.cell_width),
        .ws_ypixel = (unsigned short)(size.rows * size.cell_height),
    };
}

static void start(struct outer *o, char **command)
{
    struct winsize size = winsize_of(o->size);
    o->child = forkpty(&o->master, NULL, NULL, &size);
    if (o->child < 0)
        fail("forkpty");
    if (o->child == 0) {
        signal(SIGPIPE, SIG_DFL);
        execvp(*command, command);
        fail(*command);
    }
    fcntl(o->master, F_SETFL, O_NONBLOCK);
    fcntl(o->master, F_SETFD, FD_CLOEXEC);
}

static size_t unwritten(const struct outer *o)
{
    return o->input.len - o->input_at;
}

static void write_input(struct outer *o)
{
    while (unwritten(o)) {
        ssize_t n = write(o->master, o->input.data + o->input_at, unwritten(o));
        if (n < 0)
            return;
        o->input_at += (size_t)n;
    }
    o->input.len = o->input_at = 0;
}

static void type(struct outer *o, const char *data, size_t len)
{
    bytes_append(&o->input, data, len);
    o->typed += len;
    o->seen.len = 0;
    o->typed_received = o->received;
    o->typed_at = now_us();
    write_input(o);
}

/* ---- what is looked for ---- */

static void await_none(struct outer *o)
{
    o->pattern.len = 0;
    o->await_id = -1;
}

static void next_key(struct outer *o)
{
    bool line_ends = o->keys_done % KEY_LINE == KEY_LINE - 1;
    o->next_key = 0;
    o->pattern.len = 0;
    bytes_append_char(&o->pattern, line_ends ? '\n' : KEY);
    type(o, line_ends ? "\r" : (char[]){KEY}, 1);
}

static void end_keys(struct outer *o)
{
    printf("{\"id\":%ld,\"us\":[", o->keys_id);
    const char *between = "";
    for (long i = 0; i < o->keys_done; i++) {
        if (i % KEY_LINE == KEY_LINE - 1)
            continue;
        printf("%s%lld", between, (long long)o->keys_us[i]);
        between = ",";
    }
    printf("]}\n");
    free(o->keys_us);
    o->keys_us = NULL;
    o->keys_left = 0;
    await_none(o);
}

static void found(struct outer *o, int64_t at)
{
    if (o->keys_left) {
        o->keys_us[o->keys_done++] = at - o->typed_at;
        o->pattern.len = 0;
        o->next_key = at + KEY_US;
        if (--o->keys_left == 0)
            end_keys(o);
        return;
    }
    printf("{\"id\":%ld,\"us\":%lld,\"bytes\":%lu}\n", o->await_id, (long long)(at - o->typed_at),
           o->received - o->typed_received);
    await_none(o);
}

/* Of what came since the last key the newest is kept, in case that it is looked for afterwards. */
static void look(struct outer *o, const char *data, size_t len, int64_t at)
{
    size_t kept = o->pattern.len ? o->pattern.len - 1 : LINE_BYTES;
    bytes_append(&o->seen, data, len);
    if (o->pattern.len && memmem(o->seen.data, o->seen.len, o->pattern.data, o->pattern.len))
        found(o, at);
    else if (o->seen.len > 2 * kept)
        bytes_consume(&o->seen, o->seen.len - kept);
}

static void release(struct outer *o)
{
    o->holding = false;
    bytes_append(&o->input, o->held.data, o->held.len);
    o->held.len = 0;
    write_input(o);
}

/* ---- what is received ---- */

static void receive(struct outer *o, const char *data, size_t len)
{
    int64_t at = now_us();
    struct bytes *answers = o->holding ? &o->held : &o->input;
    o->received += len;
    for (const char *p = data; (p = memchr(p, '\n', len - (size_t)(p - data))); p++)
        o->lines++;
    if (o->log >= 0 && write(o->log, data, len) != (ssize_t)len)
        fail("the log");
    outer_terminal_write(o->terminal, data, len, answers);
    if (o->holding && o->held_until && outer_terminal_answered(o->terminal) >= o->held_until)
        release(o);
    look(o, data, len, at);
}

/* A bounded reader makes up for a turn that came late, but not for a pause. */
static void wait_for_rate(struct outer *o, size_t len)
{
    int64_t earliest = now_us() - 1000000 / RATE_SLICE;
    if (o->next_read < earliest)
        o->next_read = earliest;
    o->next_read += (int64_t)len * 1000000 / o->rate;
}

/* Returns whether there may be more. */
static bool read_master(struct outer *o)
{
    static char data[READ_BYTES];
    size_t room = sizeof data;
    if (o->rate && (size_t)o->rate / RATE_SLICE < room)
        room = (size_t)o->rate / RATE_SLICE;
    ssize_t n = read(o->master, data, room);
    if (n <= 0)
        return n < 0 && (errno == EINTR || errno == EAGAIN);
    if (o->rate)
        wait_for_rate(o, (size_t)n);
    receive(o, data, (size_t)n);
    return true;
}

/* The command has ended: what it wrote is there to be read, whoever else holds the terminal. */
static void finish(struct outer *o)
{
    while (o->master >= 0) {
        struct pollfd fd = {.fd = o->master, .events = POLLIN};
        if (poll(&fd, 1, 0) <= 0 || !(fd.revents & POLLIN) || !read_master(o))
            break;
    }
    printf("{\"exit\":%d,\"received\":%lu}\n", o->status, o->received);
    exit(0);
}

static void reap(struct outer *o)
{
    int status;
    if (o->ended || waitpid(o->child, &status, WNOHANG) != o->child)
        return;
    o->ended = true;
    o->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- commands ---- */

static struct bytes from_hex(const char *hex)
{
    struct bytes text = {0};
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        bytes_append_char(&text, (char)byte);
    return text;
}

static void paste(struct outer *o, const char *path)
{
    struct bytes text = {0};
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path);
    for (size_t n; (n = fread(bytes_reserve(&text, READ_BYTES), 1, READ_BYTES, file)) > 0;)
        text.len += n;
    fclose(file);
    type(o, text.data ? text.data : "", text.len);
    bytes_finish(&text);
}

static void resize(struct outer *o, const char *values)
{
    struct outer_size size = o->size;
    sscanf(values, "%d %d %d %d", &size.cols, &size.rows, &size.cell_width, &size.cell_height);
    o->size = size;
    struct winsize w = winsize_of(size);
    outer_terminal_resize(o->terminal, size);
    ioctl(o->master, TIOCSWINSZ, &w);
}

static void print(struct outer *o, long id, const char *path)
{
    struct outer_screen *screen = outer_terminal_screen(o->terminal);
    int row, col;
    FILE *file = fopen(path, "w");
    if (!file || !screen)
        fail(path);
    outer_screen_print(screen, file);
    fclose(file);
    outer_screen_cursor(screen, &row, &col);
    printf("{\"id\":%ld,\"history\":%zu,\"row\":%d,\"col\":%d,\"alternate\":%s}\n", id,
           outer_screen_history(screen), row, col,
           outer_screen_is_alternate(screen) ? "true" : "false");
}

static void await(struct outer *o, long id, const char *values)
{
    static char hex[LINE_BYTES];
    long ms = 0;
    if (sscanf(values, "%1048575s %ld", hex, &ms) != 2)
        fail("await");
    bytes_finish(&o->pattern);
    o->pattern = from_hex(hex);
    o->await_id = id;
    o->await_until = now_us() + ms * 1000;
    if (o->seen.len && memmem(o->seen.data, o->seen.len, o->pattern.data, o->pattern.len))
        found(o, now_us());
}

static void begin_keys(struct outer *o, long id, long count)
{
    o->keys_id = id;
    o->keys_left = count;
    o->keys_done = 0;
    o->keys_us = memory_new((size_t)count * sizeof *o->keys_us);
    o->next_key = now_us();
}

static void hang_up(struct outer *o)
{
    close(o->master);
    o->master = -1;
}

/* Returns whether the answer is an empty one. */
static bool run_plain(struct outer *o, const char *word, const char *values)
{
    if (!strcmp(word, "type")) {
        struct bytes text = from_hex(values);
        type(o, text.data ? text.data : "", text.len);
        bytes_finish(&text);
    } else if (!strcmp(word, "paste")) {
        paste(o, values);
    } else if (!strcmp(word, "hangup")) {
        hang_up(o);
    } else if (!strcmp(word, "kill")) {
        kill(o->child, atoi(values));
    } else if (!strcmp(word, "resize")) {
        resize(o, values);
    } else if (!strcmp(word, "stop") || !strcmp(word, "go")) {
        o->stopped = *word == 's';
    } else if (!strcmp(word, "rate")) {
        o->rate = atol(values);
        o->next_read = 0;
    } else if (!strcmp(word, "hold")) {
        o->holding = true;
        o->held_until =
            atol(values) ? outer_terminal_answered(o->terminal) + (unsigned long)atol(values) : 0;
    } else if (!strcmp(word, "release")) {
        release(o);
    } else {
        return false;
    }
    return true;
}

static void run_command(struct outer *o, const char *line)
{
    char word[16] = "";
    int at = 0;
    long id = -1;
    if (sscanf(line, "%ld %15s %n", &id, word, &at) < 2)
        return;
    const char *values = line + at;
    if (run_plain(o, word, values)) {
        printf("{\"id\":%ld}\n", id);
    } else if (!strcmp(word, "print")) {
        print(o, id, values);
    } else if (!strcmp(word, "modes")) {
        printf("{\"id\":%ld,\"modes\":", id);
        outer_terminal_print_modes(o->terminal, stdout);
        printf("}\n");
    } else if (!strcmp(word, "counts")) {
        printf("{\"id\":%ld,\"received\":%lu,\"lines\":%lu,\"answered\":%lu,\"typed\":%lu,"
               "\"waiting\":%zu}\n",
               id, o->received, o->lines, outer_terminal_answered(o->terminal), o->typed,
               unwritten(o));
    } else if (!strcmp(word, "await")) {
        await(o, id, values);
    } else if (!strcmp(word, "keys")) {
        begin_keys(o, id, atol(values));
    } else {
        printf("{\"id\":%ld,\"error\":\"unknown\"}\n", id);
    }
}

static void read_commands(struct outer *o)
{
    ssize_t n = read(STDIN_FILENO, bytes_reserve(&o->commands, READ_BYTES), READ_BYTES);
    if (n <= 0) {
        o->commands_ended = true;
        return;
    }
    o->commands.len += (size_t)n;
    o->commands.data[o->commands.len] = '\0';
    for (char *end; (end = memchr(o->commands.data, '\n', o->commands.len));) {
        *end = '\0';
        run_command(o, o->commands.data);
        bytes_consume(&o->commands, (size_t)(end + 1 - o->commands.data));
        if (!o->commands.len)
            break;
    }
}

/* ---- the loop ---- */

/* When something is to be done at the latest, in ms; -1: nothing. */
static int wait_ms(const struct outer *o)
{
    int64_t now = now_us(), at = 0;
    if (o->rate && o->next_read > now)
        at = o->next_read;
    if (o->await_id >= 0 && (!at || o->await_until < at))
        at = o->await_until;
    if (o->next_key && (!at || o->next_key < at))
        at = o->next_key;
    if (!at)
        return 100; /* the child is looked after */
    return at <= now ? 0 : (int)((at - now + 999) / 1000);
}

static void keep_time(struct outer *o)
{
    int64_t now = now_us();
    if (o->next_key && now >= o->next_key)
        next_key(o);
    if (o->await_id >= 0 && now >= o->await_until) {
        printf("{\"id\":%ld,\"error\":\"it did not come\",\"bytes\":%lu}\n", o->await_id,
               o->received - o->typed_received);
        await_none(o);
    }
}

static void turn(struct outer *o)
{
    bool reads = o->master >= 0 && !o->stopped && !(o->rate && now_us() < o->next_read);
    struct pollfd fds[] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = reads || unwritten(o) ? o->master : -1,
         .events = (short)((reads ? POLLIN : 0) | (unwritten(o) ? POLLOUT : 0))},
    };
    int ms = wait_ms(o);
    poll(fds, 2, ms < 100 ? ms : 100);
    if (reads && fds[1].revents & POLLIN)
        read_master(o);
    if (o->master >= 0)
        write_input(o);
    if (fds[0].revents)
        read_commands(o);
    keep_time(o);
    reap(o);
    if (o->ended && !o->stopped)
        finish(o);
    fflush(stdout);
}

static char **read_options(struct outer *o, char **argv, bool *ret_dark, bool *ret_blind)
{
    for (argv++; *argv && !strncmp(*argv, "--", 2); argv++) {
        if (!strcmp(*argv, "--blind"))
            *ret_blind = true;
        else if (!strcmp(*argv, "--size"))
            sscanf(*++argv, "%dx%d", &o->size.cols, &o->size.rows);
        else if (!strcmp(*argv, "--cell"))
            sscanf(*++argv, "%dx%d", &o->size.cell_width, &o->size.cell_height);
        else if (!strcmp(*argv, "--ground"))
            *ret_dark = strcmp(*++argv, "light") != 0;
        else if (!strcmp(*argv, "--log"))
            o->log = open(*++argv, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    }
    return argv;
}

int main(int argc, char **argv)
{
    struct outer o = {
        .log = -1,
        .await_id = -1,
        .size = {.cols = 80, .rows = 24, .cell_width = 10, .cell_height = 20},
    };
    bool dark = true, blind = false;
    char **command = read_options(&o, argv, &dark, &blind);
    if (argc < 2 || !*command)
        return 2;
    memory_end_always(true);
    signal(SIGPIPE, SIG_IGN);
    o.typed_at = now_us();
    o.terminal = outer_terminal_create(o.size, dark, !blind);
    start(&o, command);
    while (!o.commands_ended)
        turn(&o);
    return 0;
}
