/* What was typed behind a program's question, and what stands there that nobody typed;
 * the words of wallets. */
#include "redacted.h"

#include <stdio.h>

static void test_typed(void **state)
{
    (void)state;
    static const char *const asked[][3] = {
        {"[sudo] password for kim: ", "pebble.velvet", "\nSorry, try again.\n"},
        {"Enter passphrase for key '/home/kim/.ssh/id_rsa': ", "rocket dragon cedar",
         "\nIdentity\n"},
        {"Enter passphrase for /home/tess/.ssh/uni: ", "marble-noodle-hamster",
         "\nIdentity added\n"},
        {"AWS Secret Access Key [****************9dk2]: ",
         "yGGN5aeNPQRoDiskLk5xlsk0Q7MtWMnl3/ozO/AD", "\nDefault region name:\n"},
        {"[09:41:02]: Passphrase for Match storage:\n", "bowie thunder saffron",
         "\n[09:41:15]: ok\n"},
        {"$ su - prof\nPassword: ", "maple drizzle espresso", "\nsu: Authentication failure\n"},
        {"kim@10.0.0.5's password: ", "walrus-velvet", "\n"},
        {"Enter one-time password: ", "685954", "\n"},
        {"DEBUG otp for kim is ", "570509", "\n"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char text[300], wanted[300];
        snprintf(text, sizeof text, "%s%s%s", asked[i][0], asked[i][1], asked[i][2]);
        snprintf(wanted, sizeof wanted, "%s[redacted:value]%s", asked[i][0], asked[i][2]);
        expect(text, wanted, 1);
    }
}

static void test_not_typed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Enter password: \nWelcome to the jungle\n",
        "Enter passphrase (empty for no passphrase): \n",
        "Password: must be at least 8 characters\n",
        "Password: the one that you were given\n",
        "Password reset: Check your inbox\n",
        "    key: Optional[str]\n",
        "self.configure({key: value})\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

#define W6 "slogan walnut narrow crystal exhaust athlete"
#define V6 "zebra habit thrive saddle gravity anchor"

static void test_words_of_wallets(void **state)
{
    (void)state;
    expect("Your seed phrase (write it down, never share): " W6 " " V6 "\n",
           "Your seed phrase (write it down, never share): [redacted:seed-phrase]\n", 1);
    found_as("Write these down:\n   ",
             "alert apple artist angry asset auto apart alarm abandon any awake assault",
             "\nConfirm? [y/N]\n", "seed-phrase");
    found_as("Your 12 words:\n",
             "alert apple artist angry asset auto apart alarm abandon any awake "
             "assault",
             "\n", "seed-phrase");
    remains("Please write this down: every port number that other hosts may reach through that "
            "gateway\n");
    expect("--BEGIN LND CIPHER SEED--\n 1. slogan  2. advice  3. stumble\n 4. horn  5. canvas"
           "  6. hobby\n--END LND CIPHER SEED--\n",
           "--BEGIN LND CIPHER SEED--\n 1. [redacted:seed-phrase]\n--END LND CIPHER SEED--\n", 1);
    expect("write this mnemonic phrase in a safe place.\nIt is the only way to recover.\n\n" W6
           " " V6 " " W6 " " V6 "\n",
           "write this mnemonic phrase in a safe place.\nIt is the only way to recover.\n\n"
           "[redacted:seed-phrase]\n",
           1);
    static const char *const stay[] = {
        ("The seed phrase is what lets you recover all funds that your wallet holds when it "
         "breaks\n"),
        "mnemonic words that help people remember things when they learn long lists about many\n",
        "seed = load data from disk, then use it again when needed later by all other parts\n",
    };
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        expect(stay[i], stay[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typed),
        cmocka_unit_test(test_not_typed),
        cmocka_unit_test(test_words_of_wallets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
