/* Bytes between a reader and a consumer, across threads, laps of the ring and kills. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptyd/core/intake.h"

static void bytes_survive_their_reader(void **state)
{
    int pipes[2];
    char bytes[16];
    (void)state;
    assert_int_equal(pipe2(pipes, O_NONBLOCK), 0);
    int fd = intake_create_fd(&(struct intake_facts){.cols = 80, .rows = 24});
    struct intake *first = intake_map(dup(fd));
    assert_int_equal(write(pipes[1], "hello world", 11), 11);
    assert_int_equal(intake_read(first, pipes[0]), 11);
    intake_consume(first, 6);
    intake_unmap(first); /* as if killed */
    struct intake *second = intake_map(dup(fd));
    assert_int_equal(intake_copy(second, bytes, sizeof bytes), 5);
    assert_int_equal(intake_start(second), 6);
    assert_memory_equal(bytes, "world", 5);
    assert_int_equal(write(pipes[1], "!", 1), 1);
    assert_int_equal(intake_read(second, pipes[0]), 1);
    assert_int_equal(intake_waiting(second), 6);
    intake_consume(second, 6);
    assert_int_equal(intake_waiting(second), 0);
    assert_int_equal(intake_start(second), 12);
    assert_int_equal(intake_read(second, pipes[0]), -EAGAIN);
    intake_unmap(second);
    close(fd);
    close(pipes[0]);
    close(pipes[1]);
}

static void set_keys(struct intake *in, uint64_t offset, const char *keys, size_t len)
{
    struct intake_place place = {.point = {.seq = len},
                                 .keys = {.line = 2, .shared = 1, .len = len, .keys = keys}};
    place.in_mark = offset > 0;
    place.mark = offset;
    intake_set_place(in, offset, &place);
}

static void expect_keys(struct intake *in, const char *keys)
{
    struct intake_place place;
    assert_true(intake_place(in, &place));
    assert_int_equal(place.keys.len, strlen(keys));
    assert_memory_equal(place.keys.keys, keys, strlen(keys));
    assert_int_equal(place.point.seq, strlen(keys));
    assert_int_equal(place.keys.line, 2);
    assert_false(place.keys.in_doubt);
    assert_int_equal(place.in_mark, intake_start(in) > 0);
    assert_true(!place.in_mark || place.mark == intake_start(in));
}

/* Until bytes are let go of, what is said of the stream behind them does not count. */
static void a_place_is_that_of_what_is_consumed(void **state)
{
    static char many[LIMIT_AHEAD_BYTES + 1];
    int pipes[2];
    struct intake_place place;
    (void)state;
    assert_int_equal(pipe2(pipes, O_NONBLOCK), 0);
    struct intake *in = intake_map(intake_create_fd(&(struct intake_facts){.cols = 80}));
    set_keys(in, 0, "one\rtwo\r", 8);
    expect_keys(in, "one\rtwo\r");
    assert_int_equal(write(pipes[1], "12345", 5), 5);
    assert_int_equal(intake_read(in, pipes[0]), 5);
    for (int i = 0; i < 3; i++) {
        set_keys(in, 5, "two\r", 4);
        expect_keys(in, "one\rtwo\r");
    }
    set_keys(in, 0, "one\rtwo\rthree", 13); /* typed meanwhile */
    expect_keys(in, "one\rtwo\rthree");
    set_keys(in, 5, "printed\r", 8);
    expect_keys(in, "one\rtwo\rthree");
    set_keys(in, 5, "two\rthree", 9);
    intake_consume(in, 5);
    expect_keys(in, "two\rthree");
    set_keys(in, 5, "", 0);
    expect_keys(in, "");
    memset(many, 'x', sizeof many - 1);
    set_keys(in, 5, many, LIMIT_AHEAD_BYTES);
    expect_keys(in, many);
    set_keys(in, 5, many + 1, LIMIT_AHEAD_BYTES - 1);
    expect_keys(in, many + 1);
    set_keys(in, 5, "other", 5); /* no room beside them */
    assert_true(intake_place(in, &place));
    assert_true(place.keys.in_doubt && place.keys.len == 0);
    intake_unmap(in);
    close(pipes[0]);
    close(pipes[1]);
}

/* Lines typed ahead and read for ever, in any pieces: none is lost before there are too many. */
static void keys_wander_through_their_room(void **state)
{
    static char keys[64 << 10];
    size_t from = 0, to = 0;
    struct intake_place place;
    (void)state;
    struct intake *in = intake_map(intake_create_fd(&(struct intake_facts){.cols = 80}));
    srand(1);
    for (size_t i = 0; i < sizeof keys; i++)
        keys[i] = (char)('a' + rand() % 3); /* so that what was read is like what was not */
    set_keys(in, 0, "", 0);
    while (to + 500 < sizeof keys) {
        size_t typed = (size_t)(rand() % 500);
        if (to - from + typed <= LIMIT_AHEAD_BYTES) {
            intake_begin_typing(in, keys + to, typed, true);
            assert_true(intake_place(in, &place));
            assert_int_equal(place.keys.typing_len, typed);
            assert_memory_equal(place.keys.typing, keys + to, typed);
            set_keys(in, 0, keys + from, to + typed - from);
            intake_end_typing(in);
            to += typed;
        } else {
            from += (size_t)rand() % (to - from);
            set_keys(in, 0, keys + from, to - from);
        }
        assert_true(intake_place(in, &place));
        assert_false(place.keys.in_doubt);
        assert_int_equal(place.keys.len, to - from);
        assert_memory_equal(place.keys.keys, keys + from, to - from);
    }
    intake_unmap(in);
}

static void what_is_no_intake_is_refused(void **state)
{
    (void)state;
    assert_null(intake_map(open("/dev/null", O_RDONLY)));
}

/* The stream's byte at an offset; never NUL, and no period that fits the ring. */
static char byte_at(uint64_t offset)
{
    return (char)(1 + offset * 31 % 251);
}

struct flood {
    struct intake *intake;
    int from;
    _Atomic bool over;
};

static void *read_all(void *user)
{
    struct flood *f = user;
    while (intake_read(f->intake, f->from) != 0)
        ;
    f->over = true;
    return NULL;
}

static void write_stream(int fd, uint64_t from, uint64_t to)
{
    char chunk[5000];
    while (from < to) {
        size_t n = 1 + from % sizeof chunk;
        n = to - from < n ? (size_t)(to - from) : n;
        for (size_t i = 0; i < n; i++)
            chunk[i] = byte_at(from + i);
        ssize_t wrote = write(fd, chunk, n);
        from += wrote > 0 ? (uint64_t)wrote : 0;
    }
}

/* Checks what waits against the stream and consumes most of it; returns how much that was. */
static size_t take(struct intake *in)
{
    static char bytes[LIMIT_INTAKE_BYTES];
    uint64_t start = intake_start(in);
    size_t len = intake_copy(in, bytes, sizeof bytes);
    for (size_t i = 0; i < len; i++)
        if (bytes[i] != byte_at(start + i))
            fail_msg("byte %llu is wrong", (unsigned long long)(start + i));
    size_t taken = len > 3 ? len - start % 3 : len;
    intake_consume(in, taken);
    return taken;
}

static void a_thread_reads_while_another_consumes(void **state)
{
    const uint64_t most = 20 * LIMIT_INTAKE_BYTES;
    int pipes[2];
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    pid_t writer = fork();
    if (writer == 0) {
        write_stream(pipes[1], 0, most);
        _exit(0);
    }
    close(pipes[1]);
    struct flood f = {.intake = intake_map(intake_create_fd(&(struct intake_facts){.cols = 80})),
                      .from = pipes[0]};
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, read_all, &f), 0);
    while (!f.over)
        take(f.intake);
    while (take(f.intake))
        ;
    pthread_join(reader, NULL);
    assert_int_equal(intake_start(f.intake), most);
    intake_unmap(f.intake);
    waitpid(writer, NULL, 0);
    close(pipes[0]);
}

/* A reader with a consumer, killed at any moment, and a successor: no byte twice, none missing. */
static void kills_lose_nothing(void **state)
{
    const uint64_t most = 400 * LIMIT_INTAKE_BYTES;
    int pipes[2], kills = 0, idle = 0;
    (void)state;
    assert_int_equal(pipe2(pipes, O_NONBLOCK), 0);
    int fd = intake_create_fd(&(struct intake_facts){.cols = 80});
    pid_t writer = fork();
    if (writer == 0) {
        write_stream(pipes[1], 0, most);
        _exit(0);
    }
    close(pipes[1]);
    for (uint64_t reached = 0; reached < most; kills++) {
        pid_t worker = fork();
        if (worker == 0) {
            struct intake *in = intake_map(dup(fd));
            while (intake_read(in, pipes[0]) != 0 || intake_waiting(in))
                take(in);
            _exit(0);
        }
        /* any moment will do; a later one where the last came before it did anything */
        for (volatile int i = 0; i < (10000 + kills * 9973 % 700000) << idle; i++)
            ;
        kill(worker, SIGKILL);
        waitpid(worker, NULL, 0);
        struct intake *in = intake_map(dup(fd));
        take(in);
        assert_true(intake_start(in) >= reached);
        idle = intake_start(in) > reached ? 0 : idle < 8 ? idle + 1 : idle;
        reached = intake_start(in);
        intake_unmap(in);
    }
    struct intake *in = intake_map(fd);
    while (intake_waiting(in))
        take(in);
    assert_int_equal(intake_start(in), most);
    assert_true(kills > 20);
    intake_unmap(in);
    waitpid(writer, NULL, 0);
    close(pipes[0]);
}

/* Where things lie, written down once more: a worker of any other version reads them there. */
static void the_layout_stays(void **state)
{
    (void)state;
    assert_int_equal(offsetof(struct intake_facts, name), 0);
    assert_int_equal(offsetof(struct intake_facts, shell_id), 72);
    assert_int_equal(offsetof(struct intake_facts, shell), 104);
    assert_int_equal(offsetof(struct intake_facts, nonce), 168);
    assert_int_equal(offsetof(struct intake_facts, cols), 204);
    assert_int_equal(offsetof(struct intake_facts, rows), 208);
    assert_int_equal(offsetof(struct intake_facts, adopted), 212);
    assert_int_equal(offsetof(struct intake_facts, process), 216);
    assert_int_equal(offsetof(struct intake_facts, points), 224);
    assert_int_equal(offsetof(struct intake_facts, points[0].point), 232);
    assert_int_equal(offsetof(struct intake_facts, points[1].offset), 248);
    assert_int_equal(offsetof(struct intake_facts, typing_keys), 272);
    assert_int_equal(offsetof(struct intake_facts, ahead), 276);
    assert_int_equal(sizeof((struct intake_facts *)0)->ahead, 2048);
    assert_int_equal(offsetof(struct intake_facts, typing_count), 2328);
    assert_int_equal(offsetof(struct intake_facts, typings), 2336);
    assert_int_equal(sizeof((struct intake_facts *)0)->typings, 16 * 16);
    assert_int_equal(offsetof(struct intake_facts, typings[0].most), 2348);
    assert_int_equal(offsetof(struct intake_facts, open_marks), 2592);
    assert_int_equal(offsetof(struct intake_facts, lent), 3472);
    assert_int_equal(offsetof(struct intake_facts, lent.keys), 3520);
}

/* The memory as another version makes it: a ring of `size` bytes in which `text` waits. */
static int made_elsewhere(uint64_t magic, size_t size, const char *text)
{
    uint64_t head[4] = {magic, 0, 0, strlen(text)};
    int fd = memfd_create("elsewhere", MFD_CLOEXEC);
    assert_int_equal(ftruncate(fd, (off_t)(4096 + size)), 0);
    assert_int_equal(pwrite(fd, head, sizeof head, 0), sizeof head);
    assert_int_equal(pwrite(fd, "other", 5, 32), 5);
    assert_int_equal(pwrite(fd, text, strlen(text), 4096), strlen(text));
    return fd;
}

static void a_ring_of_any_size_is_read(void **state)
{
    const size_t sizes[] = {5, 1000, LIMIT_INTAKE_BYTES / 2, 3 * LIMIT_INTAKE_BYTES};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int pipes[2];
        char bytes[16];
        struct intake *in = intake_map(made_elsewhere(0x7074796431696e34, sizes[i], "hello"));
        assert_non_null(in);
        assert_string_equal(intake_facts(in)->name, "other");
        assert_int_equal(intake_size(in), sizes[i]);
        assert_int_equal(intake_copy(in, bytes, sizeof bytes), 5);
        assert_memory_equal(bytes, "hello", 5);
        intake_consume(in, 5);
        assert_int_equal(pipe2(pipes, O_NONBLOCK), 0);
        uint64_t written = 5, end = 5 + 3 * sizes[i]; /* three laps */
        while (intake_start(in) < end) {
            uint64_t to = written + 4000 < end ? written + 4000 : end;
            write_stream(pipes[1], written, to);
            written = to;
            while (intake_start(in) < written) {
                intake_read(in, pipes[0]);
                take(in);
            }
        }
        intake_unmap(in);
        close(pipes[0]);
        close(pipes[1]);
    }
}

static void an_unknown_layout_is_not_mapped(void **state)
{
    (void)state;
    int fd = made_elsewhere(0x7074796431696e35, 1000, "hello");
    assert_false(intake_knows(intake_layout(fd)));
    assert_int_not_equal(intake_layout(fd), 0);
    assert_null(intake_map(fd));
    fd = made_elsewhere(0x1234, 1000, "hello");
    assert_int_equal(intake_layout(fd), 0);
    close(fd);
    fd = intake_create_fd(&(struct intake_facts){.cols = 80});
    assert_true(intake_knows(intake_layout(fd)));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_survive_their_reader),
        cmocka_unit_test(a_place_is_that_of_what_is_consumed),
        cmocka_unit_test(keys_wander_through_their_room),
        cmocka_unit_test(what_is_no_intake_is_refused),
        cmocka_unit_test(a_thread_reads_while_another_consumes),
        cmocka_unit_test(kills_lose_nothing),
        cmocka_unit_test(the_layout_stays),
        cmocka_unit_test(a_ring_of_any_size_is_read),
        cmocka_unit_test(an_unknown_layout_is_not_mapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
