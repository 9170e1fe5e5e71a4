/* Keys that are shown as bytes: lists of numbers, pairs of digits over several lines; what stays.
 */
#include "redacted.h"

#define PAIRS "51 a9 df 5e 2c 92 44 c8 c7 8e"

static void test_lists(void **state)
{
    (void)state;
    expect("network_key: [12, 200, 3, 77, 150, 6, 91, 42, 255, 0]\npan_id: 2\n",
           "network_key: [[redacted:value]]\npan_id: 2\n", 1);
    expect("static const uint8_t aes_key[16] = {\n    0x1f, 0xC0, 0x03, 0x9d,\n    0x55, 0x02, "
           "0xee, 0x10,\n};\n",
           "static const uint8_t aes_key[16] = {\n    [redacted:value],\n};\n", 1);
    expect("let secret_key: [u8; 8] = [9, 200, 3, 77, 150, 6, 91, 42];\n",
           "let secret_key: [u8; 8] = [[redacted:value]];\n", 1);
    expect("network_key:\n  - 9\n  - 200\n  - 3\n  - 77\n  - 150\n  - 6\n  - 91\n  - 42\nchannel: "
           "20\n",
           "network_key:\n  - [redacted:value]\nchannel: 20\n", 1);
    expect("\"privateKey\": {\"data\": [9,200,3,77,150,6,91,42,7]}\n",
           "\"privateKey\": {\"data\": [[redacted:value]]}\n", 1);
}

static void test_dumps(void **state)
{
    (void)state;
    expect("MK dump:\t" PAIRS " \n\t\t" PAIRS " \nMK bits: 160\n",
           "MK dump:\t[redacted:value] \nMK bits: 160\n", 1);
    expect("priv:\n    00:ab:cd:12:34:56:78:9a:bc:\n    de:f0\npub:\n    04:ab:cd:12:34:56:78:9a\n",
           "priv:\n    [redacted:value]\npub:\n    04:ab:cd:12:34:56:78:9a\n", 1);
    expect("Session key: " PAIRS "\n", "Session key: [redacted:value]\n", 1);
}

static void test_what_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "network_key: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n",
        "tokens: [12, 200, 3, 77, 150, 6, 91, 42]\n",
        "row_key: [12, 200]\n",
        "session_key = [300, 1000, 3, 77, 150, 6, 91, 42]\n",
        "Public-Key:\n    00:ab:cd:12:34:56:78:9a:bc\n",
        "wifi_ap_key: aa:bb:cc:dd:ee:ff\n",
        "X509v3 Subject Key Identifier:\n    12:34:AB:CD:EF:01:23:45:67\n",
        "Signature Value:\n    12:34:ab:cd:ef:01:23:45:67\n",
        "core dump: 51 a9 df 5e 2c 92 44 c8 c7 8e\n",
        "secret_key: [0, 0, 0, 0, 0, 0, 0, 0]\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_dumps),
        cmocka_unit_test(test_what_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
