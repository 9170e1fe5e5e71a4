/* ask: a program that asks its terminal, for tests.
 *
 * usage: ask list FILE OUT
 *            Each line of FILE, in hex, is a query; what is answered to it goes to OUT in hex, a
 *            line each. In front of them: TERM, COLORTERM, the terminal's size in cells and pixels.
 *        ask start OUT [MS]
 *            Asks as fish 4 does when it starts, and waits for the answer to DA1, at most MS
 *            (8000). OUT gets how long that took in ms, or "none".
 *        ask one HEX OUT [MS]
 *            Asks that, waits for the answer to DA1, which is part of it, and keeps all answers.
 *
 * OUT comes into being when it is complete. The terminal is raw meanwhile. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define LINE     8192
#define ANSWER   8192
#define QUERY_MS 5000 /* for one answer of a list */
#define START_MS 8000

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static size_t from_hex(const char *hex, char *to)
{
    size_t n = 0;
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        to[n++] = (char)byte;
    return n;
}

static void print_hex(FILE *to, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        fprintf(to, "%02x", (unsigned char)data[i]);
    fputc('\n', to);
}

/* Whether the answers hold what is waited for; *ret_end: what is in front of it. */
typedef bool ends(const char *data, size_t len, size_t *ret_end);

static bool has_status(const char *data, size_t len, size_t *ret_end)
{
    const char *at = memmem(data, len, "\033[0n", 4);
    if (at)
        *ret_end = (size_t)(at - data);
    return at != NULL;
}

/* CSI ? digits c */
static bool has_attributes(const char *data, size_t len, size_t *ret_end)
{
    for (size_t i = 0; i + 3 < len; i++) {
        if (memcmp(data + i, "\033[?", 3) != 0)
            continue;
        size_t n = i + 3 + strspn(data + i + 3, "0123456789;");
        *ret_end = i;
        if (n < len && data[n] == 'c')
            return true;
    }
    return false;
}

/* Reads until that is there; returns whether it came. `data` is always followed by a NUL. */
static bool read_until(ends *end, char *data, size_t *len, size_t *ret_end, int ms)
{
    int64_t deadline = now_ms() + ms;
    data[*len] = '\0';
    while (!end(data, *len, ret_end)) {
        struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
        int64_t left = deadline - now_ms();
        ssize_t n = 0;
        if (left <= 0 || *len + 1 >= ANSWER || poll(&fd, 1, (int)left) <= 0 ||
            (n = read(STDIN_FILENO, data + *len, ANSWER - 1 - *len)) <= 0)
            return false;
        *len += (size_t)n;
        data[*len] = '\0';
    }
    return true;
}

static void put(const char *data, size_t len)
{
    while (len) {
        ssize_t n = write(STDOUT_FILENO, data, len);
        if (n <= 0)
            exit(1);
        data += n;
        len -= (size_t)n;
    }
}

/* One query and another behind it; what is answered to the first alone. */
static void ask_one(const char *hex, FILE *out)
{
    char query[LINE], answers[ANSWER];
    size_t len = from_hex(hex, query), got = 0, end = 0;
    bool status = len == 4 && !memcmp(query, "\033[5n", 4);
    put(query, len);
    put(status ? "\033[c" : "\033[5n", status ? 3 : 4);
    if (!read_until(status ? has_attributes : has_status, answers, &got, &end, QUERY_MS))
        end = got;
    print_hex(out, answers, end);
}

static void ask_list(const char *path, FILE *out)
{
    char line[2 * LINE];
    struct winsize size = {0};
    FILE *list = fopen(path, "r");
    if (!list)
        exit(1);
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    fprintf(out, "%s %s %d %d %d %d\n", getenv("TERM") ?: "-", getenv("COLORTERM") ?: "-",
            size.ws_col, size.ws_row, size.ws_xpixel, size.ws_ypixel);
    while (fgets(line, sizeof line, list))
        ask_one(line, out);
    fclose(list);
}

static void ask_attributes(const char *query, size_t len, FILE *out, int ms, bool timed)
{
    char answers[ANSWER];
    size_t got = 0, end = 0;
    int64_t began = now_ms();
    put(query, len);
    bool came = read_until(has_attributes, answers, &got, &end, ms);
    if (!came)
        fprintf(out, "none\n");
    else if (timed)
        fprintf(out, "%d\n", (int)(now_ms() - began));
    else
        print_hex(out, answers, got);
}

/* kitty's flags, XTVERSION, one capability, DA1: so fish 4.0 starts. */
static const char starting[] = "\033[?u\033[>0q\033P+q696e646e\033\\\033[c";

int main(int argc, char **argv)
{
    struct termios before, raw;
    char query[LINE], temporary[4096];
    if (argc < 3)
        return 2;
    bool start = !strcmp(argv[1], "start");
    const char *path = argv[start ? 2 : 3];
    int ms_at = start ? 3 : 4, ms = argc > ms_at ? atoi(argv[ms_at]) : START_MS;
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *out = fopen(temporary, "w");
    if (!out || tcgetattr(STDIN_FILENO, &before) != 0)
        return 1;
    raw = before;
    cfmakeraw(&raw);
    raw.c_oflag = before.c_oflag;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    if (start)
        ask_attributes(starting, sizeof starting - 1, out, ms, true);
    else if (!strcmp(argv[1], "one"))
        ask_attributes(query, from_hex(argv[2], query), out, ms, false);
    else
        ask_list(argv[2], out);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    fclose(out);
    return rename(temporary, path) == 0 ? 0 : 1;
}
