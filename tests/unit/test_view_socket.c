/* Descriptors that come beside a viewer's frames: one is kept, no other, and none for ever. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "ptyd/worker/view_socket.h"

#define MOST 5

static uv_loop_t loop;
static struct view_socket *opened;
static int other, frames, gone;

static void on_frame(void *user, const struct view_frame *frame)
{
    (void)user;
    (void)frame;
    frames++;
}

static void on_gone(void *user)
{
    (void)user;
    gone++;
    view_socket_close(opened);
}

static const struct view_socket_handler handler = {.frame = on_frame, .gone = on_gone};

static int begin(void **state)
{
    (void)state;
    frames = gone = 0;
    assert_int_equal(uv_loop_init(&loop), 0);
    opened = view_socket_create(&loop, &handler, NULL, &other);
    assert_non_null(opened);
    return 0;
}

/* Closes both ends. */
static int end(void **state)
{
    (void)state;
    close(other);
    while (uv_run(&loop, UV_RUN_ONCE))
        ;
    assert_int_equal(gone, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
    return 0;
}

/* A frame, and `count` descriptors of the pipe's end beside it. */
static void pass(int fd, int count)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(MOST * sizeof(int))];
    } control = {0};
    struct bytes out = {0};
    int all[MOST] = {fd, fd, fd, fd, fd}, before = frames;
    size_t len = (size_t)count * sizeof(int);
    view_frame_append(&out, VIEW_ACK, 1, NULL, 0);
    struct iovec data = {.iov_base = out.data, .iov_len = out.len};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = CMSG_SPACE(len)};
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(len);
    memcpy(CMSG_DATA(&control.header), all, len);
    assert_int_equal(sendmsg(other, &m, MSG_NOSIGNAL), out.len);
    bytes_finish(&out);
    while (frames == before)
        uv_run(&loop, UV_RUN_ONCE);
}

/* Whether nobody has the pipe's other end. */
static bool is_closed(int fd)
{
    char byte;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return read(fd, &byte, 1) == 0;
}

static void of_several_none_stays_open(void **state)
{
    (void)state;
    for (int count = 1; count <= MOST; count++) {
        int ends[2];
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        pass(ends[1], count);
        close(ends[1]);
        int fd = view_socket_take_passed(opened);
        assert_true(fd >= 0);
        assert_int_equal(view_socket_take_passed(opened), -1);
        assert_false(is_closed(ends[0]));
        close(fd);
        assert_true(is_closed(ends[0]));
        close(ends[0]);
    }
}

static void the_newest_is_kept_and_goes_with_the_socket(void **state)
{
    int first[2], second[2];
    (void)state;
    assert_int_equal(pipe2(first, O_CLOEXEC), 0);
    assert_int_equal(pipe2(second, O_CLOEXEC), 0);
    assert_int_equal(view_sockets_passed(), 0);
    pass(first[1], 1);
    pass(second[1], 1);
    close(first[1]);
    close(second[1]);
    assert_true(is_closed(first[0]));
    assert_false(is_closed(second[0]));
    assert_int_equal(view_sockets_passed(), 1);
    end(state);
    assert_int_equal(view_sockets_passed(), 0);
    assert_true(is_closed(second[0]));
    close(first[0]);
    close(second[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(of_several_none_stays_open, begin, end),
        cmocka_unit_test_setup(the_newest_is_kept_and_goes_with_the_socket, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
