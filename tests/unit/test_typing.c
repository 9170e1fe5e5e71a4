/* What waits to be typed: in order, whole or counted, also behind the death of whoever typed it.
 * The terminal is a pipe. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/session/typing.h"

static struct typing_queue queue;
static struct intake_facts facts;
static int ends[2]; /* of the terminal: what reads, what is written to */
static int done;
static size_t done_bytes;

static void on_done(struct typing *t)
{
    done++;
    done_bytes += t->typed;
    bytes_finish(&t->bytes);
}

static struct typing request(uint64_t token, size_t len)
{
    struct typing t = {.token = token, .done = on_done};
    for (size_t i = 0; i < len; i++)
        bytes_append_char(&t.bytes, (char)('a' + (token + i) % 23));
    return t;
}

static int begin(void **state)
{
    (void)state;
    queue = (struct typing_queue){0};
    facts = (struct intake_facts){0};
    done = 0;
    done_bytes = 0;
    return pipe2(ends, O_NONBLOCK);
}

static int end(void **state)
{
    (void)state;
    close(ends[0]);
    close(ends[1]);
    return 0;
}

/* As much as the terminal takes. */
static void write_all(void)
{
    while (queue.first && typing_write(&queue, &facts, ends[1]) > 0)
        typing_settle(&queue);
}

static size_t read_all(struct bytes *out)
{
    char chunk[1 << 16];
    ssize_t n;
    size_t before = out->len;
    while ((n = read(ends[0], chunk, sizeof chunk)) > 0)
        bytes_append(out, chunk, (size_t)n);
    return out->len - before;
}

static void expect_known(uint64_t token, size_t typed, size_t doubt)
{
    size_t found = 0, unsure = 0;
    assert_true(typing_find(&facts, token, &found, &unsure));
    assert_int_equal(found, typed);
    assert_int_equal(unsure, doubt);
}

static void requests_are_typed_in_order(void **state)
{
    struct typing one = request(1, 10), two = request(2, 9000), three = request(3, 5);
    struct bytes out = {0}, all = {0};
    (void)state;
    bytes_append(&all, one.bytes.data, 10);
    bytes_append(&all, two.bytes.data, 9000);
    bytes_append(&all, three.bytes.data, 5);
    assert_true(typing_add(&queue, &one) && typing_add(&queue, &two) && typing_add(&queue, &three));
    assert_int_equal(typing_room(&queue), LIMIT_INPUT_BYTES - 9015);
    write_all();
    assert_int_equal(done, 3);
    assert_int_equal(read_all(&out), 9015);
    assert_memory_equal(out.data, all.data, 9015);
    assert_int_equal(typing_room(&queue), LIMIT_INPUT_BYTES);
    expect_known(2, 9000, 0);
    bytes_finish(&out);
    bytes_finish(&all);
}

static void what_the_terminal_does_not_take_waits(void **state)
{
    struct typing one = request(1, 100000), two = request(2, 10);
    struct bytes out = {0};
    (void)state;
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 8192), 8192);
    assert_true(typing_add(&queue, &one) && typing_add(&queue, &two));
    write_all();
    assert_int_equal(typing_write(&queue, &facts, ends[1]), -EAGAIN);
    assert_int_equal(done, 0);
    expect_known(1, 8192, 0);
    size_t typed, doubt;
    assert_false(typing_find(&facts, 2, &typed, &doubt));
    while (done < 2) {
        read_all(&out);
        write_all();
    }
    read_all(&out);
    assert_int_equal(out.len, 100010);
    expect_known(1, 100000, 0);
    bytes_finish(&out);
}

static void what_is_taken_back_is_not_typed(void **state)
{
    struct typing one = request(1, 20000), two = request(2, 10), three = request(3, 10);
    struct bytes out = {0};
    (void)state;
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    assert_true(typing_add(&queue, &one) && typing_add(&queue, &two) && typing_add(&queue, &three));
    write_all();
    typing_remove(&queue, &one);
    typing_remove(&queue, &three);
    typing_remove(&queue, &three);
    read_all(&out);
    write_all();
    read_all(&out);
    assert_int_equal(done, 1);
    assert_int_equal(out.len, 4106);
    assert_memory_equal(out.data + 4096, "cdefghijkl", 10);
    assert_int_equal(one.typed, 4096);
    expect_known(1, 4096, 0);
    assert_int_equal(queue.len, 0);
    bytes_finish(&one.bytes);
    bytes_finish(&three.bytes);
    bytes_finish(&out);
}

static void an_end_says_what_was_typed(void **state)
{
    struct typing one = request(1, 20000), two = request(2, 10);
    (void)state;
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    assert_true(typing_add(&queue, &one) && typing_add(&queue, &two));
    write_all();
    typing_end(&queue);
    assert_int_equal(done, 2);
    assert_int_equal(done_bytes, 4096);
    assert_null(queue.first);
}

static void requests_are_refused_whole(void **state)
{
    struct typing big = request(1, LIMIT_INPUT_BYTES), one = request(2, 1);
    static struct typing many[LIMIT_TYPINGS];
    (void)state;
    assert_true(typing_add(&queue, &big));
    assert_false(typing_add(&queue, &one));
    typing_remove(&queue, &big);
    for (int i = 0; i < LIMIT_TYPINGS; i++) {
        many[i] = request(0, 1);
        assert_true(typing_add(&queue, &many[i]));
    }
    assert_int_equal(typing_room(&queue), 0);
    assert_false(typing_add(&queue, &one));
    typing_end(&queue);
    assert_true(typing_add(&queue, &one));
    typing_end(&queue);
    bytes_finish(&big.bytes);
}

/* The oldest is forgotten; one that still types does not write into another's place. */
static void the_newest_are_known(void **state)
{
    struct typing slow = request(1000, 9000);
    size_t typed, doubt;
    (void)state;
    assert_true(typing_add(&queue, &slow));
    assert_int_equal(typing_write(&queue, &facts, ends[1]), LIMIT_TYPED_PIECE);
    for (uint64_t token = 1; token <= LIMIT_TYPINGS_KEPT; token++) {
        struct typing_queue other = {0};
        struct typing t = request(token, 3);
        assert_true(typing_add(&other, &t));
        assert_int_equal(typing_write(&other, &facts, ends[1]), 3);
        typing_settle(&other);
    }
    write_all();
    assert_false(typing_find(&facts, 1000, &typed, &doubt));
    assert_false(typing_find(&facts, 0, &typed, &doubt));
    for (uint64_t token = 1; token <= LIMIT_TYPINGS_KEPT; token++)
        expect_known(token, 3, 0);
}

static void of_what_came_behind_a_known_request_it_is_known_that_nothing_was_written(void **state)
{
    struct typing t = request(6, 3);
    (void)state;
    assert_false(typing_never(&facts, 6, 5));
    typing_note(&facts, 5);
    assert_true(typing_never(&facts, 6, 5));
    assert_false(typing_never(&facts, 0, 5));
    expect_known(5, 0, 0);
    assert_true(typing_add(&queue, &t));
    assert_true(typing_never(&facts, 6, 5));
    write_all();
    assert_false(typing_never(&facts, 6, 5));
    typing_note(&facts, 6);
    expect_known(6, 3, 0);
    for (uint64_t token = 100; token < 99 + LIMIT_TYPINGS_KEPT; token++)
        typing_note(&facts, token);
    assert_false(typing_never(&facts, 7, 5)); /* forgotten, and 7 may be */
    assert_true(typing_never(&facts, 7, 6));
    typing_note(&facts, 1000);
    assert_false(typing_never(&facts, 7, 6));
}

/* "a", a piece of 6 that came as 4, "b", one of 5 that came as 2, "c". */
static struct typing grown_request(void)
{
    struct typing t = {.token = 7, .done = on_done};
    typing_append(&t, "a", 1, 0);
    typing_append(&t, "123456", 6, 2);
    typing_append(&t, "b", 1, 0);
    typing_append(&t, "12345", 5, 3);
    typing_append(&t, "c", 1, 0);
    return t;
}

/* Of what grew the last byte that came is told with the last that is typed. */
static void what_grew_is_told_as_it_came(void **state)
{
    static const size_t came[] = {0, 1, 2, 3, 4, 4, 4, 5, 6, 7, 7, 7, 7, 8, 9};
    struct typing t = grown_request();
    struct bytes out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof came / sizeof *came; i++)
        assert_int_equal(typing_came(&t, i), came[i]);
    assert_true(typing_add(&queue, &t));
    write_all();
    assert_int_equal(read_all(&out), 14);
    assert_memory_equal(out.data, "a123456b12345c", 14);
    expect_known(7, 9, 0);
    bytes_finish(&t.grown);
    bytes_finish(&out);
}

/* Behind each piece: what is known when a worker dies there. */
static void what_grew_is_kept_as_it_came(void **state)
{
    static const size_t lens[] = {3, 4, 2, 5}, came[] = {3, 5, 7, 9};
    struct typing t = grown_request();
    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
        typing_add_part(&t, lens[i], i % 2 ? TYPING_KEYS : TYPING_REPLY);
    assert_true(typing_add(&queue, &t));
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        assert_int_equal(typing_write(&queue, &facts, ends[1]), lens[i]);
        expect_known(7, came[i], 0);
    }
    typing_settle(&queue);
    bytes_finish(&t.grown);
}

/* Killed in the middle of a write: of that piece alone it is not known. */
static void a_death_leaves_one_piece_in_doubt(void **state)
{
    struct intake_facts *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct bytes out = {0};
    (void)state;
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 8192), 8192);
    assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0); /* who writes too much waits there */
    pid_t worker = fork();
    if (worker == 0) {
        struct typing t = request(7, 60000);
        typing_add(&queue, &t);
        for (;;)
            typing_write(&queue, shared, ends[1]);
    }
    volatile struct intake_typing *kept = &shared->typings[0];
    while (kept->most != 3 * LIMIT_TYPED_PIECE)
        ;
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    read_all(&out);
    facts = *shared;
    expect_known(7, 2 * LIMIT_TYPED_PIECE, LIMIT_TYPED_PIECE);
    assert_true(out.len >= 2 * LIMIT_TYPED_PIECE && out.len <= 3 * LIMIT_TYPED_PIECE);
    bytes_finish(&out);
    munmap(shared, sizeof *shared);
}

/* ---- the baton ---- */

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static void on_freed(struct typing *t)
{
    bytes_finish(&t->bytes);
    free(t);
}

/* Every byte of a request is `mark`. */
static void add_marked(uint64_t agent, char mark, size_t len, bool reply)
{
    struct typing *t = calloc(1, sizeof *t);
    assert_non_null(t);
    *t = (struct typing){.agent = agent, .is_reply = reply, .done = on_freed};
    for (size_t i = 0; i < len; i++)
        bytes_append_char(&t->bytes, mark);
    if (!typing_add(&queue, t))
        on_freed(t);
}

/* What the terminal got, of which a user's byte says how many grants had been made before it was
 * typed, and an agent's by which of them it was typed: no agent's stands behind a user's that was
 * typed after that grant. */
static void check_order(const struct bytes *out)
{
    int newest = -1; /* grants before the last byte of the user's */
    for (size_t i = 0; i < out->len; i++) {
        unsigned char byte = (unsigned char)out->data[i];
        if (byte >= 128)
            newest = byte - 128;
        else if (byte && byte <= newest)
            fail_msg("byte %zu was typed by grant %d behind a key that followed grant %d", i, byte,
                     newest);
    }
}

/* A piece, if the terminal takes one; of an empty request there is none. */
static void write_one(void)
{
    typing_write(&queue, &facts, ends[1]);
    typing_settle(&queue);
}

static void grant_next(int *grants)
{
    typing_take_baton(&queue);
    queue.baton = (uint64_t)++ * grants;
}

/* Returns how many bytes of agents' the terminal got. */
static size_t a_random_round(unsigned *random)
{
    struct bytes out = {0};
    size_t agents = 0;
    int grants = 0;
    for (int step = 0; step < 400 && grants < 100; step++) {
        unsigned what = next_random(random) % 8, len = next_random(random) % 3000;
        unsigned old = next_random(random) % 4 == 0;
        if (what == 0)
            grant_next(&grants);
        else if (what == 1)
            add_marked(0, (char)(128 + grants), len % 5, false);
        else if (what == 2)
            add_marked(0, 0, len % 20, true);
        else if (what <= 5 && grants)
            add_marked((uint64_t)(grants - (int)(old && grants > 1)),
                       (char)(grants - (int)(old && grants > 1)), len, false);
        else if (queue.first)
            write_one();
        if (what == 7)
            read_all(&out);
    }
    for (int i = 0; i < 10000 && queue.first; i++, read_all(&out))
        write_one();
    read_all(&out);
    check_order(&out);
    for (size_t i = 0; i < out.len; i++)
        agents += out.data[i] > 0;
    bytes_finish(&out);
    queue.baton = 0;
    return agents;
}

static void no_byte_of_an_agents_follows_one_of_the_users(void **state)
{
    unsigned random = 11;
    size_t agents = 0;
    (void)state;
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    for (int round = 0; round < 50; round++)
        agents += a_random_round(&random);
    assert_true(agents > 100000);
}

static void what_an_agent_has_not_typed_by_then_is_not_typed(void **state)
{
    struct bytes out = {0};
    size_t agents = 0;
    (void)state;
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    queue.baton = 7;
    add_marked(7, 'a', 30000, false);
    add_marked(0, 'r', 3, true);
    add_marked(7, 'a', 10, false);
    write_one();
    add_marked(0, 'k', 2, false);
    add_marked(7, 'a', 10, false);
    for (int i = 0; i < 100 && queue.first; i++, read_all(&out))
        write_one();
    read_all(&out);
    for (size_t i = 0; i < out.len; i++)
        agents += out.data[i] == 'a';
    assert_int_equal(agents, 4096);
    assert_memory_equal(out.data + 4096, "rrrkk", 5);
    assert_int_equal(out.len, 4096 + 5);
    assert_int_equal(queue.count + queue.len, 0);
    bytes_finish(&out);
}

/* Answers of a terminal are nobody's keys, and an empty request is none. */
static void what_is_no_key_takes_no_baton(void **state)
{
    (void)state;
    queue.baton = 7;
    add_marked(0, 'r', 5, true);
    add_marked(0, 'e', 0, false);
    write_all();
    assert_int_equal(queue.baton, 7);
    struct typing *t = calloc(1, sizeof *t);
    assert_non_null(t);
    *t = (struct typing){.done = on_freed};
    bytes_append_text(&t->bytes, "answer");
    typing_add_part(t, 6, TYPING_REPLY);
    assert_true(typing_add(&queue, t));
    assert_int_equal(queue.baton, 7);
    add_marked(0, 'k', 1, false);
    assert_int_equal(queue.baton, 0);
    while ((t = queue.first)) {
        typing_remove(&queue, t);
        on_freed(t);
    }
}

/* What one keeps beside the shared requests is its own until the terminal has all of it. */
static void what_one_keeps_is_its_own_until_all_is_typed(void **state)
{
    (void)state;
    struct intake_typing kept = {.token = 1}, another = {.token = 2};
    struct typing t = request(1, 200000);
    struct bytes out = {0};
    t.kept = &kept;
    assert_true(typing_add(&queue, &t));
    assert_true(typing_keeps(&queue, &kept));
    assert_false(typing_keeps(&queue, &another));
    write_all();
    assert_true(typing_keeps(&queue, &kept)); /* the terminal is full */
    while (queue.first) {
        read_all(&out);
        write_all();
    }
    assert_false(typing_keeps(&queue, &kept));
    assert_int_equal(kept.typed, 200000);
    bytes_finish(&out);
}

/* ---- pastes ---- */

static void type_cut(const void *of, const char *text, size_t chunk)
{
    for (size_t at = 0, len = strlen(text); at < len; at += chunk) {
        struct typing t = {.of = of, .done = on_done};
        bytes_append(&t.bytes, text + at, chunk < len - at ? chunk : len - at);
        assert_true(typing_add(&queue, &t));
        write_all();
    }
}

static void a_paste_is_cut_by_who_goes_before_its_end(void **state)
{
    static const struct {
        const char *typed;
        bool cut;
    } cases[] = {
        {"ls\r", false},
        {"\x1b[200~ls", true},
        {"\x1b[200~ls\x1b[201~", false},
        {"\x1b[200~\x1b[201~\x1b[A\x1b[200~\x1b[A", true},
        {"\x1b[200~\x1b[20\x1b[202~", true},
        {"\x1b[200~x\x1b[\x1b[201~", false},
        {"\x1b[201~", false},
        {"\x1b[20~", false},
    };
    int me, other;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t chunk = 1; chunk < 20; chunk += 6) {
            queue = (struct typing_queue){0};
            type_cut(&me, cases[i].typed, chunk);
            typing_leave(&queue, &other);
            assert_false(queue.cut);
            typing_leave(&queue, &me);
            assert_int_equal(queue.cut, cases[i].cut);
            queue.cut = false;
            typing_leave(&queue, &me);
            assert_false(queue.cut);
        }
}

/* What was begun goes on; the end comes before all others. */
static void the_end_of_a_cut_paste_comes_first(void **state)
{
    struct typing paste = {.done = on_done}, behind = request(2, 3);
    struct bytes out = {0};
    (void)state;
    bytes_append_text(&paste.bytes, "\x1b[200~");
    for (int i = 0; i < 20000; i++)
        bytes_append_char(&paste.bytes, 'x');
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    assert_true(typing_add(&queue, &paste) && typing_add(&queue, &behind));
    write_all();
    typing_remove(&queue, &paste);
    assert_true(queue.cut);
    typing_end_paste(&queue, typing_create(PASTE_END, sizeof PASTE_END - 1));
    assert_int_equal(queue.len, sizeof PASTE_END - 1 + 3);
    read_all(&out);
    write_all();
    read_all(&out);
    assert_int_equal(out.len, 4096 + 6 + 3);
    assert_memory_equal(out.data + 4096, "\x1b[201~cde", 9);
    assert_false(queue.cut);
    assert_int_equal(queue.len, 0);
    bytes_finish(&paste.bytes);
    bytes_finish(&out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(requests_are_typed_in_order),
        TEST(what_the_terminal_does_not_take_waits),
        TEST(what_is_taken_back_is_not_typed),
        TEST(an_end_says_what_was_typed),
        TEST(requests_are_refused_whole),
        TEST(the_newest_are_known),
        TEST(of_what_came_behind_a_known_request_it_is_known_that_nothing_was_written),
        TEST(what_grew_is_told_as_it_came),
        TEST(what_grew_is_kept_as_it_came),
        TEST(a_death_leaves_one_piece_in_doubt),
        TEST(no_byte_of_an_agents_follows_one_of_the_users),
        TEST(what_an_agent_has_not_typed_by_then_is_not_typed),
        TEST(what_is_no_key_takes_no_baton),
        TEST(what_one_keeps_is_its_own_until_all_is_typed),
        TEST(a_paste_is_cut_by_who_goes_before_its_end),
        TEST(the_end_of_a_cut_paste_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
