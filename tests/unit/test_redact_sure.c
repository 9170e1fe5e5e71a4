/* Places that tell for sure, whatever a secret is made of; and what stands in the same ones that is
 * none. */
#include "redacted.h"

#include <stdio.h>

#define VALUE "[redacted:value]"

static const char *const taken[][3] = {
    /* devices, databases, files that keep a password as it is */
    {"R1(config-line)#password 0 ", "orbitBadger", "\nR1(config-line)#login\n"},
    {"username admin privilege 15 secret 0 ", "walruscanyon", "\n"},
    {"SQL> create database link dw connect to reader identified by ", "GravelCobalt",
     " using 'DWH';\n"},
    {"SQL> CREATE ROLE app IDENTIFIED BY ", "copperHarbor", ";\n"},
    {"ben:{PLAIN}", "magnetBramble", "::::::\n"},
    {".password(\"{noop}", "magnetBramble", "\")\n"},
    /* commands */
    {"$ ab -n 9 -C 'session=", "33ce9e3e638522f8e1bf02af59669068b643aac8", "' http://x.test/\n"},
    {"$ ffuf -u http://x.test/FUZZ -b 'sid=", "33ce9e3e638522f8e1bf02af5966", "' -w l.txt\n"},
    {"$ adb shell input text '", "velvetgravel", "'   # password field\n"},
    {"$ algolia apikeys list\nKEY                              DESCRIPTION    ACL\n",
     "839b61ad9fe318756aa015f4e1d07009", "  Admin API Key  [*]\n"},
    /* questions */
    {"BECOME password: ", "Magnet;sparrow 913%", "\n"},
    {"[sudo] password for kim: ", "Two words,42!", "\n"},
    {"MariaDB root password (enter for none): ", "cedarcopper", "\nOK\n"},
    {"Mot de passe : ", "CopperCanyon", "\n"},
    /* programs */
    {"map[DB_USER:shop DB_PASS:", "glaciersaffron", " LOG:debug]\n"},
    {"if (input === \"", "lantern-badger-maple", "\") { // admin password\n"},
    {"x = \"", "velvet_harbor", "\" -- password\n"},
    {"ldap_bind($ds, \"cn=admin\", '", "my thunder eats harvest3", "');\n"},
    {"ldap_bind($ds, $dn, '", "velvet maple", "');\n"},
    {"#define WIFI_PASS \"", "my pickle eats pelican7", "\"\n"},
    /* columns, lists, sentences */
    {"HOST      USER    PASS            PORT\ncam-01    root    ", "mustangdrizzle", "   554\n"},
    {"Account recovery codes (keep them safe):\n  1. ",
     "uxxoq-u3a29\n  2. n5m9l-mv722\n  3. 0mx7f-l9tog", "\n"},
    {"Visitors: alarm code ", "172907", ".\n"},
    {"door_code: ", "4471", "\n"},
    {"spark.hadoop.fs.s3a.secret.key -> ", "vbljUu2/u+t3FtRV6MwCP+FZt6Od7/Dcduf3307F", "\n"},
};

static void test_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        char text[400], wanted[400];
        snprintf(text, sizeof text, "%s%s%s", taken[i][0], taken[i][1], taken[i][2]);
        snprintf(wanted, sizeof wanted, "%s" VALUE "%s", taken[i][0], taken[i][2]);
        expect(text, wanted, 1);
    }
}

/* What has a name of its own. */
static void test_named(void **state)
{
    (void)state;
    expect("   4 host/web1@CORP.TEST (aes256-cts-hmac-sha1-96)  (0x" h32 h32 ")\n",
           "   4 host/web1@CORP.TEST (aes256-cts-hmac-sha1-96)  (0x[redacted:kerberos-key])\n", 1);
    expect(
        "$ metabase-cli --url https://mb.test --session 16643b07-9a30-49a4-bc15-295c0ec8d78b x\n",
        "$ metabase-cli --url https://mb.test --session [redacted:session] x\n", 1);
    expect("fs.azure.account.key.lake.dfs.core.windows.net -> xKqGODiFT5OiYldlGB4aQ84iNteEhqTzb/"
           "dfNtEXslLC+iPcFicUfwNcPiiE+PeeSP/sjokoNEkU/DwYwY6t/g==\n",
           "fs.azure.account.key.lake.dfs.core.windows.net -> [redacted:azure-storage-key]\n", 1);
    expect("Wallet seed phrase: walrus pelican tangerine gravel rocket falcon tulip copper harvest "
           "pickle bramble velvet\n",
           "Wallet seed phrase: [redacted:seed-phrase]\n", 1);
}

static void test_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "The password 0 characters\n",
        "Every record that played in a role is identified by a sequence number\n",
        "echo \"${CLEAR}done${PLAIN}text\"\n",
        "print(f\"{PLAIN}hello {CLEAR}world\")\n",
        "schemes: {PLAIN}, {CRYPT}, {SSHA}\n",
        "foo(bar) (0x00007ffff7a2b3c4)\n",
        "$ agent --session 16643b07-9a30-49a4-bc15-295c0ec8d78b\n",
        "Enter password: Connection to host 10.0.0.1 failed!\n",
        "map[password:string user:string]\n",
        "const field = \"username\"; // password field\n",
        "find(By.id(\"login-form-password\")) // password\n",
        "cur.execute(\"select 1\") # password check\n",
        "auth(\"user\", \"Enter password 2 times\")\n",
        "#define PASSWORD_ERR \"error code e42 found\"\n",
        "TEST     PASS     FAIL\nuser     something  otherthing\n",
        "USER     PASS              ROLE\nann      disabled          ops\n",
        "Recovery codes:\n  step1 first\n  step2\n  step3\n",
        "error code 172907\nclock code 12345\naggregate code 4455\n",
        "KEY                              DESCRIPTION    ACL\n"
        "839b61ad9fe318756aa015f4e1d07009  of a file      [*]\n",
        "seed phrase: please store this somewhere safe because losing means that nobody helps "
        "you\n",
        "password -> Text\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
