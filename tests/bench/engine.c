/* engine: the terminal in memory against libvterm's own screen layer.
 *
 * usage: engine [COLSxROWS]...   (default 80x24 and 200x50; WORK=name: that work alone)
 *
 * Eleven works, made here so that everybody measures the same bytes: 5 paired rounds each, medians,
 * and the median of the rounds' ratios. Both sides keep 10,000 lines: ours as it does, libvterm's
 * as the cells its callback hands over. Times are of this process's processor. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vterm.h>

#include "base/bytes.h"
#include "vterm_snapshot/terminal.h"

#define ROUNDS  5
#define HISTORY 10000
#define CHUNK   4096

/* ---- the works ---- */

static unsigned seed;

static unsigned pick(unsigned count)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) % count;
}

static void words(struct bytes *out, size_t len)
{
    static const char *const list[] = {"return", "static", "if (x)",   "value",  "{",
                                       "}",      "int",    "for",      "buffer", "= 0;",
                                       "size_t", "->next", "/* so */", "error"};
    for (size_t start = out->len; out->len - start < len;) {
        bytes_append_text(out, list[pick(sizeof list / sizeof *list)]);
        bytes_append_char(out, ' ');
    }
}

static void make_seq(struct bytes *out, int i)
{
    bytes_printf(out, "%d\r\n", 100000 + i);
}

static void make_code(struct bytes *out, int i)
{
    (void)i;
    for (unsigned n = pick(4); n; n--)
        bytes_append_text(out, "    ");
    words(out, pick(50));
    bytes_append_text(out, "\r\n");
}

static void make_log80(struct bytes *out, int i)
{
    bytes_printf(out,
                 "2026-11-21T10:%02d:%02d.%03d INFO  worker[%04u] request %08x took %5u us ok\r\n",
                 i / 60 % 60, i % 60, i % 1000, pick(9999), i * 2654435761u, pick(99999));
}

static void make_long(struct bytes *out, int i)
{
    (void)i;
    words(out, 400 + pick(1200));
    bytes_append_text(out, "\r\n");
}

static void make_ls(struct bytes *out, int i)
{
    bytes_printf(out,
                 "-rw-r--r-- 1 dana dana %8u Nov 21 10:%02d \x1b[0m\x1b[01;3%um%s-%d\x1b[0m\r\n",
                 pick(9999999), i % 60, 1 + pick(6), pick(2) ? "a-file" : "directory", i);
}

static void make_compiler(struct bytes *out, int i)
{
    bytes_printf(out,
                 "\x1b[01m\x1b[Ksrc/shop.c:%d:%u:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: "
                 "\x1b[m\x1b[K'\x1b[01m\x1b[Kfoo%d\x1b[m\x1b[K' undeclared\r\n",
                 i, pick(80), i);
    words(out, 30);
    bytes_append_text(out, "\r\n      | \x1b[01;31m\x1b[K^~~~~~\x1b[m\x1b[K\r\n");
}

static void make_unicode(struct bytes *out, int i)
{
    static const char *const list[] = {"日本語", "Grüße",  "Привет", "emoji 😀",
                                       "naïve",  "中文字", "→ ok",   "ascii"};
    for (int k = 0; k < 8; k++)
        bytes_printf(out, "%s %d ", list[pick(8)], i);
    bytes_append_text(out, "\r\n");
}

static void make_dense(struct bytes *out, int i)
{
    (void)i;
    for (int k = 0; k < 20; k++)
        bytes_printf(out, "\x1b[%u;%uH\x1b[4%um%c", 1 + pick(24), 1 + pick(80), pick(8),
                     'a' + (int)pick(26));
}

static void make_tui(struct bytes *out, int i)
{
    bytes_printf(
        out, "\x1b[2;20r\x1b[20;1H\r\n\x1b[r\x1b[%u;1H\x1b[7m status %d \x1b[m\x1b[K\x1b[%u;10H",
        22, i, 1 + pick(20));
    words(out, 30);
}

static void make_progress(struct bytes *out, int i)
{
    for (int k = 0; k <= 20; k++)
        bytes_printf(out, "\rdownloading %3d%% [%-20.*s] %d", k * 5, k, "####################", i);
    bytes_append_text(out, "\r\n");
}

static void make_mix(struct bytes *out, int i)
{
    static void (*const list[])(struct bytes *, int) = {make_code,     make_log80,   make_ls,
                                                        make_compiler, make_unicode, make_code,
                                                        make_log80,    make_progress};
    list[pick(8)](out, i);
}

static const struct work {
    const char *name;
    void (*make)(struct bytes *out, int i);
    double asked; /* times libvterm's screen layer at 80x24; 0: no figure was asked for */
} works[] = {
    {"seq", make_seq, 0},           {"code", make_code, 20},     {"log80", make_log80, 20},
    {"long", make_long, 8},         {"ls-color", make_ls, 17},   {"compiler", make_compiler, 9},
    {"unicode", make_unicode, 4.5}, {"dense", make_dense, 0.95}, {"tui", make_tui, 1.6},
    {"progress", make_progress, 0}, {"mix", make_mix, 17},
};

/* ---- the two sides ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const struct terminal_events no_events;

static double run_ours(const struct bytes *work, int cols, int rows)
{
    static char chunk[CHUNK * 2];
    struct terminal *t = terminal_create(&(struct terminal_options){
        .cols = cols, .rows = rows, .scrollback = HISTORY, .events = &no_events});
    double began = now();
    size_t held = 0;
    for (size_t at = 0; at < work->len;) {
        size_t n = work->len - at < CHUNK ? work->len - at : CHUNK;
        memcpy(chunk + held, work->data + at, n);
        size_t taken = terminal_write(t, chunk, held + n);
        held = held + n - taken;
        memmove(chunk, chunk + taken, held);
        at += n;
    }
    double took = now() - began;
    terminal_destroy(t);
    return took;
}

static struct history {
    VTermScreenCell *lines[HISTORY];
    size_t count;
} history;

static int on_push(int cols, const VTermScreenCell *cells, void *user)
{
    VTermScreenCell **line = &history.lines[history.count++ % HISTORY];
    (void)user;
    free(*line);
    *line = malloc((size_t)cols * sizeof **line);
    memcpy(*line, cells, (size_t)cols * sizeof **line);
    return 1;
}

static double run_vterm(const struct bytes *work, int cols, int rows)
{
    static const VTermScreenCallbacks callbacks = {.sb_pushline = on_push};
    VTerm *vterm = vterm_new(rows, cols);
    vterm_set_utf8(vterm, 1);
    VTermScreen *screen = vterm_obtain_screen(vterm);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_set_callbacks(screen, &callbacks, NULL);
    vterm_screen_reset(screen, 1);
    double began = now();
    for (size_t at = 0; at < work->len;) {
        size_t n = work->len - at < CHUNK ? work->len - at : CHUNK;
        vterm_input_write(vterm, work->data + at, n);
        at += n;
    }
    double took = now() - began;
    vterm_free(vterm);
    for (size_t i = 0; i < HISTORY; i++) {
        free(history.lines[i]);
        history.lines[i] = NULL;
    }
    history.count = 0;
    return took;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

static void measure(const struct work *w, int cols, int rows)
{
    struct bytes work = {0};
    double ours[ROUNDS], theirs[ROUNDS], ratios[ROUNDS];
    seed = 1;
    for (int i = 0; work.len < 1 << 21; i++)
        w->make(&work, i);
    for (int r = 0; r < ROUNDS; r++) {
        theirs[r] = (double)work.len / run_vterm(&work, cols, rows) / 1e6;
        ours[r] = (double)work.len / run_ours(&work, cols, rows) / 1e6;
        ratios[r] = ours[r] / theirs[r];
    }
    printf("  %-9s %8.1f %8.1f %8.2f", w->name, median(theirs), median(ours), median(ratios));
    if (w->asked > 0 && cols == 80)
        printf("   (asked: %.2f)", w->asked);
    putchar('\n');
    fflush(stdout);
    bytes_finish(&work);
}

int main(int argc, char **argv)
{
    static const char *const sizes[] = {"80x24", "200x50"};
    const char *const *list = argc > 1 ? (const char *const *)argv + 1 : sizes;
    for (int k = 0; k < (argc > 1 ? argc - 1 : 2); k++) {
        int cols = 80, rows = 24;
        if (sscanf(list[k], "%dx%d", &cols, &rows) != 2)
            return 2;
        printf("In memory at %dx%d, MB per CPU second, medians of %d paired rounds:\n", cols, rows,
               ROUNDS);
        printf("  %-9s %8s %8s %8s\n", "work", "libvterm", "ptyd", "ratio");
        const char *only = getenv("WORK");
        for (size_t i = 0; i < sizeof works / sizeof *works; i++)
            if (!only || !strcmp(only, works[i].name))
                measure(&works[i], cols, rows);
    }
    return 0;
}
