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
#include "tests/bench/works.h"
#include "vterm_snapshot/terminal.h"

#define ROUNDS  5
#define HISTORY 10000
#define CHUNK   (64 * 1024) /* what the daemon takes at once in a flood */

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
    work_make(w, 1 << 22, &work);
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
        for (size_t i = 0; i < WORK_COUNT; i++)
            if (!only || !strcmp(only, works[i].name))
                measure(&works[i], cols, rows);
    }
    return 0;
}
