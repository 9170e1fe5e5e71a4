/* What is secret goes out of the files of a log and of outputs where it stands, whoever dies
 * meanwhile (test_secrets_shown.c: what of a log is covered). */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/redacted.h"
#include "ptyd/core/seal.h"
#include "ptyd/forget/files.h"
#include "ptyd/forget/secrets.h"

#define A  "ghp_a1b2c3d4e5f6g7h8i9j0" /* of a token the first 24 and the last 16 */
#define B  "k1l2m3n4o5p6q7r8"
#define XA "xxxxxxxxxxxxxxxxxxxxxxxx"
#define XB "xxxxxxxxxxxxxxxx"

static const struct blot_width eighty = {0, 80};

/* ---- outputs ---- */

static char place[] = "/tmp/ptyd-secrets-XXXXXX";

static char *path_of(const char *name)
{
    char *path;
    assert_true(asprintf(&path, "%s/conversations/one/%s", place, name) > 0);
    return path;
}

static void put(const char *name, const char *content)
{
    char *path = path_of(name);
    assert_int_equal(file_replace(path, content, strlen(content)), 0);
    free(path);
}

static void expect_file(const char *name, const char *content)
{
    char *path = path_of(name);
    struct bytes file = {0};
    assert_int_equal(file_read(path, 64 << 20, &file), 0);
    bytes_append_char(&file, '\0');
    assert_string_equal(file.data, content);
    bytes_finish(&file);
    free(path);
}

static int set_up(void **state)
{
    (void)state;
    char *path = path_of("agent_pty/blocks");
    assert_int_equal(file_make_directory(path), 0);
    free(path);
    path = path_of("agent_pty");
    redacted_remove(path);
    free(path);
    return 0;
}

static int take_out(uint64_t offset, uint64_t seq)
{
    struct secrets_finder finder;
    secrets_finder_init(&finder, NULL, NULL);
    return secrets_take_out(place, "one", &finder,
                            &(struct secrets_part){.offset = offset, .seq = seq}, NULL);
}

static struct redacted done(void)
{
    struct redacted redacted;
    char *path = path_of("agent_pty");
    assert_true(redacted_load(path, &redacted));
    free(path);
    return redacted;
}

static void test_an_output_keeps_its_lines(void **state)
{
    (void)state;
    put("agent_pty/blocks/1_5.out", "a " A B " b\n-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n"
                                    "-----END PRIVATE KEY-----\nend\n");
    put("agent_pty/blocks/2_6.out", "it runs yet: " A B "\n");
    put("agent_pty/blocks/3_7.txt", A B "\n");
    assert_int_equal(take_out(SECRETS_ENDED, 1), 1);
    expect_file("agent_pty/blocks/1_5.out",
                "a [redacted:github-token]                  b\n[redacted:private-key]     \n"
                "                \n                         \nend\n");
    expect_file("agent_pty/blocks/2_6.out", "it runs yet: " A B "\n");
    expect_file("agent_pty/blocks/3_7.txt", A B "\n");
    assert_int_equal(done().seq, 1);
    assert_int_equal(take_out(SECRETS_ENDED, 2), 1);
    expect_file("agent_pty/blocks/2_6.out",
                "it runs yet: [redacted:github-token]                 \n");
    assert_int_equal(take_out(SECRETS_ENDED, 2), 0);
}

static ino_t inode_of(const char *name)
{
    struct stat st;
    char *path = path_of(name);
    assert_int_equal(stat(path, &st), 0);
    free(path);
    return st.st_ino;
}

/* Who reads it, or goes on at a byte of it, finds all else where it was. */
static void test_nothing_moves_in_an_output(void **state)
{
    (void)state;
    const char from[] = "one " A B " two\nmysql -u root -psesame11 shop\nthree\n";
    const char to[] = "one [redacted:github-token]                  two\n"
                      "mysql -u root -pxxxxxxxx shop\nthree\n";
    assert_int_equal(sizeof from, sizeof to);
    put("agent_pty/blocks/5_5.out", from);
    ino_t inode = inode_of("agent_pty/blocks/5_5.out");
    assert_int_equal(take_out(SECRETS_ENDED, 5), 1);
    expect_file("agent_pty/blocks/5_5.out", to);
    assert_int_equal(inode_of("agent_pty/blocks/5_5.out"), inode);
    char *path = path_of("agent_pty"), *note = path_of("agent_pty/covering.json");
    redacted_remove(path);
    assert_int_equal(take_out(SECRETS_ENDED, 5), 0); /* there is none any more */
    expect_file("agent_pty/blocks/5_5.out", to);
    assert_int_equal(access(note, F_OK), -1);
    free(path);
    free(note);
}

/* It may grow to so many bytes: whoever writes behind them dies, in the midst of a write. */
static void die_behind(rlim_t bytes, uint64_t offset)
{
    pid_t child = fork();
    int status;
    if (child == 0) {
        signal(SIGXFSZ, SIG_DFL);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
        take_out(offset, 6);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
}

/* Half of it is covered then, and nobody would take the rest for a secret. */
static void test_who_dies_leaves_no_half(void **state)
{
    (void)state;
    struct bytes from = {0}, to = {0};
    for (int i = 0; i < 300; i++)
        bytes_append_text(&from, "what somebody prints\n");
    bytes_append(&to, from.data, from.len);
    bytes_append_text(&from, A B "\n");
    size_t within = from.len - 10;
    bytes_append_text(&to, "[redacted:github-token]                 \n");
    bytes_append_char(&from, '\0');
    bytes_append_char(&to, '\0');
    put("agent_pty/blocks/6_5.out", from.data);
    die_behind((rlim_t)within, SECRETS_ENDED);
    char *path = path_of("agent_pty/blocks/6_5.out");
    struct bytes left = {0};
    assert_int_equal(file_read(path, 1 << 20, &left), 0);
    assert_null(memmem(left.data, left.len, A, strlen(A)));
    assert_non_null(memmem(left.data, left.len, "p6q7r8", 6));
    assert_int_equal(take_out(SECRETS_ENDED, 6), 1);
    expect_file("agent_pty/blocks/6_5.out", to.data);
    free(path);
    bytes_finish(&left);
    bytes_finish(&from);
    bytes_finish(&to);
}

static bool has(const char *name, const char *text)
{
    char *path = path_of(name);
    struct bytes file = {0};
    assert_int_equal(file_read(path, 64 << 20, &file), 0);
    bool is = memmem(file.data, file.len, text, strlen(text));
    bytes_finish(&file);
    free(path);
    return is;
}

/* As a full disk: no file can grow beyond so many bytes, and what is written there is refused. */
static int take_out_within(rlim_t bytes, uint64_t offset)
{
    struct rlimit before;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, before.rlim_max});
    int result = take_out(offset, 6);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    return result;
}

/* Without room for the note nothing is begun; with room for no more than it and half a secret the
 * note stays, however often that is tried, and with room again all is done. */
static void test_a_full_disk_leaves_no_half(void **state)
{
    (void)state;
    struct bytes from = {0}, to = {0};
    for (int i = 0; i < 4000; i++)
        bytes_append_text(&from, "what somebody prints\r\n");
    size_t before = from.len;
    bytes_append(&to, from.data, from.len);
    bytes_append_text(&from, A B "\r\nand on\r\n");
    bytes_append_text(&to, XA XB "\r\nand on\r\n");
    bytes_append_char(&from, '\0');
    bytes_append_char(&to, '\0');
    char *note = path_of("agent_pty/overlay.json");
    put("agent_pty/output.raw", from.data);
    assert_int_equal(take_out_within(0, SECRETS_ALL), -EFBIG);
    expect_file("agent_pty/output.raw", from.data);
    assert_int_equal(access(note, F_OK), -1);
    for (size_t within = 10; within < strlen(A B); within += 7) {
        assert_int_equal(take_out_within((rlim_t)(before + within), SECRETS_ALL), -EFBIG);
        assert_int_equal(access(note, F_OK), 0);
        assert_false(has("agent_pty/output.raw", A));
        assert_true(has("agent_pty/output.raw", &(A B)[within]));
        assert_false(has("agent_pty/overlay.json", "p6q7r8"));
    }
    assert_int_equal(take_out(SECRETS_ALL, 6), 1);
    expect_file("agent_pty/output.raw", to.data);
    assert_int_equal(access(note, F_OK), -1);
    free(note);
    bytes_finish(&from);
    bytes_finish(&to);
}

/* The same in the log, wherever in the secret it dies; and in what was set aside of one. */
static void test_who_dies_leaves_no_half_in_the_log(void **state)
{
    (void)state;
    struct bytes from = {0}, to = {0};
    for (int i = 0; i < 4000; i++)
        bytes_append_text(&from, "what somebody prints\r\n");
    size_t before = from.len;
    bytes_append(&to, from.data, from.len);
    bytes_append_text(&from, A B "\r\nand on\r\n");
    bytes_append_text(&to, XA XB "\r\nand on\r\n");
    bytes_append_char(&from, '\0');
    bytes_append_char(&to, '\0');
    for (size_t within = 1; within < strlen(A B); within++) {
        char *path = path_of("agent_pty"), *note = path_of("agent_pty/overlay.json");
        redacted_remove(path);
        put("agent_pty/output.raw", from.data);
        die_behind((rlim_t)(before + within), SECRETS_ALL);
        assert_false(has("agent_pty/output.raw", A));
        assert_true(has("agent_pty/output.raw", &(A B)[within]));
        assert_false(has("agent_pty/overlay.json", "p6q7r8"));
        assert_int_equal(take_out(SECRETS_ALL, 6), 1);
        expect_file("agent_pty/output.raw", to.data);
        assert_int_equal(access(note, F_OK), -1);
        free(path);
        free(note);
    }
    bytes_finish(&from);
    bytes_finish(&to);
}

/* Much of it, holes among it: those stay, and all else is written. */
static void test_a_hole_stays_one(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20, HOLE = 1 << 20 };
    char *path = path_of("agent_pty/output.raw");
    struct bytes log = {0};
    struct stat st;
    while (log.len < SIZE)
        bytes_append_text(&log, "0123456: " A B " 89abcdef 01\r\n");
    put("agent_pty/output.raw", "");
    int fd = open(path, O_RDWR);
    assert_int_equal(file_write_all(fd, log.data, log.len, 0), 0);
    bool punched = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, HOLE, HOLE) ==
                   0; /* not tmpfs's all */
    assert_int_equal(fstat(fd, &st), 0);
    blkcnt_t blocks = st.st_blocks;
    assert_int_equal(take_out(SECRETS_ALL, 0), 1);
    assert_int_equal(fstat(fd, &st), 0);
    assert_true(!punched || st.st_blocks <= blocks);
    assert_false(has("agent_pty/output.raw", "k1l2m3n4"));
    close(fd);
    free(path);
    bytes_finish(&log);
}

/* Wherever a piece of it ends. */
static void test_a_long_output(void **state)
{
    (void)state;
    struct bytes from = {0}, to = {0};
    for (int i = 0; i < 60000; i++) {
        bytes_printf(&from, "%d what somebody prints, %s\n", i, i % 5 ? "and so on" : A B);
        bytes_printf(&to, "%d what somebody prints, %s\n", i,
                     i % 5 ? "and so on" : "[redacted:github-token]                 ");
    }
    bytes_append_char(&from, '\0');
    bytes_append_char(&to, '\0');
    assert_true(from.len > 2 << 20);
    put("agent_pty/blocks/9_5.out", from.data);
    assert_int_equal(take_out(SECRETS_ENDED, 9), 1);
    expect_file("agent_pty/blocks/9_5.out", to.data);
    bytes_finish(&from);
    bytes_finish(&to);
}

static void test_the_log_is_covered_as_far_as_it_is_over(void **state)
{
    (void)state;
    const char one[] = "a " A B "\r\n", two[] = "b " A B "\r\n";
    put("agent_pty/output.raw", "a " A B "\r\nb " A B "\r\n");
    assert_int_equal(take_out(strlen(one), 20), 1);
    expect_file("agent_pty/output.raw", "a " XA XB "\r\nb " A B "\r\n");
    assert_int_equal(done().offset, strlen(one));
    assert_int_equal(take_out(SECRETS_ALL, SECRETS_ALL), 1);
    expect_file("agent_pty/output.raw", "a " XA XB "\r\nb " XA XB "\r\n");
    assert_int_equal(done().offset, strlen(one) + strlen(two));
    assert_int_equal(take_out(SECRETS_ALL, SECRETS_ALL), 0);
}

/* What was begun twenty times without an end is begun no more; what is behind it is. */
static void test_what_kills_is_left_alone(void **state)
{
    (void)state;
    const char one[] = "a " A B "\r\n", two[] = "b " A B "\r\n";
    struct secrets_finder finder;
    struct secrets_part part = {.offset = SECRETS_ALL, .seq = SECRETS_ALL, .guarded = true};
    char *path = path_of("agent_pty");
    put("agent_pty/output.raw", "a " A B "\r\nb " A B "\r\n");
    redacted_save(path, &(struct redacted){.tries = 20, .until = strlen(one)});
    secrets_finder_init(&finder, NULL, NULL);
    assert_int_equal(secrets_take_out(place, "one", &finder, &part, NULL), 1);
    expect_file("agent_pty/output.raw", "a " A B "\r\nb " XA XB "\r\n");
    assert_int_equal(done().offset, strlen(one) + strlen(two));
    redacted_save(path, &(struct redacted){.tries = 19, .until = strlen(one)});
    assert_int_equal(secrets_take_out(place, "one", &finder, &part, NULL), 1);
    expect_file("agent_pty/output.raw", "a " XA XB "\r\nb " XA XB "\r\n");
    assert_int_equal(done().tries, 0);
    free(path);
}

/* Whoever gives up, or has an error, is not counted as one that died. */
static void test_who_gives_up_has_not_tried(void **state)
{
    (void)state;
    atomic_bool gives_up = true;
    struct secrets_finder finder;
    struct secrets_part part = {.offset = SECRETS_ALL, .seq = SECRETS_ALL, .guarded = true};
    char *path = path_of("agent_pty");
    put("agent_pty/output.raw", "a " A B "\r\n");
    redacted_save(path, &(struct redacted){.tries = 3, .lines = true});
    secrets_finder_init(&finder, NULL, &gives_up);
    assert_int_equal(secrets_take_out(place, "one", &finder, &part, NULL), -EINTR);
    assert_int_equal(done().tries, 3);
    atomic_store(&gives_up, false);
    assert_int_equal(secrets_take_out(place, "one", &finder, &part, NULL), 1);
    assert_int_equal(done().tries, 0);
    assert_true(done().lines);
    free(path);
}

/* That the log was gone through says nothing of lines. */
static void test_lines_are_known_apart(void **state)
{
    (void)state;
    put("agent_pty/output.raw", "a " A B "\r\n");
    take_out(SECRETS_ALL, SECRETS_ALL);
    assert_false(done().lines);
}

/* Told to give up in the midst the log is read no further. */
static void *gives_up_now;

static void give_up(void)
{
    atomic_store((atomic_bool *)gives_up_now, true);
}

static void test_a_log_is_left_in_the_midst(void **state)
{
    (void)state;
    atomic_bool gives_up = false;
    struct secrets_finder finder;
    struct bytes log = {0};
    for (int i = 0; i < 4000; i++)
        bytes_append_text(&log, "what somebody prints\r\n");
    bytes_append_text(&log, A B "\r\n");
    gives_up_now = &gives_up;
    secrets_finder_init(&finder, NULL, &gives_up);
    blot_found(log.data, log.len, 0, &eighty, 1, &finder.finder, give_up);
    atomic_store(&gives_up, false);
    bytes_append_char(&log, '\0');
    assert_non_null(strstr(log.data, A B));
    bytes_finish(&log);
}

/* Told to give up it says that it is not done. */
static void test_who_gives_up_is_not_done(void **state)
{
    (void)state;
    atomic_bool gives_up = true;
    struct secrets_finder finder;
    char *path = path_of("agent_pty");
    struct redacted none;
    put("agent_pty/output.raw", "a " A B "\r\n");
    secrets_finder_init(&finder, NULL, &gives_up);
    assert_int_equal(secrets_take_out(place, "one", &finder,
                                      &(struct secrets_part){.offset = 20, .seq = 1}, NULL),
                     -EINTR);
    assert_false(redacted_load(path, &none));
    free(path);
}

/* ---- lines ---- */

static char *sealed(const char *json)
{
    json_t *value = json_loads(json, 0, NULL);
    char *text = seal_dump(value);
    json_decref(value);
    return text;
}

static void test_lines_are_without_them(void **state)
{
    (void)state;
    char *line = sealed("{\"seq\":1,\"cmd\":\"echo " A B "\",\"cwd\":\"/\",\"cwd_after\":\"/\","
                        "\"preview\":{\"lines\":[\"" A B "\",\"b\"],\"truncated\":false}}");
    char *wanted = sealed("{\"seq\":1,\"cmd\":\"echo [redacted:github-token]\",\"cwd\":\"/\","
                          "\"cwd_after\":\"/\",\"preview\":{\"lines\":[\"[redacted:github-token]\","
                          "\"b\"],\"truncated\":false}}");
    char *lines, *wanted_lines;
    struct secrets_finder finder;
    assert_true(asprintf(&lines, "%s\n{damaged " A B "\n{damaged\n", line) > 0);
    assert_true(asprintf(&wanted_lines, "%s\n{damaged\n", wanted) > 0);
    put("agent_pty/blocks.jsonl", lines);
    put("agent_pty/events.jsonl",
        "{\"type\":\"agent_block_delta\",\"delta\":\"half of a sec\"}\n"
        "{\"type\":\"agent_block_end\",\"block\":{\"cmd\":\"x " A B "\"}}\n");
    put("agent_pty/screen.jsonl", "{}\n");
    put("agent_pty/checkpoint", "any");
    put("meta.json", "{\"a\":{\"b\":\"" A B "\"},\"conversation_id\":\"one\"}");
    put("meta.json.damaged-17", "{\"a\":{\"b\":\"" A B "\"}");
    secrets_finder_init(&finder, NULL, NULL);
    assert_int_equal(forget_secrets_in_lines(place, "one", &finder.finder, NULL, NULL), 0);
    expect_file("agent_pty/blocks.jsonl", wanted_lines);
    expect_file("agent_pty/events.jsonl", "{\"type\":\"agent_block_end\",\"block\":{\"cmd\":\"x "
                                          "[redacted:github-token]\"}}\n");
    expect_file("meta.json.damaged-17", "{\"a\":{\"b\":\"" XA XB "\"}");
    char *path = path_of("meta.json"), *screen = path_of("agent_pty/screen.jsonl");
    struct bytes meta = {0};
    assert_int_equal(file_read(path, 1 << 20, &meta), 0);
    bytes_append_char(&meta, '\0');
    assert_non_null(strstr(meta.data, "{\"a\":{\"b\":\"[redacted:github-token]\"}"));
    assert_int_equal(access(screen, F_OK), -1);
    bytes_finish(&meta);
    free(path);
    free(screen);
    free(line);
    free(wanted);
    free(lines);
    free(wanted_lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_an_output_keeps_its_lines, set_up),
        cmocka_unit_test_setup(test_nothing_moves_in_an_output, set_up),
        cmocka_unit_test_setup(test_who_dies_leaves_no_half, set_up),
        cmocka_unit_test_setup(test_who_dies_leaves_no_half_in_the_log, set_up),
        cmocka_unit_test_setup(test_a_full_disk_leaves_no_half, set_up),
        cmocka_unit_test_setup(test_a_hole_stays_one, set_up),
        cmocka_unit_test_setup(test_a_long_output, set_up),
        cmocka_unit_test_setup(test_the_log_is_covered_as_far_as_it_is_over, set_up),
        cmocka_unit_test_setup(test_what_kills_is_left_alone, set_up),
        cmocka_unit_test_setup(test_who_gives_up_has_not_tried, set_up),
        cmocka_unit_test_setup(test_lines_are_known_apart, set_up),
        cmocka_unit_test(test_a_log_is_left_in_the_midst),
        cmocka_unit_test_setup(test_who_gives_up_is_not_done, set_up),
        cmocka_unit_test_setup(test_lines_are_without_them, set_up),
    };
    assert_non_null(mkdtemp(place));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", place);
    return system(command) ? 1 : failed;
}
