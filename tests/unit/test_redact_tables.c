/* What heads a table, and what its cells hold; and what stays. */
#include "redacted.h"

/* A row in the midst of a table heads nothing, whatever its cells are called. */
static void test_rows_head_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "apt\tadduser\t3.134\napt\tpassword-token\t1.0\napt\tbinutils-common:amd64\t2.40-2\n",
        "apt\tlibsecret\t0.20.5-3\napt\tkey2user-a1b2\t2.40-2\n",
        "apt,libsecret,0.20.5-3\napt,key2user-a1b2,2.40-2\n",
        "gnome-secret;3.134\nkey2user-a1b2;2.40-2\n",
        "| a0 | zip | b |\n| a1 | libsecret | b |\n| a2 | key2user | c |\n",
        "zip  PASSWORD  1.2-3\nzip  key2user-a1b2  2.40-2\n",
        "syn keyword\tpfService\tpasswd\nsyn keyword\tpfService\tkrb524\n",
        "name,size\npassword,4 kB\nkey2user-a1b2,9 kB\n",
        "1:4.13+dfsg1-1+deb12u1\napt\tpasswd\t1:4.13+dfsg1-1+deb12u1\n",
    };
    STAYS(texts);
}

static void test_first_lines_do(void **state)
{
    (void)state;
    expect("$ cat users.csv\nname,password\neva,Walrus12ab\n",
           "$ cat users.csv\nname,password\neva,[redacted:value]\n", 1);
    expect("+------+------------+\n| name | password   |\n+------+------------+\n"
           "| eva  | Walrus12ab |\n",
           "+------+------------+\n| name | password   |\n+------+------------+\n"
           "| eva  | [redacted:value] |\n",
           1);
    expect("$ cut -d, -f1,2 users.csv\nname,password,mail\neva,Walrus12ab,x\n",
           "$ cut -d, -f1,2 users.csv\nname,password,mail\neva,[redacted:value],x\n", 1);
    expect("|+------+------------------+|\n||  Name |  /db/password    ||\n"
           "||  Value|  Walrus12ab      ||\n",
           "|+------+------------------+|\n||  Name |  /db/password    ||\n"
           "||  Value|  [redacted:value]      ||\n",
           1);
}

/* A first cell's name, of several words perhaps, and its value in the second. */
static void test_names_and_values(void **state)
{
    (void)state;
    expect("key,value\nregion,eu-west-1\nSchlüsselkennwort,\"kf3JB,UF98kM\"\n",
           "key,value\nregion,eu-west-1\nSchlüsselkennwort,\"[redacted:value]\"\n", 1);
    expect("== Data ==\nKey        Value\n---        -----\npass1      DuHkLL8\nuser   ines\n",
           "== Data ==\nKey        Value\n---        -----\npass1      [redacted:value]\n"
           "user   ines\n",
           1);
    expect("│ Setting  │ Value        │\n├──────────┼──────────────┤\n│ Region   │ eu-central-1 │\n"
           "│ Password │ 89 zucchini x │\n",
           "│ Setting  │ Value        │\n├──────────┼──────────────┤\n│ Region   │ eu-central-1 │\n"
           "│ Password │ [redacted:value] │\n",
           1);
    expect(
        "| Field | Value |\n|---|---|\n| User | kim |\n| Ssl key password | pelican68\\|Timb |\n",
        "| Field | Value |\n|---|---|\n| User | kim |\n| Ssl key password | [redacted:value] |\n",
        1);
    expect("Name        Value\n----        -----\nNEXUS_PASS  nutm3g58\nSMTP_PASS   Falcon & "
           "tomato 43!\n",
           "Name        Value\n----        -----\nNEXUS_PASS  [redacted:value]\nSMTP_PASS   "
           "[redacted:value]\n",
           2);
    static const char *const texts[] = {
        "| Name | Value |\n| password | The password of the user. |\n",
        "| Name | Value |\n| password | required |\n| secret | $A1 |\n",
        "| Name | Type |\n| password | quartzlobster |\n",
        "Key   Value\n\npassword   quartzlobster\n",
        "| Name | Value |\n| the old: password | quartzlobster |\n",
    };
    STAYS(texts);
}

/* What is between the name and the value, and what has no heading. */
static void test_values_further_on(void **state)
{
    (void)state;
    expect("Name         SlotSetting    Value\n-----------  -------------  --------------\n"
           "DB_PASSWORD  False          Otter*oyster?1\nLANG         False          C.UTF-8\n",
           "Name         SlotSetting    Value\n-----------  -------------  --------------\n"
           "DB_PASSWORD  False          [redacted:value]\nLANG         False          C.UTF-8\n",
           1);
    expect("╭─────────────┬──────────────────────────────────╮\n"
           "│ DB_PASSWORD │ Walrus12ab                       │\n"
           "│ API_SECRET  │ kwo7mTmgYxS6yr8YYjL6mwOwgA83OwXE │\n",
           "╭─────────────┬──────────────────────────────────╮\n"
           "│ DB_PASSWORD │ [redacted:value]                       │\n"
           "│ API_SECRET  │ [redacted:value] │\n",
           2);
    expect("COPY public.api_keys (id, name, key, active) FROM stdin;\n"
           "1\tweb\t3CFjH39WHoZRruSo6o4x06MpV09bJVoMnxQDsJ0m\tt\n\\.\n",
           "COPY public.api_keys (id, name, key, active) FROM stdin;\n"
           "1\tweb\t[redacted:value]\tt\n\\.\n",
           1);
    expect("      ~ value = \"viuVtg85eKAbRgq7tG6XOJkz\" -> \"AweXNPX26DWxa6wamnWTNq0T\"\n"
           "        name  = \"/prod/db/password\"\n",
           "      ~ value = \"[redacted:value]\" -> \"[redacted:value]\"\n"
           "        name  = \"/prod/db/password\"\n",
           2);
    static const char *const texts[] = {
        "Name         Kind    Value\n-----------  ------  -----\npassword     string  required\n",
        "COPY public.settings (id, key, value) FROM stdin;\n1\ttheme_color_name_2\tx\n\\.\n",
    };
    STAYS(texts);
}

/* curl's jar: what lets in, not what counts visits. */
static void test_a_jar_of_cookies(void **state)
{
    (void)state;
    expect("# Netscape HTTP Cookie File\n"
           ".example.com\tTRUE\t/\tTRUE\t1772000000\tsession_id\tb46fd891ddbaacbcc753ed0caa\n"
           "#HttpOnly_.git.example\tTRUE\t/\tTRUE\t0\t_app\t5543b8e4bd33f8d898cc2e0934142218\n"
           ".example.com\tTRUE\t/\tFALSE\t1772000000\tlang\ten\n"
           ".example.com\tTRUE\t/\tFALSE\t1772000000\t_ga\tGA1.2.1234567890.1700000000\n",
           "# Netscape HTTP Cookie File\n"
           ".example.com\tTRUE\t/\tTRUE\t1772000000\tsession_id\t[redacted:cookie]\n"
           "#HttpOnly_.git.example\tTRUE\t/\tTRUE\t0\t_app\t[redacted:cookie]\n"
           ".example.com\tTRUE\t/\tFALSE\t1772000000\tlang\ten\n"
           ".example.com\tTRUE\t/\tFALSE\t1772000000\t_ga\tGA1.2.1234567890.1700000000\n",
           2);
}

/* Words, phrases and digits below headings that say what they are, of several words perhaps. */
static void test_cells(void **state)
{
    (void)state;
    expect("title,username,password,url\nRouter,admin,lanternRocket,http://a\n"
           "NAS,www-data,Walrussunset!!,https://b\n",
           "title,username,password,url\nRouter,admin,[redacted:value],http://a\n"
           "NAS,www-data,[redacted:value],https://b\n",
           2);
    expect("username,password,role\nbob,\"Kitten & indigo, cactus 82!\",user\n",
           "username,password,role\nbob,\"[redacted:value]\",user\n", 1);
    expect("id,login,clé_api,active\n40,root,Ns@t*Hh>[2,true\n",
           "id,login,clé_api,active\n40,root,[redacted:value],true\n", 1);
    expect("url;username;contraseñadb\nhttps://a;svc;g93YEkHytumI4FT4\n",
           "url;username;contraseñadb\nhttps://a;svc;[redacted:value]\n", 1);
    expect("| Service | User | Door Code |\n|---|---|---|\n| sync | mara | 425679 |\n",
           "| Service | User | Door Code |\n|---|---|---|\n| sync | mara | [redacted:value] |\n",
           1);
    expect("| Env  | Clave Secreta   | URL |\n|------|-----------------|-----|\n"
           "| prod | `quartzlobster` | x   |\n",
           "| Env  | Clave Secreta   | URL |\n|------|-----------------|-----|\n"
           "| prod | `[redacted:value]` | x   |\n",
           1);
    expect("| Service | Schlüsselkennwort    |\n|---|---|\n| billing | yonder orchid drache |\n",
           "| Service | Schlüsselkennwort    |\n|---|---|\n| billing | [redacted:value] |\n", 1);
    expect("NAME      PASSWORD            EXPIRES\nkim       TomatoOrangeShadow  never\n",
           "NAME      PASSWORD            EXPIRES\nkim       [redacted:value]  never\n", 1);
    expect("       user           api_key\n0      ines  466075a682852cc3\n"
           "1     bjorn  397d5161b7259079\n",
           "       user           api_key\n0      ines  [redacted:value]\n"
           "1     bjorn  [redacted:value]\n",
           2);
    static const char *const texts[] = {
        "title,username,password,url\nRouter,admin,required,http://a\n",
        "title,username,password,url\nRouter,admin,unchanged\n",
        "    r'Error_InvalidUsername|Error_Password|'\n    r'Error_ReqColumn|Error_ReqField|'\n",
        "| Service | User | Error Code |\n|---|---|---|\n| sync | mara | 425679 |\n",
        "| Option | Secret |\n|---|---|\n| a | no longer in use |\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_head_nothing), cmocka_unit_test(test_first_lines_do),
        cmocka_unit_test(test_names_and_values),  cmocka_unit_test(test_values_further_on),
        cmocka_unit_test(test_a_jar_of_cookies),  cmocka_unit_test(test_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
