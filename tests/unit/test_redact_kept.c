/* Files of a known form whose secrets no name tells of. */
#include "redacted.h"

#define V "[redacted:value]"

static void test_codes_and_keys(void **state)
{
    (void)state;
    expect("MSXGBXELZ3ABPEFUF3JNDLIM2G\n\" RATE_LIMIT 3 30\n\" TOTP_AUTH\n20346556\n35361931\n",
           V "\n\" RATE_LIMIT 3 30\n\" TOTP_AUTH\n" V "\n" V "\n", 3);
    remains("#define TOTP_AUTH\n20346556\n");
    expect(
        "  <apikeys>\n    <add key=\"https://x.example/v3\" value=\"tuliphorn\" />\n  </apikeys>\n",
        "  <apikeys>\n    <add key=\"https://x.example/v3\" value=\"" V "\" />\n  </apikeys>\n", 1);
    remains("  <sources>\n    <add key=\"x\" value=\"https://x.example/v3\" />\n  </sources>\n");
    expect(":rubygems_api_key: rubygems_" h32 h16 "\n:private_host: F0P3VwFx4IDxIjVeVkZ5e8E8f6v4\n",
           ":rubygems_api_key: [redacted:rubygems-token]\n:private_host: " V "\n", 2);
    remains("a\n:private_host: F0P3VwFx4IDxIjVeVkZ5e8E8f6v4\n");
    expect(
        "{\"api_key\" : \"x\", \"encoded\" : \"syulyeTr+TOqtIfkp1zvbU2T3Ps4BKff+p8e7hRSex==\"}\n",
        "{\"api_key\" : \"x\", \"encoded\" : \"" V "\"}\n", 1);
    remains("{\"name\" : \"x\", \"encoded\" : \"syulyeTr+TOqtIfkp1zvbU2T3Ps4BKff+p8e7hRSex==\"}\n");
}

static void test_words_of_daemons(void **state)
{
    (void)state;
    expect("[data]\n__passphrase__ = off\nlibera = \"spruce_saddle\"\noftc = \"x\"\n[crypt]\n",
           "[data]\n__passphrase__ = off\nlibera = \"" V "\"\noftc = \"" V "\"\n[crypt]\n", 2);
    remains("[look]\nlibera = \"spruce_saddle\"\n");
    expect("# cat passwd.client\nsmtp.x.example:relay:driftsparrow\n",
           "# cat passwd.client\nsmtp.x.example:relay:" V "\n", 1);
    remains("main.c:relay:driftsparrow\n");
    expect("key = \"thistle622\" # tacacs\n", "key = \"thistle622\" # tacacs\n", 0);
    expect("# tac_plus.conf\nkey = \"thistle622\"\n    login = cleartext \"PepperFeather\"\n",
           "# tac_plus.conf\nkey = \"" V "\"\n    login = cleartext \"" V "\"\n", 2);
    remains("mode = cleartext\n");
    remains("it was sent in cleartext \"as is\", they said\n");
    expect("d-i passwd/root-password password BrambleHarbor\n",
           "d-i passwd/root-password password " V "\n", 1);
    expect("echo \"a a/root_password password BrambleHarbor\" | debconf-set-selections\n",
           "echo \"a a/root_password password " V "\" | debconf-set-selections\n", 1);
    expect("user = kim { pap = cleartext \"PepperFeather\" }\n",
           "user = kim { pap = cleartext \"" V "\" }\n", 1);
    remains("see doc/root-password password\n");
    expect("carol : EAP \"the badger ate my orchid\"\n", "carol : EAP \"" V "\"\n", 1);
    remains("use EAP \"the other way\" of them\n");
}

static void test_lines_of_settings(void **state)
{
    (void)state;
    expect("# MySQL monitor account password\n$USER3$=UPickle~thunder;62\n",
           "# MySQL monitor account password\n$USER3$=" V "\n", 1);
    remains("# where to keep the password\nSTORE=/var/lib/x9\n");
    remains("# whether to ask for the password\nASK=yes\n");
    remains("# MySQL monitor account\n$USER3$=UPickle~thunder;62\n");
    expect("    user haadmin insecure-password 5NiKG;YF3KX=F4le\n",
           "    user haadmin insecure-password " V "\n", 1);
    remains("see insecure-password\n");
    expect("\"cookieSecret\" : [ \"8d78d36286145dab15f107bacdc2d375\", "
           "\"15929330d68ce0ada4a20ffb9f8474b5\" ]\n",
           "\"cookieSecret\" : [ \"" V "\", \"" V "\" ]\n", 2);
    remains("\"password\": [\"string\", \"null\"]\n");
    expect(">>> os.environ['TOKEN_SALT']\n'2891ff3eb4e6ad3a14285711'\n",
           ">>> os.environ['TOKEN_SALT']\n'" V "'\n", 1);
    remains(">>> os.environ['TOKEN_SALT']\n'in the cellar'\n");
}

static void test_databases_and_registries(void **state)
{
    (void)state;
    expect("PRAGMA key = 'Pebble orchid, walnut!';\n", "PRAGMA key = '" V "';\n", 1);
    expect("ATTACH DATABASE 'e.db' AS e KEY 'pebble99';\n",
           "ATTACH DATABASE 'e.db' AS e KEY '" V "';\n", 1);
    remains("ALTER TABLE t ADD KEY 'pebble99' (a);\n");
    expect("ALTER CURRENT USER SET PASSWORD FROM 'Teapot2025' TO 'mango;maple06!';\n",
           "ALTER CURRENT USER SET PASSWORD FROM '" V "';\n", 1);
    expect("    Password    REG_BINARY    209F573F32256BFE\n",
           "    Password    REG_BINARY    " V "\n", 1);
    remains("    Colour    REG_BINARY    209F573F32256BFE\n");
    expect("BUNDLE_GEMS__X__COM: \"df743634:4303f64d\"\n", "BUNDLE_GEMS__X__COM: \"" V "\"\n", 1);
    expect("<master>{DITDrH624fP7tew/JIO9V8LK5ADhMVpR/QAWxWVS0ZYyDuFf}</master>\n",
           "<master>{[redacted:maven-master]}</master>\n", 1);
    remains("<master>{name}</master>\n");
    expect("$CFG->passwordsaltmain = 'syY15za1P1NbMAVMgp6Lcw75';\n",
           "$CFG->passwordsaltmain = '" V "';\n", 1);
    remains("$CFG->passwordsaltmain = '';\n");
}

/* What a line of two words, or more, says that is like no other. */
static void test_tables_of_their_own(void **state)
{
    (void)state;
    finds("K 8\npasstype\nV 6\nsimple\nK 8\npassword\nV 10\n", "Otter2002#", "\nK 15\nsvn:realm\n");
    finds(
        "$ borg key export --paper /srv/borg\nBORG PAPER KEY v1\nid: 12 / 558ca5 893d3d - 26\n 1: ",
        "0e785d bb5e26 deb077  0a6859 bbedac d55068 - 8d\n 2: 99140e eaa401 e34f83 - 8d", "\n");
    finds("$ BUNDLE_GEMS__X__EXAMPLE=kim:", "80a9beaeZ", " bundle install\n");
    finds("<RSAKeyValue><Modulus>/Vi+YM4MpRwU+OKMzY4ZVd6r</Modulus><Exponent>AQAB</Exponent><P>",
          "hkjLGdKc5b+SsH1SuFbeP88sEfb+COu/</P><Q>g1uz1T8PK5Wl89I6PIRbfbbrn8CNF8HQ</Q><D>"
          "OCC82mwXDV+Ox2ppqNA0rjEfHk7NENYZ931EmCpD",
          "</D></RSAKeyValue>\n");
    found_as("    npmAuthIdent: \"ci:", "l4ntern87saf", "\"\n", "npm-ident");
    static const char *const texts[] = {
        "K 8\npasstype\nV 6\nsimple\n",
        "<RSAKeyValue><Modulus>/Vi+YM4MpRwU+OKMzY4ZVd6r</Modulus><Exponent>AQAB</Exponent>\n",
        "<P>hkjLGdKc5bSsH1SuFbeP88sEfbCOu</P>\n",
        "BORG PAPER KEY v1\n",
    };
    STAYS(texts);
}

/* What Kubernetes keeps in an object of the kind Secret, by whatever name. */
static void test_an_object_of_a_cluster(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  endpoint: ",
         "aGVsbG93b3JsZA==", "\n  username: a2lt\n"},
        {"$ kubectl get secret app -o yaml\napiVersion: v1\ndata:\n  foo: ", "aGVsbG93b3JsZA==",
         "\nkind: Secret\nmetadata:\n  name: app\n"},
        {"kind: Secret\nstringData:\n  bar: \"", "velvet copper", "\"\n  sub: ${FOO}\n"},
        {"kind: Secret\nstringData:\n  conf: |\n    ", "a = 1\n    b = velvet",
         "\n  tpl: \"{{ .Values.x }}\"\n"},
        {"items:\n- apiVersion: v1\n  data:\n    foo: bar\n  kind: ConfigMap\n- apiVersion: v1\n"
         "  data:\n    foo: ",
         "eHl6", "\n  kind: Secret\n- data:\n    foo: bar\n  kind: ConfigMap\n"},
        {"{\n  \"data\": {\n    \"foo\": \"",
         "aGVsbG93b3JsZA==", "\",\n    \"user\": \"a2lt\"\n  },\n  \"kind\": \"Secret\"\n}\n"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"stringData\":{\"foo\":\"", "hunter2",
         "\"}}\n"},
    };
    FIND_ALL(places);
    static const char *const others[] = {
        "kind: ConfigMap\ndata:\n  foo: bar\n",
        "kind: Secret\n---\nkind: ConfigMap\ndata:\n  foo: bar\n",
        "kind: Secret\n---\ndata:\n  foo: bar\n",
        "kind: SealedSecret\nspec:\n  encryptedData:\n    foo: bar\n",
        "kind: SecretStore\ndata:\n  foo: bar\n",
        "kind: Secret\ndata:\n  ca.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t\n",
        "{\"kind\":\"ConfigMap\",\"data\":{\"foo\":\"bar\"}}\n",
        "data:\n  kind: Secret\n  foo: bar\n",
        "kind: Secret\nmetadata:\n  data:\n    foo: bar\n",
    };
    STAYS(others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_and_keys),      cmocka_unit_test(test_words_of_daemons),
        cmocka_unit_test(test_lines_of_settings),   cmocka_unit_test(test_databases_and_registries),
        cmocka_unit_test(test_tables_of_their_own), cmocka_unit_test(test_an_object_of_a_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
