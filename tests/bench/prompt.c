/* prompt: what the integration costs at a prompt, from prompt to prompt.
 *
 * usage: prompt SHELL COMMAND NAME=SCRIPT...
 *
 * Starts SHELL once per NAME, each with its SCRIPT ("-": nothing of ours), types COMMAND, waits for
 * the prompt, and again. 5 rounds of 500 commands, the shells taking turns in groups of 50 so that
 * a noisy machine is noisy for all. Prints the median of the rounds' medians, and what it is of the
 * first's; behind that the shell's own processor time, which a busy machine blurs least. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 5
#define TURNS  10
#define GROUP  50
#define MOST   8
#define PROMPT "@@ready>"

struct contestant {
    const char *name, *script;
    pid_t pid;
    int master;
    double samples[TURNS * GROUP], rounds[ROUNDS];
    double used[ROUNDS]; /* us of processor a command, in the shell itself */
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* The script as the daemon would give it: descriptor 3, behind the line that sets the nonce. */
static int script_fd(const char *script, const char *shell, const char *home)
{
    static const char nonce[] = "0123456789abcdef0123456789abcdef";
    char head[512] = "";
    int fd = memfd_create("script", 0);
    if (!strcmp(shell, "bash") && strstr(script, "shell/bash.sh"))
        snprintf(head, sizeof head, "__ptyd_v=(%s); __ptyd_v[5]=0; __ptyd_v[15]=%s/last\n", nonce,
                 home);
    else if (!strcmp(shell, "zsh"))
        snprintf(head, sizeof head,
                 "typeset -ga __ptyd_v; __ptyd_v=(%s 0 '' 0 0 '' 0 '' '' '')\nunset ZDOTDIR\n",
                 nonce);
    else if (!strcmp(shell, "fish"))
        snprintf(head, sizeof head, "set -gu __ptyd_nonce %s\n", nonce);
    else if (!strcmp(shell, "dash"))
        snprintf(head, sizeof head, "__ptyd_n=%s\nENV=%s/.shrc\n", nonce, home);
    FILE *out = fdopen(dup(fd), "w");
    fputs(head, out);
    FILE *in = strcmp(script, "-") ? fopen(script, "r") : NULL;
    for (int c; in && (c = fgetc(in)) != EOF;)
        fputc(c, out);
    if (in)
        fclose(in);
    fclose(out);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static void run_shell(const struct contestant *c, const char *shell, const char *home)
{
    bool ours = strcmp(c->script, "-");
    char zdotdir[4096];
    if (ours) {
        int fd = script_fd(c->script, shell, home);
        if (fd != 3)
            dup2(fd, 3);
    }
    setenv("HOME", home, 1);
    setenv("TERM", "xterm-256color", 1);
    unsetenv("PROMPT_COMMAND");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_DATA_HOME");
    snprintf(zdotdir, sizeof zdotdir, "%s/loader", home);
    if (!strcmp(shell, "zsh")) {
        setenv("ZDOTDIR", ours ? zdotdir : home, 1);
        execlp("zsh", "zsh", NULL);
    } else if (!strcmp(shell, "fish")) {
        execlp("fish", "fish", ours ? "--init-command" : NULL, "builtin source /dev/fd/3", NULL);
    } else if (!strcmp(shell, "dash")) {
        snprintf(zdotdir, sizeof zdotdir, "%s/.shrc", home);
        setenv("ENV", ours ? "/dev/fd/3" : zdotdir, 1);
        execlp("dash", "dash", "-i", NULL);
    } else if (ours) {
        execlp("bash", "bash", "--rcfile", "/dev/fd/3", NULL);
    }
    execlp(shell, shell, NULL);
    fail(shell);
}

static void await_prompt(struct contestant *c)
{
    char buffer[65536];
    size_t held = 0;
    for (;;) {
        struct pollfd p = {.fd = c->master, .events = POLLIN};
        if (poll(&p, 1, 20000) <= 0) {
            fprintf(stderr, "%s: no prompt\n", c->name);
            exit(1);
        }
        ssize_t n = read(c->master, buffer + held, sizeof buffer - held - 1);
        if (n <= 0)
            fail(c->name);
        held += (size_t)n;
        if (memmem(buffer, held, PROMPT, strlen(PROMPT)))
            return;
        if (held > sizeof buffer / 2) {
            memmove(buffer, buffer + held - 64, 64);
            held = 64;
        }
    }
}

/* What follows a prompt: marks, modes. It must not be taken for an answer. */
static void settle(struct contestant *c)
{
    char buffer[4096];
    struct pollfd p = {.fd = c->master, .events = POLLIN};
    while (poll(&p, 1, 1) > 0 && read(c->master, buffer, sizeof buffer) > 0)
        ;
}

static void start(struct contestant *c, const char *shell, const char *home)
{
    struct winsize size = {.ws_col = 200, .ws_row = 50};
    c->pid = forkpty(&c->master, NULL, NULL, &size);
    if (c->pid == 0)
        run_shell(c, shell, home);
    await_prompt(c);
    settle(c);
}

static double once(struct contestant *c, const char *line)
{
    settle(c);
    double begin = now_us();
    if (write(c->master, line, strlen(line)) < 0)
        fail("write");
    await_prompt(c);
    return now_us() - begin;
}

/* The processor time that the shell has used, in us; without its children's. */
static double used_us(const struct contestant *c)
{
    char path[64];
    unsigned long long ns = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)c->pid);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%llu", &ns) != 1)
        fail(path);
    fclose(f);
    return (double)ns / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f)
        fail(path);
    fputs(text, f);
    fclose(f);
}

int main(int argc, char **argv)
{
    static struct contestant all[MOST];
    char home[] = "/tmp/ptyd-bench-XXXXXX", folder[4200], line[512];
    int count = 0;
    if (argc < 4 || !mkdtemp(home))
        return 2;
    for (int i = 3; i < argc && count < MOST; i++) {
        char *equals = strchr(argv[i], '=');
        *equals = '\0';
        all[count++] = (struct contestant){.name = argv[i], .script = equals + 1};
    }
    write_file(home, ".bashrc", "PS1='" PROMPT " '\n");
    write_file(home, ".zshrc", "PS1='" PROMPT " '\n");
    write_file(home, ".shrc", "PS1='" PROMPT " '\n");
    /* fish reads all manual pages in the background of its first start, unless it did so before */
    snprintf(folder, sizeof folder,
             "cd %s && mkdir -p loader .config/fish .local/share/fish/generated_completions", home);
    if (system(folder) != 0)
        return 1;
    write_file(home, "loader/.zshenv", "builtin source /dev/fd/3\n");
    write_file(home, ".config/fish/config.fish",
               "function fish_prompt; echo -n '" PROMPT " '; end\nset -g fish_greeting\n"
               "set -g fish_autosuggestion_enabled 0\n");
    snprintf(line, sizeof line, "%s\r", argv[2]);
    for (int i = 0; i < count; i++)
        start(&all[i], argv[1], home);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++)
            all[i].used[round] = -used_us(&all[i]);
        for (int turn = 0; turn < TURNS; turn++)
            for (int i = 0; i < count; i++)
                for (int k = 0; k < GROUP; k++)
                    all[i].samples[turn * GROUP + k] = once(&all[i], line);
        for (int i = 0; i < count; i++) {
            all[i].rounds[round] = median(all[i].samples, TURNS * GROUP);
            all[i].used[round] = (all[i].used[round] + used_us(&all[i])) / (TURNS * GROUP);
        }
    }
    double first = 0, first_used = 0;
    for (int i = 0; i < count; i++) {
        double us = median(all[i].rounds, ROUNDS);
        double used = median(all[i].used, ROUNDS);
        first = i ? first : us;
        first_used = i ? first_used : used;
        printf("%-5s %-10s %-24s %8.0f us   x %.2f   %+6.0f us   shell %5.0f us %+5.0f us\n",
               argv[1], argv[2], all[i].name, us, us / first, us - first, used, used - first_used);
        kill(all[i].pid, SIGKILL);
        waitpid(all[i].pid, NULL, 0);
    }
    snprintf(folder, sizeof folder, "rm -rf %s", home);
    return system(folder) != 0;
}
