/* What a relay takes of a hub that is none: how often it asks. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/in.h"

static unsigned pulls, acks;

bool hub_is_connected(const struct hub *hub)
{
    (void)hub;
    return true;
}

const char *hub_publish(struct hub *hub, const char *subject, const char *answer, const char *id,
                        const char *data, size_t len)
{
    (void)hub;
    (void)answer;
    (void)id;
    pulls += strstr(subject, ".MSG.NEXT.") != NULL;
    acks += len == 4 && !memcmp(data, "+ACK", 4);
    return NULL;
}

const char hub_too_large[] = "";

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
    if (!m)
        return;
    free(m->subject);
    free(m->reply);
    free(m->id);
    free(m->data);
    free(m);
}

static struct hub_message *message(unsigned place)
{
    static const char said[] = "{\"v\":1,\"host_id\":\"fedcba9876543210\",\"session\":\"work\"}";
    struct hub_message *m = memory_new(sizeof *m);
    *m = (struct hub_message){
        .kind = HUB_MESSAGE,
        .subject = text_copy("ptyd.v1.dana.fedcba9876543210.work.block"),
        .reply = text_format("$JS.ACK.PTYD_dana.H0123456789abcdef.1.%u.1.1795207146949.0", place),
        .id = text_copy("id"),
        .data = text_copy(said),
        .len = sizeof said - 1};
    return m;
}

/* The hub gives out again what is not acknowledged for as long as it is asked for more. */
static void test_without_a_daemon(void **state)
{
    (void)state;
    struct setup setup = {.user = (char *)"dana"};
    struct identity own = {.host_id = "0123456789abcdef"};
    struct out out = {0};
    struct in in = {.settings = &setup, .user = "dana", .identity = &own, .out = &out};
    setenv("PTYD_SOCKET", "/nonexistent/ptyd.sock", 1);
    in_begin(&in);
    in.way = IN_SURE;
    in_step(&in);
    assert_int_equal(pulls, 1);
    in_take(&in, message(1));
    in_take(&in, message(2));
    in_step(&in);
    assert_true(in.waits);
    for (int i = 0; i < 10; i++) { /* the question's time is over, again and again */
        in.asked_until = 0;
        in.hand_at = 0;
        assert_true(in_step(&in) > clock_monotonic_ms() - 1); /* the daemon is looked for */
    }
    assert_int_equal(pulls, 1);
    assert_int_equal(in.held, 2);
    assert_int_equal(acks, 0);
    in_lost(&in); /* on another connection nothing is held */
    in.way = IN_SURE;
    in_step(&in);
    assert_int_equal(pulls, 2);
    in_finish(&in);
    free(out.error);
}

/* What comes behind what was handed over waits for more, until there is enough for once. */
static void test_together(void **state)
{
    (void)state;
    struct setup setup = {.user = (char *)"dana"};
    struct identity own = {.host_id = "0123456789abcdef"};
    struct out out = {0};
    struct in in = {.settings = &setup, .user = "dana", .identity = &own, .out = &out};
    setenv("PTYD_SOCKET", "/nonexistent/ptyd.sock", 1);
    in_begin(&in);
    in.way = IN_SURE;
    int64_t then = in.next_at = clock_monotonic_ms() + 60000;
    for (unsigned place = 1; place < LIMIT_RELAY_AT_ONCE; place++)
        in_take(&in, message(place));
    assert_true(in_step(&in) <= then);
    assert_false(in.waits); /* no daemon was looked for */
    in_take(&in, message(LIMIT_RELAY_AT_ONCE));
    in_step(&in);
    assert_true(in.waits);
    assert_true(in.next_at < then && in.next_at > then - 60000);
    in_finish(&in);
    free(out.error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_a_daemon),
                                       cmocka_unit_test(test_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
