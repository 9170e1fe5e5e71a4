/* What `ptyd exec` could not tell: a relay and another exec that send it at once, and a file that
 * is in the way. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/hub.h"
#include "ptyd/relay/unsent.h"

#define URL  "nats://127.0.0.1"
#define HOST "0123456789abcdef"

static char state_path[] = "/tmp/ptyd-unsent-XXXXXX";
static char last_id[64];
static unsigned published;

const char hub_too_large[] = "";

const char *hub_publish(struct hub *hub, const char *subject, const char *answer, const char *id,
                        const char *data, size_t len)
{
    (void)hub;
    (void)subject;
    (void)answer;
    (void)data;
    (void)len;
    published++;
    snprintf(last_id, sizeof last_id, "%s", id);
    return NULL;
}

int hub_fd(const struct hub *hub)
{
    (void)hub;
    return -1;
}

struct hub_message *hub_next(struct hub *hub)
{
    (void)hub;
    return NULL;
}

void hub_message_free(struct hub_message *m)
{
    (void)m;
}

static struct unsent_way way(void)
{
    return (struct unsent_way){.state = state_path, .url = URL, .host_id = HOST};
}

static size_t keep(const char *url, const char *id, const char *text)
{
    size_t given_up;
    struct unsent letter = {
        .url = url, .host_id = HOST, .subject = "ptyd.v1.dana.x.block", .id = id, .text = text};
    assert_int_equal(unsent_keep(state_path, &letter, &given_up), 0);
    return given_up;
}

static void answer(struct unsent_way *w, unsigned number)
{
    char said[] = "{\"stream\":\"PTYD_dana\",\"seq\":1}", subject[32];
    snprintf(subject, sizeof subject, "u.%u", number);
    unsent_answer(
        w, &(struct hub_message){
               .kind = HUB_ANSWER, .subject = subject, .data = said, .len = sizeof said - 1});
}

static int empty(void **state)
{
    (void)state;
    char *path = unsent_path(state_path);
    unlink(path);
    free(path);
    published = 0;
    return 0;
}

static void test_one_behind_another(void **state)
{
    (void)state;
    struct unsent_way w = way();
    keep(URL, "first", "{}");
    keep(URL, "second", "{}");
    unsent_step(&w);
    unsent_step(&w); /* one is under way */
    assert_int_equal(published, 1);
    assert_string_equal(last_id, "first");
    answer(&w, 7); /* none of ours */
    assert_int_equal(unsent_count(state_path), 2);
    answer(&w, 1);
    assert_int_equal(unsent_count(state_path), 1);
    unsent_step(&w);
    assert_string_equal(last_id, "second");
    answer(&w, 2);
    assert_int_equal(unsent_count(state_path), 0);
    unsent_lost(&w);
}

/* The hub knows what came twice; who finds it gone goes on with the next one at once. */
static void test_another_sends_it_too(void **state)
{
    (void)state;
    struct unsent_way relay = way(), other = way();
    keep(URL, "first", "{}");
    keep(URL, "second", "{}");
    unsent_step(&relay);
    unsent_step(&other);
    answer(&other, 1);
    assert_int_equal(unsent_count(state_path), 1);
    answer(&relay, 1);
    assert_int_equal(unsent_count(state_path), 1);
    unsent_step(&relay);
    assert_string_equal(last_id, "second");
    assert_int_equal(published, 3);
    unsent_lost(&relay);
    unsent_lost(&other);
}

/* Nothing of that is left behind, however often it is looked (a sanitizer counts). */
static void test_a_lock_that_is_none(void **state)
{
    (void)state;
    char *lock = text_format("%s/relay/unsent.lock", state_path);
    struct unsent_way w = way();
    keep(URL, "first", "{}");
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(symlink("/nonexistent", lock), 0);
    unsent_step(&w);
    assert_int_equal(published, 0);
    assert_int_equal(unlink(lock), 0);
    w.at = 0;
    unsent_step(&w);
    assert_int_equal(published, 1);
    unsent_lost(&w);
    free(lock);
}

/* A file that is larger than is read would be nothing at all. */
static void test_no_more_than_is_read(void **state)
{
    (void)state;
    size_t given_up = 0;
    char *url = memory_new(16 << 10), *text = memory_new(64 << 10);
    memset(url, 'h', (16 << 10) - 1);
    memset(text, '"', (62 << 10) - 1);
    for (int i = 0; i < LIMIT_EXEC_KEPT; i++) {
        char id[32];
        snprintf(id, sizeof id, "%d", i);
        given_up += keep(url, id, text);
    }
    char *path = unsent_path(state_path);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_in_range(st.st_size, LIMIT_EXEC_KEPT_BYTES / 2, LIMIT_EXEC_KEPT_BYTES);
    assert_int_equal(unsent_count(state_path) + given_up, LIMIT_EXEC_KEPT);
    free(path);
    free(text);
    free(url);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_one_behind_another, empty),
                                       cmocka_unit_test_setup(test_another_sends_it_too, empty),
                                       cmocka_unit_test_setup(test_a_lock_that_is_none, empty),
                                       cmocka_unit_test_setup(test_no_more_than_is_read, empty)};
    if (!mkdtemp(state_path))
        return 1;
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    char *relay = text_format("%s/relay", state_path);
    char *lock = text_format("%s/unsent.lock", relay), *path = unsent_path(state_path);
    unlink(path);
    unlink(lock);
    rmdir(relay);
    rmdir(state_path);
    free(path);
    free(lock);
    free(relay);
    return result;
}
