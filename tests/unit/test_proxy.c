/* The proxy's small parts: addresses, heads, keys, messages. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ptyd/proxy/address.h"
#include "ptyd/proxy/http.h"
#include "ptyd/proxy/messages.h"

static void expect_address(const char *url, const char *path, const char *host, const char *port,
                           const char *target)
{
    struct address a;
    char *message;
    assert_int_equal(address_parse(url, &a, &message), 0);
    if (path)
        assert_string_equal(a.path, path);
    if (host) {
        assert_string_equal(a.host, host);
        assert_string_equal(a.port, port);
    }
    assert_string_equal(a.target, target);
    address_finish(&a);
}

static void test_addresses(void **state)
{
    (void)state;
    setenv("CODEX_HOME", "/c", 1);
    expect_address("unix:///run/x.sock", "/run/x.sock", NULL, NULL, "/");
    expect_address("unix://", "/c/app-server-control/app-server-control.sock", NULL, NULL, "/");
    expect_address("codex", "/c/app-server-control/app-server-control.sock", NULL, NULL, "/");
    expect_address("ws://127.0.0.1:4500", NULL, "127.0.0.1", "4500", "/");
    expect_address("ws://[::1]:80/rpc?token=a", NULL, "::1", "80", "/rpc?token=a");
    expect_address("ws://host:1?x", NULL, "host", "1", "/?x");
}

static void test_what_is_no_address(void **state)
{
    static const char *const urls[] = {"",         "tcp://x",   "ws://",
                                       "ws://x",   "ws://:80",  "ws://x:99999",
                                       "ws://x:y", "wss://x:1", "/path"};
    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct address a;
        char *message = NULL;
        assert_int_equal(address_parse(urls[i], &a, &message), -1);
        assert_non_null(message);
        free(message);
    }
}

static void test_the_key_of_rfc_6455(void **state)
{
    char accept[29], key[25], other[25];
    (void)state;
    http_accept_key("dGhlIHNhbXBsZSBub25jZQ==", accept); /* section 1.3 */
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    http_new_key(key);
    http_new_key(other);
    assert_int_equal(strlen(key), 24);
    assert_string_not_equal(key, other);
}

static void read_head(const char *text, size_t len, int wanted, struct http_head *head)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(write(fds[0], text, len), len);
    close(fds[0]);
    assert_int_equal(http_read_head(fds[1], head), wanted);
    close(fds[1]);
}

static void test_heads(void **state)
{
    static const char text[] =
        "GET /rpc?x=1 HTTP/1.1\r\nhost: a\r\nConnection:  keep-alive, Upgrade \r\n"
        "X-Empty:\r\nhost: b\r\n\r\nearly";
    struct http_head head = {0};
    (void)state;
    read_head(text, sizeof text - 1, 0, &head);
    char *target = http_target(&head), *host = http_header(&head, "Host");
    assert_string_equal(target, "/rpc?x=1");
    assert_string_equal(host, "a");
    assert_true(http_header_has(&head, "connection", "upgrade"));
    assert_false(http_header_has(&head, "connection", "up"));
    assert_null(http_header(&head, "Hos"));
    assert_memory_equal(head.early.data, "early", 5);
    assert_int_equal(http_status(&head), 0);
    free(target);
    free(host);
    http_head_finish(&head);
}

static void test_heads_that_are_none(void **state)
{
    static const struct {
        const char *text;
        size_t len;
        int result;
    } heads[] = {
        {"GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", 26, -74 /* EBADMSG */},
        {"GET / HTTP/1.1\r\n", 16, -104 /* ECONNRESET */},
        {"", 0, -104},
    };
    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct http_head head = {0};
        read_head(heads[i].text, heads[i].len, heads[i].result, &head);
        http_head_finish(&head);
    }
    static const char *const lines[] = {"POST / HTTP/1.1\r\n\r\n", "GET x HTTP/1.1\r\n\r\n",
                                        "GET / HTTP/1.0\r\n\r\n",  "GET /\x01 HTTP/1.1\r\n\r\n",
                                        "GET  / HTTP/1.1\r\n\r\n", "\r\n\r\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct http_head head = {0};
        read_head(lines[i], strlen(lines[i]), 0, &head);
        assert_null(http_target(&head));
        http_head_finish(&head);
    }
}

static void test_messages_keep_their_ends(void **state)
{
    struct messages m = {0};
    size_t len;
    (void)state;
    messages_add(&m, "one\ntwo", 7);
    bytes_append_text(&m.text, "dropped");
    messages_drop(&m);
    messages_add(&m, "", 0);
    bytes_append_text(&m.text, "three");
    messages_end(&m);
    assert_int_equal(messages_count(&m), 3);
    assert_memory_equal(messages_get(&m, 0, &len), "one\ntwo", 7);
    messages_get(&m, 1, &len);
    assert_int_equal(len, 0);
    assert_memory_equal(messages_get(&m, 2, &len), "three", 5);
    messages_clear(&m);
    assert_int_equal(messages_count(&m), 0);
    messages_finish(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),           cmocka_unit_test(test_what_is_no_address),
        cmocka_unit_test(test_the_key_of_rfc_6455), cmocka_unit_test(test_heads),
        cmocka_unit_test(test_heads_that_are_none), cmocka_unit_test(test_messages_keep_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
