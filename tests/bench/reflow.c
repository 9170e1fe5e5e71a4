/* What another width costs a terminal whose scrollback is full, in processor time: the resize
 * itself, and the first that reads it then. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "vterm_snapshot/terminal.h"

#define ROUNDS 9

static const struct terminal_events events;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_size);
    return values[ROUNDS / 2];
}

/* LIMIT_SCROLLBACK_LINES rows of lines of `cells` columns, `character` in each. */
static void fill(struct terminal *t, const char *character, int cells)
{
    struct bytes line = {0};
    for (int i = 0; i < cells; i++)
        bytes_append_text(&line, i % 7 == 3 ? character : i % 9 ? "x" : " ");
    bytes_append_text(&line, "\r\n");
    for (int i = 0; i < LIMIT_SCROLLBACK_LINES + 100; i++) {
        char *copy = memcpy(malloc(line.len), line.data, line.len);
        terminal_write(t, copy, line.len);
        free(copy);
    }
    bytes_finish(&line);
}

static void measure(const char *name, const char *character, int cells, int from, int to)
{
    double resize[ROUNDS], count[ROUNDS], read[ROUNDS];
    struct bytes text = {0};
    size_t rows = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct terminal *t = terminal_create(
            &(struct terminal_options){.cols = from, .rows = 50, .events = &events});
        fill(t, character, cells);
        double start = now_ms();
        terminal_resize(t, to, 50);
        double resized = now_ms();
        rows = terminal_scrollback_count(t);
        double counted = now_ms();
        for (size_t k = 0; k < rows; k++, text.len = 0)
            terminal_scrollback_text(t, k, &text);
        resize[i] = resized - start;
        count[i] = counted - resized;
        read[i] = now_ms() - counted;
        terminal_destroy(t);
    }
    bytes_finish(&text);
    printf("%-34s %3d to %3d columns: resize %6.3f ms, its rows found %6.3f ms, all %5zu read "
           "%6.3f ms\n",
           name, from, to, median(resize), median(count), rows, median(read));
}

int main(void)
{
    measure("lines that fit", "x", 40, 80, 60);
    measure("lines of 100 columns, narrower", "x", 100, 120, 60);
    measure("lines of 100 columns, wider", "x", 100, 80, 120);
    measure("wide characters, narrower", "\xe6\x97\xa5", 80, 120, 60);
    measure("wide characters, wider", "\xe6\x97\xa5", 80, 60, 120);
    measure("two columns", "x", 80, 80, 2);
    return 0;
}
