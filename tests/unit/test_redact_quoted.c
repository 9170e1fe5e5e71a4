/* Values of several words, or with signs: in quotes beside a name, and to where their line or list
 * ends. */
#include "redacted.h"

static void test_a_text_in_quotes_is_a_password(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"User.first.update!(password: \"", "Nightjar, two", "\")\n"},
        {"{\"user\":\"x\",\"password\":\"", "Goats on the roof", "\"}\n"},
        {"#define WIFI_PASSWORD   \"", "goats on the roof", "\"\n"},
        {"#define ADMIN_PASSWORD (\"", "p!nk Panther", "\")\n"},
        {"SET PASSWORD FOR 'root'@'%' = PASSWORD(\"", "old mill/9", "\");\n"},
        {"user.setPassword(\"", "Nightjar, two", "\");\n"},
        {"new PDO('mysql:host=localhost;dbname=crm', 'crm', '", "p!nk Panther", "');\n"},
        {"client.username_pw_set(\"sensor\", \"", "goats on the roof", "\")\n"},
        {"conn = database('core','svc','", "Pintail;Mud", "');\n"},
        {"algoliasearch('80QTTYOZ6B', '", "2b10565b136c096abcd4ada8be192d54", "');\n"},
        {"static PASSWORD: &[u8] = b\"", "goats on the roof", "\";\n"},
        {"     33\t    passwd \"", "Hoopoe|Roller", "\"\n"},
        {"release { storePassword '", "Tufted.Duck", "'; keyAlias 'up' }\n"},
    };
    FIND_ALL(places);
}

static void test_a_text_about_passwords_is_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\"password\": \"Mot de passe\"\n",
        "\"password\": \"Neues Kennwort wiederholen\"\n",
        "\"password\": \"Nuova parola d'ordine\"\n",
        "password: \"Sign in to continue\"\n",
        "\"password\": \"Forgot it?\"\n",
        "\"incorrect_password\": \"Nope, sorry\"\n",
        "#define STR_PASSWORD \"Pass code\"\n",
        "#define OPT_PASSWORD \"-p, --password\"\n",
        "#define ERR_BAD_PASSWORD \"Oh no, again\"\n",
        "{\"password\", \"pwd,secret\"},\n",
        "[\"password\", \"user,email\"]\n",
        "('password', 'character varying(128)'),\n",
        "(3, 'password', 'Field for entry'),\n",
        "setPassword(\"password must be set\")\n",
        "secrets = [s for s in all_secrets if s.rotated_at < cutoff]\n",
        "should_pass(\"WinDLL('./_sqlite3.dll')\")\n",
        "showPassword(\"Show / Hide\")\n",
        "passwords: [\"enter it\", \"repeat it\"]\n",
    };
    STAYS(texts);
}

static void test_a_text_stands_beside_its_name(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"    {\"password\", \"", "Hx(4)slate", "\"},\n"},
        {"[{sql_password,\"", "Rain,drop,9", "\"},{sql_username,\"ejabberd\"}]\n"},
        {"{password, <<\"", "otters & oats", "\">>}\n"},
        {"[\"password\", \"", "otters & oats", "\"]\n"},
        {"(2,'smtp_password','", "bad/moon rising", "'),\n"},
        {"    fill_in 'Password', with: '", "grapes, sour", "'\n"},
        {"    fill_in \"user[password]\", with: \"", "Goats on the roof", "\"\n"},
        {"await page.fill('#password', '", "goats on the roof", "');\n"},
        {"cy.get('#password').type('", "goats on the roof", "')\n"},
        {"driver.find_element(By.ID, \"password\").send_keys(\"", "goats on the roof", "\")\n"},
        {"password = {{ db_password | default('", "Reed%Bunting", "') }}\n"},
    };
    FIND_ALL(places);
    static const char *const texts[] = {
        "page.fill('#password', process.env.PASSWORD)\n",
        "fill_in 'Password', with: user.password\n",
        "cy.get('#password').type('{enter}')\n",
        "cy.get('#password').type('password')\n",
        "cols = [(\"password\", \"text not null\")]\n",
        "x = {{ db_password | default('none') }}\n",
        "x = {{ db_password | default(omit) }}\n",
    };
    STAYS(texts);
    expect("\"passwords\":[\"Straw hat 1\",\"goats on the roof\"]\n",
           "\"passwords\":[\"[redacted:value]\",\"[redacted:value]\"]\n", 2);
}

static void test_a_debugger_shows_it(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"#0  check (user=0x55557b260 \"erin\", password=0x55557b2a0 \"", "Saffron rice",
         "\") at auth.c:88\n"},
        {"(gdb) p password\n$3 = 0x55555557b2a0 \"", "Saffron!Rice", "\"\n"},
        {"(gdb) x/s passwd\n0x4052a0:\t\"", "Vetch(3)Clover", "\"\n"},
        {"(lldb) p password\n(const char *) $0 = 0x0000000100003f9c \"", "Saffron rice", "\"\n"},
    };
    FIND_ALL(places);
}

static void test_a_function_returns_it(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"def api_key() -> str:\n    return \"", "923ad128d3bb035eff7cb75fca1e5e19b0e1b588",
         "\"\n"},
        {"func dbPassword() string {\n\treturn \"", "goats on the roof", "\"\n}\n"},
        {"String getPassword() { return \"", "Blue-Harbour-77", "\"; }\n"},
    };
    FIND_ALL(places);
    static const char *const texts[] = {
        "def password(self):\n    return \"hidden\"\n",
        "def api_key(self):\n    return \"X-Api-Key\"\n",
        "String getPassword() { return \"user.password\"; }\n",
        "getPassword();\nreturn \"goats on the roof\";\n",
    };
    STAYS(texts);
}

static void test_a_line_is_all_of_it(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"[options]\nadmin_passwd = ", "amber Waves; grain", "\ndb_user = odoo\n"},
        {"adminPassword: ", "Lily pad/5", "\ningress:\n"},
        {"        - name: DB_PASSWORD\n          value: ", "Ostrich, 6 feathers", "\n"},
        {"< ADMIN_PASS=", "Golden Syrup", "\n---\n"},
        {"DEPLOY_PASS=", "cool & calm %% 9", "\n"},
        {"     SMTP_PASS=", "Comfrey, rose", "\n"},
        {"[wifi-security]\nkey-mgmt=wpa-psk\npsk=", "espresso & cream", "\n"},
        {"spring.datasource.password=", "Sea,Shell:By\\=Shore", "\n"},
        {"    [password] => ", "Bees & Wax 3", "\n    [remember] => 1\n"},
        {"SmtpPassword\t", "Vole & Vetch", "\n"},
        {"~ 3 password = ", "Chiff chaff", "\n"},
    };
    FIND_ALL(places);
    static const char *const texts[] = {
        "password = foo and bar\n",
        "  password = args.password or getpass.getpass()\n",
        "user_password: Reset by admin\n",
        "forgot_password: Modifier le mot de passe\n",
        "confirm_password: Bekreft passordet\n",
        "smtp_password: The one from the vault\n",
        "Password: Kim asked about it\n",
        "UserPassword\tThe one of the user\n",
        "DbPassword\tvarchar(40)\tNot null\n",
    };
    STAYS(texts);
    finds("PGPASSWORD=", "secret7", " psql -h db\n");
    finds("DB_PASS=", "kiwi77", " ./run.sh all\n");
}

static void test_a_member_ends_where_its_list_goes_on(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"p ==> {password=", "copper & Zinc", "}\n"},
        {"{user=kim, password=", "grapes, sour", ", host=db}\n"},
        {"  \"Default\": \"Host=pg;Username=crm;Password=", "Ink & Quill", "\"\n"},
        {"\"Server=db;User ID=crm;Password=", "Ink & Quill", ";Encrypt=True;\"\n"},
    };
    FIND_ALL(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_text_in_quotes_is_a_password),
        cmocka_unit_test(test_a_text_about_passwords_is_none),
        cmocka_unit_test(test_a_text_stands_beside_its_name),
        cmocka_unit_test(test_a_debugger_shows_it),
        cmocka_unit_test(test_a_function_returns_it),
        cmocka_unit_test(test_a_line_is_all_of_it),
        cmocka_unit_test(test_a_member_ends_where_its_list_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
