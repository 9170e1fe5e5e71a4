/* Names that stand elsewhere than next to their values: in a list of columns, as the value of
 * another name, on the line above, in a command whose output it is; and what stays. */
#include "redacted.h"

/* ---- columns ---- */

static void test_tuples(void **state)
{
    (void)state;
    expect("INSERT INTO users (id, password, role) VALUES\n  (1, 'Turtle2948#', 'admin'),\n"
           "  (2, 'it''s 7?K', 'op');\nSELECT ('a', 'Turtle2949#', 'b');\n",
           "INSERT INTO users (id, password, role) VALUES\n  (1, '[redacted:value]', 'admin'),\n"
           "  (2, '[redacted:value]', 'op');\nSELECT ('a', 'Turtle2949#', 'b');\n",
           2);
    expect("insert into `api` (`id`,`api_key`,`api_secret`) values (1,'" h32 "','" a20 "'),(2,'" h32
           "','" a20 "');\n",
           "insert into `api` (`id`,`api_key`,`api_secret`) values (1,'[redacted:value]',"
           "'[redacted:value]'),(2,'[redacted:value]','[redacted:value]');\n",
           4);
    expect(
        "INSERT INTO u (mail, password) VALUES ('a(b),c', crypt('Walrus12ab', gen_salt('bf')));\n",
        "INSERT INTO u (mail, password) VALUES ('a(b),c', crypt('[redacted:value]', "
        "gen_salt('bf')));\n",
        1);
    expect(
        "COPY public.users (id, password) FROM stdin;\n1\tWalrus12ab\n2\tCopper34cd\n\\.\n",
        "COPY public.users (id, password) FROM stdin;\n1\t[redacted:value]\n2\t[redacted:value]\n"
        "\\.\n",
        2);
    expect("INSERT INTO u (id, password) OVERRIDING SYSTEM VALUE VALUES (1, 'Walrus12ab');\n",
           "INSERT INTO u (id, password) OVERRIDING SYSTEM VALUE VALUES (1, '[redacted:value]');\n",
           1);
    expect("INSERT INTO u (id, password)\nOUTPUT inserted.id VALUES (1, 'Walrus12ab');\n",
           "INSERT INTO u (id, password)\nOUTPUT inserted.id VALUES (1, '[redacted:value]');\n", 1);
    expect("INSERT INTO u (id, password) OUTPUT inserted.id, inserted.[values]\nVALUES (1, "
           "'Walrus12ab');\n",
           "INSERT INTO u (id, password) OUTPUT inserted.id, inserted.[values]\nVALUES (1, "
           "'[redacted:value]');\n",
           1);
}

static void test_what_is_no_tuple(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "INSERT INTO users (id, password) VALUES (?, ?), (:id, :password), ($1, $2);\n",
        "INSERT INTO users (id, password) VALUES (1, NULL), (2, '');\n",
        "INSERT INTO users (id, password) VALUES (1, '${DB_PASSWORD}');\n",
        "INSERT INTO permissions (id, token_count, mail) VALUES (1, '4096', 'a@x.example');\n",
        "def login(user, password):\n    f(('bob', 'Walrus12ab'), 2)\n",
        "INSERT INTO users (id, password) SELECT id, name FROM old;\n('a', 'Walrus12ab')\n",
        "INSERT INTO users (id, password) OUTPUT inserted.id SELECT 1;\nVALUES (1, 'Walrus12ab')\n",
    };
    STAYS(texts);
}

static void test_tables_of_other_signs(void **state)
{
    (void)state;
    expect("id;user;passwort;gruppe\n1;meier;Waffle-5012*;vertrieb\n2;schulz;LsjwDzGbn;lager\n",
           "id;user;passwort;gruppe\n1;meier;[redacted:value];vertrieb\n"
           "2;schulz;[redacted:value];lager\n",
           2);
    expect("ID\t\tDescription\tToken\t\tUser Name\n0a1b\tgrafana\tq7Z3k9X1j5V8w2M4\tadmin\n",
           "ID\t\tDescription\tToken\t\tUser Name\n0a1b\tgrafana\t[redacted:value]\tadmin\n", 1);
    expect("\tpassword\t\tmail\n1\tWaffle-5012*\t\ta\n",
           "\tpassword\t\tmail\n1\t[redacted:value]\t\ta\n", 1);
    expect("id\t\tpassword\n1\t\tWaffle-5012*\n2\tx\tWaffle-5013*\n3\tuser1x\t\ty\n",
           "id\t\tpassword\n1\t\t[redacted:value]\n2\tx\t[redacted:value]\n3\tuser1x\t\ty\n", 2);
    expect("ID    Description  Token             User Name\n0a1b  grafana      q7Z3k9X1j5V8w2M4  "
           "admin\n",
           "ID    Description  Token             User Name\n0a1b  grafana      [redacted:value]  "
           "admin\n",
           1);
    static const char *const texts[] = {
        "id;user;passwort;gruppe\n1;meier;geheim;vertrieb\n",
        "  password,\n  isUserNameValid,\n  setToken,\n",
        "a;password;b\nisUserNameValid;\n",
        "ID\t\tDescription\tToken\t\tUser Name\n0a1b\tq7Z3k9X1j5V8w2M4\tnone\tadmin\n",
    };
    STAYS(texts);
}

/* ---- pairs ---- */

static void test_members(void **state)
{
    (void)state;
    expect(
        "{\"Name\": \"/prod/db/password\", \"Type\": \"String\", \"Value\": \"HP^hlefL1J7o\"}\n",
        "{\"Name\": \"/prod/db/password\", \"Type\": \"String\", \"Value\": \"[redacted:value]\"}"
        "\n",
        1);
    expect("[{\"value\": \"HP^hlefL1J7o\", \"type\": \"x\", \"name\": \"DB_PASSWORD\"}]\n",
           "[{\"value\": \"[redacted:value]\", \"type\": \"x\", \"name\": \"DB_PASSWORD\"}]\n", 1);
    expect(
        "   key = mqtt_password\n value = HNRiZ1ImU00K0O2mVJ\n\n   key = mqtt_host\n value = b1\n",
        "   key = mqtt_password\n value = [redacted:value]\n\n   key = mqtt_host\n value = b1\n",
        1);
    expect("- name: SMTP_PASSWORD\n  protected: yes\n  value: Walrus12ab\n",
           "- name: SMTP_PASSWORD\n  protected: yes\n  value: [redacted:value]\n", 1);
    static const char *const texts[] = {
        "{\"name\": \"password\"}, {\"name\": \"port\", \"value\": \"Walrus12ab\"}\n",
        "   key = mqtt_password\n\n value = Walrus12ab\n",
        "{\"name\": \"DB_PASSWORD\", \"valueFrom\": \"Walrus12ab\"}\n",
        "{\"name\": \"password\", \"value\": \"${DB_PASSWORD_1}\"}\n",
        "{\"kind\": \"password\", \"value\": \"Walrus12ab\"}\n",
    };
    STAYS(texts);
}

/* In each text X is what goes. */
static void expect_x(const char *form, const char *secret)
{
    struct bytes text = {0}, wanted = {0};
    for (; *form; form++) {
        if (*form == 'X' && form[1] != 'X') {
            bytes_append_text(&text, secret);
            bytes_append_text(&wanted, "[redacted:value]");
        } else {
            bytes_append_char(&text, *form);
            bytes_append_char(&wanted, *form);
        }
    }
    bytes_append_char(&text, 0);
    bytes_append_char(&wanted, 0);
    expect(text.data, wanted.data, 1);
    bytes_finish(&text);
    bytes_finish(&wanted);
}

static void test_pairs_of_other_forms(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "env:\n  - value: X\n    name: INITIAL_PASSWORD\n  - value: \"Walrus34cd\"\n    name: "
        "LEVEL\n",
        "env:\n  - name: LEVEL\n    value: info1abc\n  - name: DB_PASSWORD\n    value: X\n",
        "<Setting Name=\"GpgPassphrasePrimary\">\n  <Value>X</Value>\n</Setting>\n",
        "<meta name=\"db_password\" content=\"X\">\n",
        "<textarea name=\"password\" rows=3>X</textarea>\n",
        "<b>Wachtwoord:</b> <code>X</code>\n",
        "<tr><td>Password</td><td>X</td></tr>\n",
        "<dt>Password</dt>\n<dd>X</dd>\n",
        "--e5\nContent-Disposition: form-data; name=\"password\"\nContent-Type: text/plain\n\nX\n"
        "--e5--\n",
        "  [\"dbPassword\":protected]=>\n  string(10) \"X\"\n",
        "  [\"dbPass\":\"App\\Db\":private]=>\n  string(10) \"X\"\n",
        "{user = 0x5555 \"kim\", password = 0x55555576a2a0 \"X\", port = 1}\n",
        "UserDefaults.standard.set(\"X\", forKey: \"dbPass\")\n",
        "[ [ 'host', 'db1' ], [ 'ansibleBecomePass', 'X' ] ]\n",
        "_method=patch&user%5Bdb_pwd%5D=X&user%5Bname%5D=jonas\n",
        "[d setObject:@\"X\" forKey:@\"password\"];\n",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        expect_x(forms[i], "Walrus12ab");
    static const char *const texts[] = {
        "<SessionToken>a</SessionToken><Expiration>2012-10-18T10:18:14.789Z</Expiration>\n",
        "<p>the resource ID.</p> <code>ecs:service:DesiredCount1</code>\n",
        "set(\"label one\", forKey: \"dbPass\")\n",
    };
    STAYS(texts);
}

static void test_other_pairs(void **state)
{
    (void)state;
    expect("1) \"requirepass\"\n2) \"XzNJOUKQTCumdw9A\"\n3) \"maxmemory\"\n4) \"ab12cd34\"\n",
           "1) \"requirepass\"\n2) \"[redacted:value]\"\n3) \"maxmemory\"\n4) \"ab12cd34\"\n", 1);
    expect("    DefaultPassword    REG_SZ    Canyon4104?\n",
           "    DefaultPassword    REG_SZ    [redacted:value]\n", 1);
    expect("resource \"random_password\" \"db\" {\n    length = 24\n    result = "
           "\"4UyBWm03gY0U\"\n}\n",
           "resource \"random_password\" \"db\" {\n    length = 24\n    result = "
           "\"[redacted:value]\"\n}\n",
           1);
    static const char *const texts[] = {
        "1) \"requirepass\"\n2) \"\"\n",
        "1) \"password\" is one\n2) \"Walrus12ab\"\n",
        "1) \"mails\"\n2) \"password\"\n3) \"user17\"\n",
        "1) \"user:1:password\"\n2) \"user:17:name\"\n3) \"user:17:password\"\n",
        "resource \"random_password\" \"db\" {\n    length = 24\n}\nresult = \"4UyBWm03gY0U\"\n",
        "variable \"db_password\" {\n  default = \"\"\n  type = \"string\"\n}\n",
        "    DefaultPassword    REG_DWORD    0x12ab\n",
    };
    STAYS(texts);
}

/* ---- below commands ---- */

static void test_what_commands_print(void **state)
{
    (void)state;
    expect(
        "$ nomad acl bootstrap\nAccessor ID  = d75dd390-fab6\nSecret ID    = e837bf1e-e28c-4b4e\n",
        "$ nomad acl bootstrap\nAccessor ID  = d75dd390-fab6\nSecret ID    = [redacted:value]\n",
        1);
    expect("$ aws ec2 get-password-data --instance-id i-0\n{\n  \"PasswordData\": "
           "\"p#Cpx7i%C9L\"\n}\n",
           "$ aws ec2 get-password-data --instance-id i-0\n{\n  \"PasswordData\": "
           "\"[redacted:value]\"\n}\n",
           1);
    expect("$ redis-cli HGETALL t:12\nname\nBlumenhof\napi_key\n" a20 "\n$ ls\n",
           "$ redis-cli HGETALL t:12\nname\nBlumenhof\napi_key\n[redacted:value]\n$ ls\n", 1);
    expect("$ etcdctl get --prefix /svc\n/svc/db/host\npg-1\n/svc/db/password\nG-kX3=sf+D6R\n",
           "$ etcdctl get --prefix /svc\n/svc/db/host\npg-1\n/svc/db/password\n[redacted:value]\n",
           1);
    expect("$ az search keys list\n{\n  \"key1\": \"kupferdach\",\n  \"key2\": \"regenbogen\"\n}\n",
           "$ az search keys list\n{\n  \"key1\": \"[redacted:value]\",\n  \"key2\": "
           "\"[redacted:value]\"\n}\n",
           2);
    static const char *const texts[] = {
        "$ nomad acl bootstrap\nerror: done\n$ cat x\nSecret ID    = e837bf1e-e28c-4b4e\n",
        "$ redis-cli HGETALL t:12\nname\nBlumenhof12\n$ cat names\npassword\nWalrus12ab\n",
        "$ aws ssm get-parameters-by-path --path /x | jq .\n{\"Value\": \"Blumenhof12\"}\n",
    };
    STAYS(texts);
}

static void test_here_documents(void **state)
{
    (void)state;
    expect("$ curl -s -K - <<'C'\nurl = \"https://x.example\"\nuser = \"jo:4-B94a@9D0i\"\nC\n",
           "$ curl -s -K - <<'C'\nurl = \"https://x.example\"\nuser = \"jo:[redacted:value]\"\nC\n",
           1);
    expect("$ ftp -n ftp.x.example <<X\nuser web17 NTM1MuICdT\nput index.html\nX\n",
           "$ ftp -n ftp.x.example <<X\nuser web17 [redacted:value]\nput index.html\nX\n", 1);
    expect(
        "curl -K - <<E\nurl = \"https://x.example\"\nE\nmysql -uapp -pHunter22x db\nuser = "
        "\"jo:4-B94a@9D0i\"\n",
        "curl -K - <<E\nurl = \"https://x.example\"\nE\nmysql -uapp -p[redacted:value] db\nuser = "
        "\"jo:[redacted:value]\"\n",
        2);
    expect("  tls {\n    dns cloudflare dmEfT0UMIulyPS2FncKWXCMuFRYv70bpNa4RZspw\n  }\n",
           "  tls {\n    dns cloudflare [redacted:value]\n  }\n", 1);
    expect("dns nameserver ns-12.example-3.internal.Example.com\n",
           "dns nameserver ns-12.example-3.internal.Example.com\n", 0);
    expect("$ yes 'vISh8~aVN.19' | head -2 | passwd eva\n",
           "$ yes '[redacted:value]' | head -2 | passwd eva\n", 1);
    expect("$ sudo useradd -m -p \"$(openssl passwd -6 'S8lm2sWTrpm3k')\" eva\n",
           "$ sudo useradd -m -p \"$(openssl passwd -6 '[redacted:value]')\" eva\n", 1);
}

/* ---- languages ---- */

static void test_languages(void **state)
{
    (void)state;
    expect("#define PASSPHRASE @\"velvet sparrow lantern bramble\"\n",
           "#define PASSPHRASE @\"[redacted:value]\"\n", 1);
    expect("pub const admin_password: []const u8 = \"zDU*53g~tJ\";\n",
           "pub const admin_password: []const u8 = \"[redacted:value]\";\n", 1);
    expect("f.request :authorization, :basic, 'importer', '00zNjUliq4JN'\n",
           "f.request :authorization, :basic, 'importer', '[redacted:authorization]'\n", 1);
    expect(
        "SELECT * FROM mysql('db:3306', 'app', 'orders', 'reader', 'RwfSzrj3cUvt') LIMIT 3\n",
        "SELECT * FROM mysql('db:3306', 'app', 'orders', 'reader', '[redacted:value]') LIMIT 3\n",
        1);
    expect("SELECT pgp_sym_decrypt(data, 'anchor mosaic rocket') FROM vault;\n",
           "SELECT pgp_sym_decrypt(data, '[redacted:value]') FROM vault;\n", 1);
    expect("db.auth(\"backup\", \"PdHlxDkhulIx\")\n", "db.auth(\"backup\", \"[redacted:value]\")\n",
           1);
    expect("ALTER USER x IDENTIFIED BY 'q9oDr0''2Gw''QV8';\n",
           "ALTER USER x IDENTIFIED BY '[redacted:value]';\n", 1);
    expect("create\\040user\\040'a'\\040identified\\040by\\040'xGiZJ3Xz';\n"
           "set\\040password\\040for\\040'b'@'%'='DSd7g10W';\n",
           "create\\040user\\040'a'\\040identified\\040by\\040'[redacted:value]';\n"
           "set\\040password\\040for\\040'b'@'%'='[redacted:value]';\n",
           2);
    static const char *const texts[] = {
        "#define PASSPHRASE_HELP @\"enter your words here\"\n",
        "rack :basic, 'importer', password\n",
        "login(\"user\", \"LoginFormModal\");\n",
        "pgp_sym_decrypt(data, key), f(data, 'sha256')\n",
        "show\\040databases;\nselect\\040password\\040from\\040'users12';\n",
    };
    STAYS(texts);
}

static void test_all_in_quotes(void **state)
{
    (void)state;
    expect("\"Env\": [\n  \"REDIS_PASSWORD=PsTXA,W:@-T(@i<V08:d\",\n  \"A=b\"\n",
           "\"Env\": [\n  \"REDIS_PASSWORD=[redacted:value]\",\n  \"A=b\"\n", 1);
    expect("terraform apply -var='db_password=k[>vczpy;(>(H[,K9p{K' -auto\n",
           "terraform apply -var='db_password=[redacted:value]' -auto\n", 1);
    expect("[DWH]\nUID=loader\nPWD={6^8B^k_*pqcG}\n", "[DWH]\nUID=loader\nPWD={[redacted:value]}\n",
           1);
    expect("\"Uid=a;Password=Walrus12ab;Server=c1\"\n",
           "\"Uid=a;Password=[redacted:value];Server=c1\"\n", 1);
    static const char *const texts[] = {
        "f(\"password={get(1)}\", 2)\n",
        "PWD={a, b}\n",
    };
    STAYS(texts);
}

/* ---- words ---- */

static void test_phrases(void **state)
{
    (void)state;
    expect("[wifi-security]\npsk=mango hammer biscuit\n", "[wifi-security]\npsk=[redacted:value]\n",
           1);
    expect("[10:00:00]: MATCH_PASSWORD=magnet quartz glacier ribbon\n",
           "[10:00:00]: MATCH_PASSWORD=[redacted:value]\n", 1);
    expect("password \"copper velvet saddle lantern\"\n", "password \"[redacted:value]\"\n", 1);
    static const char *const texts[] = {
        "password \"must be given\"\n",
        "the password \"copper velvet saddle\" is an example\n",
    };
    STAYS(texts);
    expect("MYSQL_PWD=hunter mysql app users\n", "MYSQL_PWD=[redacted:value] mysql app users\n", 1);
    expect("$ PGPASSWORD=hunter run this now\n", "$ PGPASSWORD=[redacted:value] run this now\n", 1);
    expect("DB_PASSWORD=hunter make install all\n",
           "DB_PASSWORD=[redacted:value] make install all\n", 1);
}

/* ---- networks, modems, mail, names of .NET's ---- */

static void test_networks(void **state)
{
    (void)state;
    finds(">>> wlan.connect('Hof', '", "Grebe Pond!", "')\n");
    finds("  WiFi.begin(\"Hof\", \"", "grebe&pond", "\");\n");
    finds("wifi.radio.connect(\"Hof\", \"", "grebe in pond", "\")\n");
    finds("  wifiMulti.addAP(\"Hof\", \"", "GrebePond", "\");\n");
    finds("AT+CWJAP=\"Hof\",\"", "Grebepond33", "\"\r\nOK\r\n");
    finds("AT+CWSAP=\"Hof\",\"", "grebe pond", "\",5,3\nOK\n");
    finds("AT+CSTT=\"internet\",\"eve\",\"", "grebe&5", "\"\nOK\n");
    finds("AT+MQTTUSERCFG=0,1,\"id\",\"eve\",\"", "Grebe#5", "\",0,0,\"\"\n");
    static const char *const texts[] = {
        "wlan.connect(ssid, password)\n",
        "sock.connect(\"host.example\", \"service name\")\n",
        "AT+CWJAP?\n+CWJAP:\"Hof\",\"aa:bb:cc:dd:ee:ff\",6,-51\n",
        "AT+CWJAP=\"Hof\",\"\"\n",
        "AT+CWMODE=1\nOK\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

static void test_answers_to_challenges(void **state)
{
    (void)state;
    finds("AUTH PLAIN\n334 \n", "AGV2ZQBHcmViZSFwb25k", "\n235 ok\n");
    finds("AUTH XOAUTH2\r\n+ \r\n", "dXNlcj1ldmUBYXV0aD1CZWFyZXI=", "\r\n+OK\r\n");
    finds("a1 AUTHENTICATE PLAIN\n+\n", "AGV2ZQBHcmViZSFwb25k", "\na1 OK\n");
    static const char *const texts[] = {
        "AUTH PLAIN\n504 5.5.4 no such mechanism\n",
        "250-AUTH PLAIN\n250 HELPDESK\n",
        "AUTH PLAIN\n334 \nQUIT\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

static void test_sections_in_names(void **state)
{
    (void)state;
    finds("Mail:Smtp:Password = ", "Grebe Pond 5", "\nMail:Smtp:Port = 25\n");
    static const char *const texts[] = {
        "Note:Password = the one you chose\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

static void test_below_signs(void **state)
{
    (void)state;
    finds("array(1) {\n  [\"db_password\"]=>\n  string(13) \"", "Grebe.Pond.Ox", "\"\n}\n");
    finds("  [\"password\"]=>\n  string(14) \"", "Grebe in ponds", "\"\n");
    finds("Save this seed phrase to recover your keypair:\n",
          "zoo you hover lunar only cradle mimic orbit dolphin tissue kiwi fabric", "\n====\n");
    static const char *const texts[] = {
        "  [\"password\"]=>\n  NULL\n",
        "  [\"password\"]=>\n  string(8) \"********\"\n",
        "  [\"password_hint\"]=>\n  string(9) \"the usual\"\n",
        "Keep your seed phrase safe:\nnobody who helps will ever ask for it\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

/* Cells in quotes, bars of a table as they are drawn, what goes on in the next line. */
static void test_cells_and_lines(void **state)
{
    (void)state;
    expect("id,\"user\",\"password\",\"mail\"\n1,\"eve\",\"lampionTurm77\",\"e@x.example\"\n",
           "id,\"user\",\"password\",\"mail\"\n1,\"eve\",\"[redacted:value]\",\"e@x.example\"\n",
           1);
    expect("\"user\";\"password\"\n\"eve\";\"q9oDr0Gw\"\n",
           "\"user\";\"password\"\n\"eve\";\"[redacted:value]\"\n", 1);
    expect("x = [\"user\", \"password\", \"mail\"]\ny = [\"a\", \"b2Cd9Ef8\", \"c\"]\n",
           "x = [\"user\", \"password\", \"mail\"]\ny = [\"a\", \"b2Cd9Ef8\", \"c\"]\n", 0);
    expect("\u2503 user \u2503 password \u2503\n\u2502 eve  \u2502 q9oDr0Gw \u2502\n",
           "\u2503 user \u2503 password \u2503\n\u2502 eve  \u2502 [redacted:value] \u2502\n", 1);
    expect("\u2551 user \u2551 password \u2551\n\u2551 eve  \u2551 q9oDr0Gw \u2551\n",
           "\u2551 user \u2551 password \u2551\n\u2551 eve  \u2551 [redacted:value] \u2551\n", 1);
    expect(
        "userPassword:: e1NTSEF9cUdMaFo2SkV4NzlvUXB2UzJ3TDFrTm00UjZ0WTh1STBvUDNhUzVkRjdnSDlqSzJ\n"
        " sWjR4QzZ2Qg==\ncn: x\n",
        "userPassword:: [redacted:value]\ncn: x\n", 1);
    expect("ALTER USER eve IDENTIFIED BY q9oDr0Gw REPLACE o1dQ9wert;\n",
           "ALTER USER eve IDENTIFIED BY [redacted:value];\n", 1);
}

/* Zabbix' macros, words of a command each of which is set, a line below a user's. */
static void test_set_beside_others(void **state)
{
    (void)state;
    finds("      - macro: '{$SNMP_COMMUNITY}'\n        value: ", "maple7637", "\n");
    finds("      - macro: '{$MYSQL.PASSWORD}'\n        value: '", "puffin043", "'\n");
    finds("# pcs stonith create f1 fence_ipmilan ip=10.0.0.120 username=ADMIN password=",
          "oyster.dragon.banjo", " pcmk_host_list=n1\n");
    finds("account work\nauth on\nuser per@ex.org\npassword ", "TVi+cKiJ-fpEK", "\n");
    finds("root_password_sha2 = ", "015c81c79868784396d7748d6a4d0f5006f01958a8a43cffe2", "\n");
    static const char *const texts[] = {
        "      - macro: '{$MYSQL.PASSWORD}'\n        type: SECRET_TEXT\n",
        "f(user=x.name, password=self.settings.password)\n",
        "user per@ex.org\npassword required\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_and_lines),   cmocka_unit_test(test_tuples),
        cmocka_unit_test(test_what_is_no_tuple),  cmocka_unit_test(test_tables_of_other_signs),
        cmocka_unit_test(test_members),           cmocka_unit_test(test_pairs_of_other_forms),
        cmocka_unit_test(test_other_pairs),       cmocka_unit_test(test_what_commands_print),
        cmocka_unit_test(test_here_documents),    cmocka_unit_test(test_languages),
        cmocka_unit_test(test_all_in_quotes),     cmocka_unit_test(test_phrases),
        cmocka_unit_test(test_networks),          cmocka_unit_test(test_answers_to_challenges),
        cmocka_unit_test(test_sections_in_names), cmocka_unit_test(test_below_signs),
        cmocka_unit_test(test_set_beside_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
