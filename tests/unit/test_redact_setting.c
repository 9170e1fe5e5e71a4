/* What a telling name is set to, whatever it is made of: words that signs join, several of them,
 * what goes on behind a comma, texts as programs quote them; and what stays. */
#include "redacted.h"

#include <stdio.h>

#define SECRET "[redacted:value]"

/* `front` and `behind` stay, what is between goes. */
struct row {
    const char *front, *value, *behind;
};

static void go(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[512], wanted[512];
        snprintf(text, sizeof text, "%s%s%s", rows[i].front, rows[i].value, rows[i].behind);
        snprintf(wanted, sizeof wanted, "%s" SECRET "%s", rows[i].front, rows[i].behind);
        expect(text, wanted, 1);
    }
}
#define GO(rows) go(rows, sizeof rows / sizeof *rows)

static void test_words_that_signs_join(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"[acme]\npassword = ", "marble.lagoon", "\n"},
        {"db_password: ", "walrus-tundra-pebble", "\n"},
        {"bind_password = ", "copper_saffron_orchid", "\n"},
        {"auth: {user: kim, password: ", "walrus-tundra-pebble", ", retries: 3}\n"},
        {"let password = String::from(\"", "marble.lagoon", "\");\n"},
        {"jwt.sign(payload, \"", "marble.lagoon", "\", {});\n"},
        {"smtp.login(\"kim@example.org\", \"", "walrus-tundra-pebble", "\")\n"},
        {"the password is ", "walrus-tundra", "\n"},
    };
    GO(rows);
}

static void test_words_of_programs(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "password = settings.database\n",
        "password = form.field\n",
        "secret: my-app-secret\n",
        "password = config.auth\n",
        "password: not-required\n",
        "password = self.value\n",
        "need this to pass to build_wheel\n",
        "password = parser.getText\n",
    };
    STAYS(texts);
}

static void test_several_words(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"mail.password = ", "Marble & lagoon, tundra 13!", "\n"},
        {"wifi_pw: ", "Marble & lagoon, tundra 13!", "\n"},
        {"#db_pass = ", "Otter marble lagoon river", "\n"},
        {"PASSWORD=", "39 marble lagoon tundra", "\n"},
        {"  dockerPassword: ", "Marble 20 lagoon", "\nreplicas: 2\n"},
        {"Password: ", "marble lagoon tundra", "\nsu: Authentication failure\n"},
        {"\"passwd\": \"", "Marble lagoon tundra", "\",\n"},
        {"user.set_password(\"", "marble lagoon tundra pebble", "\")\n"},
        {"\tsecret = ", "JDkx,z=Vq8s9o", "\n"},
        {"[sudo] password for kim: ", "marble.lagoon", "\nSorry, try again.\n"},
        {"Enter passphrase for key '/home/kim/.ssh/id': ", "marble lagoon tundra", "\n"},
        {"Passwort f\xc3\xbcr root: ", "marble.lagoon", "\n"},
        {"the password for 192.0.2.40 is ", "marble1976?", "\n"},
        {"Root password (case sensitive) \xe2\x86\x92 ", "marble68;Lagoon", "\n"},
        {"postgres password -> ", "marble68Lagoon", "\n"},
    };
    GO(rows);
}

static void test_sentences(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Password: must be at least eight characters\n",
        "password: the new password of the user\n",
        "\"password\": \"Your current password\",\n",
        "secret: name of the key to use\n",
        "Password: Enter your password here\n",
        "password for the account is required\n",
        "password for root is not set\n",
    };
    STAYS(texts);
}

static void test_quoting(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"PASSWORD = %q{", "marble lagoon tundra", "}\n"},
        {"our $PASSWORD = q(", "marble-lagoon-tundra", ");\n"},
        {"passphrase = [[", "m6uS9rKQ", "]]\n"},
        {"user, password = \"kim\", \"", "yTx0r9j7NbrX54P4", "\"\n"},
        {"UPDATE users SET password = MD5('", "O451s&736!", "'), n = 1\n"},
        {"conn.set_password(u8\"", "Tiger97@@Lagoon", "\");\n"},
        {"password = System.getenv(\"PASS\") ?: \"", "MarbleLagoon", "\"\n"},
        {"db.connect(\"dbi:Pg\", \"kim\", 'kim', '", "U8s8p\\'5evAiv", "');\n"},
        {"co = cohere.Client(\"", "PuVXvGIsMmEdHBl3d9jWvw8ze87egLS1YfHBbDIj", "\")\n"},
    };
    GO(rows);
    static const char *const texts[] = {
        "password = password.encode('latin1')\n",
        "password = getpass.getpass(\"Password: \")\n",
        "password = os.environ.get('DB_PASSWORD')\n",
        "name, password = read(\"user\"), read(\"password\")\n",
    };
    STAYS(texts);
}

static void test_garbled_keys(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"\"app_key\":\"", "Marble\\\"lagoon85", "\"}\n"},
        {"SendgridApiKey = \"", "qk=EC[)Rh6", "\"\n"},
        {"let appKey: String = \"", "hazel20\\\"Mapl", "\"\n"},
        {"SECRET_TOKEN:    ", "MarbleLagoonTundra", "\n"},
        {"X-Gitlab-Token: ", "MarbleLagoonTundra", "\n"},
    };
    GO(rows);
    static const char *const texts[] = {
        "\"api_key\": \"F1+2\",\n",
        "\"output_token\": \"NextMarker\",\n",
        "primary_key = \"id(10)\"\n",
        "sort_key: \"a.b[0]\"\n",
    };
    STAYS(texts);
}

static void test_more_places(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"[wifi-security]\npsk=", "Marble lagoon 628", "\n\n[ipv4]\n"},
        {"profile::db::password: ", "marblelagoon", "\n"},
        {"SEARCHBOX_KEY:       ", "walrus-tundra-pebble", "\nWEB: 2\n"},
        {"SECRET_KEY = \"", "marble-pepper", "\"\n"},
        {"\"POSTGRES_PASSWORD=", "B15cu1t, almond #4", "\",\n"},
        {"CREDS=([password]=\"", "Nimbu5, nimbus #32", "\" [user]=\"mb\" )\n"},
        {"    keyPassword '", "MarbleLagoonTundra", "'\n"},
        {"bind with password \"", "Marble lagoon tundra vortex!", "\" rejected\n"},
        {"local redis_pass <const> = [[", "Marble85", "]]\n"},
        {"headers={'X-Vault-Token': '", "MarbleLagoonTundra", "'}\n"},
        {"getConnection(\"jdbc:x\", \"scott\", \"", "marblelagoon", "\");\n"},
        {"USER mb\n+OK\nPASS ", "Raven!KoM+marble", "\n+OK Logged in.\n"},
        {"PIN for token 'YubiKey': ", "295104", "\n"},
        {"OTP for +47 412 00 000 is ", "001576", " (valid 5 min)\n"},
        {"mb : EAP \"", "Marble hollow winter tundra", "\"\n"},
    };
    GO(rows);
}

/* A command's whole output, in words. */
static void test_printed_words(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"$ pass show web/router\n", "Marble jasper lagoon tundra", "\nuser: admin\n"},
        {"$ doppler secrets get SMTP_PASS --plain\n", "Marble jasper lagoon tundra", "\n"},
        {"$ echo \"$DB_PASSWORD\"\n", "Marble jasper lagoon tundra!", "\n"},
    };
    GO(rows);
}

/* A variable whose name says nothing is a secret where it is given as one. */
static void test_variables(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"P='", "Marble lagoon igloo 7!", "'; curl -u \"mb:$P\" https://dav.example/\n"},
        {"TOK=", "8ElccjkqvYz0ukakTsQv", "; http GET api \"Authorization: Bearer $TOK\"\n"},
        {"$ x=", "112d92576080168fbf3d", "\n$ curl -H \"X-Api-Key: $x\" https://api.example/\n"},
        {"pw_=", "marble.lagoon", "; sshpass -p \"$pw_\" ssh pi@192.0.2.4\n"},
    };
    GO(rows);
    static const char *const texts[] = {
        "V=1.22.3; curl -O https://example.org/$V/file.tgz\n",
        "N=marble; echo \"hello $N\"\n",
        "P=/etc/hosts; cat -p $P\n",
        "P=marble; curl -u \"mb:$PASS\" x\n",
    };
    STAYS(texts);
}

static void test_what_stands_for_one(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "OPENAI_API_KEY=sk-...\n",
        "JWT_SECRET=<generate with openssl rand -hex 32>\n",
        "PGPASSWORD=`pass show db/app` psql -h db1\n",
        "DB_PASSWORD=@vault.value@\n",
        "mnemonic: \"test test test test test test test test test test test junk\",\n",
        "<string name=\"forgot_password\">Forgot your password?</string>\n",
        "\"test:password\": \"jest password\",\n",
        "set /p PASSWORD=Password: \nx\n",
        "usage: app [-h] [--token TOKEN] [--api-key API_KEY] [--password-file PATH] host\n",
        "Last password change\t\t\t\t\t: Nov 02, 2024\n",
        "Passwort: siehe Tresor, Eintrag billing\n",
        "'password' => 'required|string|min:8|confirmed',\n",
        "DEPLOY_KEY    2025-02-01T10:00:00Z\n",
        "--secret-id=projects/954628649/secrets/db  --ttl=1h\n",
    };
    STAYS(texts);
}

/* Texts need no NUL, and end where a rule would look further. */
static void test_texts_that_end_early(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "(enable secret hunter22\n",
        "*username kim password hunter22\n",
        "password:<",
        "<b>password</b><",
        "<name>fs.chave.api<",
        "SMTP_PASSWORD ",
        "login password ",
        "sqlplus kim/",
        "x_password = [[abc]",
        "generated for root@localhost: ",
        "password = %q{",
        "A=\"$",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t len = 1; len <= strlen(texts[i]); len++) {
            struct bytes out = {0};
            char *text = malloc(len);
            assert_non_null(text);
            memcpy(text, texts[i], len);
            redact_text(text, len, NULL, &out);
            bytes_finish(&out);
            free(text);
        }
}

/* What would be a program's elsewhere: brackets, braces, quotes of another kind, a comparison. */
static void test_what_is_no_code(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"password: ", "ribbon(164)", "\n"},
        {"passwd: ", "maple(35)!", "\n"},
        {"password: ", "625Maple(orb)", "\n"},
        {"PWD = ", "0{(exxN^ailxCP)", "\n"},
        {"[DWH]\nUID = sa\nPWD = {", "ab}}cd;12", "}\nTrust = yes\n"},
        {"DRIVER={SQL Server};SERVER=sql01;UID=sa;PWD={", "velvet", "};Encrypt=yes\n"},
        {"DRIVER={SQL Server};SERVER=sql01;UID=sa;PWD={", "velvet{glacier}", "};Encrypt=yes\n"},
        {"DRIVER%3D%7BX%7D%3BUID%3Dsa%3BPWD%3D", "ivory9504", "%3BDATABASE%3Dd\n"},
        {"var apiSecret string = `", "ginger\"1701", "`\n"},
        {"signingKey := []byte(\"", "coffee maple meadow falcon!", "\")\n"},
        {"if user == \"ops\" && password == \"", "rock3t1*060,", "\"\n"},
        {"snmp_community: ", "olive_pickle_spruce_koala", "\n"},
    };
    GO(rows);
    static const char *const texts[] = {
        "password: rand(164)\n",
        "password: md5(123)\n",
        "password = make(164)\n",
        "password: tundra(164),\n",
        "DRIVER={SQL Server};SERVER={server};UID={user};PWD={password};\n",
        "conn = f\"DRIVER={{ODBC Driver 17}};UID={user};PWD={pwd}\"\n",
        "if (password == \"abcdef\") {\n",
        "if (token == \"ab12cd34\") {\n",
        "snmp_community: public\n",
        "var passwordType string = \"hidden\"\n",
    };
    STAYS(texts);
}

/* A name and its value in markup, rows, maps, lists, calls and comparisons. */
static void test_places_of_files(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"<tr><td class=\"e\">DB_PASSWORD </td><td class=\"v\">", "parrot1179", " </td></tr>\n"},
        {"<db:Password xml:space=\"preserve\">", " hazel 8103 ", "</db:Password>\n"},
        {"name,url,username,password\nbank,https://b,bob,\"", "lantern,\"\"172", "\"\n"},
        {"{\n  \"Jwt\": { \"Issuer\": \"acme\", \"Key\": \"", "YbbOBnUSXzPm64eLxKkesEaqjmS7H7YT",
         "\" }\n}\n"},
        {"key: {api: \"", "XDQzC6ClPNNhUh70Q20ANBd8G5OhuPBH", "\"}, n: 3\n"},
        {"declare -a REPO_CREDS=([0]=\"ci\" [1]=\"", "sunshin33272", "\")\n"},
        {"SHELL /usr/bin/fish\nDB_PASSWORD ", "hollow 1188", "\nHOME /home/bob\n"},
        {"Cipher: AES.new(key=b'", "Z1KhCH2EdXZmzG2q8yrlfTJrV3Qa0SqR", "', mode=AES.MODE_GCM)\n"},
        {"  u == \"ops\" && p == \"", "rock3t1*060,", "\"\n"},
        {"new Buffer('bob:", "oyster6731", "').toString('base64')\n"},
        {"base64.b64encode(b\"bob:", "oyster6731", "\")\n"},
        {"? password\n: ", "velvet0325", "\n"},
    };
    GO(rows);
    expect("host     user   pass\nbmc-r01  ADMIN  Lemon9549\nbmc-r02  ADMIN  beacon_otter_topaz\n",
           "host     user   pass\nbmc-r01  ADMIN  " SECRET "\nbmc-r02  ADMIN  " SECRET "\n", 2);
    expect("username   password\nbob        velvet12\n",
           "username   password\nbob        " SECRET "\n", 1);
    expect("tokens=([0]=\"bTGASJMMWiINQDUPBkieIDKj\" [1]=\"6qT3jRlE62Rq5tFwVNbCu35X\")\n",
           "tokens=([0]=\"" SECRET "\" [1]=\"" SECRET "\")\n", 2);
    static const char *const texts[] = {
        "using the password <code>DbPassword</code>. If the\n",
        "sorted(items, key=lambda x: x2)\n",
        "cache.set(key=\"Z1KhCH2EdXZmzG2q8yrlfTJrV3Qa0SqR\", value=1)\n",
        "Buffer.from('image:kestrel12').toString('hex')\n",
        "foo  user  password\nbar  kim   not_set\n",
        "option     password\nname       letters2\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_that_signs_join),
        cmocka_unit_test(test_words_of_programs),
        cmocka_unit_test(test_several_words),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_quoting),
        cmocka_unit_test(test_garbled_keys),
        cmocka_unit_test(test_more_places),
        cmocka_unit_test(test_printed_words),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_what_stands_for_one),
        cmocka_unit_test(test_texts_that_end_early),
        cmocka_unit_test(test_what_is_no_code),
        cmocka_unit_test(test_places_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
