/* redact texts: takes the secrets out of texts on stdin that end in a NUL each
 * (tests/secrets/check.js). redact bench: processor time by byte, of what terminals show and of
 * what was made to be slow. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "envelope/redact.h"

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
static double measure(const char *text, size_t len)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
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
    "-rw-r--r-- 1 dana dana  1675 Nov 22 21:18 envelope/redact_tokens.c\n",
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
    "a://b:c",
    "-----BEGIN A-----",
    "-----BEGIN A-----\n",
    "-----END A-----\n",
    "eyJ",
    "eyJa.",
    "ghp_",
    "mysql -p",
    "curl -u a:b ",
    "echo a | ",
    "a\\\"",
    "\\",
    "'",
    "\"",
    "password: |\n",
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

static int bench(void)
{
    size_t plain = sizeof inputs / sizeof *inputs;
    size_t count = plain + sizeof tailed / sizeof *tailed;
    double took[128], sorted[128], worst_preview = 0;
    for (size_t i = 0; i < count; i++) {
        const char *unit = i < plain ? inputs[i] : tailed[i - plain].unit;
        const char *tail = i < plain ? "" : tailed[i - plain].tail;
        char *text = repeated(unit, tail, MIB);
        took[i] = sorted[i] = measure(text, MIB);
        double preview = measure(text, PREVIEW);
        worst_preview = preview > worst_preview ? preview : worst_preview;
        free(text);
    }
    qsort(sorted, count, sizeof *sorted, by_value);
    double median = sorted[count / 2];
    for (size_t i = 0; i < count; i++) {
        const char *unit = i < plain ? inputs[i] : tailed[i - plain].unit;
        printf("%8.2f ms/MiB  %5.2f of the median  %.40s%s", took[i], took[i] / median, unit,
               strchr(unit, '\n') ? "" : "\n");
    }
    printf("median %.2f ms/MiB, slowest %.2f (%.2f times), a preview of %d bytes at most %.3f ms\n",
           median, sorted[count - 1], sorted[count - 1] / median, PREVIEW, worst_preview);
    return 0;
}

static int texts(void)
{
    struct bytes in = {0}, out = {0};
    static char piece[65536];
    for (size_t n; (n = fread(piece, 1, sizeof piece, stdin)) > 0;)
        bytes_append(&in, piece, n);
    for (size_t at = 0; at < in.len;) {
        size_t len = strlen(in.data + at);
        out.len = 0;
        redact_text(in.data + at, len, NULL, &out);
        fwrite(out.len ? out.data : "", 1, out.len, stdout);
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
        return texts();
    fprintf(stderr, "usage: redact texts|bench\n");
    return 2;
}
