/* What a telling name tells of from afar: over whatever is between, on the line below, down a
 * column, in quotes of whatever kind; and what stays, because it only stands for a secret. */
#include <stdio.h>

#include "redacted.h"

static void expect_kept(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(texts[i], texts[i], 0);
}

/* ---- on the line ---- */

static void test_whatever_is_between(void **state)
{
    (void)state;
    expect("os.environ[\"DB_PASS\"] or \"Walrus12ab\"\n",
           "os.environ[\"DB_PASS\"] or \"[redacted:value]\"\n", 1);
    expect("cfg.setApiToken(\"" a20 "Z\");\n", "cfg.setApiToken(\"[redacted:value]\");\n", 1);
    expect("api token -> " a20 "Z\n", "api token -> [redacted:value]\n", 1);
    expect("    [password] => Walrus12ab\n", "    [password] => [redacted:value]\n", 1);
    expect("Token created: " a20 "Z\n", "Token created: [redacted:value]\n", 1);
    expect("if (password === 'Walrus12ab') {\n", "if (password === '[redacted:value]') {\n", 1);
    expect("\033[36mdbToken\033[0m: \033[32m\"" a20 "Z\"\033[0m\n",
           "\033[36mdbToken\033[0m: \033[32m\"[redacted:value]\"\033[0m\n", 1);
}

/* Nothing tells of it where it stands again. */
static void test_a_value_that_stands_again(void **state)
{
    (void)state;
    expect("secret=dialt0ne88\nregister => me:dialt0ne88@sip\n",
           "secret=[redacted:value]\nregister => me:[redacted:value]@sip\n", 2);
    expect("password=PK11Slot\nPK11Slot *slot;\n", "password=[redacted:value]\nPK11Slot *slot;\n",
           1);
}

/* What belongs to another name, or is what programs call their ways by. */
static void test_what_is_something_else(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "token accepted, request id: 7a3f91be58d2c0467a3f91be58d2c046\n",
        "password hash algorithm: sha256\n",
        "Session key fingerprint: SHA256:q7Z3k9X1j5V8w2M4q7Z3k9X1j5V8w2M4\n",
        "https://acme.io/reset-password?step=2&lang=en\n",
        "MAX_TOKENS=4096\nPASSWORD_MIN_LENGTH=12\nTOKEN_LIMIT=200000\n",
        "public key: 0g5a/hFAjpbdvuWyjfaDBQTSlja8dGzoPcIWIk2qLXc=\n",
        "Cache restored from key: Linux-go-160ec771799b04082543a308be5b1e80cf33034d\n",
        "const encodedKey = util_1.encoding.base64Encode(publicKey);\n",
    };
    expect_kept(texts, sizeof texts / sizeof *texts);
}

/* ---- below ---- */

static void test_below_a_name(void **state)
{
    (void)state;
    expect("$ echo $DB_PASSWORD\nWalrus12ab\n$ ls\n",
           "$ echo $DB_PASSWORD\n[redacted:value]\n$ ls\n", 1);
    expect("$ pwgen -s 16 2\nq7Z3k9X1j5V8w2M4\nz7Z3k9X1j5V8w2M4\n$\n",
           "$ pwgen -s 16 2\n[redacted:value]\n[redacted:value]\n$\n", 2);
    expect("Recovery codes:\n  abcd-12ef\n  ghij-34kl\n  mnop-56qr\nend\n",
           "Recovery codes:\n  [redacted:value]\nend\n", 1);
    expect("$ ls token\nREADME.md\n", "$ ls token\nREADME.md\n", 0);
}

static void test_below_a_heading(void **state)
{
    (void)state;
    expect(" id | user | token\n----+------+-------\n  1 | bob  | q7Z3k9X1j5V8w2M4\n",
           " id | user | token\n----+------+-------\n  1 | bob  | [redacted:value]\n", 1);
    expect("user,password,mail\nbob,Walrus12ab,b@x.y\nann,Copper34cd,a@x.y\n",
           "user,password,mail\nbob,[redacted:value],b@x.y\nann,[redacted:value],a@x.y\n", 2);
    expect("NAME   TOKEN             AGE\nweb    q7Z3k9X1j5V8w2M4  3d\n",
           "NAME   TOKEN             AGE\nweb    [redacted:value]  3d\n", 1);
    expect("NAME                  TYPE     DATA   AGE\ndb-password           Opaque   1      12d\n"
           "default-token-x7k2p   kube     3      40d\n",
           "NAME                  TYPE     DATA   AGE\ndb-password           Opaque   1      12d\n"
           "default-token-x7k2p   kube     3      40d\n",
           0);
}

/* ---- what stands for one ---- */

static void test_what_stands_for_one(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "DB_PASSWORD=op://Production/postgres/password\n",
        "DATABASE_PASSWORD: vault:secret/data/prod/db#password\n",
        "\"Password\": \"@Microsoft.KeyVault(SecretUri=https://kv.vault.azure.net/secrets/p1/)\"\n",
        "export SLACK_TOKEN=xoxb-your-token\n",
        "SLACK_BOT_TOKEN=xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxx\n",
        "STRIPE_SECRET_KEY=sk_test_your_key_here\n",
        "Stripe('pk_live_515leof1DexCcJtFo1p3AWnnPHhkg8ndsADEyWs9RtpT')\n",
        "$password = $_POST['password'] ?? '';\n",
        "passwordHash := sha256.Sum256([]byte(password))\n",
        "Usage: deploy --token <token> --password <password> [--api-key <key>]\n",
        "if not key.startswith('-----BEGIN RSA PRIVATE KEY-----'):\n",
        "\"login.password\": \"Mot de passe\",\n",
        "https://<user>:<password>@git.example.org/repo.git\n",
    };
    expect_kept(texts, sizeof texts / sizeof *texts);
}

/* ---- keys with a mark in front, whoever issues them ---- */

static void test_marks_of_keys(void **state)
{
    (void)state;
    expect("acme_live_q7Z3k9X1j5V8w2M4q7Z3k9X1 x\n", "acme[redacted:prefixed-key] x\n", 1);
    expect("test_live_aVeryLongNameOfAFunction()\n", "test_live_aVeryLongNameOfAFunction()\n", 0);
    expect("npm_q7Z3k9X1j5V8w2M4q7Z3k9X1j5V8w2M4abcd\xc3\xa9 x\n",
           "[redacted:npm-token]\xc3\xa9 x\n", 1);
}

/* ---- in quotes ---- */

/* A shell's word of several pieces is one value, to its real end. */
static void test_words_of_several_pieces(void **state)
{
    (void)state;
    expect("export X_PASSWORD='it'\"'\"'s Mango 44'\nY=1\n",
           "export X_PASSWORD=[redacted:value]\nY=1\n", 1);
    expect("export X_PASSWORD='it'\\''s Mango 44'\n", "export X_PASSWORD=[redacted:value]\n", 1);
    expect("export X_PASSWORD=$'it\\'s Mango 44'\n", "export X_PASSWORD=$'[redacted:value]'\n", 1);
    expect("X_PASSWORD=ab\"it's Mango 44\" run x\n", "X_PASSWORD=[redacted:value] run x\n", 1);
    expect("dump --password='it'\"'\"'s Mango 44' db\n", "dump --password=[redacted:value] db\n",
           1);
    expect("declare -x A_PASSWORD=\"it\"'s Mango'\n", "declare -x A_PASSWORD=[redacted:value]\n",
           1);
    expect("env \"A_PASSWORD='itsMango44'\" \"B=keep\"\n",
           "env \"A_PASSWORD='[redacted:value]'\" \"B=keep\"\n", 1);
}

static void test_given_in_quotes(void **state)
{
    (void)state;
    expect("ds.setPassword(\"Juniper(42)Walnut?\");\n", "ds.setPassword(\"[redacted:value]\");\n",
           1);
    expect("SetPassword(L\"Juniper[42]Walnut\");\n", "SetPassword(L\"[redacted:value]\");\n", 1);
    expect("f(url, /* password */ \"Pickle2023_Sp\");\n",
           "f(url, /* password */ \"[redacted:value]\");\n", 1);
    expect("f(url, (* password *) \"Pickle2023_Sp\")\n",
           "f(url, (* password *) \"[redacted:value]\")\n", 1);
    expect("const DB_PASSWORD: string = `Pepper@Juniper%72`;\n",
           "const DB_PASSWORD: string = `[redacted:value]`;\n", 1);
    expect("let pw, dbPassword: string | null = 'Pepper@Juniper72';\n",
           "let pw, dbPassword: string | null = '[redacted:value]';\n", 1);
    expect("var password string = \"Pepper@Juniper%72\"\n",
           "var password string = \"[redacted:value]\"\n", 1);
    expect("passphrase for the backup drive = \"correct walnut battery tundra\" (ask Sam)\n",
           "passphrase for the backup drive = \"[redacted:value]\" (ask Sam)\n", 1);
    static const char *const texts[] = {
        "prompt_password(\"Password for Db1(main):\")\n",
        "getPassword(\"Main(42)Store!\")\n",
        "setPassword(\"${DB(1)_Password}\")\n",
        "field(/* password */ \"Your own words\", 1)\n",
        "open(host, /* password */ password_value)\n",
        "passphrase for the backup drive: enter your words when asked\n",
        "passphrase for the key is \"required\"\n",
    };
    expect_kept(texts, sizeof texts / sizeof *texts);
}

/* Base64 may begin with a slash; a path is none. */
static void test_base64_that_begins_with_a_slash(void **state)
{
    (void)state;
    static const char *const keys[] = {"Unseal Key 1: ", "Your secret key is ",
                                       "secret_key = ", "Initial Root Token: "};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[120], wanted[120];
        snprintf(text, sizeof text, "%s/7tt1l18DOFEGLVOah6XdDOedg3W6/dYTvrzEPQBESXd\n", keys[i]);
        snprintf(wanted, sizeof wanted, "%s[redacted:value]\n", keys[i]);
        expect(text, wanted, 1);
    }
    const char *path = "Unseal Key 1: /home/Build12/keys/Unseal07/Backups/Node42/Master\n";
    expect(path, path, 0);
}

/* The password of Windows' shares is a word of its own, in front of options or behind them. */
static void test_shares(void **state)
{
    (void)state;
    expect("net use Z: \\\\fs1\\share Tundr4_62Juniper /user:ACME\\jdoe /persistent:no\n",
           "net use Z: \\\\fs1\\share [redacted:value] /user:ACME\\jdoe /persistent:no\n", 1);
    expect("net use \\\\fs1\\share /user:jdoe Tundr4 /persistent:no\n",
           "net use \\\\fs1\\share /user:jdoe [redacted:value] /persistent:no\n", 1);
    static const char *const texts[] = {
        "net use Z: \\\\fs1\\share /user:ACME\\jdoe /persistent:no\n",
        "net use Z: \\\\fs1\\share * /user:jdoe\n",
        "net use Z: /delete\n",
        "run net use \\\\fs1\\share to mount it\n",
    };
    expect_kept(texts, sizeof texts / sizeof *texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whatever_is_between),
        cmocka_unit_test(test_a_value_that_stands_again),
        cmocka_unit_test(test_what_is_something_else),
        cmocka_unit_test(test_below_a_name),
        cmocka_unit_test(test_below_a_heading),
        cmocka_unit_test(test_what_stands_for_one),
        cmocka_unit_test(test_marks_of_keys),
        cmocka_unit_test(test_words_of_several_pieces),
        cmocka_unit_test(test_given_in_quotes),
        cmocka_unit_test(test_base64_that_begins_with_a_slash),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
