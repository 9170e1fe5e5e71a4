/* Where in a text a secret begins and ends: what is not seen, values, options of tools, keys, line
 * ends. */
#include "redacted.h"

#include <stdio.h>
#include <time.h>

#include "ptyd/core/edges.h"

/* ---- what is not seen ---- */

static void test_hidden_characters_do_not_part_a_token(void **state)
{
    (void)state;
    expect("x gh\xe2\x80\x8bp_" a20 a10 "ab\xef\xb8\x8f"
           "cdef\xc2\xad y",
           "x [redacted:github-token]\xc2\xad y", 1);
    expect("a\xe2\x80\x8b"
           "b",
           "a\xe2\x80\x8b"
           "b",
           0);
}

/* U+0332 and U+20E3 stand on the character before them; U+FF47 U+FF48 U+FF50 are a wide ghp. */
static void test_marks_and_widths_do_not_hide_a_token(void **state)
{
    (void)state;
    expect("x ghp_\xcc\xb2" a20 a10 "ab\xe2\x83\xa3"
           "cdef y",
           "x [redacted:github-token] y", 1);
    expect("pass\xcc\x81word=hunter2x9\n", "pass\xcc\x81word=[redacted:value]\n", 1);
    expect("\xef\xbd\x87\xef\xbd\x88\xef\xbd\x90_" a20 a10 "abcde\xef\xbd\x86.",
           "[redacted:github-token].", 1);
    expect("caf\xc3\xa9 \xef\xbc\xa1\xef\xbc\xa2", "caf\xc3\xa9 \xef\xbc\xa1\xef\xbc\xa2", 0);
    /* what is one as it stands is one */
    expect("\xef\xbc\xa1ghp_" a20 a10 "abcdef.", "\xef\xbc\xa1[redacted:github-token].", 1);
    expect("DB_PASSWORD=\xef\xbc\x84secret99word", "DB_PASSWORD=[redacted:value]", 1);
    expect("\xc3\xa9"
           "AKIAIOSFODNN7QUARTZ5",
           "\xc3\xa9[redacted:aws-key-id]", 1);
}

/* Accents: of a name's letters, and in a value, which goes whole. */
static void test_accents_do_not_hide_a_name(void **state)
{
    (void)state;
    expect("pa\xc5\x9bsword=hunter2x9 y", "pa\xc5\x9bsword=[redacted:value] y", 1);
    expect("PASSW\xc3\x96RD: a1b2c3d4\n", "PASSW\xc3\x96RD: [redacted:value]\n", 1);
    expect("Contrase\xc3\xb1"
           "a: gato99negro\n",
           "Contrase\xc3\xb1"
           "a: [redacted:value]\n",
           1);
    expect("api_k\xe1\xba\xbdy=abcdef123456\n", "api_k\xe1\xba\xbdy=[redacted:value]\n", 1);
    expect("password='gr\xc3\xb6\xc3\x9f"
           "e9\xc3\xa9'\n",
           "password='[redacted:value]'\n", 1);
    expect("\xc3\xa9t\xc3\xa9 pass\xc3\xa9 composé\n", "\xc3\xa9t\xc3\xa9 pass\xc3\xa9 composé\n",
           0);
}

/* What packages, logs and manuals have, and what is beside it that is one. */
static void test_packages_pairs_and_examples_stay(void **state)
{
    static const char *const stay[] = {
        "ii  libsecret-1-0:amd64      0.20.5-3 Secret store\n",
        "token_type=bearer session_ttl=3600s tokens_used=1821\n",
        "Set `password: <password>` in the config, then run `acme login`\n",
        "id AKIAIOSFODNN7EXAMPLE of the manual\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        expect(stay[i], stay[i], 0);
    expect("secret:amd64x9q\n", "secret:[redacted:value]\n", 1);
    expect("type=bearer a1b2c3d4e5f6G7==\n", "type=bearer [redacted:authorization]\n", 1);
}

/* ---- values in columns, and on lines of their own ---- */

static void test_columns(void **state)
{
    (void)state;
    expect("$DB_PASSWORD[1]: |two words 9|\n", "$DB_PASSWORD[1]: |[redacted:value]|\n", 1);
    expect("$DB_PASSWORD: exported, with 1 elements\n", "$DB_PASSWORD: exported, with 1 elements\n",
           0);
    expect("\xe2\x94\x82 API_KEY   \xe2\x94\x82 a b 3   \xe2\x94\x82\n",
           "\xe2\x94\x82 API_KEY   \xe2\x94\x82 [redacted:value]   \xe2\x94\x82\n", 1);
    expect("password | s3cret99\n", "password | [redacted:value]\n", 1);
    expect("| password | the password of the user |\n", "| password | the password of the user |\n",
           0);
    expect("| token    | string | 3 |\n", "| token    | string | 3 |\n", 0);
    expect("      MAIL_PASS:  two words9\n", "      MAIL_PASS:  [redacted:value]\n", 1);
    expect("      MAIL_PASS:  <set to the key 'a1' in secret 'b'>\n",
           "      MAIL_PASS:  <set to the key 'a1' in secret 'b'>\n", 0);
}

static void test_lines_with_a_user(void **state)
{
    (void)state;
    expect("[smtp.x.org]:587 me:s3cret99\n", "[smtp.x.org]:587 me:[redacted:value]\n", 1);
    expect("[main.c]:587 me: it is 9\n", "[main.c]:587 me: it is 9\n", 0);
    expect("BUNDLE_GEMS__CORP__COM: \"me:s3cret99\"\n",
           "BUNDLE_GEMS__CORP__COM: \"me:[redacted:value]\"\n", 1);
    expect("BUNDLE_PATH: \"vendor/bundle\"\n", "BUNDLE_PATH: \"vendor/bundle\"\n", 0);
    expect("user me\npassword s3cret99\n", "user me\npassword [redacted:value]\n", 1);
    expect("user me\npassword required\n", "user me\npassword required\n", 0);
    expect("a : PSK \"s3cret99\"\n", "a : PSK \"[redacted:value]\"\n", 1);
    expect("username me password 7 0822455D0A16\n", "username me password 7 [redacted:value]\n", 1);
    expect("password 8 characters long\n", "password 8 characters long\n", 0);
    expect("default login a password s3cret99\n", "default login a password [redacted:value]\n", 1);
}

static void test_encoded_assignments(void **state)
{
    (void)state;
    expect("user%3Da%26password%3Ds3cret%2199%26x%3D1\n",
           "user%3Da%26password%3D[redacted:value]%26x%3D1\n", 1);
    expect("password%3D%26x%3D1\n", "password%3D%26x%3D1\n", 0);
    expect("100%33 of password%33x\n", "100%33 of password%33x\n", 0);
    expect("$password='s3cret99';\n", "$password='[redacted:value]';\n", 1);
    expect("let secret = Auth{password:1, tokn: \"x\"};\n",
           "let secret = Auth{password:1, tokn: \"x\"};\n", 0);
    expect("define( 'DB_PASSWORD', 's3cret99' );\n",
           "define( 'DB_PASSWORD', '[redacted:value]' );\n", 1);
    expect("proxy_set_header X-Api-Key \"s3cret99\";\n",
           "proxy_set_header X-Api-Key \"[redacted:value]\";\n", 1);
    expect("proxy_set_header X-Api-Key $key;\n", "proxy_set_header X-Api-Key $key;\n", 0);
    expect("SECRET_KEY: str = \"s3cret99\"\n", "SECRET_KEY: str = \"[redacted:value]\"\n", 1);
    expect("secret_key: str = None\n", "secret_key: str = None\n", 0);
    expect("New secret key: q7Z3k9X1j5V8w2M4q7\n", "New secret key: [redacted:value]\n", 1);
    expect("Server host key: q7Z3k9X1j5V8w2M4q7\n", "Server host key: q7Z3k9X1j5V8w2M4q7\n", 0);
    expect("https://q7Z3k9X1j5V8:x-oauth-basic@h/x\n", "https://[redacted:url-password]@h/x\n", 1);
    expect("password is: sun!flower\n", "password is: [redacted:value]\n", 1);
    expect("password is: required\n", "password is: required\n", 0);
}

static void test_more_options_of_tools(void **state)
{
    (void)state;
    expect("bundle config gems.x.com me:s3cret9\n",
           "bundle config gems.x.com me:[redacted:value]\n", 1);
    expect("bundle config build.pg --with-a=b:c9\n", "bundle config build.pg --with-a=b:c9\n", 0);
    expect("composer config http-basic.x.com me s3cret9\n",
           "composer config http-basic.x.com me [redacted:value]\n", 1);
    expect("composer config platform.php 8.2.9\n", "composer config platform.php 8.2.9\n", 0);
    expect("ACL SETUSER me on >s3cret9 ~* +@all\n",
           "ACL SETUSER me on >[redacted:value] ~* +@all\n", 1);
    expect("db2 connect to x user u using s3cret9\n",
           "db2 connect to x user u using [redacted:value]\n", 1);
    expect("echo s3cret9 | gcloud secrets create x --data-file=-\n",
           "echo [redacted:value] | gcloud secrets create x --data-file=-\n", 1);
    expect("stats auth me:s3cret9\n", "stats auth me:[redacted:value]\n", 1);
    expect("http -A bearer -a s3cret9 h\n", "http -A bearer -a [redacted:value] h\n", 1);
    expect("echo s3cret9 | kinit me\n", "echo [redacted:value] | kinit me\n", 1);
    expect("stats auth failed for me\n", "stats auth failed for me\n", 0);
}

/* ---- where a value ends ---- */

static void test_values_run_to_their_end(void **state)
{
    (void)state;
    expect("PASSWORD=p@ss,w0rd;x9!Q\n", "PASSWORD=[redacted:value]\n", 1);
    expect("export DB_PASSWORD='two words' A=b\n", "export DB_PASSWORD='[redacted:value]' A=b\n",
           1);
    expect("{\"password\":\"a\\\"b c\",\"n\":1}", "{\"password\":\"[redacted:value]\",\"n\":1}", 1);
    expect("{\\\"password\\\":\\\"ab3 c\\\"}", "{\\\"password\\\":\\\"[redacted:value]\\\"}", 1);
    expect("A=1\nDB_PASS=two words 3\nB=2\n", "A=1\nDB_PASS=[redacted:value]\nB=2\n", 1);
    expect("Server=a;Pwd=ab3cd;Database=x", "Server=a;Pwd=[redacted:value];Database=x", 1);
    expect("<password>a b3</password>", "<password>[redacted:value]</password>", 1);
    expect("define('DB_PASSWORD', 'x9 y');", "define('DB_PASSWORD', '[redacted:value]');", 1);
    expect("x\n  password = 'it\\'s-secret-99'\n", "x\n  password = '[redacted:value]'\n", 1);
    expect("password: 'abc''def1'\n", "password: '[redacted:value]'\n", 1);
    expect("set -x API_TOKEN abc123def", "set -x API_TOKEN [redacted:value]", 1);
    expect("$env:API_TOKEN = \"abc 123\"", "$env:API_TOKEN = \"[redacted:value]\"", 1);
}

struct row {
    const char *text, *wanted;
};

static void expect_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(rows[i].text, rows[i].wanted, strcmp(rows[i].text, rows[i].wanted) != 0);
}

static void test_options_of_tools(void **state)
{
    static const struct row rows[] = {
        {"mysql -u root -pgeheim db", "mysql -u root -p[redacted:value] db"},
        {"sshpass -p 'a b' ssh h", "sshpass -p '[redacted:value]' ssh h"},
        {"docker login -u me -p geheim r.io", "docker login -u me -p [redacted:value] r.io"},
        {"redis-cli -h x -a geheim ping", "redis-cli -h x -a [redacted:value] ping"},
        {"curl -u me:geheim https://h", "curl -u me:[redacted:value] https://h"},
        {"sqlplus scott/tiger7@db", "sqlplus scott/[redacted:value]@db"},
        {"openssl rsa -passin pass:geheim -in k",
         "openssl rsa -passin pass:[redacted:value] -in k"},
        {"vault login abcdefgh", "vault login [redacted:value]"},
        {"aws configure set aws_secret_access_key AbC",
         "aws configure set aws_secret_access_key [redacted:value]"},
        {"kubectl create secret generic s --from-literal=user=x1y",
         "kubectl create secret generic s --from-literal=user=[redacted:value]"},
        {"echo geheim | docker login --password-stdin",
         "echo [redacted:value] | docker login --password-stdin"},
        {"sudo docker exec db mysql -pgeheim", "sudo docker exec db mysql -p[redacted:value]"},
        {"cryptsetup luksOpen /dev/sda x <<< \"geheim\"",
         "cryptsetup luksOpen /dev/sda x <<< \"[redacted:value]\""},
        {"pass insert -m x <<< 'geheim'", "pass insert -m x <<< '[redacted:value]'"},
        {"bc <<< 12", "bc <<< 12"},
        {"sudo sh -c 'mysql -uroot -pgeheim app'",
         "sudo sh -c 'mysql -uroot -p[redacted:value] app'"},
        {"docker exec db sh -c \"cd x && mysql -pgeheim\" && ls",
         "docker exec db sh -c \"cd x && mysql -p[redacted:value]\" && ls"},
        {"ssh h 'sudo -S id'; mysql -uroot -pgeheim app",
         "ssh h 'sudo -S id'; mysql -uroot -p[redacted:value] app"},
        {"op run -- sh -c 'redis-cli -a geheim ping'",
         "op run -- sh -c 'redis-cli -a [redacted:value] ping'"},
        {"echo \"Opening the device now\"; cryptsetup open /dev/sda1",
         "echo \"Opening the device now\"; cryptsetup open /dev/sda1"},
        {"echo done && gh secret list", "echo done && gh secret list"},
        {"echo -n geheim | sudo cryptsetup luksFormat /dev/sda -",
         "echo -n [redacted:value] | sudo cryptsetup luksFormat /dev/sda -"},
        {"(ConvertTo-SecureString 'geheim' -AsPlainText)",
         "(ConvertTo-SecureString '[redacted:value]' -AsPlainText)"},
        {"docker run -p 8080:80 x", "docker run -p 8080:80 x"},
        {"docker run --name login -p 8080:80 x", "docker run --name login -p 8080:80 x"},
        {"docker --debug login -p geheim", "docker --debug login -p [redacted:value]"},
        {"curl -su user:geheim h", "curl -su user:[redacted:value] h"},
        {"type A {\n  password: String!\n}", "type A {\n  password: String!\n}"},
        {"class A:\n    password: SecretStr\n", "class A:\n    password: SecretStr\n"},
        {"f:\n    password = user_input\n", "f:\n    password = user_input\n"},
        {"pwd = root_dir\n", "pwd = root_dir\n"},
        {"token = lexer_next2\n", "token = lexer_next2\n"},
        {"  --secret stringArray   Secret to expose", "  --secret stringArray   Secret to expose"},
        {"uv venv -p 3.12", "uv venv -p 3.12"},
        {"eas build -p ios", "eas build -p ios"},
        {"az webapp create -p myplan", "az webapp create -p myplan"},
        {"az login -u me -p geheim", "az login -u me -p [redacted:value]"},
        {"twine upload -p geheim d", "twine upload -p [redacted:value] d"},
        {"http://[::1]:5173/@vite/client", "http://[::1]:5173/@vite/client"},
        {"mkdir -p a/b; ssh -p 22 h; mysql -p", "mkdir -p a/b; ssh -p 22 h; mysql -p"},
        {"curl -u \"$USER:$PASS\" h", "curl -u \"$USER:$PASS\" h"},
    };
    (void)state;
    expect_rows(rows, sizeof rows / sizeof *rows);
}

static void test_each_command_of_many(void **state)
{
    (void)state;
    expect("mysql -pgeheim1 db\nmysql -pgeheim2 db\ncurl -u a:geheim3 h\n",
           "mysql -p[redacted:value] db\nmysql -p[redacted:value] db\n"
           "curl -u a:[redacted:value] h\n",
           3);
    expect("mysql -pMyPassword mydb1", "mysql -p[redacted:value] mydb1", 1);
}

static void test_more_than_a_command_has_room_for(void **state)
{
    char text[1024] = "heroku config:set";
    (void)state;
    for (int i = 0; i < 18; i++)
        strcat(text, i < 17 ? " A=geheim" : " A=last99");
    char *got = redacted(text, NULL, NULL);
    assert_null(strstr(got, "geheim"));
    assert_null(strstr(got, "last99"));
    free(got);
}

/* What lies between a name and its value is looked at, too. */
static void test_secrets_in_front_of_a_value(void **state)
{
    (void)state;
    expect("{\"name\": \"DB_PASSWORD\", \"note\": \"gh"
           "p_" a20 a10 "abcdef\", \"value\": \"x12345\"}",
           "{\"name\": \"DB_PASSWORD\", \"note\": \"[redacted:github-token]\", "
           "\"value\": \"[redacted:value]\"}",
           2);
}

static void test_keys_without_an_end(void **state)
{
#define LINE64 "MIIEpAIBAAKCAQEAx3q1w2e3r4t5q1w2e3r4t5ABCDEFGHIJ234567abcdefGHIJ"
    (void)state;
    expect(LINE64 "\n" LINE64 "\n" LINE64 "\n", "[redacted:private-key]\n", 1);
    expect("     2\t" LINE64 "\n     3\t" LINE64 "\nx\n", "     2\t[redacted:private-key]\nx\n", 1);
    expect("+-----BEGIN PRIVATE KEY-----\n+" LINE64 "\n+q1w2==\n+-----END PRIVATE KEY-----\n",
           "+[redacted:private-key]\n", 1);
    expect("1:-----BEGIN PGP PRIVATE KEY BLOCK-----\n2:Version: GnuPG v2\n3:\n4:" LINE64 "\n",
           "1:[redacted:private-key]\n", 1);
    expect("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: a b\nPublic-Lines: 1\n"
           "AAAAC3Nz\nPrivate-Lines: 1\nAAAAIH1x\nPrivate-MAC: 0a1b\nx\n",
           "[redacted:private-key]\nx\n", 1);
}

/* ---- over line ends that are none of the text's ---- */

#define BROKEN                                                                                     \
    "a ghp"                                                                                        \
    "_" a20 "\n" a10 "abcdef\nb\n"

static void expect_over(const char *text, const size_t *ends, size_t count, const char *wanted,
                        int wanted_count)
{
    struct redact_ends all = {0};
    struct bytes out = {0};
    for (size_t i = 0; i < count; i++)
        redact_ends_add(&all, ends[i]);
    assert_int_equal(redact_text_over(text, strlen(text), &all, NULL, &out), wanted_count);
    if (out.len != strlen(wanted) || memcmp(out.data, wanted, out.len) != 0)
        fail_msg("%.*s", (int)out.len, out.data);
    bytes_finish(&out);
    redact_ends_finish(&all);
}

static void test_over_line_ends(void **state)
{
    (void)state;
    expect_over(BROKEN, NULL, 0, "a [redacted:github-token]\nb\n", 1); /* by its shape */
    expect_over("password=a1b2c3\nd4e5\n", NULL, 0, "password=[redacted:value]\nd4e5\n", 1);
    expect_over("password=a1b2c3\nd4e5\n", (size_t[]){15}, 1, "password=[redacted:value]\n", 1);
    expect_over(BROKEN, (size_t[]){26}, 1, "a [redacted:github-token]\nb\n", 1);
    /* What is found as it stands is, too; and both as one. */
    expect_over("token=" a20 "\nb\n" BROKEN, (size_t[]){55}, 1,
                "token=[redacted:value]\nb\na [redacted:github-token]\nb\n", 2);
    expect_over("token=" a20 "\n" a20 "\nb\n", (size_t[]){26}, 1, "token=[redacted:value]\nb\n", 1);
    expect_over("\n\n" a20 "\n", (size_t[]){0, 1, 22}, 3, "\n\n" a20 "\n", 0);
}

/* What grep, diff and clients show in front of a line is none of it. */
static void test_lines_of_files(void **state)
{
    static const struct row rows[] = {
        {"+  password: geheim", "+  password: [redacted:value]"},
        {"-password: geheim", "-password: [redacted:value]"},
        {"a/b.yml:12:  password: geheim", "a/b.yml:12:  password: [redacted:value]"},
        {"b.yml:  password: geheim", "b.yml:  password: [redacted:value]"},
        {"12:password: geheim", "12:password: [redacted:value]"},
        {"make: password: missing", "make: password: missing"},
        {"a/b.c:12: password: must be given", "a/b.c:12: password: must be given"},
        {"ENV DB_PASSWORD geheim", "ENV DB_PASSWORD [redacted:value]"},
        {"key \"a\" {\n  secret \"geheim\";\n}", "key \"a\" {\n  secret \"[redacted:value]\";\n}"},
        {"password \"for the first time\"", "password \"for the first time\""},
        {"jdbc:oracle:thin:scott/geheim@//h:1521/x",
         "jdbc:oracle:thin:scott/[redacted:url-password]@//h:1521/x"},
        {"jdbc:oracle:thin:@//h:1521/x", "jdbc:oracle:thin:@//h:1521/x"},
        {"> PASS geheim", "> PASS [redacted:value]"},
        {"PASS src/a.test.js", "PASS src/a.test.js"},
        {"> AUTH PLAIN AG1lAGdlaGVpbQ==", "> AUTH PLAIN [redacted:value]"},
        {"Initial password: correct-horse-battery-staple", "Initial password: [redacted:value]"},
        {"Enter password: please-wait-here", "Enter password: please-wait-here"},
        {"  - secret: letsencrypt-account-key", "  - secret: letsencrypt-account-key"},
        {"- secret: letsencrypt-account-key", "- secret: letsencrypt-account-key"},
        {"the ENV TOKEN variable is unset", "the ENV TOKEN variable is unset"},
        {"Step 4/7 : ENV DB_PASSWORD geheim", "Step 4/7 : ENV DB_PASSWORD [redacted:value]"},
        {"> PASS tests/unit/foo.c", "> PASS tests/unit/foo.c"},
        {"> PASS 12 of 14", "> PASS 12 of 14"},
        {"334 AUTH LOGIN credentials", "334 AUTH LOGIN credentials"},
        {"password: not set-up yet", "password: not set-up yet"},
    };
    (void)state;
    expect_rows(rows, sizeof rows / sizeof *rows);
}

/* A line reaches the edge by the columns that it takes; where it is wrapped, in its last row. */
static void test_lines_that_reach_the_edge(void **state)
{
    static const struct {
        const char *line;
        int widths[3];
        bool reached;
    } lines[] = {
        {"12345", {5}, true},         {"1234", {5}, false},         {"123456", {5}, false},
        {"1234567890", {5}, true},    {"123456", {5, 6}, true},     {"", {5}, false},
        {"\u6f22\u5b571", {5}, true}, {"1234\u6f22123", {5}, true}, {"1234\u6f22", {5}, false},
        {"cafe\u0301s", {5}, true},   {"cafe\u0301", {5}, false},   {"12345", {0}, false},
        {"\xff\xff\xff", {3}, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (edges_reached(lines[i].line, strlen(lines[i].line), lines[i].widths) !=
            lines[i].reached)
            fail_msg("%s", lines[i].line);
    struct redact_ends ends = edges_find("12345\n1234\n\n12345\n12345", 24, (int[]){5, 0});
    assert_int_equal(ends.count, 2);
    assert_int_equal(ends.at[0], 5);
    assert_int_equal(ends.at[1], 17);
    redact_ends_finish(&ends);
}

/* ---- more than a word ---- */

static void test_values_of_several_words(void **state)
{
    (void)state;
    expect("signing.password=gr4dle sign\n", "signing.password=[redacted:value]\n", 1);
    expect("  password: op 1 CE3veGrXIn\n", "  password: [redacted:value]\n", 1);
    expect("mail:\n  password: >-\n    folded mail secret\n  x: 1\n",
           "mail:\n  password: >-\n    [redacted:value]\n  x: 1\n", 1);
    expect("password: |\n  Shown to `you`\n", "password: |\n  Shown to `you`\n", 0);
    expect("UID=crm;PWD={0dbc;P=w};Encrypt=yes", "UID=crm;PWD={[redacted:value]};Encrypt=yes", 1);
    expect("UID=crm;PWD={password};", "UID=crm;PWD={password};", 0);
    expect("[\"PG_PASSWORD=d\\\"ocker,pw\",\"A=b\"]", "[\"PG_PASSWORD=[redacted:value]\",\"A=b\"]",
           1);
    expect("PASSWORD 'it''s 4 s3cret';", "PASSWORD '[redacted:value]';", 1);
    expect("<apiKey>\n    K2YX1hg65ZRfzsmLS2gCf0\n</apiKey>",
           "<apiKey>\n    [redacted:value]\n</apiKey>", 1);
    expect("| a | password |\n|---|---|\n| x | sup3r Adm1n |\n| y | at least 8 |\n",
           "| a | password |\n|---|---|\n| x | [redacted:value] |\n| y | at least 8 |\n", 1);
    expect("GNUTLS_AUTH = 1<<8,\nERR_PASSPHRASE = 177,\n",
           "GNUTLS_AUTH = 1<<8,\nERR_PASSPHRASE = 177,\n", 0);
}

/* What sets a colour is not seen. */
static void test_colours_do_not_part_a_value(void **state)
{
    (void)state;
    expect("\x1b[34;1m\"password\"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m\"c0lour fu1\"\x1b[0m",
           "\x1b[34;1m\"password\"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m\"[redacted:value]\"\x1b[0m",
           1);
    expect("\x1b[01;31m\x1b[Kghp_\x1b[m\x1b[K" a20 a10 "abcdef ",
           "\x1b[01;31m\x1b[K[redacted:github-token] ", 1);
}

/* ---- what is none ---- */

/* What a cluster, a cache, a package or a file is called by stands behind a name that tells. */
static void test_what_is_called_so_stays(void **state)
{
    static const char *const texts[] = {
        "kubectl describe secret default-token-x7k2p\n",
        "kubectl create secret generic db --from-file=password=./pw.txt\n",
        "arn:aws:secretsmanager:eu-west-1:694837308758:secret:prod/db-vk8iNS\n",
        "Cache saved with key: gradle-v2-135b5f6128387e8a1bd5e368d1f4d640e7144450\n",
        "passwd/stable,now 1:4.13+dfsg1-1+b1 amd64 [installed]\n",
        "com.nimbusds:nimbus-jose-jwt:jar:9.24.4:compile\n",
        "-DUSE_SECRET=OFF\n",
        "{\"msg\":\"issued token\",\"user_id\":\"68249cb1-a318-4387-83cb-9cf115d2c554\"}\n",
        "ca-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURoGjCuE8kPpleWhVKyIZlts7\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

/* ---- time ---- */

/* What took 3.9 to 6.8 s of 128 KiB when each place of a run was looked at from each before it, and
 * its like. A second of processor time is fifty times what they may take (make bench-redact). */
static void test_a_run_is_looked_at_once(void **state)
{
    static const char *const pieces[] = {
        "a-",     "sk-",     "M.",   "=",         "token=",        "pass=$(",
        "pass={", "a://b:c", "eyJ.", "ghp_",      "echo|",         "mysql -p",
        "\\",     "'",       "\"",   "a\xcc\x81", "a\xe2\x80\x8b", "((((----BEGIN A--1//0\n"};
    size_t size = 256 * 1024;
    char *text = malloc(size + 16);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t len = 0, n = strlen(pieces[i]);
        for (; len < size; len += n)
            memcpy(text + len, pieces[i], n + 1);
        clock_t begin = clock();
        free(redacted(text, NULL, NULL));
        double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (took > 1)
            fail_msg("256 KiB of %s take %.1f s", pieces[i], took);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hidden_characters_do_not_part_a_token),
        cmocka_unit_test(test_marks_and_widths_do_not_hide_a_token),
        cmocka_unit_test(test_accents_do_not_hide_a_name),
        cmocka_unit_test(test_packages_pairs_and_examples_stay),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_lines_with_a_user),
        cmocka_unit_test(test_encoded_assignments),
        cmocka_unit_test(test_more_options_of_tools),
        cmocka_unit_test(test_values_run_to_their_end),
        cmocka_unit_test(test_options_of_tools),
        cmocka_unit_test(test_lines_of_files),
        cmocka_unit_test(test_each_command_of_many),
        cmocka_unit_test(test_more_than_a_command_has_room_for),
        cmocka_unit_test(test_secrets_in_front_of_a_value),
        cmocka_unit_test(test_keys_without_an_end),
        cmocka_unit_test(test_over_line_ends),
        cmocka_unit_test(test_lines_that_reach_the_edge),
        cmocka_unit_test(test_values_of_several_words),
        cmocka_unit_test(test_colours_do_not_part_a_value),
        cmocka_unit_test(test_what_is_called_so_stays),
        cmocka_unit_test(test_a_run_is_looked_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
