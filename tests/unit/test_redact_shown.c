/* What devices of networks and daemons' files show, and what commands print: secrets that are told
 * by where they stand in it; and what stays. */
#include "redacted.h"

/* ---- commands ---- */

static void test_values_of_options(void **state)
{
    (void)state;
    expect("$ ansible-vault encrypt_string --vault-password-file ~/.vp 'Lamps!on-it' --name x\n",
           "$ ansible-vault encrypt_string --vault-password-file ~/.vp '[redacted:value]' --name "
           "x\n",
           1);
    expect("$ ctr images pull --user bot:Walrus12ab r.example/base:1\n",
           "$ ctr images pull --user bot:[redacted:value] r.example/base:1\n", 1);
    expect("$ ktpass /princ HTTP/x@X /mapuser svc /pass Walrus12ab /out web.keytab\n",
           "$ ktpass /princ HTTP/x@X /mapuser svc /pass [redacted:value] /out web.keytab\n", 1);
    expect("CROND[4]: (root) CMD (/usr/bin/lftp -u bak,Whin&Chat5 ftp.int -e 'put /b;bye')\n",
           "CROND[4]: (root) CMD (/usr/bin/lftp -u bak,[redacted:value] ftp.int -e 'put "
           "/b;bye')\n",
           1);
    expect("$ echo 'AUTH default Cuckoo.Spit' | redis-cli\n",
           "$ echo 'AUTH default [redacted:value]' | redis-cli\n", 1);
    expect("+ nsupdate -y hmac-sha256:dhcp:mO0hhGmGHzzml5hxNpmqyWD/9VRB+9jR\n",
           "+ nsupdate -y hmac-sha256:[redacted:value]\n", 1);
    static const char *const texts[] = {
        "$ echo 'GET greeting' | redis-cli\n",
        "$ lftp -u bak ftp.int &\n",
        "$ ansible-vault encrypt_string --vault-password-file ~/.vp --name x\n",
    };
    STAYS(texts);
}

static void test_what_commands_print(void **state)
{
    (void)state;
    expect("$ pass show infra/ilo\nSandpiper{iLO}\nuser: root\n",
           "$ pass show infra/ilo\n[redacted:value]\nuser: root\n", 1);
    expect("$ bw get password vcenter\nSpindle-vC\n",
           "$ bw get password vcenter\n[redacted:value]\n", 1);
    expect("$ op read op://infra/db/field\nmango hammer biscuit\n",
           "$ op read op://infra/db/field\n[redacted:value]\n", 1);
    expect("$ wg show wg0 dump\n" a20 "A1b2C3=\tPub1iCk3yPub1iCk3yPub1i=\t51820\toff\n"
           "Pub2iCk4yPub1iCk3yPub1i=\t" a20 "D4e5F6=\t198.51.100.9:1\n",
           "$ wg show wg0 dump\n[redacted:value]\tPub1iCk3yPub1iCk3yPub1i=\t51820\toff\n"
           "Pub2iCk4yPub1iCk3yPub1i=\t[redacted:value]\t198.51.100.9:1\n",
           2);
    expect("$ ip xfrm state | head -3\nsrc 198.51.100.4 dst 203.0.113.9\n"
           "\tenc cbc(aes) 0x8b03adf53d34c1e1b75dc51aa12d1593\n",
           "$ ip xfrm state | head -3\nsrc 198.51.100.4 dst 203.0.113.9\n"
           "\tenc cbc(aes) [redacted:value]\n",
           1);
    expect(
        "   PlainLoginModule required\n   username=\"admin\"\n   user_admin=\"Mango\"\n"
        "   user_etl=\"Etl.cedar\";\n",
        "   PlainLoginModule required\n   username=\"admin\"\n   user_admin=\"[redacted:value]\"\n"
        "   user_etl=\"[redacted:value]\";\n",
        2);
    expect("chpasswd:\n  list: |\n    root:RZU+_-7p%kFZ\n  expire: false\n",
           "chpasswd:\n  list: |\n    root:[redacted:value]\n  expire: false\n", 1);
    static const char *const texts[] = {
        "$ pass show infra\ninfra\n\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80 ilo-4\n",
        "$ pass show infra/nas\nError: infra/nas is not in the password store.\n",
        "$ bw get password nas\nNot found.\n",
        "$ ip xfrm state\nsrc 198.51.100.4 dst 203.0.113.9\n\tproto esp spi 0xc91ab02e reqid 1\n",
        "$ az keyvault list -o table\n2024-02-11T10:22:31.114000+00:00  media  westeurope\n",
        "password required\nuser_name=none\n",
        "chpasswd:\n  list: |\n    root:RANDOM\n",
    };
    STAYS(texts);
}

/* ---- devices ---- */

static void test_devices(void **state)
{
    (void)state;
    expect("ntp authentication-key 1 md5 Tick!Tock\n",
           "ntp authentication-key 1 md5 [redacted:value]\n", 1);
    expect("snmp-server user nms OPS v3 auth sha Auth-Thrush priv aes 128 Priv-Thrush\n",
           "snmp-server user nms OPS v3 auth sha [redacted:value] priv aes 128 [redacted:value]\n",
           2);
    expect("snmp-server host 10.9.1.40 version 2c trapLark\n",
           "snmp-server host 10.9.1.40 version 2c [redacted:value]\n", 1);
    expect("tacacs-server key 7 13061E010803557878\nradius-server key 0 LRNSLziGYa\n",
           "tacacs-server key 7 [redacted:value]\nradius-server key 0 [redacted:value]\n", 2);
    expect(" wlan security wpa psk set-key ascii 0 warehouse Crane 12 4\n",
           " wlan security wpa psk set-key ascii 0 [redacted:value]\n", 1);
    expect("set ike gateway hq authentication pre-shared-key key Palo.Curlew\n",
           "set ike gateway hq authentication pre-shared-key key [redacted:value]\n", 1);
    expect("set security ike policy P1 pre-shared-key ascii-text \"gN,LgyW[g+RExb;;\"\n",
           "set security ike policy P1 pre-shared-key ascii-text \"[redacted:value]\"\n", 1);
    expect("password manager user-name \"admin\" plaintext \"ProCurve-Ibis\"\n",
           "password manager user-name \"admin\" plaintext \"[redacted:value]\"\n", 1);
    static const char *const texts[] = {
        "ntp trusted-key 1\nntp server 10.0.0.1 key 1\n",
        "radius-server host 10.0.0.1 auth-port 1812 timeout 7\n",
        "snmp-server host 10.9.1.40 version 3 auth nms\n",
        "the operator reads plaintext\n",
    };
    STAYS(texts);
}

/* ---- what is written in programs ---- */

static void test_forms_of_programs(void **state)
{
    (void)state;
    expect("std::string passphrase{\"kettle copper ember saddle\"};\n",
           "std::string passphrase{\"[redacted:value]\"};\n", 1);
    expect("apiToken  = `D#.CH1:R6;zXS{Y7g$IZ`\n", "apiToken  = `[redacted:value]`\n", 1);
    expect("readonly ENCRYPTION_PASSWORD=\"${ENC:-IzMFN9zAodXX}\"\n",
           "readonly ENCRYPTION_PASSWORD=\"${ENC:-[redacted:value]}\"\n", 1);
    expect("declare -A c=( [db_password]='E7[gLSkb=S3ViF' )\n",
           "declare -A c=( [db_password]='[redacted:value]' )\n", 1);
    expect("$link = mysql_connect('10.4.2.30', 'intranet', 'hasl0Maslo') or die();\n",
           "$link = mysql_connect('10.4.2.30', 'intranet', '[redacted:value]') or die();\n", 1);
    expect("new UsernamePasswordCredentialsImpl(Scope.GLOBAL, \"id\", \"What\", \"bob\", "
           "\"dep1oy.Onyx\")\n",
           "new UsernamePasswordCredentialsImpl(Scope.GLOBAL, \"id\", \"What\", \"bob\", "
           "\"[redacted:value]\")\n",
           1);
    expect("Environment=\"DATA_SOURCE_NAME=exporter:Wr3n_nest-08@(db-3.int:3306)/\"\n",
           "Environment=\"DATA_SOURCE_NAME=exporter:[redacted:url-password]@(db-3.int:3306)/\"\n",
           1);
    expect("name=\"user\"\r\n\r\nanna\r\n------x\r\nname=\"password\"\r\n\r\nF83ThuBH<6>\r\n"
           "------x--\r\n",
           "name=\"user\"\r\n\r\nanna\r\n------x\r\nname=\"password\"\r\n\r\n"
           "[redacted:value]\r\n------x--\r\n",
           1);
    expect("+  authentication-key \"$9$aeLqfjSlwhqBcjKHBpXg\"; ## SECRET-DATA\n",
           "+  authentication-key \"[redacted:value]\"; ## SECRET-DATA\n", 1);
    static const char *const texts[] = {
        "struct password{\"unset\"};\n",
        "DB_PASSWORD=\"${DB_PASSWORD:-changeme}\"\nPASSWORD=${X:-${Y}}\n",
        "API_TOKEN=${TOKEN:-none}\n",
        "apiToken = `<span>{token}</span>`\n",
        "name=\"password\"\n\nwas not given 12\n--\n",
    };
    STAYS(texts);
}

/* ---- files ---- */

static void test_files(void **state)
{
    (void)state;
    expect("radius server ise1\n address ipv4 10.9.5.2\n key Ise.Basalt.16\n",
           "radius server ise1\n address ipv4 10.9.5.2\n key [redacted:value]\n", 1);
    expect("[edit snmp]\n+   community nms-J-readonly7;\n",
           "[edit snmp]\n+   community [redacted:value];\n", 1);
    expect("vault_snmp_community: lark-RO-71x\n", "vault_snmp_community: [redacted:value]\n", 1);
    expect(": RSA gw.pem \"timber-ferret-viper\"\n", ": RSA gw.pem \"[redacted:value]\"\n", 1);
    expect("STQXLGUEW4IZI7BHOB5ES3UQWP\n\" RATE_LIMIT 3 30\n\" WINDOW_SIZE 17\n\" TOTP_AUTH\n",
           "[redacted:value]\n\" RATE_LIMIT 3 30\n\" WINDOW_SIZE 17\n\" TOTP_AUTH\n", 1);
    expect("/etc/postfix/sasl_passwd:1:[smtp.relay.example]:587 lark:B0nfire.Thistle\n",
           "/etc/postfix/sasl_passwd:1:[smtp.relay.example]:587 lark:[redacted:value]\n", 1);
    expect("define( 'NONCE_SALT',  'H2^nV@ ;a4-bTz,|Qk3.oPf*8G[u' );\n",
           "define( 'NONCE_SALT',  '[redacted:value]' );\n", 1);
    expect("vault_smtp_password: Otter, slow river 5\n", "vault_smtp_password: [redacted:value]\n",
           1);
    expect("gpg_passphrase = Penny Black stamps\n", "gpg_passphrase = [redacted:value]\n", 1);
    expect("set a=b wpa2-pre-shared-key=\"Corgi in the attic\"\n",
           "set a=b wpa2-pre-shared-key=\"[redacted:value]\"\n", 1);
    expect("    connection.pass:\n        Sorrel_Mare_2\n    connection.user:\n        salt\n",
           "    connection.pass:\n        [redacted:value]\n    connection.user:\n        salt\n",
           1);
    expect("      Password:\n"
           "        401381-119309-265835-554328-656770-338493-156901-424904\n",
           "      Password:\n        [redacted:recovery-key]\n", 1);
    expect("A temporary password is generated for root@localhost: jq?e7Wd>sK2;\n",
           "A temporary password is generated for root@localhost: [redacted:value]\n", 1);
    expect("$ cat client/auth-user-pass.txt\nlark-site2\nBramble.Gate.77\n",
           "$ cat client/auth-user-pass.txt\nlark-site2\n[redacted:value]\n", 1);
    expect("$ cat password.txt\nWalrus12ab\n", "$ cat password.txt\n[redacted:value]\n", 1);
    static const char *const texts[] = {
        "interface eth0\n key Ise.Basalt.16\n",
        "policy-statement a {\n  community transit7;\n}\n",
        "snmp_community: public\n",
        "the key: RSA 2048 \"strong\"\n",
        "gpg_passphrase = The one you chose\n",
        "confirm_password: Enter at least 8 characters\n",
        "401381-119309-265835-554328-656770-338493-156901\n",
        "password:\n  - required1\n",
    };
    STAYS(texts);
}

static void test_cells(void **state)
{
    (void)state;
    expect("Access key ID,Secret access key\nid,pmsdKNWvQ8UJMwjgk/WSn1c7DIoxO//PpjHRibXa\n",
           "Access key ID,Secret access key\nid,[redacted:value]\n", 1);
    expect("id,name,password,role\n2,Peter,\"B&2\"\"o5\"\"7:Ht^:WkS\",user\n"
           "3,Anna,Marsh;Harrier6,user\n4,Bob,\"viper goblet yonder wombat\",user\n",
           "id,name,password,role\n2,Peter,\"[redacted:value]\",user\n"
           "3,Anna,[redacted:value],user\n4,Bob,\"[redacted:value]\",user\n",
           3);
    expect(" id |     password      | active \n----+-------------------+--------\n"
           "  3 | riverbank Toad 5  | f\n",
           " id |     password      | active \n----+-------------------+--------\n"
           "  3 | [redacted:value]  | f\n",
           1);
    expect(
        "# client\tserver\tsecret\t\t\tIP addresses\nb9\t\t*\t\"oat meal ranger\"\t\t10.6.0.9\n",
        "# client\tserver\tsecret\t\t\tIP addresses\nb9\t\t*\t\"[redacted:value]\"\t\t10.6.0.9\n",
        1);
    static const char *const texts[] = {
        "| Name | Password |\n|------|----------|\n| min | Min 8 characters |\n",
        "id,name,password\n1,\"the field\",\"this field must be given\"\n",
        "when you see it, the api key\nis shown, pmsdKNWvQ8\n",
        "the secret, which is one\nSHA256withDSA\nprojects/12345/secrets/FOO_1 or\n",
    };
    STAYS(texts);
}

static void test_where_values_end(void **state)
{
    (void)state;
    expect("cmd=\"restore --password=Hay&Stack --to=/mnt\"\n",
           "cmd=\"restore --password=[redacted:value] --to=/mnt\"\n", 1);
    expect("user=a&password=Walrus12&x=3\n", "user=a&password=[redacted:value]&x=3\n", 1);
    expect("Params.Add('Password=D3lphi''s Oracle'); end\n",
           "Params.Add('Password=[redacted:value]'); end\n", 1);
    expect("strPassword = \"VB6 \"\"still\"\" alive\"\n", "strPassword = \"[redacted:value]\"\n",
           1);
    expect("      - DB_ROOT_PASSWORD=Seehund am Strand # x\n",
           "      - DB_ROOT_PASSWORD=[redacted:value] # x\n", 1);
    expect("- **Password:** `Stag!ng|Beetle`\n", "- **Password:** `[redacted:value]`\n", 1);
    expect("{:user \"kiosk\" :password \"lisp->parens((\"}\n",
           "{:user \"kiosk\" :password \"[redacted:value]\"}\n", 1);
    expect("Password for the [elastic] user successfully reset.\nNew value: XQIrHljVolDgOz=*w+\n",
           "Password for the [elastic] user successfully reset.\nNew value: [redacted:value]\n", 1);
    static const char *const texts[] = {
        "{:password \"Enter your password\"}\n",
        "aws_secret_access_key = <your secret access key>\n",
        "- **Password:** required\n",
    };
    STAYS(texts);
}

#define AWS_ID                                                                                     \
    "AK" /* no scanner's */                                                                        \
    "IAN2LNJLSBFFSOV2FS"

static void test_words_of_passwords(void **state)
{
    (void)state;
    expect("root_password:\n    jAm.Tart.On.A.Plate\nnext: 1\n",
           "root_password:\n    [redacted:value]\nnext: 1\n", 1);
    expect("admin_password = <<-EOT\n  heredoc me tender 58\nEOT\n",
           "admin_password = <<-EOT\n  [redacted:value]\nEOT\n", 1);
    expect("host        smtp.lan\npassword    Quince&Medlar\n",
           "host        smtp.lan\npassword    [redacted:value]\n", 1);
    expect("Device reset, unlock secret: 4471-0093-2287\n",
           "Device reset, unlock secret: [redacted:value]\n", 1);
    expect("open sdb2   # LUKS_PASS=disk:Crypt.Keeper\n",
           "open sdb2   # LUKS_PASS=[redacted:value]\n", 1);
    expect("$ bw list items --session GOplHXFOmufSmuLLMtZBne6yUonPlyD2cC==\n",
           "$ bw list items --session [redacted:value]\n", 1);
    expect("| id | login | password        |\n| 1  | ann   | blauwe.fiets.31 |\n",
           "| id | login | password        |\n| 1  | ann   | [redacted:value] |\n", 1);
    static const char *const texts[] = {
        "password    the user's\npassword    R&D\n",
        "root_password:\n    required\nnext: 1\n",
        "admin_password = <<-EOT\n  one line of words\nEOT\n",
        "| id | login | password        |\n| 1  | ann   | 10.2.31-beta.12 |\n",
        "unlock secret: 4471-00\n",
        "password    https://a.example/b&c\n",
    };
    STAYS(texts);
}

static void test_what_stands_beside(void **state)
{
    (void)state;
    expect(AWS_ID " / v4wkhUblgAvSa0ZEdYYOPVo4iZOJO6aEzXqX/1cY (Tomas)\n",
           "[redacted:aws-key-id] / [redacted:aws-secret-key] (Tomas)\n", 2);
    expect("export A=" AWS_ID " B=qB/vA0cQQsKNpBZ0XFtjAZbMRIx+FKTEhp4AEjAc\n",
           "export A=[redacted:aws-key-id] B=[redacted:aws-secret-key]\n", 2);
    expect("ak=LTA"
           "I5tVCRS2YVN2TNDYqhh3W sk=lPx5s411Q4azhRfoJWZQhHdJJZTnxH\n",
           "ak=[redacted:alibaba-key-id] sk=[redacted:alibaba-secret-key]\n", 2);
    expect("SK"
           "524f93801ee30822260c5f02a9fc8ac7  pager  cRXF1PBx1m6MAK3IyOQi0AM3501sJhmI\n",
           "[redacted:twilio-key]  pager  [redacted:twilio-secret]\n", 2);
    expect("SK"
           "524f93801ee30822260c5f02a9fc8ac7  pager  " h32 "\n",
           "[redacted:twilio-key]  pager  " h32 "\n", 1);
    expect(AWS_ID " da39a3ee5e6b4b0d3255bfef95601890afd80709\n",
           "[redacted:aws-key-id] da39a3ee5e6b4b0d3255bfef95601890afd80709\n", 1);
    expect(AWS_ID "\n\nqB/vA0cQQsKNpBZ0XFtjAZbMRIx+FKTEhp4AEjAc\n",
           "[redacted:aws-key-id]\n\nqB/vA0cQQsKNpBZ0XFtjAZbMRIx+FKTEhp4AEjAc\n", 1);
}

/* Lists and boxes, of which each line has one. */
static void test_lists_that_are_shown(void **state)
{
    (void)state;
    expect(
        "# wg show all dump\nwg0\t" a20 "A1b2C3=\tPub1iCk3yPub1iCk3yPub1i=\t51820\toff\n"
        "wg0\tPub2iCk4yPub1iCk3yPub1i=\t" a20 "D4e5F6=\t198.51.100.9:1\t10.8.0.2/32\t1\t2\t3\n",
        "# wg show all dump\nwg0\t[redacted:value]\tPub1iCk3yPub1iCk3yPub1i=\t51820\toff\n"
        "wg0\tPub2iCk4yPub1iCk3yPub1i=\t[redacted:value]\t198.51.100.9:1\t10.8.0.2/32\t1\t2\t3\n",
        2);
    expect("$ pveum user token add ci@pve deploy\n"
           "\xe2\x94\x82 full-tokenid \xe2\x94\x82 ci@pve!deploy \xe2\x94\x82\n"
           "\xe2\x94\x82 value        \xe2\x94\x82 09f37445-5bbf-4997-84e5-eb0c6facb127 "
           "\xe2\x94\x82\n",
           "$ pveum user token add ci@pve deploy\n"
           "\xe2\x94\x82 full-tokenid \xe2\x94\x82 ci@pve!deploy \xe2\x94\x82\n"
           "\xe2\x94\x82 value        \xe2\x94\x82 [redacted:value] \xe2\x94\x82\n",
           1);
    expect(
        "$ ansible-vault view v.yml\nvault_user: deployer1\nvault_sudo: 'jasmine quartz tulip'\n",
        "$ ansible-vault view v.yml\nvault_user: deployer1\nvault_sudo: '[redacted:value]'\n", 1);
    expect("$ sudo cat /etc/postfix/sasl_passwd\n# relays\n[smtp.x.example]:587 kim@x.example:lfeg "
           "mwag "
           "zghe hyoj\nmail.x.example    relay:Turtle;me@43\n",
           "$ sudo cat /etc/postfix/sasl_passwd\n# relays\n[smtp.x.example]:587 kim@x.example:"
           "[redacted:value]\nmail.x.example    relay:[redacted:value]\n",
           2);
    expect("# Secrets for authentication using CHAP\n# client\tserver\tsecret\tIP addresses\n"
           "kim\tl2tpd\tMaple8171\t*\n\"isp/00491@x.example\"\t*\t\"87493210\"\t*\n",
           "# Secrets for authentication using CHAP\n# client\tserver\tsecret\tIP addresses\n"
           "kim\tl2tpd\t[redacted:value]\t*\n\"isp/00491@x.example\"\t*\t\"[redacted:value]\"\t*\n",
           2);
    expect(
        "$ apg -n 2 -m 12 -t\nhqmOft5tuxjii (gvz-Oft-wgsy)\nshidCofJen6 (shid-Cof-Jen-SIX)\n$ ls\n",
        "$ apg -n 2 -m 12 -t\n[redacted:value]\n[redacted:value]\n$ ls\n", 2);
    expect("$ cat backup-codes.txt\n59846-5e86a\nbf56f-41dde\n\nkeep them\n",
           "$ cat backup-codes.txt\n[redacted:value]\n[redacted:value]\n\nkeep them\n", 2);
    expect("# salt-call pillar.get db:password\nlocal:\n    trumpet1230?\n",
           "# salt-call pillar.get db:password\nlocal:\n    [redacted:value]\n", 1);
    expect(
        "$ bundle config\ngems.x.example\nSet for the current user (/home/kim/.bundle/config): "
        "\"kim:Glacier~9253n8h\"\n\npath\nSet for your local app (/a/.bundle/config): \"vendor\"\n",
        "$ bundle config\ngems.x.example\nSet for the current user (/home/kim/.bundle/config): "
        "\"kim:[redacted:value]\"\n\npath\nSet for your local app (/a/.bundle/config): "
        "\"vendor\"\n",
        1);
    finds("Loaded 1 password hash (sha512crypt, crypt(3) $6$ [SHA512 256/256 AVX2 4x])\n",
          "jasmineOtter81", "          (kim)\n1g 0:00:00:04 DONE\n");
    finds("| 1  | admin | ", "f6eb0d7f1ca5ddbbbad885ee43b958d4 (Ember_1289", ") |\n");
    finds(
        "PS C:\\> Get-AzStorageAccountKey -ResourceGroupName rg -Name st\n\nKeyName Value "
        "Permissions\n"
        "key1    ",
        "StBCG3r9hRHmh6nLo87ulPHRQH2kLmSb8rb+MIdLzeekiZwBTtIUteVwqkDEl0sfWWp+aAIr2mTbWPmKIzwzPe==",
        " Full\n");
    finds("# pdbedit -Lw kim\nkim:1001:XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX:",
          "8846F7EAEE8FB117AD06BDD830B7586C", ":[U          ]:LCT-65A1B2C3:\n");
    finds("# systemd-cryptenroll --recovery-key /dev/sda2\nA secret recovery key has been "
          "generated for "
          "this volume:\n\n    ",
          "vbcrnlci-vbcrnlci-ejdhgfkl-nrtuvbcd-ehifgjkl-nrtuvbce-ehifgjkr-nrtuvbcf", "\n");
    finds("$ mix hex.user key generate --key-name ci\n", "968db50387e390d94630e00937e6d06d", "\n");
    finds("$ snyk config get api\n", "e8f75918-8fe7-4146-8306-b1358a9b71a6", "\n");
    static const char *const texts[] = {
        "| commit | d95679752134a2d9eb61dbd7b91c4bcc0d95679a (HEAD) |\n",
        ("$ fly secrets list\nNAME        DIGEST              STATUS\n"
         "SMTP_PASS   639e6a23ef13995a    Deployed\n"),
        "Loaded 3 plugins (all of them)\nabcdef81          (kim)\n",
        "$ salt web1 test.ping\nweb1:\n    True\n",
        "$ ls; cat notes.txt\nnotes.txt\nall is well here\n",
    };
    STAYS(texts);
}

/* What is shown of several, each behind its name; and which secret it is. */
static void test_of_several(void **state)
{
    (void)state;
#define PUB "J2ce9/7fI58iTFm8n4Oj08BSQNdaAzAoAZh0Wm2++hE="
    expect("# wg show all dump\nwg0\tFhwvUKqH0/NAqCrm3wj/KMiJkTptppFdF/CLsiQSAQI=\t" PUB
           "\t51820\toff\nwg0\t" PUB "\t/br37hnxCzDRfgibJs6Rp7X7a9QjgNvYhX9AV9voDjo=\tx:1\n",
           "# wg show all dump\nwg0\t[redacted:value]\t" PUB "\t51820\toff\nwg0\t" PUB
           "\t[redacted:value]\tx:1\n",
           2);
    finds("$ gopass show infra/nas\nSecret: infra/nas\n\n", "Copper_35", "\nlogin: admin\n");
    finds("$p = \"", "Oyster38", "\" | ConvertTo-SecureString -AsPlainText -Force\n");
    finds("$ printf '%s\\n%s\\n' vpnuser '", "aNYQsicGJHBLBqH2", "' > /etc/openvpn/auth.txt\n");
    finds("SELECT count() FROM remote('10.1.0.3', shop.orders, 'reader', '", "Ginger_116", "')\n");
    remains("$p = Read-Host | ConvertTo-SecureString -AsPlainText\n");
    finds("$ openssl rand -base64 48 > /etc/mongo-keyfile; cat /etc/mongo-keyfile\n",
          "whaKeKr8vOH1DKtAruQgkCeZhyi4/UM4pE7RFGSnbnbp1ARnNWuqrDqFqhn1DEVl", "\n");
    finds("$ umask 077 > pw.txt && cat pw.txt\n", "Quartz_32", "\n");
    expect("$ curl -k -u "
           "\"3/y/dHbiUC9gkNnIu9WHSw//vjn9X4O7PNaKbR3nzStATqfXmr3EXzlX\":\"Lampion7x\" u\n",
           "$ curl -k -u \"[redacted:value]\":[redacted:value]\" u\n", 2);
    remains("$ printf '%s %s\\n' one two > /tmp/list.txt\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_options),
        cmocka_unit_test(test_what_commands_print),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_forms_of_programs),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_where_values_end),
        cmocka_unit_test(test_words_of_passwords),
        cmocka_unit_test(test_what_stands_beside),
        cmocka_unit_test(test_lists_that_are_shown),
        cmocka_unit_test(test_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
