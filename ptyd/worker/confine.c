/* Calls are listed by name: what one libc or architecture has and another has not is passed over.
 *
 * What is not there must fail in the way for which libraries have a substitute. So clone3, which
 * says in memory what a filter cannot read, is among the unknown ones: libc then uses clone; and
 * io_uring, behind whose back sockets could be opened: libuv then uses its threads. */
#define _GNU_SOURCE
#include "ptyd/worker/confine.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Where the flags of clone() are. */
#ifdef __s390__
#define CLONE_FLAGS SCMP_A1_64
#else
#define CLONE_FLAGS SCMP_A0_64
#endif

static const char refused[] =
    /* to become, or to make, another program */
    "execve execveat fork vfork "
    /* to look into another process, or to take what it has */
    "ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd "
    "kcmp perf_event_open userfaultfd "
    /* to become another user, or to be somewhere else */
    "setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups "
    "setuid32 setgid32 setreuid32 setregid32 setresuid32 setresgid32 setfsuid32 setfsgid32 "
    "setgroups32 capset setns unshare chroot pivot_root mount umount umount2 open_tree "
    "move_mount fsopen fsconfig fsmount fspick mount_setattr "
    /* the machine's */
    "bpf kexec_load kexec_file_load init_module finit_module delete_module reboot swapon "
    "swapoff settimeofday clock_settime clock_settime64 adjtimex clock_adjtime "
    "clock_adjtime64 sethostname setdomainname acct quotactl quotactl_fd syslog vhangup "
    "add_key request_key keyctl mknod mknodat ";

static const char allowed[] =
    /* files */
    "open openat openat2 creat close close_range read write readv writev pread64 pwrite64 "
    "preadv pwritev preadv2 pwritev2 lseek _llseek stat lstat fstat stat64 lstat64 fstat64 "
    "newfstatat fstatat64 statx statfs fstatfs statfs64 fstatfs64 access faccessat "
    "faccessat2 readlink readlinkat getdents getdents64 getcwd chdir fchdir mkdir mkdirat "
    "rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat chmod "
    "fchmod fchmodat fchmodat2 chown fchown fchownat lchown umask truncate truncate64 "
    "ftruncate ftruncate64 fallocate fsync fdatasync sync_file_range fadvise64 fadvise64_64 "
    "readahead copy_file_range sendfile sendfile64 splice tee utime utimes utimensat "
    "utimensat_time64 futimesat flock fcntl fcntl64 ioctl dup dup2 dup3 pipe pipe2 "
    "inotify_init inotify_init1 inotify_add_watch inotify_rm_watch getxattr lgetxattr "
    "fgetxattr listxattr flistxattr "
    /* sockets; which, is said below */
    "bind listen accept accept4 connect getsockname getpeername getsockopt setsockopt "
    "shutdown send recv sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg recvmmsg_time64 "
    /* waiting */
    "poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64 epoll_create "
    "epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd "
    "signalfd4 pause nanosleep clock_nanosleep clock_nanosleep_time64 sched_yield "
    /* time */
    "time gettimeofday clock_gettime clock_gettime64 clock_getres clock_getres_time64 times "
    "timer_create timer_settime timer_settime64 timer_gettime timer_gettime64 "
    "timer_getoverrun timer_delete timerfd_create timerfd_settime timerfd_settime64 "
    "timerfd_gettime timerfd_gettime64 setitimer getitimer alarm "
    /* memory */
    "brk mmap mmap2 munmap mremap mprotect madvise msync mincore mlock mlock2 munlock "
    "memfd_create mseal membarrier pkey_alloc pkey_free pkey_mprotect map_shadow_stack "
    "get_mempolicy "
    /* threads and itself */
    "exit exit_group futex futex_time64 futex_waitv futex_wake futex_wait futex_requeue "
    "set_robust_list get_robust_list rseq set_tid_address gettid getpid getppid getpgid "
    "getpgrp getsid getuid geteuid getgid getegid getuid32 geteuid32 getgid32 getegid32 "
    "getresuid getresgid getresuid32 getresgid32 getgroups getgroups32 capget getrandom "
    "uname sysinfo getrusage getrlimit ugetrlimit setrlimit prlimit64 getpriority "
    "setpriority getcpu sched_getaffinity sched_setaffinity sched_getparam "
    "sched_getscheduler sched_getattr sched_get_priority_max sched_get_priority_min "
    "sched_setscheduler prctl arch_prctl set_thread_area get_thread_area seccomp "
    "riscv_flush_icache riscv_hwprobe cacheflush breakpoint set_tls "
    /* signals, and who is still there */
    "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait "
    "rt_sigtimedwait_time64 rt_sigqueueinfo rt_tgsigqueueinfo sigaction sigprocmask "
    "sigreturn sigaltstack restart_syscall kill tkill tgkill pidfd_open pidfd_send_signal "
    "wait4 waitid waitpid ";

static char words[128] = "off";

static int add_call(scmp_filter_ctx filter, uint32_t action, const char *name)
{
    int call = seccomp_syscall_resolve_name(name);
    int result = call == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, action, call, 0);
    return result == -EDOM ? 0 : result; /* it is no call of this architecture */
}

/* Of names with a blank behind each. */
static int add_all(scmp_filter_ctx filter, uint32_t action, const char *names)
{
    char name[32];
    int result = 0;
    for (size_t len; *names && result == 0; names += len + 1) {
        len = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)len, names);
        result = add_call(filter, action, name);
    }
    return result;
}

/* A call of which one form is allowed, by its first value, and all others are refused. */
static int add_socket_call(scmp_filter_ctx filter, int call)
{
    const struct scmp_arg_cmp is_unix = SCMP_A0_32(SCMP_CMP_EQ, AF_UNIX, 0);
    const struct scmp_arg_cmp is_other = SCMP_A0_32(SCMP_CMP_NE, AF_UNIX, 0);
    int result = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &is_unix);
    return result < 0 ? result
                      : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), call, 1, &is_other);
}

/* A thread, and no process. */
static int add_clone(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp thread = CLONE_FLAGS(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
    const struct scmp_arg_cmp process = CLONE_FLAGS(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0);
    int result = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, &thread);
    return result < 0 ? result
                      : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                               &process);
}

static int fill(scmp_filter_ctx filter)
{
    int result = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
    if (result == 0)
        result = add_all(filter, SCMP_ACT_ALLOW, allowed);
    if (result == 0)
        result = add_all(filter, SCMP_ACT_ERRNO(EPERM), refused);
    if (result == 0)
        result = add_socket_call(filter, SCMP_SYS(socket));
    if (result == 0)
        result = add_socket_call(filter, SCMP_SYS(socketpair));
    if (result == 0)
        result = add_clone(filter);
    /* A tree instead of a list, where the library can: a call costs ten steps instead of 200. */
    if (result == 0)
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    return result;
}

static int load(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    int result = filter ? fill(filter) : -ENOMEM;
    if (result == 0)
        result = seccomp_load(filter);
    if (filter)
        seccomp_release(filter);
    return result;
}

void confine_prepare(void)
{
    late_load(&late_seccomp_h);
}

int confine(bool wanted)
{
#ifdef PTYD_SANITIZED
    wanted = false;
#endif
    if (!wanted)
        return 0;
    int result = load();
    if (result < 0)
        snprintf(words, sizeof words, "not possible: %s", strerror(-result));
    else
        strcpy(words, "on");
    return result;
}

const char *confine_words(void)
{
    return words;
}
