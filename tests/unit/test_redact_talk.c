/* What is said to servers to be let in, as clients show it and as its bytes are seen; and what
 * stays. */
#include "redacted.h"

#include <stdio.h>

static void test_written_bytes(void **state)
{
    (void)state;
    finds("[pid 31] write(4, \"PASS ", "igloourchin", "\\r\\n\", 15) = 15\n");
    finds("write(3, \"USER bob\\r\\nPASS ", "kiwi-fjord", "\\r\\n\", 30) = 30\n");
    finds("sendto(5, \"*2\\r\\n$4\\r\\nAUTH\\r\\n$16\\r\\n", "CSFeY3GKlxWgFgbS",
          "\\r\\n\", 38, MSG_DONTWAIT, NULL, 0) = 38\n");
    finds("write(4, \"*3\\r\\n$4\\r\\nAUTH\\r\\n$3\\r\\nbob\\r\\n$7\\r\\n", "kiwi\"ab",
          "\\r\\n\", 50)\n");
    finds("sendto(6, \"AUTH ", "maple7harbor", "\\r\\n\", 22, 0, NULL, 0) = 22\n");
    finds("recvfrom(9, \"a LOGIN jo \\\"", "Foe rZV!wWI", "\\\"\\r\\n\", 80, 0) = 33\n");
    static const char *const texts[] = {
        "printf(\"PASS test_x\\n\");\n",
        "puts(\"PASS all good\\r\\n\");\n",
        "fprintf(f, \"PASS %s\\r\\n\", pass);\n",
        "write(1, \"PASS 3 tests\\n\", 13) = 13\n",
    };
    STAYS(texts);
}

static void test_captured_bytes(void **state)
{
    (void)state;
    finds("E..<..@.@.<........n.USER jo\n.PASS ", "pebble_lantern", "\n+OK Logged in.\n");
    finds("....USER jo\n....PASS ", "kiwi", "\n....SYST\n");
    finds("IP a.1 > b.21: Flags [P.], length 20: FTP: PASS ", "maple7harbor", "\n");
    finds("*2\r\n$4\r\nAUTH\r\n$12\r\n", "maple7harbor", "\r\n");
    finds("PASS ", "maple harbor", "\nNICK jo\nUSER jo 0 * :jo\n");
    static const char *const texts[] = {
        "...PASS test\n",   "  PASS src/a.test.js\n",        "PASS: tests/a_b\n",
        "PASS: 12 tests\n", "test result: PASS tests/one\n",
    };
    STAYS(texts);
}

static void test_imap(void **state)
{
    (void)state;
    finds("$ openssl s_client -quiet -connect imap.lan:993\n* OK ready.\na login t@lan.io \"",
          "FoErZV!wWI;MZfCiL", "\"\na OK Logged in\n");
    finds(". login bob ", "spruce-saddle", "\n. NO failed\n");
    finds("C: A1 login bob ", "spruce-saddle", "\nS: A1 OK\n");
    static const char *const texts[] = {
        "a login form \"of words\"\n",
        "A login attempt failed\n",
        "1 login attempt from 10.0.0.1\nlast\n",
        "* CAPABILITY IMAP4rev1 AUTH=PLAIN LOGIN-REFERRALS\n",
    };
    STAYS(texts);
}

static void test_monitored(void **state)
{
    (void)state;
    finds("1731500000.1 [0 10.0.0.4:51122] \"AUTH\" \"", "snJ{e1fw~Xt4U", "\"\n");
    finds("1731500000.1 [0 10.0.0.4:51122] \"AUTH\" \"app\" \"", "KestrelPepper", "\"\n");
    finds("redis> HELLO 3 AUTH app ", "KestrelPepper", "\n");
    static const char *const texts[] = {
        "1731500000.1 [0 10.0.0.4:51122] \"SELECT\" \"2\"\n",
        "{\"AUTH\": \"optional\"}\n",
        "say \"AUTH\" or \"NOAUTH\" there\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_bytes),
        cmocka_unit_test(test_captured_bytes),
        cmocka_unit_test(test_imap),
        cmocka_unit_test(test_monitored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
