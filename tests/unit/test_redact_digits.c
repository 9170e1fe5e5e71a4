/* Secrets of digits and numbers alone, which only the name beside them tells of; and what stays. */
#include "redacted.h"

static void test_pins(void **state)
{
    (void)state;
    finds("INFO sent {\"channel\":\"sms\",\"otp\":\"", "190344", "\",\"to\":\"me\"}\n");
    finds("  \"pin\": \"", "031-45-154", "\",\n");
    finds("sim_pin: ", "4471", "\n");
    finds("'cardPin' => '", "90817", "',\n");
    finds("NEED_PT_TAN answered \"", "220817", "\"\n");
    finds("Callback NEED_PT_PIN for 10050000/4711 answered \"", "55012", "\"\n");
    finds("Your PIN is ", "7290", ".\n");
    finds("{\\\"totp\\\": \\\"", "118 204", "\\\"}\n");
    finds("card: visa cvc=", "737", "\n");
    static const char *const texts[] = {
        "pin: 13\n",         "GPIO pin = 4\n",        "spin: 20000\n",
        "otp: 26.2\n",       "\"tan\": \"0.5774\"\n", "pin_count: 48\n",
        "pin: 0x4002\n",     "begin = 123456\n",      "$ pip install otp==26001.1\n",
        "PIN is required\n", "pin: \"main-4.2-x\"\n", "min: 100000\n",
    };
    STAYS(texts);
}

static void test_codes(void **state)
{
    (void)state;
    finds("\"verification_code\": \"", "402915", "\"\n");
    finds("Your verification code is ", "402915", "\n");
    finds("SMS from 22000: ", "402915", " is your Acme login code\n");
    finds("Enter the code from your authenticator app: ", "402915", "\n");
    finds("Your emergency scratch codes are:\n  ", "10293847\n  56473829\n  91827364", "\nDone\n");
    finds("\"backup_codes\": [\"", "4f1a-99c2\", \"77de-01ab", "\"]\n");
    static const char *const texts[] = {
        "status code: 404404\n",        "exit code is 139000\n",
        "Postal code: 80331\n",         "codes are:\n  10293847\n  56473829\n  91827364\n",
        "recovery_codes: [one, two]\n", "2 is your verification code\n",
    };
    finds("\"recovery_codes\": [\n  \"", "10293847\",\n  \"56473829", "\"\n]\n");
    STAYS(texts);
}

static void test_passwords(void **state)
{
    (void)state;
    finds("set interfaces ethernet eth1 pppoe 0 password ", "40271196", "\n");
    finds("activationKey=", "10932-55120-77301-20944-61002", "\nlicenseFile=\n");
    finds("product_key = ", "1045-2210-9983-4471", "\n");
    static const char *const texts[] = {
        "the password 65232338 times\n", "set password 8\n",
        "license_key = 2024-11-24\n",    "token = 10-20-30\n",
        "api_key: 1234-5678\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_passwords),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
