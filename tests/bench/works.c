#include "tests/bench/works.h"

#include <string.h>

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

const struct work works[WORK_COUNT] = {
    {"seq", make_seq, 0},           {"code", make_code, 20},     {"log80", make_log80, 20},
    {"long", make_long, 8},         {"ls-color", make_ls, 17},   {"compiler", make_compiler, 9},
    {"unicode", make_unicode, 4.5}, {"dense", make_dense, 0.95}, {"tui", make_tui, 1.6},
    {"progress", make_progress, 0}, {"mix", make_mix, 17},
};

void work_make(const struct work *work, size_t len, struct bytes *out)
{
    seed = 1;
    for (int i = 0; out->len < len; i++)
        work->make(out, i);
}
