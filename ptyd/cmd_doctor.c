/* Whether all that ptyd needs is there, and what of it is set up. Each look is one line or more:
 * `ok`; `may`, what could be done and need not be; or `todo`, what has to be. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/agents/service.h"
#include "ptyd/agents/settings.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/rpc.h"
#include "ptyd/command/show.h"
#include "ptyd/command/unit.h"
#include "ptyd/core/agent.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/conf.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"
#include "ptyd/core/trust.h"
#include "ptyd/proxy/child.h"
#include "ptyd/worker/worker.h"

static const char help[] =
    "usage: ptyd doctor [--json]\n\n"
    "Looks at what ptyd needs and what of it is set up: settings, directories, the socket, the\n"
    "daemon, libraries, the locale, shells and what each gives, agents and how each hears of your\n"
    "terminal, units. It starts nothing and changes nothing. Each line is ok; or says what you "
    "may\n"
    "do, or what is to be done.\n\n"
    "Exit status: 0 all is well, 1 something is to be done.\n\n"
    "examples:\n"
    "  ptyd doctor\n"
    "  ptyd doctor --json\n";

enum verdict { OK, MAY, TODO };

struct doctor {
    json_t *checks;
    bool todo;
};

static void __attribute__((format(printf, 4, 5)))
note(struct doctor *d, enum verdict verdict, const char *what, const char *format, ...)
{
    static const char *const words[] = {"ok", "may", "todo"};
    va_list args;
    char *text = NULL;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        memory_end();
    va_end(args);
    char *clean = text_clean(text, strlen(text), LIMIT_MESSAGE_BYTES);
    json_array_append_new(d->checks, json_pack("{s:s, s:s, s:s}", "what", what, "verdict",
                                               words[verdict], "text", clean));
    d->todo = d->todo || verdict == TODO;
    free(clean);
    free(text);
}

/* ---- settings, locale, directories ---- */

static void check_settings(struct doctor *d)
{
    struct conf_file *file = conf_open();
    char *const *lines;
    conf_now(file);
    size_t count = conf_wrong(file, &lines);
    for (size_t i = 0; i < count; i++)
        note(d, TODO, "settings", "%s", lines[i]);
    if (!count)
        note(d, OK, "settings", "%s%s", conf_path(file),
             access(conf_path(file), F_OK) ? ", which is not there: nothing is set" : "");
    conf_close(file);
}

static void check_locale(struct doctor *d)
{
    setlocale(LC_CTYPE, "");
    const char *codeset = nl_langinfo(CODESET);
    if (strcmp(codeset, "UTF-8") != 0)
        note(d, TODO, "locale", "it is %s; sessions speak UTF-8: LANG=C.UTF-8, say", codeset);
    else
        note(d, OK, "locale", "%s", codeset);
}

/* The last directory on the way to it that is there; new string. */
static char *last_there(const char *path)
{
    char *at = text_copy(path);
    while (access(at, F_OK) < 0 && strcmp(at, "/") != 0) {
        char *parent = paths_parent(at);
        free(at);
        at = parent;
    }
    return at;
}

/* It is made when it is needed, where it can be. */
static void check_missing(struct doctor *d, const char *what, const char *path)
{
    char *above = last_there(path);
    struct stat st;
    if (lstat(path, &st) == 0)
        note(d, TODO, what, "%s is a link to what is not there; make that, or move it away", path);
    else if (access(above, W_OK | X_OK) < 0)
        note(d, TODO, what, "%s cannot be made in %s: %s", path, above, strerror(errno));
    else
        note(d, OK, what, "%s, which will be made", path);
    free(above);
}

/* One that is to be ours alone, or a link to one. */
static bool check_own_directory(struct doctor *d, const char *what, const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0) {
        if (errno == ENOENT)
            check_missing(d, what, path);
        else
            note(d, TODO, what, "%s: %s", path, strerror(errno));
        return false;
    }
    if (!S_ISDIR(st.st_mode))
        note(d, TODO, what, "%s is no directory; move it away", path);
    else if (st.st_uid != geteuid())
        note(d, TODO, what, "%s belongs to user %u; move it away", path, (unsigned)st.st_uid);
    else if (st.st_mode & 0022)
        note(d, TODO, what, "others may write in %s: chmod go-w %s", path, path);
    else if (access(path, R_OK | W_OK | X_OK) < 0)
        note(d, TODO, what, "%s: %s", path, strerror(errno));
    else
        return true;
    return false;
}

static bool check_directory(struct doctor *d, const char *what, const char *path)
{
    char *doubt = trust_doubt(path, false);
    if (doubt)
        note(d, TODO, what, "%s", doubt);
    free(doubt);
    return !doubt && check_own_directory(d, what, path);
}

static void check_state(struct doctor *d)
{
    char *path = paths_state();
    struct statvfs disk;
    if (check_directory(d, "state", path)) {
        unsigned long long left =
            statvfs(path, &disk) < 0 ? 0 : (unsigned long long)disk.f_bavail * disk.f_frsize >> 20;
        if (left < LIMIT_DOCTOR_DISK_MIB)
            note(d, TODO, "state", "%s has %llu MiB left; make room", path, left);
        else
            note(d, OK, "state", "%s, %llu MiB left", path, left);
    }
    free(path);
}

/* ---- the daemon ---- */

static void check_socket(struct doctor *d)
{
    char *socket = paths_socket(), *directory = paths_parent(socket);
    struct stat st;
    bool there = lstat(socket, &st) == 0;
    if (check_directory(d, "socket", directory))
        note(d, there && !S_ISSOCK(st.st_mode) ? TODO : OK, "socket",
             there && !S_ISSOCK(st.st_mode) ? "%s is no socket; move it away" : "%s", socket);
    free(directory);
    free(socket);
}

static void note_daemon(struct doctor *d, const json_t *status)
{
    const json_t *warnings = json_object_get(status, "warnings"), *warning;
    const char *theirs = json_text(status, "version", "");
    size_t sessions = json_array_size(json_object_get(status, "sessions")), i;
    if (strcmp(theirs, PTYD_VERSION) != 0)
        note(d, TODO, "daemon", "it is ptyd %s, this is %s: ptyd upgrade", theirs, PTYD_VERSION);
    else
        note(d, OK, "daemon", "ptyd %s, %zu session%s", theirs, sessions, sessions == 1 ? "" : "s");
    json_array_foreach(warnings, i, warning)
        note(d, TODO, "daemon", "%s", json_string_value(warning));
    const char *confinement = json_text(status, "confinement", "off");
    note(d, strcmp(confinement, "on") ? MAY : OK, "daemon", "the worker's confinement is %s",
         confinement);
}

static void check_daemon(struct doctor *d)
{
    struct rpc rpc = {
        .fd = -1, .lines = {.limit = LIMIT_ANSWER_BYTES}, .silence_ms = LIMIT_LOOK_MS};
    char *error = NULL;
    char *socket = paths_socket();
    struct stat st;
    if (lstat(socket, &st) < 0) {
        note(d, OK, "daemon", "none runs; `ptyd open NAME` starts one");
    } else if (rpc_connect_again(&rpc) < 0) {
        note(d, OK, "daemon", "none runs that listens at %s; `ptyd open NAME` starts one", socket);
    } else {
        json_t *status = rpc_ask(&rpc, "status", json_object(), LIMIT_START_MS, &error);
        if (status)
            note_daemon(d, status);
        else
            note(d, TODO, "daemon", "%s", error);
        json_decref(status);
        rpc_close(&rpc);
    }
    free(error);
    free(socket);
}

/* A process that lacks one says which, and ends. */
static void check_libraries(struct doctor *d)
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        worker_prepare();
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || status)
        note(d, TODO, "libraries", "one is not here, or too old, as was said; install it again");
    else
        note(d, OK, "libraries", "all of them load");
}

/* ---- programs ---- */

/* What a program prints, its first line; new string, "" for nothing. */
static char *first_line_of(char *const argv[])
{
    char text[512] = "";
    int out[2];
    if (pipe2(out, O_CLOEXEC) < 0)
        return text_copy("");
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        cores_give_back();
        execv(argv[0], argv);
        _exit(127);
    }
    close(out[1]);
    int64_t by = clock_monotonic_ms() + LIMIT_DOCTOR_MS, left;
    struct pollfd more = {.fd = out[0], .events = POLLIN};
    ssize_t n = 1, len = 0;
    while (n > 0 && len < (ssize_t)sizeof text - 1 && (left = by - clock_monotonic_ms()) > 0)
        if (poll(&more, 1, (int)left) > 0 &&
            (n = read(out[0], text + len, sizeof text - 1 - (size_t)len)) > 0)
            len += n;
    close(out[0]);
    if (pid > 0) /* what is known is known: it may hang */
        kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return text_clean(text, strcspn(text, "\n"), sizeof text);
}

/* Whose shells make command blocks, from which version on. */
static const struct shell {
    const char *name;
    int major, minor;
} shells[] = {{"bash", 4, 4}, {"zsh", 5, 3}, {"fish", 3, 4}, {"dash", 0, 0}, {"busybox", 0, 0}};

/* The first number with a point in it. */
static bool version_of(const char *text, int *major, int *minor)
{
    for (; *text; text++)
        if (sscanf(text, "%d.%d", major, minor) == 2)
            return true;
    return false;
}

static void check_shell(struct doctor *d, const struct shell *shell)
{
    char *path = child_find(shell->name);
    int major = 0, minor = 0;
    if (!path)
        return;
    char *said = first_line_of((char *[]){path, "--version", NULL});
    bool known = !shell->major || version_of(said, &major, &minor);
    if (!known)
        note(d, MAY, "shell", "%s: %s does not say which version it is", shell->name, path);
    else if (major < shell->major || (major == shell->major && minor < shell->minor))
        note(d, MAY, "shell", "%s %d.%d runs, without command blocks: they need %d.%d", shell->name,
             major, minor, shell->major, shell->minor);
    else if (shell->major)
        note(d, OK, "shell", "%s %d.%d: command blocks", shell->name, major, minor);
    else
        note(d, OK, "shell", "%s: command blocks", shell->name);
    free(said);
    free(path);
}

static void check_own_shell(struct doctor *d)
{
    const char *own = getenv("SHELL"), *slash = own ? strrchr(own, '/') : NULL;
    const char *name = slash ? slash + 1 : own;
    if (!name || !*name)
        return;
    if (access(own, X_OK) < 0)
        note(d, TODO, "shell", "SHELL is %s: %s", own, strerror(errno));
    bool known = !strcmp(name, "sh");
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        known = known || !strcmp(shells[i].name, name);
    if (!known)
        note(d, MAY, "shell", "yours, %s, runs, without command blocks", name);
}

static void check_agent(struct doctor *d, const struct agent *a)
{
    char *path = child_find(a->name), *file = settings_path(a);
    bool hook = settings_has(&(struct settings_hook){.agent = a, .path = file});
    bool service = a->app_server && unit_exists(SERVICE_UNIT);
    if (hook && service)
        note(d, TODO, a->name,
             "it hears twice, by a service and by a hook: ptyd disable %s, then "
             "enable one of them",
             a->name);
    else if (hook || service)
        note(d, path ? OK : MAY, a->name,
             path ? "it hears of your terminal by %s%s"
                  : "%s%s is set up, and the program is not in PATH",
             hook ? "the hook in " : "a user service", hook ? file : "");
    else if (path)
        note(d, MAY, a->name, "%s hears nothing of your terminal: ptyd enable %s", path, a->name);
    else
        note(d, OK, a->name, "it is not here");
    free(file);
    free(path);
}

static void check_units(struct doctor *d)
{
    char *systemctl = child_find("systemctl");
    if (!unit_manager_runs() || !systemctl) {
        note(d, OK, "units", "no systemd user manager runs here; commands start the daemon");
        free(systemctl);
        return;
    }
    char *said = first_line_of((char *[]){systemctl, "--user", "is-enabled", "ptyd.socket", NULL});
    if (!strcmp(said, "enabled"))
        note(d, OK, "units", "ptyd.socket is enabled");
    else
        note(d, MAY, "units",
             "ptyd.socket is %s; commands start the daemon, or: systemctl --user "
             "enable --now ptyd.socket",
             *said ? said : "not installed");
    free(said);
    free(systemctl);
}

/* ---- all of it ---- */

static void print(const struct doctor *d)
{
    size_t i;
    json_t *check;
    json_array_foreach(d->checks, i, check) {
        printf("%-5s %-10s ", json_text(check, "verdict", ""), json_text(check, "what", ""));
        show_text(json_text(check, "text", ""));
        putchar('\n');
    }
    puts(d->todo ? "Something is to be done." : "All is well.");
}

int command_doctor(int argc, char **argv)
{
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    struct doctor d = {.checks = json_array()};
    cli_no_more(&cli, argc, argv);
    cli_heeds(&cli, CLI_NO_SESSION);
    check_settings(&d);
    check_locale(&d);
    check_state(&d);
    check_socket(&d);
    check_daemon(&d);
    check_libraries(&d);
    check_own_shell(&d);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        check_shell(&d, &shells[i]);
    for (const struct agent *a = agents; a->name; a++)
        check_agent(&d, a);
    check_units(&d);
    int status = d.todo ? EXIT_FAILED : EXIT_OK;
    if (cli.json) {
        int failed = cli_print_json(json_pack("{s:o, s:b}", "checks", d.checks, "ok", !d.todo));
        return failed ? failed : status;
    }
    print(&d);
    json_decref(d.checks);
    return fflush(stdout) == 0 ? status : EXIT_FAILED;
}
