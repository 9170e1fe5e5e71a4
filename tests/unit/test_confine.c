/* What the worker's filter leaves, asked of the kernel in a child that has it; and that ours leave
 * no core, while what they start may. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ptyd/core/cores.h"
#include "ptyd/worker/confine.h"

/* The child's status when `body` has returned 0 there; else what it returned. */
static int in_child(int (*body)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(body());
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* How many filters this thread has: who runs the tests may have given it one. */
static int filters(void)
{
    char line[128];
    int count = -1;
    FILE *status = fopen("/proc/thread-self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "Seccomp_filters: %d", &count) == 1)
            break;
    if (status)
        fclose(status);
    return count >= 0 ? count : prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2;
}

#ifdef PTYD_SANITIZED

static int takes_nothing(void)
{
    int before = filters();
    return confine(true) != 0 || strcmp(confine_words(), "off") != 0 || filters() != before;
}

static void test_a_build_with_a_sanitizer_is_left_alone(void **state)
{
    (void)state;
    assert_int_equal(in_child(takes_nothing), 0);
}

#else

/* Says on stderr which line it was; the number of those that went otherwise than they should. */
#define EXPECT(call, error)                                                                        \
    do {                                                                                           \
        errno = 0;                                                                                 \
        long got = (long)(call);                                                                   \
        if (got != -1 || errno != (error)) {                                                       \
            fprintf(stderr, "%s: %ld, %s\n", #call, got, strerror(errno));                         \
            wrong++;                                                                               \
        }                                                                                          \
    } while (0)
#define EXPECT_FINE(call)                                                                          \
    do {                                                                                           \
        errno = 0;                                                                                 \
        if ((long)(call) < 0) {                                                                    \
            fprintf(stderr, "%s: %s\n", #call, strerror(errno));                                   \
            wrong++;                                                                               \
        }                                                                                          \
    } while (0)

static int try_refused(void)
{
    int wrong = 0;
    char byte = 'x', to = 'y';
    struct iovec from = {&byte, 1}, into = {&to, 1};
    char *argv[] = {"true", NULL}, *environment[] = {NULL};
    EXPECT(execve("/bin/true", argv, environment), EPERM);
    EXPECT(syscall(SYS_execveat, AT_FDCWD, "/bin/true", argv, environment, 0), EPERM);
    EXPECT(fork(), EPERM);
    EXPECT(ptrace(PTRACE_TRACEME, 0, NULL, NULL), EPERM);
    EXPECT(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL), EPERM);
    EXPECT(process_vm_readv(getpid(), &into, 1, &from, 1, 0), EPERM);
    EXPECT(process_vm_writev(getpid(), &from, 1, &into, 1, 0), EPERM);
    EXPECT(syscall(SYS_pidfd_getfd, 0, 0, 0), EPERM);
    EXPECT(syscall(SYS_bpf, 0, NULL, 0), EPERM);
    EXPECT(syscall(SYS_keyctl, 0, 0, 0, 0, 0), EPERM);
    EXPECT(syscall(SYS_unshare, 0), EPERM);
    for (int family = 0; family < 64; family++)
        if (family != AF_UNIX) {
            EXPECT(socket(family, SOCK_STREAM, 0), EPERM);
            EXPECT(socket(family, SOCK_DGRAM, 0), EPERM);
            EXPECT(socketpair(family, SOCK_STREAM, 0, (int[2]){0}), EPERM);
        }
    EXPECT(socket(AF_UNIX | 1 << 8, SOCK_STREAM, 0), EPERM);
    return wrong;
}

static int try_unknown(void)
{
    int wrong = 0;
    EXPECT(syscall(5000), ENOSYS);
    EXPECT(syscall(2000, 1, 2, 3), ENOSYS);
    EXPECT(syscall(INT32_MAX), ENOSYS);
    EXPECT(syscall(SYS_io_uring_setup, 1, NULL), ENOSYS);
    EXPECT(syscall(SYS_clone3, NULL, 0), ENOSYS);
#ifdef __x86_64__
    EXPECT(syscall(0x40000000 | SYS_getpid), ENOSYS); /* x32 */
#endif
    return wrong;
}

/* What the worker lives of. */
static int try_allowed(void)
{
    int wrong = 0, ends[2];
    timer_t timer;
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    char text[8];
    int fd;
    EXPECT_FINE(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_FINE(socket(AF_UNIX, SOCK_SEQPACKET, 0));
    EXPECT_FINE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    EXPECT_FINE(send(ends[0], "x", 1, MSG_NOSIGNAL));
    EXPECT_FINE(recv(ends[1], text, sizeof text, 0));
    EXPECT_FINE(epoll_create1(EPOLL_CLOEXEC));
    EXPECT_FINE(timer_create(CLOCK_THREAD_CPUTIME_ID, &none, &timer));
    EXPECT_FINE(fd = memfd_create("x", MFD_CLOEXEC));
    EXPECT_FINE(ftruncate(fd, 1 << 16));
    EXPECT_FINE(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
    EXPECT_FINE(open("/proc/self/status", O_RDONLY));
    EXPECT_FINE(kill(getpid(), 0));
    EXPECT_FINE(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
    EXPECT_FINE(getrusage(RUSAGE_THREAD, &(struct rusage){0}));
    return wrong;
}

static void *try_in_thread(void *wrong)
{
    *(int *)wrong += try_refused() + try_unknown() + try_allowed();
    return NULL;
}

static int confined(void)
{
    pthread_t thread;
    int before = filters();
    int wrong = confine(true) != 0 || strcmp(confine_words(), "on") != 0 || filters() != before + 1;
    wrong += try_refused() + try_unknown() + try_allowed();
    if (pthread_create(&thread, NULL, try_in_thread, &wrong) != 0)
        return wrong + 1;
    pthread_join(thread, NULL);
    return wrong;
}

static void test_what_it_needs_not_is_refused_and_nothing_is_killed(void **state)
{
    (void)state;
    assert_int_equal(in_child(confined), 0);
}

static int not_confined(void)
{
    int before = filters(), could = socket(AF_INET, SOCK_DGRAM, 0);
    return confine(false) != 0 || strcmp(confine_words(), "off") != 0 || filters() != before ||
           (could >= 0 && socket(AF_INET, SOCK_DGRAM, 0) < 0);
}

static void test_the_user_may_leave_it_off(void **state)
{
    (void)state;
    assert_int_equal(in_child(not_confined), 0);
}

static int hidden(void)
{
    cores_hide();
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0;
}

static void test_hidden_is_not_dumpable(void **state)
{
    (void)state;
    assert_int_equal(in_child(hidden), 0);
}

#endif

static rlim_t soft_limit(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
    return limit.rlim_cur;
}

static rlim_t hard_limit(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
    return limit.rlim_max;
}

static void test_the_soft_limit_goes_and_comes_back(void **state)
{
    struct rlimit limit;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
    rlim_t hard = limit.rlim_max;
    limit.rlim_cur = hard < 4096 ? hard : 4096;
    assert_int_equal(setrlimit(RLIMIT_CORE, &limit), 0);
    cores_forbid();
    assert_int_equal(soft_limit(), 0);
    assert_int_equal(hard_limit(), hard);
    cores_forbid(); /* what it was is not forgotten */
    cores_give_back();
    assert_int_equal(soft_limit(), limit.rlim_cur);
    cores_forbid(); /* the exec failed */
    assert_int_equal(soft_limit(), 0);
    cores_give_back();
    assert_int_equal(soft_limit(), limit.rlim_cur);
}

/* The `dd` of VmFlags says that no core has it. */
static void test_memory_is_left_out(void **state)
{
    char line[256], range[64];
    bool inside = false, left_out = false;
    (void)state;
    size_t size = 1 << 16;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    cores_leave_out(memory, size);
    snprintf(range, sizeof range, "%lx-", (unsigned long)(uintptr_t)memory);
    FILE *maps = fopen("/proc/self/smaps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        inside = inside || !strncmp(line, range, strlen(range));
        if (!inside || strncmp(line, "VmFlags:", 8))
            continue;
        left_out = strstr(line, " dd") != NULL;
        break;
    }
    fclose(maps);
    munmap(memory, size);
    assert_true(inside);
    assert_true(left_out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef PTYD_SANITIZED
        cmocka_unit_test(test_a_build_with_a_sanitizer_is_left_alone),
#else
        cmocka_unit_test(test_what_it_needs_not_is_refused_and_nothing_is_killed),
        cmocka_unit_test(test_the_user_may_leave_it_off),
        cmocka_unit_test(test_hidden_is_not_dumpable),
#endif
        cmocka_unit_test(test_the_soft_limit_goes_and_comes_back),
        cmocka_unit_test(test_memory_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
