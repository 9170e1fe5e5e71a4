/* What keeper and worker say to each other, and its descriptors; and a socket that nobody accepts.
 */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ptyd/core/local_socket.h"
#include "ptyd/keeper/wire.h"

static int ends[2];

static int count_files(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void send_raw(const void *data, size_t len, int fd)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    struct iovec piece = {.iov_base = (void *)data, .iov_len = len};
    struct msghdr m = {.msg_iov = &piece,
                       .msg_iovlen = 1,
                       .msg_control = control.space,
                       .msg_controllen = sizeof control.space};
    control.header = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    assert_int_equal(sendmsg(ends[0], &m, 0), len);
}

static void descriptors_keep_their_places(void **state)
{
    struct wire_message m;
    int fds[WIRE_FDS_MAX], before = count_files();
    int one = open("/dev/null", O_RDONLY), two = open("/dev/zero", O_RDONLY);
    char link[64], target[64] = {0};
    (void)state;
    assert_int_equal(
        wire_send(ends[0], &(struct wire_message){.type = WIRE_SESSION}, (int[]){-1, one, two}, 3),
        0);
    assert_int_equal(wire_receive(ends[1], &m, fds), 1);
    assert_int_equal(fds[0], -1);
    assert_false(wire_lost(&m, fds));
    for (int i = 1; i < 3; i++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fds[i]);
        assert_true(readlink(link, target, sizeof target - 1) > 0);
        assert_string_equal(target, i == 1 ? "/dev/null" : "/dev/zero");
        close(fds[i]);
    }
    close(one);
    close(two);
    assert_int_equal(count_files(), before);
}

static void what_is_no_message_leaves_no_descriptor(void **state)
{
    static char large[2 * sizeof(struct wire_message)];
    struct wire_message m = {.fds = 7};
    int fds[WIRE_FDS_MAX], before = count_files();
    (void)state;
    memset(large, 0x7f, sizeof large);
    for (size_t len = 1; len <= sizeof large; len += len < 8 ? 1 : sizeof m - 8) {
        if (len == sizeof m)
            continue;
        send_raw(large, len, STDIN_FILENO);
        assert_int_equal(wire_receive(ends[1], &m, fds), -EPROTO);
        for (int i = 0; i < WIRE_FDS_MAX; i++)
            assert_int_equal(fds[i], -1);
        assert_int_equal(count_files(), before);
    }
    m = (struct wire_message){.type = WIRE_SPAWN}; /* it says that none was sent */
    send_raw(&m, sizeof m, STDIN_FILENO);
    assert_int_equal(wire_receive(ends[1], &m, fds), 1);
    assert_int_equal(count_files(), before);
}

static void a_descriptor_that_found_no_room_is_missed(void **state)
{
    struct rlimit files, less;
    struct wire_message m;
    int fds[WIRE_FDS_MAX], next = dup(STDIN_FILENO);
    (void)state;
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    less = (struct rlimit){(rlim_t)next + 1, files.rlim_max};
    assert_int_equal(wire_send(ends[0], &(struct wire_message){.type = WIRE_SPAWN},
                               (int[]){STDIN_FILENO, STDIN_FILENO}, 2),
                     0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
    assert_int_equal(wire_receive(ends[1], &m, fds), 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(fds[0], next);
    assert_int_equal(fds[1], -1);
    assert_true(wire_lost(&m, fds));
    close(fds[0]);
}

static void who_has_no_time_does_not_wait_for_room(void **state)
{
    char directory[] = "/tmp/ptyd-wire-XXXXXX", place[64], *message = NULL, *doubt = NULL;
    int fd, count = 0, all[64];
    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(place, sizeof place, "%s/s", directory);
    int listener = local_socket_listen(place, &message);
    assert_true(listener >= 0);
    assert_int_equal(listen(listener, 1), 0); /* nobody accepts */
    alarm(20);
    while (count < 64 && (fd = local_socket_connect(place, true, 0, &doubt)) >= 0)
        all[count++] = fd;
    alarm(0);
    assert_in_range(count, 1, 8);
    assert_int_equal(fd, -EAGAIN);
    while (count)
        close(all[--count]);
    close(listener);
    unlink(place);
    rmdir(directory);
}

static int make_ends(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_keep_their_places),
        cmocka_unit_test(what_is_no_message_leaves_no_descriptor),
        cmocka_unit_test(a_descriptor_that_found_no_room_is_missed),
        cmocka_unit_test(who_has_no_time_does_not_wait_for_room),
    };
    return cmocka_run_group_tests(tests, make_ends, NULL);
}
