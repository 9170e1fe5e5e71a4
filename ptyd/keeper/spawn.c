#define _GNU_SOURCE
#include "ptyd/keeper/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"

#define SPARE_LEAST 64 /* the lowest descriptor of what lies ready */

extern char **environ;

struct packed {
    int32_t cols, rows, x_pixels, y_pixels;
    uint32_t umask, argc, envc;
    /* then NUL-terminated: cwd, program, script, argv..., env... */
};

static void pack_text(struct bytes *out, const char *text)
{
    bytes_append(out, text, strlen(text) + 1);
}

int spawn_pack(const struct spawn_request *request)
{
    struct packed head = {.cols = request->cols,
                          .rows = request->rows,
                          .x_pixels = request->x_pixels,
                          .y_pixels = request->y_pixels,
                          .umask = request->umask};
    struct bytes data = {0};
    while (request->argv[head.argc])
        head.argc++;
    while (request->env[head.envc])
        head.envc++;
    bytes_append(&data, &head, sizeof head);
    pack_text(&data, request->cwd);
    pack_text(&data, request->program);
    pack_text(&data, request->script);
    for (uint32_t i = 0; i < head.argc; i++)
        pack_text(&data, request->argv[i]);
    for (uint32_t i = 0; i < head.envc; i++)
        pack_text(&data, request->env[i]);
    int fd = data.failed ? -1 : memfd_create("ptyd-spawn", MFD_CLOEXEC);
    int result = data.failed ? -ENOMEM
                 : fd < 0    ? -errno
                             : file_write_all(fd, data.data, data.len, 0);
    bytes_finish(&data);
    if (result == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return result;
}

/* A request read back; `strings` points into `data`. */
struct unpacked {
    char *data;
    struct packed head;
    const char *cwd, *program, *script;
    char **argv, **env;
};

static char *take(char **at, char *end)
{
    char *text = *at;
    char *stop = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
    if (!stop)
        return NULL;
    *at = stop + 1;
    return text;
}

static bool take_list(char **at, char *end, uint32_t count, char ***ret_list)
{
    *ret_list = calloc((size_t)count + 1, sizeof(char *));
    for (uint32_t i = 0; *ret_list && i < count; i++)
        if (!((*ret_list)[i] = take(at, end)))
            return false;
    return *ret_list != NULL;
}

static void forget(struct unpacked *u)
{
    free(u->data);
    free(u->argv);
    free(u->env);
}

static int unpack(int fd, struct unpacked *u)
{
    struct stat st;
    *u = (struct unpacked){0};
    if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof u->head || st.st_size > LIMIT_PLAN_BYTES)
        return -EINVAL;
    size_t size = (size_t)st.st_size;
    u->data = malloc(size);
    if (!u->data || file_read_at(fd, u->data, size, 0) != (ssize_t)size) {
        forget(u);
        return -ENOMEM;
    }
    memcpy(&u->head, u->data, sizeof u->head);
    char *at = u->data + sizeof u->head, *end = u->data + size;
    u->cwd = take(&at, end);
    u->program = take(&at, end);
    u->script = take(&at, end);
    if (u->cwd && u->program && u->script && u->head.argc && u->head.argc < size &&
        u->head.envc < size && take_list(&at, end, u->head.argc, &u->argv) &&
        take_list(&at, end, u->head.envc, &u->env))
        return 0;
    forget(u);
    return -EINVAL;
}

/* ---- the child ---- */

static void default_signals(void)
{
    /* The system call itself: libc keeps two real-time signals to itself and refuses them, and
     * whoever started us may ignore those too. All zero is SIG_DFL on every architecture. */
    static const char defaults[64];
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        syscall(SYS_rt_sigaction, i, defaults, NULL, (size_t)8);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void enter_directory(const char *cwd)
{
    const char *home = getenv("HOME");
    if (chdir(cwd) == 0 || (home && chdir(home) == 0))
        return;
    if (chdir("/") < 0)
        _exit(127);
}

/* The limit on descriptors that we were started with; none before it was raised. */
static struct rlimit original_files;

void spawn_raise_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return;
    if (!original_files.rlim_max)
        original_files = files;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

void spawn_original_files(uint64_t *ret_soft, uint64_t *ret_hard)
{
    *ret_soft = original_files.rlim_cur;
    *ret_hard = original_files.rlim_max;
}

void spawn_resume_files(uint64_t soft, uint64_t hard)
{
    original_files = (struct rlimit){.rlim_cur = soft, .rlim_max = hard};
}

static void restore_files(void)
{
    if (original_files.rlim_max)
        setrlimit(RLIMIT_NOFILE, &original_files);
}

/* Never returns: what fails is told through `report`, a CLOEXEC pipe. It has our memory (vfork(2)):
 * it changes nothing in it but the environment's address, which we put back. */
static _Noreturn void child(const struct unpacked *u, int tty, int script, int report)
{
    default_signals();
    setsid();
    if (ioctl(tty, TIOCSCTTY, 0) < 0)
        goto failed;
    /* Out of the way of 0 to 3, then into place. */
    int kept = fcntl(report, F_DUPFD_CLOEXEC, 10);
    int source = script < 0 ? -1 : fcntl(script, F_DUPFD_CLOEXEC, 10);
    tty = fcntl(tty, F_DUPFD, 10);
    if (kept < 0 || tty < 0 || (script >= 0 && source < 0))
        goto failed;
    report = kept;
    for (int fd = 0; fd <= 2; fd++)
        if (dup2(tty, fd) < 0)
            goto failed;
    if (source >= 0 && dup2(source, SPAWN_SCRIPT_FD) < 0)
        goto failed;
    for (int fd = source >= 0 ? SPAWN_SCRIPT_FD + 1 : 3; fd < report; fd++)
        close(fd);
    close_range((unsigned)report + 1, ~0u, 0);
    restore_files();
    umask(u->head.umask);
    environ = u->env;
    enter_directory(u->cwd);
    cores_give_back();
    execvp(u->program, u->argv);
failed:;
    int error = errno;
    while (write(report, &error, sizeof error) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* ---- the parent ---- */

/* A terminal's two ends; the slave is held until the child has it: no hang-up in between. */
struct terminal {
    int master, slave; /* -1: there is none */
};

/* The next one lies ready: making it takes longer than all else that the parent does. */
static struct terminal spare = {-1, -1};

static void close_terminal(struct terminal *t)
{
    if (t->slave >= 0)
        close(t->slave);
    if (t->master >= 0)
        close(t->master);
    *t = (struct terminal){-1, -1};
}

static int open_terminal(struct terminal *ret)
{
    char path[64];
    struct termios modes;
    struct terminal t = {posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK), -1};
    if (t.master < 0)
        return -errno;
    if (grantpt(t.master) == 0 && unlockpt(t.master) == 0 &&
        ptsname_r(t.master, path, sizeof path) == 0)
        t.slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (t.slave < 0 || fchmod(t.slave, 0600) < 0 || tcgetattr(t.slave, &modes) < 0)
        goto failed;
    modes.c_iflag |= IUTF8;
    modes.c_cc[VERASE] = 0x7f;
    if (tcsetattr(t.slave, TCSANOW, &modes) < 0)
        goto failed;
    *ret = t;
    return 0;

failed:;
    int error = -errno;
    close_terminal(&t);
    return error;
}

/* Where descriptors are few the low ones are what a worker's start needs. */
static int move_up(int fd)
{
    int up = fcntl(fd, F_DUPFD_CLOEXEC, SPARE_LEAST);
    if (up >= 0)
        close(fd);
    return up < 0 ? fd : up;
}

void spawn_make_spare(void)
{
    if (spare.master >= 0 || open_terminal(&spare) < 0)
        return;
    spare.master = move_up(spare.master);
    spare.slave = move_up(spare.slave);
}

void spawn_close_spare(void)
{
    close_terminal(&spare);
}

static int take_terminal(const struct packed *head, struct terminal *ret)
{
    struct winsize window = {.ws_col = (unsigned short)head->cols,
                             .ws_row = (unsigned short)head->rows,
                             .ws_xpixel = (unsigned short)head->x_pixels,
                             .ws_ypixel = (unsigned short)head->y_pixels};
    int result = spare.master < 0 ? open_terminal(ret) : 0;
    if (spare.master >= 0) {
        *ret = spare;
        spare = (struct terminal){-1, -1};
    }
    if (result == 0 && ioctl(ret->master, TIOCSWINSZ, &window) < 0) {
        result = -errno;
        close_terminal(ret);
    }
    return result;
}

static int script_pipe(const char *script)
{
    int fds[2];
    size_t len = strlen(script);
    if (len > LIMIT_SCRIPT_BYTES)
        return -EFBIG;
    if (pipe2(fds, O_CLOEXEC) < 0)
        return -errno;
    int result = file_write_all(fds[1], script, len, -1);
    close(fds[1]);
    if (result == 0)
        return fds[0];
    close(fds[0]);
    return result;
}

/* What has much memory takes long to fork, and we wait until the child is another program in any
 * case. Until it has signals of its own it hears none. */
static pid_t start_child(const struct unpacked *u, int slave, int script, int report)
{
    char **ours = environ;
    sigset_t every, before;
    sigfillset(&every);
    sigprocmask(SIG_BLOCK, &every, &before);
    pid_t pid = vfork();
    if (pid == 0)
        child(u, slave, script, report);
    int error = errno;
    environ = ours;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

/* 0 when the exec went well, else its -errno. */
static int exec_result(int report)
{
    int error = 0;
    ssize_t n;
    while ((n = read(report, &error, sizeof error)) < 0 && errno == EINTR)
        ;
    return n == sizeof error ? -error : 0;
}

static int run(const struct unpacked *u, pid_t *ret_pid, int *ret_master)
{
    struct terminal t = {-1, -1};
    int script = -1, report[2] = {-1, -1}, result = take_terminal(&u->head, &t);
    if (result < 0)
        return result;
    if (*u->script && (script = script_pipe(u->script)) < 0) {
        result = script;
        goto out;
    }
    result = pipe2(report, O_CLOEXEC) < 0 ? -errno : 0;
    pid_t pid = result == 0 ? start_child(u, t.slave, script, report[1]) : -1;
    if (result == 0 && pid < 0)
        result = -errno;
    if (report[1] >= 0)
        close(report[1]);
    if (result == 0)
        result = exec_result(report[0]);
    if (result == 0) {
        *ret_pid = pid;
        *ret_master = t.master;
        t.master = -1; /* the caller's */
    }
out:
    if (report[0] >= 0)
        close(report[0]);
    if (script >= 0)
        close(script);
    close_terminal(&t);
    return result;
}

int spawn_run(int request_fd, pid_t *ret_pid, int *ret_master)
{
    struct unpacked u;
    int result = unpack(request_fd, &u);
    if (result < 0)
        return result;
    result = run(&u, ret_pid, ret_master);
    forget(&u);
    return result;
}
