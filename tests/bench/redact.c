/* redact texts: takes the secrets out of texts on stdin that end in a NUL each
 * (tests/secrets/check.js); redact text: out of one, which may have any. redact bench: processor
 * time by byte, of what terminals show and of what was made to be slow. redact climb SECONDS: looks
 * for what is slower still, in what pieces of these and of the shapes' beginnings make when they
 * are put together. redact grow SECONDS: for what costs more a byte the longer it is, in lines of
 * stdin that stand again and again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "envelope/redact/shapes.h"

#define MIB     (1 << 20)
#define PREVIEW 3000
#define ROUNDS  5

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The fastest of some rounds, in milliseconds. */
static double measure(const char *text, size_t len, int rounds)
{
    double best = 1e9;
    for (int i = 0; i < rounds; i++) {
        struct bytes out = {0};
        double before = now_ms();
        redact_text(text, len, NULL, &out);
        double took = now_ms() - before;
        best = took < best ? took : best;
        bytes_finish(&out);
    }
    return best;
}

static const char *const inputs[] = {
    "-rw-r--r-- 1 dana dana  1675 Nov 22 21:18 envelope/redact/tokens.c\n",
    "2026-11-22T21:18:47Z INFO server: request id=42 path=/a/b?c=d took 12 ms status=200\n",
    "    if (end > at && !quote && strchr(\"x\", s->text[end - 1]))\n        end--;\n",
    "      \"resolved\": \"https://registry.npmjs.org/a/-/a-1.0.0.tgz\",\n",
    "      \"integrity\": \"sha512-q7Z3k9X1j5V8w2M4q7Z3k9==\",\n",
    "The quick brown fox jumps over the lazy dog, and says so in plain words.\n",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n",
    "src/a.c:12:5: warning: unused variable 'password' [-Wunused-variable]\n",
    "export DB_PASSWORD=hunter2 AWS_SECRET_ACCESS_KEY=wJalrXUtn+FEMI1\n",
    "a-",
    "sk-",
    "M.",
    "=",
    "token=",
    "token=token",
    "token=\"",
    "pass=$(",
    "pass={",
    "://",
    ":de",
    "Login OK: [a/",
    "a://b:c",
    "-----BEGIN A-----",
    "-----BEGIN A-----\n",
    "-----END A-----\n",
    "eyJ",
    "eyJa.",
    "ghp_",
    "mysql -p",
    "curl -u a:b ",
    "jdbc:oracle:thin:a/",
    "sudo sh -c 'mysql -pa b' ",
    "echo a | ",
    "a\\\"",
    "\\",
    "'",
    "\"",
    "password: |\n",
    "password: |\n ",
    "A=1\n",
    "Bearer ",
    "Authorization: ",
    "Cookie: a=b; ",
    "password is generated for ",
    "identified ",
    "name: TOKEN ",
    "<password>",
    "\xe2\x80\x8b",
    "a\xe2\x80\x8b",
    "x_token: ",
    "SIG=",
    "pat",
    "AKIA",
    "0",
    "a",
    "A",
    "_",
    "12345678:AA",
    "hooks.slack.com/services/",
    "MIIEpAIBAAKCAQEAx3q1w2e3r4t5q1w2e3r4t5ABCDEFGHIJ234567abcdefGHIJ\n",
    "PuTTY-User-Key-File-",
    "Private-Lines: 1\n",
    "login machine password ",
    "sudo docker exec mysql ",
    /* found by the climb */
    "A=1\ncurl -u a:b ",
    "curl -u a:b sudo doc",
    "sk- -p",
    "t1. -p",
    "AAAAAA",
    "   ",
    "0\"",
    "A3-:",
    "csk-=",
    "x_token: token=\"a",
    "token=\"password i",
    "sk-None-Cookie: a",
    "((((----BEGIN A--SIG=sk-",
    "x_tok\xc3\xa9n: ",
    "\xc3\xa9",
    "|A3-pat",
    "K10name: TOKEN secret_",
    "Bearer A3-",
    /* many names of one value, or of one line's end */
    "pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw pw a1b2c3d4e5f6 x x x\n",
    "pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: pw: \n",
    "pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  pw  \n",
    "key key key key key key key key ",
    "key: ",
    "- key: a\n",
    "key 1 ",
    "key:",
    "  995  history | tail -5  ",
    "$ curl -d 'client_secret=a1~b2&c=d' https://a.example/token | jq  ",
    "export X_SECRET=a1-b2 ://c.example/ ",
    "-pw -pw -pw -pw -pw -pw -pw -pw ",
    "pw=a&pw=a&pw=a&pw=a&pw=a&pw=a&",
    " -p",
};

/* The same with something behind; of some the half of the text is that. */
static const struct tailed {
    const char *unit, *tail;
} tailed[] = {
    {"((((----BEGIN A--", "\n"},  {"-eyJ", ".a"},           {"authorization:(", ""},
    {"authorization:a(", ")"},    {"token=={value:{", "}"}, {"set-cookie:", ""},
    {"set-cookie:a=$", ""},       {"set-cookie:a=[", "]"},  {"token=={value:[", ","},
    {"mysql -pgeheim1 db\n", ""},
};

static char *repeated(const char *piece, const char *tail, size_t len)
{
    char *text = malloc(len + 1);
    size_t n = strlen(piece), behind = strlen(tail), half = behind ? len / 2 : len;
    for (size_t i = 0; text && i < len; i++)
        text[i] = i < half ? piece[i % n] : tail[i % behind];
    if (!text)
        exit(1);
    text[len] = 0;
    return text;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

#define PLAIN  (sizeof inputs / sizeof *inputs)
#define INPUTS (PLAIN + sizeof tailed / sizeof *tailed)

static const char *unit_of(size_t i)
{
    return i < PLAIN ? inputs[i] : tailed[i - PLAIN].unit;
}

/* Of each input; returns the median. */
static double measure_all(size_t len, double ret_took[INPUTS], double *ret_preview)
{
    double sorted[INPUTS];
    for (size_t i = 0; i < INPUTS; i++) {
        char *text = repeated(unit_of(i), i < PLAIN ? "" : tailed[i - PLAIN].tail, len);
        ret_took[i] = sorted[i] = measure(text, len, ROUNDS);
        double preview = measure(text, PREVIEW, ROUNDS);
        *ret_preview = preview > *ret_preview ? preview : *ret_preview;
        free(text);
    }
    qsort(sorted, INPUTS, sizeof *sorted, by_value);
    return sorted[INPUTS / 2];
}

static int bench(void)
{
    double took[INPUTS], preview = 0, slowest = 0, median = measure_all(MIB, took, &preview);
    for (size_t i = 0; i < INPUTS; i++) {
        printf("%8.2f ms/MiB  %5.2f of the median  %.40s%s", took[i], took[i] / median, unit_of(i),
               strchr(unit_of(i), '\n') ? "" : "\n");
        slowest = took[i] > slowest ? took[i] : slowest;
    }
    printf("median %.2f ms/MiB, slowest %.2f (%.2f times), a preview of %d bytes at most %.3f ms\n",
           median, slowest, slowest / median, PREVIEW, preview);
    return 0;
}

/* ---- what is slower still ---- */

#define PARTS 6
#define SHORT (64 << 10)
#define STALE 60 /* tries that brought nothing: it begins elsewhere */

/* Pieces: the inputs, their characters, and what shapes begin with. */
static const char *piece(unsigned at)
{
    static char text[64];
    static const char *const more[] = {" ",  "=", "\n", ":", "'", "key", "secret", "password=",
                                       "--", "{", "|",  ";", "<", "_",   "x-",     " -p"};
    unsigned count =
        (unsigned)(INPUTS + sizeof more / sizeof *more) + (unsigned)redact_shape_count();
    at %= count;
    if (at < INPUTS)
        return unit_of(at);
    at -= (unsigned)INPUTS;
    if (at < sizeof more / sizeof *more)
        return more[at];
    const char *form = redact_shape((int)(at - sizeof more / sizeof *more))->form;
    size_t len = strcspn(form, "<^");
    snprintf(text, sizeof text, "%.*s%s", (int)len, form, len ? "" : "a");
    return text;
}

struct tried {
    unsigned parts[PARTS];
    int count, cut; /* of the last part only so many bytes; 0: all */
    double ms;      /* a MiB */
};

static void spell(const struct tried *t, struct bytes *out)
{
    out->len = 0;
    for (int i = 0; i < t->count; i++) {
        const char *text = piece(t->parts[i]);
        size_t len = strlen(text), most = i == t->count - 1 && t->cut ? (size_t)t->cut : len;
        bytes_append(out, text, most < len ? most : len);
    }
    bytes_append_char(out, '\0');
}

static void vary(struct tried *t)
{
    int at = rand() % t->count;
    switch (rand() % 4) {
    case 0:
        t->parts[at] = (unsigned)rand();
        break;
    case 1:
        if (t->count < PARTS)
            t->parts[t->count++] = (unsigned)rand();
        break;
    case 2:
        if (t->count > 1)
            t->parts[at] = t->parts[--t->count];
        break;
    default:
        t->cut = rand() % 12;
    }
}

static void measure_tried(struct tried *t, int rounds)
{
    struct bytes unit = {0};
    spell(t, &unit);
    char *text = repeated(unit.data, "", SHORT);
    t->ms = measure(text, SHORT, rounds) * MIB / SHORT;
    free(text);
    bytes_finish(&unit);
}

/* Better by chance is not better. */
static void climb(struct tried *best)
{
    *best = (struct tried){.parts = {(unsigned)rand()}, .count = 1};
    measure_tried(best, 2);
    for (int stale = 0; stale < STALE; stale++) {
        struct tried next = *best;
        vary(&next);
        measure_tried(&next, 1);
        if (next.ms <= best->ms * 1.01)
            continue;
        measure_tried(&next, 4);
        if (next.ms > best->ms * 1.01) {
            *best = next;
            stale = 0;
        }
    }
}

static int search(int seconds)
{
    double took[INPUTS], preview = 0, median = measure_all(SHORT, took, &preview) * MIB / SHORT;
    struct tried worst = {0}, best;
    struct bytes unit = {0};
    printf("median %.2f ms/MiB\n", median);
    for (double end = now_ms() + seconds * 1e3; now_ms() < end;) {
        climb(&best);
        measure_tried(&best, ROUNDS);
        if (best.ms <= worst.ms && best.ms < 2.6 * median)
            continue;
        worst = best.ms > worst.ms ? best : worst;
        spell(&best, &unit);
        printf("%8.2f ms/MiB  %5.2f of the median  ", best.ms, best.ms / median);
        for (const char *c = unit.data; *c; c++)
            printf(*c == '\n' ? "\\n" : "%c", *c);
        printf("\n");
        fflush(stdout);
    }
    printf("slowest %.2f ms/MiB (%.2f times)\n", worst.ms, worst.ms / median);
    bytes_finish(&unit);
    return 0;
}

/* ---- what costs more a byte the longer it is ---- */

#define LINES_MOST 40000
#define LINE_BYTES 300
#define LONG       (384 << 10)
#define BRIEF      (16 << 10)

/* Lines of stdin, those in JSON's texts, too. */
static int read_lines(char **lines)
{
    static char line[1 << 16];
    int count = 0;
    while (fgets(line, sizeof line, stdin))
        for (char *at = line; *at && count < LINES_MOST;) {
            char *end = strstr(at, "\\n");
            size_t len = end ? (size_t)(end - at) : strcspn(at, "\n");
            if (len > 4 && len < LINE_BYTES)
                lines[count++] = strndup(at, len);
            at += len + (end ? 2 : strcspn(at + len, "\n") + (at[len] != 0));
        }
    return count;
}

static double cost_of(const char *unit, size_t len)
{
    char *text = repeated(unit, "", len);
    double ms = measure(text, len, 2);
    free(text);
    return ms * MIB / (double)len;
}

/* One or two lines again and again. Returns whether none of them cost twice as much a byte. */
static int grow(int seconds)
{
    static char *lines[LINES_MOST];
    int count = read_lines(lines), tried = 0, grew = 0;
    if (!count)
        return 2;
    for (double end = now_ms() + seconds * 1e3; now_ms() < end; tried++) {
        char unit[2 * LINE_BYTES + 4];
        snprintf(unit, sizeof unit, "%s%s%s%s", lines[rand() % count], rand() % 2 ? "\n" : " ",
                 rand() % 2 ? lines[rand() % count] : "", rand() % 2 ? "\n" : " ");
        double brief = cost_of(unit, BRIEF), full = cost_of(unit, LONG);
        if (full < 2 * brief + 6 || cost_of(unit, LONG) < 2 * cost_of(unit, BRIEF) + 6)
            continue;
        printf("%8.2f ms/MiB, %8.2f where it is longer: %s\n", brief, full, unit);
        grew++;
    }
    printf("%d texts of %d lines, %d of which cost more a byte the longer they are\n", tried, count,
           grew);
    return grew != 0;
}

/* A row that fills the terminal's `columns` goes on in the next one. */
static void add_full_rows(struct redact_ends *ends, const char *text, size_t len, size_t columns)
{
    size_t row = 0;
    for (size_t at = 0; at < len; at++) {
        if (text[at] == '\n' && row == columns)
            redact_ends_add(ends, at);
        row = text[at] == '\n' ? 0 : row + ((text[at] & 0xc0) != 0x80);
    }
}

static void redact_rows(const char *text, size_t len, size_t columns, struct bytes *out)
{
    struct redact_ends ends = {0};
    if (columns)
        add_full_rows(&ends, text, len, columns);
    redact_text_over(text, len, &ends, NULL, out);
    redact_ends_finish(&ends);
}

static int texts(bool one, size_t columns)
{
    struct bytes in = {0}, out = {0};
    static char piece[65536];
    for (size_t n; (n = fread(piece, 1, sizeof piece, stdin)) > 0;)
        bytes_append(&in, piece, n);
    for (size_t at = 0; at < in.len;) {
        size_t len = one ? in.len : strnlen(in.data + at, in.len - at);
        out.len = 0;
        redact_rows(in.data + at, len, columns, &out);
        fwrite(out.len ? out.data : "", 1, out.len, stdout);
        if (!one)
            putchar(0);
        at += len + 1;
    }
    bytes_finish(&in);
    bytes_finish(&out);
    return ferror(stdout) != 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "bench"))
        return bench();
    if (argc == 2 && !strcmp(argv[1], "texts"))
        return texts(false, 0);
    if (argc == 3 && !strcmp(argv[1], "texts"))
        return texts(false, (size_t)atoi(argv[2]));
    if (argc == 2 && !strcmp(argv[1], "text"))
        return texts(true, 0);
    if (argc == 3 && !strcmp(argv[1], "climb"))
        return search(atoi(argv[2]));
    if (argc == 3 && !strcmp(argv[1], "grow"))
        return grow(atoi(argv[2]));
    fprintf(stderr, "usage: redact texts [COLUMNS]|text|bench|climb SECONDS|grow SECONDS\n");
    return 2;
}
