/* The relay's small parts: keys as NATS writes them, names as subjects have them, who may what. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/hub.h"
#include "ptyd/relay/in.h"
#include "ptyd/relay/keys.h"
#include "ptyd/relay/letter.h"
#include "ptyd/relay/presence.h"
#include "ptyd/relay/roles.h"
#include "ptyd/relay/sealing.h"
#include "ptyd/relay/subject.h"

/* A pair that NATS's own documentation prints:
 * https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth */
#define SEED   "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
#define PUBLIC "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

static void test_known_key(void **state)
{
    (void)state;
    char public[KEYS_PUBLIC_SIZE];
    assert_true(keys_public(SEED, public));
    assert_string_equal(public, PUBLIC);
    assert_true(keys_is_public(PUBLIC));
}

static void test_damaged_keys(void **state)
{
    (void)state;
    char public[KEYS_PUBLIC_SIZE];
    assert_false(keys_public("", public));
    assert_false(keys_public(PUBLIC, public));
    assert_false(keys_is_public(SEED));
    for (size_t i = 0; i < sizeof SEED - 1; i++) { /* a letter that is another */
        char seed[] = SEED;
        seed[i] = seed[i] == 'A' ? 'B' : 'A';
        assert_false(keys_public(seed, public));
    }
    for (size_t len = 0; len < sizeof PUBLIC - 1; len++) {
        char text[] = PUBLIC;
        text[len] = '\0';
        assert_false(keys_is_public(text));
    }
}

static void test_new_keys(void **state)
{
    (void)state;
    char seed[KEYS_SEED_SIZE], other[KEYS_SEED_SIZE], public[KEYS_PUBLIC_SIZE];
    keys_new_seed(seed);
    keys_new_seed(other);
    assert_string_not_equal(seed, other);
    assert_true(keys_public(seed, public));
    assert_true(keys_is_public(public));
}

/* What the server makes of a token is tests/e2e/relay_grants.js's. */
static void test_tokens(void **state)
{
    (void)state;
    struct keys_signer account, system, again;
    assert_true(keys_signer(SEED, KEYS_ACCOUNT, &account));
    assert_true(keys_signer(SEED, KEYS_SYSTEM, &system));
    assert_true(keys_signer(SEED, KEYS_ACCOUNT, &again));
    assert_string_equal(account.public, again.public);
    assert_string_not_equal(account.public, system.public);
    assert_int_equal(account.public[0], 'A');
    assert_false(keys_signer(PUBLIC, KEYS_ACCOUNT, &again));
    char *token = keys_token(&account, "{\"name\":\"x\"}"),
         *claims = keys_claims(token, strlen(token));
    assert_int_equal(strncmp(token, "eyJ", 3), 0); /* as every JWT: {" in base 64 */
    assert_string_equal(claims, "{\"name\":\"x\"}");
    free(claims);
    free(token);
    const char *const none[] = {"", ".", "..", "a.b", "a.=.c", "a.e30=.c", "a.\x80.c"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(keys_claims(none[i], strlen(none[i])));
}

static void test_ids(void **state)
{
    (void)state;
    unsigned char key[KEYS_MAC_BYTES] = {1}, other[KEYS_MAC_BYTES] = {2};
    char a[KEYS_ID_SIZE], b[KEYS_ID_SIZE];
    keys_mac(key, "host/shell/1", a);
    keys_mac(key, "host/shell/1", b);
    assert_string_equal(a, b);
    keys_mac(other, "host/shell/1", b);
    assert_string_not_equal(a, b);
    keys_mac(key, "host/shell/2", b);
    assert_string_not_equal(a, b);
}

static void test_subjects(void **state)
{
    (void)state;
    char *token = subject_token("a.b*c>d e\xc3\xa9"), *host = NULL, *session = NULL;
    assert_string_equal(token, "a%2Eb%2Ac%3Ed%20e%C3%A9");
    free(token);
    char *subject = subject_block("dana", "0123456789abcdef", "term-1.x");
    assert_string_equal(subject, "ptyd.v1.dana.0123456789abcdef.term-1%2Ex.block");
    assert_true(subject_is_block(subject, "dana", &host, &session));
    assert_string_equal(host, "0123456789abcdef");
    assert_string_equal(session, "term-1%2Ex");
    free(host);
    free(session);
    free(subject);
    static const char *const none[] = {"",
                                       "ptyd.v1.dana",
                                       "ptyd.v1.dana.",
                                       "ptyd.v1.dana.h.block",
                                       "ptyd.v1.dana.h.s.blocks",
                                       "ptyd.v1.dana.h.s.block.x",
                                       "ptyd.v1.dana..s.block",
                                       "ptyd.v1.dana.h..block",
                                       "ptyd.v1.other.h.s.block"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(subject_is_block(none[i], "dana", &host, &session));
}

/* As nats-server 2.9 wrote them, and with a domain as its reference has them. */
static void test_places(void **state)
{
    (void)state;
    assert_int_equal(subject_place("$JS.ACK.PTYD_dana.H0123456789abcdef.1.107.3.1795207146949.0"),
                     107);
    assert_int_equal(
        subject_place("$JS.ACK.far.ACCOUNT.PTYD_dana.H0123456789abcdef.2.9.44.1795207146949.5"), 9);
    assert_int_equal(
        subject_place("$JS.ACK.far.ACCOUNT.PTYD_dana.H0123456789abcdef.2.9.44.1795207146949.5.x"),
        9);
    assert_int_equal(
        subject_kept_ms("$JS.ACK.PTYD_dana.H0123456789abcdef.1.107.3.1795207146949000000.0"),
        1795207146949);
    assert_int_equal(
        subject_kept_ms(
            "$JS.ACK.far.ACCOUNT.PTYD_dana.H0123456789abcdef.2.9.44.1795207146949000000.5"),
        1795207146949);
    assert_int_equal(subject_kept_ms("$JS.ACK.a.b.1.2.3.4"), 0);
    assert_int_equal(subject_kept_ms(""), 0);
    static const char *const none[] = {"", "$JS.ACK.", "$JS.ACK.a.b.1.2.3.4",
                                       "_INBOX.a.b.c.d.e.f.g.h"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(subject_place(none[i]), 0);
}

/* Where the third place is a host's, by which a hub's permissions name who answers. */
static void test_answers(void **state)
{
    (void)state;
    static const char *const none[] = {"",
                                       "_INBOX.",
                                       "_INBOX.a.b",
                                       "_INBOX.a.b.",
                                       "_INBOX.a.b.h0",
                                       "_INBOX.a.b.h.1",
                                       "_INBOX.a.b.h00.1",
                                       "_INBOX.h0.1",
                                       "_INBOX.a.h0.1",
                                       "_INBOX.a.b.c.h0.1",
                                       "_INBOX_a.b.c.h0.1",
                                       "ptyd.v1.dana.h0.work.block",
                                       "$JS.ACK.a.h0.1.2.3"};
    char *inbox = subject_inbox("0123456789abcdef"), *name = subject_answer("h0", 7);
    char *subject = text_format("%s.part.%s", inbox, name);
    assert_string_equal(subject, "_INBOX.0123456789abcdef.part.h0.a.7");
    assert_true(subject_is_answer(subject, "h0"));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(subject_is_answer(none[i], "h0"));
    free(subject);
    free(name);
    free(inbox);
}

static void test_urls(void **state)
{
    (void)state;
    static const char *const good[] = {"tls://hub.example:4222", "tls://127.0.0.1",
                                       "nats://127.0.0.1:1", "nats://[::1]:4222",
                                       "nats://localhost"};
    static const char *const bad[] = {"",
                                      "hub",
                                      "http://127.0.0.1",
                                      "nats://10.0.0.1",
                                      "nats://localhost.example",
                                      "nats://127.evil.example@10.0.0.1",
                                      "nats://1270.0.0.1",
                                      "nats://127.evil.example",
                                      "nats://[",
                                      "nats://[]",
                                      "nats://[::1",
                                      "nats://[::1].evil.example",
                                      "tls://me:password@hub"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_null(hub_check_url(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *url = text_copy(bad[i]); /* what stands behind it is nobody's */
        assert_non_null(hub_check_url(url));
        free(url);
    }
}

static void test_roles(void **state)
{
    (void)state;
    struct roles roles = {.user = "dana",
                          .owner = PUBLIC,
                          .listen = "127.0.0.1:4222",
                          .store = "/s",
                          .per_session = 50,
                          .hours = 24,
                          .bytes = 1 << 20};
    struct bytes text = {0};
    assert_true(roles_add(&roles, "0123456789abcdef=" PUBLIC, true));
    assert_false(roles_add(&roles, "0123456789abcdef=" SEED, false));
    assert_false(roles_add(&roles, "0123456789abcdeg=" PUBLIC, false));
    assert_false(roles_add(&roles, "0123456789abcdef0=" PUBLIC, false));
    assert_false(roles_add(&roles, "=" PUBLIC, false));
    roles_print(&roles, NULL, &text);
    assert_non_null(strstr(text.data, "\"ptyd.v1.dana.0123456789abcdef.*.block\""));
    assert_null(strstr(text.data, "ptyd.rpc"));
    assert_null(strstr(strstr(text.data, "permissions"), "CONSUMER"));
    assert_null(strstr(text.data, "_INBOX.*"));
    assert_true(roles_add(&roles, "123456789abcdef0=" PUBLIC, false));
    roles_print(&roles, NULL, &text);
    assert_non_null(strstr(text.data, "\"_INBOX.*.*.123456789abcdef0.>\""));
    assert_null(strstr(text.data, "allow_responses")); /* what that costs: roles.c */
    bytes_finish(&text);
    roles_finish(&roles);
}

/* ---- what a hub gives out ---- */

static struct hub_message *message(const char *reply)
{
    struct hub_message *m = memory_new(sizeof *m);
    *m = (struct hub_message){.kind = HUB_MESSAGE, .reply = text_copy(reply), .len = 4};
    m->data = text_copy("text");
    m->subject = text_copy("ptyd.v1.dana.0123456789abcdef.s.block");
    m->id = text_copy("");
    return m;
}

static void take_place(struct in *in, size_t place)
{
    char *reply = text_format("$JS.ACK.PTYD_dana.H0.1.%zu.3.1795207146949.0", place);
    in_take(in, message(reply));
    free(reply);
}

static void test_bounded_in(void **state)
{
    (void)state;
    struct in in = {.way = IN_SURE};
    in_begin(&in);
    static const char *const none[] = {"", "$SYS.REQ.SERVER.PING",
                                       "$JS.API.STREAM.DELETE.PTYD_dana", "$JS.ACK.x"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        in_take(&in, message(none[i])); /* would be published to */
    assert_int_equal(in.held, 0);
    for (size_t place = LIMIT_RELAY_TAKEN; place > 0; place--)
        take_place(&in, place);
    take_place(&in, 7); /* again */
    assert_int_equal(in.held, LIMIT_RELAY_TAKEN);
    assert_int_equal(in.bytes, 4 * LIMIT_RELAY_TAKEN);
    assert_int_equal(in.first->place, 1);
    assert_int_equal(in.last->place, LIMIT_RELAY_TAKEN);
    take_place(&in, LIMIT_RELAY_TAKEN + 1); /* nobody asked for so many: it begins anew */
    assert_int_equal(in.held, 0);
    assert_int_equal(in.bytes, 0);
    assert_int_equal(in.way, IN_UNSURE);
    in_finish(&in);
}

/* ---- sealed ---- */

/* XChaCha20-Poly1305's own:
 * https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha-03#appendix-A.3.1
 */
static void test_known_box(void **state)
{
    (void)state;
    static const char key_text[] =
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f";
    static const char box_text[] =
        "404142434445464748494a4b4c4d4e4f5051525354555657"
        "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4e"
        "da"
        "7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b238"
        "35"
        "65d3fff921f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49";
    static const char about[] = "\x50\x51\x52\x53\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7";
    unsigned char key[KEYS_SEAL_BYTES], box[(sizeof box_text - 1) / 2];
    struct bytes text = {0};
    assert_true(keys_unhex(key_text, key, sizeof key));
    assert_true(keys_unhex(box_text, box, sizeof box));
    assert_true(keys_open(key, about, (const char *)box, sizeof box, &text));
    assert_string_equal(text.data,
                        "Ladies and Gentlemen of the class of '99: If I could offer you only one "
                        "tip for the future, sunscreen would be it.");
    bytes_finish(&text);
}

static struct sealing sealing_of(unsigned char fill)
{
    struct sealing s = {{0}, ""};
    memset(s.key, fill, sizeof s.key);
    keys_seal_id(s.key, s.id);
    return s;
}

static enum sealing_found open_text(const struct sealing *s, const char *subject, const char *id,
                                    const char *text, size_t len)
{
    json_t *said = NULL;
    enum sealing_found found = sealing_open(s, subject, id, text, len, &said);
    assert_true(found == SEALING_GOOD || !said);
    json_decref(said);
    return found;
}

#define SUBJECT "ptyd.v1.dana.0123456789abcdef.work.block"

static void test_sealed(void **state)
{
    (void)state;
    struct sealing own = sealing_of(7), other = sealing_of(8), none = {{0}, ""};
    json_t *said = NULL;
    char *sealed = sealing_close(&own, SUBJECT, "id1", "{\"cmd\":\"secret plan\"}");
    size_t len = strlen(sealed);
    assert_null(strstr(sealed, "secret"));
    assert_int_equal(sealing_open(&own, SUBJECT, "id1", sealed, len, &said), SEALING_GOOD);
    assert_string_equal(json_string_value(json_object_get(said, "cmd")), "secret plan");
    json_decref(said);
    /* Under another id, of another session, of another host; with the line between moved. */
    assert_int_equal(open_text(&own, SUBJECT, "id2", sealed, len), SEALING_BROKEN);
    assert_int_equal(open_text(&own, SUBJECT, "", sealed, len), SEALING_BROKEN);
    assert_int_equal(
        open_text(&own, "ptyd.v1.dana.0123456789abcdef.other.block", "id1", sealed, len),
        SEALING_BROKEN);
    assert_int_equal(
        open_text(&own, "ptyd.v1.dana.1123456789abcdef.work.block", "id1", sealed, len),
        SEALING_BROKEN);
    assert_int_equal(open_text(&own, SUBJECT "\nid1", "", sealed, len), SEALING_BROKEN);
    /* With another key, or none; and what is not sealed, with one. */
    assert_int_equal(open_text(&other, SUBJECT, "id1", sealed, len), SEALING_FOREIGN);
    assert_int_equal(open_text(&none, SUBJECT, "id1", sealed, len), SEALING_FOREIGN);
    strcpy(other.id, own.id);
    assert_int_equal(open_text(&other, SUBJECT, "id1", sealed, len), SEALING_BROKEN);
    assert_int_equal(open_text(&own, SUBJECT, "id1", "{\"v\":1}", 7), SEALING_UNSEALED);
    assert_int_equal(open_text(&own, SUBJECT, "id1", "", 0), SEALING_UNSEALED);
    assert_int_equal(open_text(&none, SUBJECT, "id1", "{\"v\":1}", 7), SEALING_GOOD);
    free(sealed);
}

static void test_damaged_boxes(void **state)
{
    (void)state;
    struct sealing own = sealing_of(7);
    char *sealed = sealing_close(&own, SUBJECT, "id", "{\"a\":1}");
    size_t len = strlen(sealed), box = (size_t)(strstr(sealed, "\"box\":\"") + 7 - sealed);
    for (size_t at = box; at < len - 2; at++) { /* every character; and cut there */
        char was = sealed[at];
        sealed[at] = strchr("89+/=", was) ? 'A' : '/'; /* the last one's lowest bits are nobody's */
        assert_int_equal(open_text(&own, SUBJECT, "id", sealed, len), SEALING_BROKEN);
        sealed[at] = was;
        char *cut = text_format("%.*s\"}", (int)at, sealed);
        assert_int_equal(open_text(&own, SUBJECT, "id", cut, strlen(cut)), SEALING_BROKEN);
        free(cut);
    }
    assert_int_equal(open_text(&own, SUBJECT, "id", sealed, len), SEALING_GOOD);
    free(sealed);
}

static void test_nonces(void **state)
{
    (void)state;
    enum { COUNT = 4096, NONCE = 24 };
    static char nonces[COUNT][NONCE];
    unsigned char key[KEYS_SEAL_BYTES] = {1};
    for (size_t i = 0; i < COUNT; i++) {
        struct bytes box = {0};
        keys_seal(key, "", "same", 4, &box);
        memcpy(nonces[i], box.data, NONCE);
        bytes_finish(&box);
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(nonces[i], nonces[k], NONCE);
    }
}

/* What the hub has under another key nobody with this one can read: it is no duplicate. */
static void test_letter_ids(void **state)
{
    (void)state;
    struct block b = {.shell_id = "shell_1", .seq = 3, .ts_begin = 7};
    struct identity own = {.host_id = "0123456789abcdef"};
    struct setup plain = {0}, sealed = {.sealing = sealing_of(7)},
                 other = {.sealing = sealing_of(8)};
    char a[KEYS_ID_SIZE], again[KEYS_ID_SIZE], x[KEYS_ID_SIZE], y[KEYS_ID_SIZE];
    letter_id(&b, &plain, &own, 1, 0, a);
    letter_id(&b, &plain, &own, 1, 0, again);
    letter_id(&b, &sealed, &own, 1, 0, x);
    letter_id(&b, &other, &own, 1, 0, y);
    assert_string_equal(a, again);
    assert_string_not_equal(a, x);
    assert_string_not_equal(a, y);
    assert_string_not_equal(x, y);
}

/* ---- what the hub takes ---- */

#define STREAM (64 << 10) /* as `hub --init` makes it, of message and header */

/* As many of it as there are bytes; each is six in JSON. */
static char *controls(size_t count)
{
    char *text = memory_new(count + 1);
    memset(text, 1, count);
    text[count] = '\0';
    return text;
}

static void replace(char **text, char *by)
{
    free(*text);
    *text = by;
}

static void test_largest_letter(void **state)
{
    (void)state;
    struct identity own = {.host_id = "0123456789abcdef"};
    for (int seals = 0; seals < 2; seals++) {
        struct setup setup = {.host = (char *)"host", .sealing = sealing_of(7)};
        json_t *json =
            json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:i, s:i, s:{s:[s], s:b}}", "shell_id", "s",
                      "seq", 1, "cmd", "c", "cwd", "/", "cwd_after", "/", "status", "completed",
                      "ts_begin", 1, "ts_end", 2, "preview", "lines", "x", "truncated", 0);
        struct block *b = block_from_json(json);
        json_decref(json);
        assert_non_null(b);
        if (!seals)
            *setup.sealing.id = '\0';
        replace(&b->cmd, controls(8000));
        replace(&b->cwd, controls(4000));
        replace(&b->cwd_after, controls(4000));
        char *line = controls(2900);
        replace(&b->preview, text_format("%s\nlast\n", line));
        free(line);
        char *text = letter_text(b, &setup, &own, "work", 1);
        char *sent = sealing_close(&setup.sealing, SUBJECT, "id", text);
        assert_in_range(strlen(sent), STREAM / 4, STREAM - 200);
        assert_true(b->cmd_truncated);
        json_t *said = json_loads(text, 0, NULL);
        assert_string_equal(json_string_value(json_object_get(said, "session")), "work");
        json_decref(said);
        free(sent);
        free(text);
        text = letter_text_within(b, &setup, &own, "work", 1, 2048);
        assert_in_range(sealing_size(&setup.sealing, strlen(text)), 1, 2048);
        free(text);
        block_unref(b);
    }
}

static void test_largest_presence(void **state)
{
    (void)state;
    struct identity own = {.host_id = "0123456789abcdef"};
    struct setup setup = {.host = (char *)"host", .sealing = sealing_of(7)};
    char *cmd = controls(1000);
    json_t *sessions = json_array();
    for (int i = 0; i < 32; i++)
        json_array_append_new(
            sessions, json_pack("{s:s, s:s, s:s}", "name", "work", "state", "running", "cmd", cmd));
    json_t *presence = presence_json(&setup, &own, 1, false, sessions);
    char *text = json_dumps(presence, JSON_COMPACT),
         *sent = sealing_close(&setup.sealing, SUBJECT, "", text);
    assert_in_range(strlen(sent), STREAM / 4, STREAM - 200);
    assert_int_equal(json_array_size(json_object_get(presence, "sessions")), 32);
    free(sent);
    free(text);
    json_decref(presence);
    json_decref(sessions);
    free(cmd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_key),
                                       cmocka_unit_test(test_damaged_keys),
                                       cmocka_unit_test(test_new_keys),
                                       cmocka_unit_test(test_tokens),
                                       cmocka_unit_test(test_ids),
                                       cmocka_unit_test(test_subjects),
                                       cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_answers),
                                       cmocka_unit_test(test_urls),
                                       cmocka_unit_test(test_roles),
                                       cmocka_unit_test(test_known_box),
                                       cmocka_unit_test(test_sealed),
                                       cmocka_unit_test(test_damaged_boxes),
                                       cmocka_unit_test(test_nonces),
                                       cmocka_unit_test(test_bounded_in),
                                       cmocka_unit_test(test_letter_ids),
                                       cmocka_unit_test(test_largest_letter),
                                       cmocka_unit_test(test_largest_presence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
