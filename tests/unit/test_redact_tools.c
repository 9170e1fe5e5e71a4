/* Secrets that tools are told, and that are told by where they stand: in options and places, in
 * lists of arguments, in the lines of a file whose name says what they are; and what stays. */
#include "redacted.h"

#include "envelope/redact/command.h"

static void test_options(void **state)
{
    (void)state;
    static const char *const commands[][2] = {
        {"$ check_mysql -H db1 -u nagios -p '", "'\nOK\n"},
        {"$ /usr/lib/nagios/plugins/check_snmp -H sw1 -C ", " -o 1.3.6.1\n"},
        {"$ check_http -H web1 -a bob:", " -S\n"},
        {"$ fly -t main login -c https://ci.example -u admin -p '", "'\n"},
        {"$ conan user -p ", " -r acme builder\n"},
        {"$ sudo pro attach ", "\n"},
        {"$ xcrun altool --upload-app -f a.ipa -u dev@x.example -p ", "\n"},
        {"$ security import dist.p12 -P ", " -k login.keychain\n"},
        {"$ doveadm auth test eva ", "\npassdb: eva auth succeeded\n"},
        {"$ doveadm pw -s SHA512-CRYPT -p ", "\n"},
        {"$ racadm -r idrac-7 -u root -p '", "' getsysinfo\n"},
        {"$ bash <(curl -s https://codecov.io/bash) -t ", "\n"},
        {"$ ./srcds_run -game csgo +map de_dust2 +rcon_password ", " +maxplayers 12\n"},
        {"sv_setsteamaccount ", "\n"},
        {"$ steamcmd +login build '", "' +run_app_build a.vdf +quit\n"},
        {"$ Unity -batchmode -serial ", " -logFile -\n"},
        {"$ chip-tool pairing code-wifi 4 Attic ", " \n"},
        {"$ adb pair 192.168.1.9:37123 ", "\nSuccessfully paired\n"},
        {"$ register_new_matrix_user -u bob -p ", " --admin http://localhost:8008\n"},
        {"$ prosodyctl register bob chat.example ", "\n"},
        {"PASSWORD elastic = ", "\n"},
        {"$ aircrack-ng -w w x.cap\n                KEY FOUND! [ ", " ]\n"},
        {"$ hdparm --user-master u --security-unlock ", " /dev/sda\n"},
        {"$ realm join -U admin x.example <<< ", "\n"},
        {"$ doppler secrets set DB_PASS ", "\n"},
        {"$ htpasswd -bnBC 10 \"\" ", "\n"},
        {"$ wbinfo -a bob%", "\n"},
        {"$ steghide extract -sf a.jpg -p ", "\n"},
        {"$ docker exec mail setup email add b@x.example ", "\n"},
        {"$ lftp -e 'open -u bob,", " h; ls; bye'\n"},
        {"asa(config)# username bob password ", " privilege 15\n"},
        {"FGT (phase1-interface) # set psksecret ", "\n"},
        {"FGT (bob) # set passwd ", "\n"},
        {"admin@nas:~$ synouser --setpw bob ", "\n"},
        {"$ uci set wireless.@wifi-iface[0].key='", "'\n"},
        {"> set_network 0 psk \"", "\"\nOK\n"},
        {"$ gocryptfs -extpass 'echo ", "' c p\n"},
        {"$ echo ", " | bin/elasticsearch-keystore add -x bootstrap.password\n"},
        {"addauth digest bob:", "\n"},
        {"SMB   10.0.0.1  445  DC  [+] X\\bob:", " (Pwn3d!)\n"},
        {"/msg NickServ :IDENTIFY bob ", "\n"},
        {"$ sshfs -o password_stdin h: /m <<< ", "\n"},
        {"$ john hashes\n", "       (bob)\n1g 0:00:00:01 DONE\n"},
        {"$ cat /etc/openvpn/login.conf\ncorpuser\n", "\n"},
        {"User.objects.create_superuser('a', 'a@x.example', '", "')\n"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        finds(commands[i][0], "Calvin7Hobbes", commands[i][1]);
}

static void test_devices(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {" ip ospf authentication-key ", "\n"},
        {"ntp authentication-key 1 md5 ", "\n"},
        {" pre-shared-key address 10.1.1.1 key ", "\n"},
        {" server-private 10.1.1.1 key 7 ", "\n"},
        {"set security ike policy p pre-shared-key ascii-text \"", "\"\n"},
        {"set system login user bob authentication plain-text-password-value ", "\n"},
        {"local-user admin password irreversible-cipher ", "\n"},
        {"super password level 3 cipher ", "\n"},
        {"sw(config)# password manager user-name admin plaintext ", "\n"},
        {"radius server nps1\n address ipv4 10.1.1.6 auth-port 1812\n key ", "\n!\nline vty 0\n"},
        {"tacacs server ISE\n key 7 ", "\n"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        finds(lines[i][0], "Pier7Broetchen", lines[i][1]);
    expect("snmp-server user bob grp v3 auth sha Gart3nzaun priv aes 128 Zaunk0enig\n",
           "snmp-server user bob grp v3 auth sha [redacted:value] priv aes 128 [redacted:value]\n",
           2);
}

static void test_lists_of_arguments(void **state)
{
    (void)state;
    finds("[\"mysql\", \"-u\", \"root\", \"-p", "Garten7Zaun", "\", \"shop\"]\n");
    finds("run(['curl', '-u', 'bob:", "Garten7Zaun", "', 'https://x.example'])\n");
    finds("argc=4 a0=mysql a1=-ubackup a2=-p", "Garten7Zaun", " a3=shop\n");
    finds("argc=4 a0=\"curl\" a1=\"-u\" a2=\"bob:", "Garten7Zaun", "\" a3=\"x.example\"\n");
}

static void test_lists_by_their_names(void **state)
{
    (void)state;
    finds("$ sudo cat /etc/ppp/pap-secrets\n# client server secret\nanna\t*\t", "Kap_am_Turm",
          "\t*\n");
    finds("$ cat /etc/pgbouncer/userlist.txt\n\"stats\" \"", "Reader-st", "\"\n$ \n");
    finds("$ grep -v '^#' /etc/rsyncd.secrets\nbackup:", "Lampion.Turm", "\n$ ls\n");
    finds("chpasswd:\n  expire: false\n  list: |\n    root:", "Oktopus.Arm",
          "\nssh_pwauth: true\n");
    finds("$ chpasswd <<EOF\nbob:", "Oktopus.Arm", "\nEOF\n");
}

static void test_what_tools_show(void **state)
{
    (void)state;
    finds("$ oathtool --totp $(cat seed)\n", "220193", "\n$ ls 400123\n400123\n");
    expect("$ ykman oath accounts code\nGitHub:bob      220193\nMail  11827364\n$ ls\n",
           "$ ykman oath accounts code\nGitHub:bob      [redacted:value]\nMail  "
           "[redacted:value]\n$ ls\n",
           2);
    finds("$ pass otp mail/bob\n", "220193", "\n");
    finds("$ read -rs -p 'LDAP password: ' P; echo; declare -p P\n\ndeclare -- P=\"", "Elster/41",
          "\"\n");
    finds("$ read -sp 'Key: ' K\nKey: \n$ typeset -p K\ntypeset K=", "Elster/41", "\n");
    finds("$ cat tokens.properties\n# name: token,role\nci: ", "Elster41Amsel", ", deploy\n");
    finds("$ grep bob etc/realm.properties\nbob: ", "amsel", ",user,admin\n");
    static const char *const texts[] = {
        "$ read -r P; declare -p P\ndeclare -- P=\"Elster/41\"\n",
        "$ declare -p PATH\ndeclare -x PATH=\"/usr/bin:/bin\"\n",
        "$ oathtool --help\nUsage: oathtool [OPTION]\nWritten in 2009\n",
        "$ vi realm.properties\nwarning: deprecated\n",
        "$ adb pair 192.168.1.9:37123\n",
        "$ chip-tool onoff toggle 17 1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

/* Of each family a tool or two. */
static void test_wallets_and_chats(void **state)
{
    (void)state;
    finds("$ litecoin-cli walletpassphrase \"", "carrot ladder amber five", "\" 60\n");
    finds("$ bitcoin-cli -regtest encryptwallet '", "Grebe.Pond 4", "'\n");
    finds("$ dogecoin-cli dumpprivkey DQw4w9\n", "QVr8t1d1W4GjtiDC9ZDSPnXdx7KPqpnLfNEoDGjTsa8dX6wK",
          "\n");
    finds("$ electrum-ltc getseed -w ~/w\nPassword: \n",
          "otter hover lunar pottery cradle mimic orbit dolphin tissue kiwi fabric spare",
          "\n$ \n");
    finds("$ electrum -W ", "Grebe.Pond", " getbalance\n");
    finds("$ radtest eve ", "grebePond5", " 10.0.0.1 0\n");
    finds("$ radclient 10.0.0.1:1812 auth ", "grebePond", " < req\n");
    finds("set protocols rip interface eth0 authentication md5-key '", "ripGrebe", "'\n");
    finds("$ openssl enc -aes-128-cbc -in a -P\nsalt=9C1E\nkey=",
          "641D29358449E6FB2A80A525E7BF5F2F", "\niv =5B0C\n");
    finds("/msg NickServ IDENTIFY eve ", "grebe_Pond8", "\n");
    finds("/msg NickServ GHOST eve ", "grebepond", "\n");
    static const char *const texts[] = {
        "$ bitcoin-cli getwalletinfo\n{\n  \"walletname\": \"main5\"\n}\n",
        "$ electrum getseed\nPassword: \nerror: wrong one\n",
        "$ radclient 10.0.0.1:1812 auth\n",
        "the md5-key is not set\n",
        "/msg NickServ IDENTIFY\n-NickServ- identify for this nick\n",
        "/msg NickServ HELP REGISTER\n",
        "$ openssl x509 -in a.pem -noout -text\nkey=641D29358449E6\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

static void test_what_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "$ ls -l /etc/ppp/chap-secrets\n-rw------- 1 root root 84 Mar  3 10:02 chap-secrets\n",
        "$ vi /etc/ppp/chap-secrets\nroot@host:~# systemctl restart xl2tpd\n",
        "$ wc -l userlist.txt\n12 userlist.txt\n",
        "int f(void)\n{\n    return g(\"userlist.txt\");\n}\n",
        "$ man chpasswd\nchpasswd: reads a list of names\nusage:now\n",
        "chpasswd:\n  list: |\n    root:RANDOM\n",
        "$ steamcmd +login anonymous +app_update 740 +quit\n",
        "$ xcrun altool --upload-app -f a.ipa -p @keychain:AC_PASSWORD\n",
        "radius server nps1\n address ipv4 10.1.1.6\nkey chain ospf\n",
        " pre-shared-key local\n ntp authentication-key 1\n",
        "[\"mysql\", \"-u\", \"root\", \"-p\", \"shop\"]\n",
        "snmp-server user bob grp v3 auth sha\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

/* A call is looked at where its name ends as one of the table's does. */
static void test_calls(void **state)
{
    (void)state;
    finds("e = sqlalchemy.URL(\"postgresql\", \"app\", \"", "S3cretPw9x", "\", \"db1\")\n");
    finds("c = getConnection(url, \"app\", \"", "S3cretPw9x", "\")\n");
    finds("provider :github, 'Iv1.0a1b', '", "sk3Xr9QmT2vLw8Zp", "'\n");
}

/* Two words of a phrase that signs join are a password at the places that are one's. */
static void test_composed(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"rootpw --plaintext ", "\n"},
        {"rootpw --allow-ssh --plaintext ", "\n"},
        {"wireless.@wifi-iface[0].key='", "'\n"},
        {"config wifi-iface\n\toption ssid 'attic'\n\toption key '", "'\n"},
        {"IPSec secret ", "\n"},
        {"Xauth password ", "\n"},
        {"poll mail.example with proto IMAP user \"bob\" password \"", "\" ssl\n"},
        {"Root password [none]: ", "\n"},
        {"Enter the password for admin: ", "\n"},
        {"Created user bob (password: ", ").\n"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        finds(lines[i][0], "Haus.Boot_Spree", lines[i][1]);
    finds("mail.password=", "Three Words Here", "\n");
    finds("  provider :github, 'Iv1.0aa3', '", "9c41f0b27d83e65a104fbb", "'\n");
    finds("config.omniauth :github, 'Iv1.0aa3', '", "9c41f0b27d83e65a104fbb", "'\n");
    finds("local-user admin password irreversible-cipher ", "$1a$c7Jd0", "\n");
    finds("wpa-psk ascii 0 ", "Gart3nzaun", "\n");
    static const char *const texts[] = {
        "rootpw --lock\n",
        "config rule\n\toption name 'Allow-DHCP-Renew'\n\toption key 'Haus.Boot_Spree'\n",
        "IPSec gateway vpn.example\nIPSec ID Haus-Gruppe\n",
        "poll mail.example with proto IMAP\n",
        "mail.password.reset=Click here to set another\n",
        "provider :developer unless Rails.env.production?\n",
        "the password Settings.Page_Title is shown there\n",
        " password cipher\n",
        "https://conda.example/t/<TOKEN>/main\n",
        "Root password [none]: \n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

/* Of each family of tools that systems are run with, one or two; and what stands at the same
 * places.
 */
static void test_systems(void **state)
{
    (void)state;
    static const char *const commands[][2] = {
        {"$ hdbsql -n hana1:30015 -u SYSTEM -p ", " \"select 1 from dummy\"\n"},
        {"C:\\> rasdial \"Office VPN\" tomas ", "\nConnecting to Office VPN...\n"},
        {"C:\\> net user bob ", " /add\n"},
        {"# iscsiadm -m node -o update -n node.session.auth.password -v ", "\n"},
        {"# iscsiadm -m discoverydb -n discovery.sendtargets.auth.password --value ", "\n"},
        {"$ mc admin user add minio1 loki ", "\nAdded user\n"},
        {"# virsh secret-set-value 66f0e60d-d07f-4b67-a1b7-6b8f9d1c4a3e ", "\n"},
        {"(qemu) set_password vnc ", "\n"},
        {"# subscription-manager register --org 1 --activationkey=", "\n"},
        {"# salt-call mysql.user_create 'app' '%' '", "'\nlocal:\n"},
        {"$ salt 'db*' user.setpassword bob '", "'\n"},
        {"$ zerotier-cli -T", " listnetworks\n"},
        {"$ lnms device:add --v2c -c ", " 10.6.0.4\n"},
        {"20:11:02 CMD: Password1 ", "\n"},
        {"/snmp community\nset [ find default=yes ] name=", "\n"},
        {"fw1 # config system snmp community\nfw1 (community) # edit 1\nfw1 (1) # set name \"",
         "\"\nfw1 (1) # end\n"},
        {"$ smbclient //fs1/docs ", " -U bob\n"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        finds(commands[i][0], "GlacierAnchor", commands[i][1]);
    finds("$ klist -keK /etc/krb5.keytab\nKVNO Principal\n   2 host/a@EX.ORG  (0x", h32, ")\n");
    finds("snmp-server user a n auth md5 *** priv ", "0x8b42d691da74c58990750974a8633f19", " x\n");
    static const char *const texts[] = {
        "$ smbclient -L fs1 -A /etc/samba/cifs.cred\n",
        "$ smbclient //fs1/docs -U lena\n",
        "C:\\>net user lena /domain\n",
        "C:\\> runas /user:CORP\\dba cmd\n",
        "C:\\> rasdial \"Office VPN\" /disconnect\n",
        "# iscsiadm -m node -o update -n node.session.auth.username -v lena77\n",
        "$ mc admin user info minio1 loki\n",
        "/snmp community\nprint\n",
        "$ klist -k /etc/krb5.keytab\n   2 host/a@EX.ORG\n",
    };
    STAYS(texts);
}

/* Each rule is found by each of its tools' names, which are as many as SECURITY.md says. */
static void test_rules_are_found(void **state)
{
    (void)state;
    int names = 0;
    for (int i = 0; i < redact_rule_count(); i++)
        for (const char *at = redact_rule(i)->tools; *at; names++) {
            size_t len = strcspn(at, " ");
            int tool = redact_tool_first(at, len);
            names -= redact_tool_rule(tool) != redact_rule(i); /* known of another rule */
            while (tool >= 0 && redact_tool_rule(tool) != redact_rule(i))
                tool = redact_tool_next(tool);
            if (tool < 0)
                fail_msg("%.*s of rule %d is not found", (int)len, at, i);
            at += len + strspn(at + len, " ");
        }
    assert_true(names > 500);
}

static bool is_same_rule(const struct redact_rule *one, const struct redact_rule *other)
{
    return one->how == other->how && one->place == other->place && !strcmp(one->sub, other->sub) &&
           !strcmp(one->option, other->option);
}

/* No tool has a rule twice, in whichever of the tables. */
static void test_rules_stand_once(void **state)
{
    (void)state;
    for (int i = 0; i < redact_rule_count(); i++)
        for (const char *at = redact_rule(i)->tools; *at;) {
            size_t len = strcspn(at, " ");
            int same = 0;
            for (int t = redact_tool_first(at, len); t >= 0; t = redact_tool_next(t))
                same += is_same_rule(redact_tool_rule(t), redact_rule(i));
            if (same != 1)
                fail_msg("%.*s has rule %d %d times", (int)len, at, i, same);
            at += len + strspn(at + len, " ");
        }
}

/* Keys and passwords behind a letter, or a word that says nothing by itself. */
static void test_keys_behind_letters(void **state)
{
    (void)state;
    static const char *const commands[][2] = {
        {"$ swift -A https://auth.x.example/v1.0 -U acme:kim -K ", " list\n"},
        {"$ zerotier-cli -T", " status\n"},
        {"$ pihole -a -p ", "\n"},
        {"$ pihole setpassword ", "\n"},
        {"$ sem connect acme.semaphoreci.example ", "\n"},
        {"$ b2 account authorize 00414b ", "\n"},
        {"$ frpc http -s x.example:7000 -t ", " -l 80\n"},
        {"$ ss-local -s 198.51.100.7 -p 8388 -k ", " -m aes-256-gcm\n"},
        {"$ iodine -f -P ", " t.x.example\n"},
        {"$ p11tool --login --set-pin ", " --list-all\n"},
        {"$ pk12util -i a.p12 -d . -W ", "\n"},
        {"$ dar -c b -K aes:", " -R /\n"},
        {"$ megals -u kim@x.example -p ", " /Root\n"},
        {"$ influx user password -n kim -p ", "\n"},
        {"$ nmap --script smb-enum-shares --script-args smbuser=kim,smbpass=", " 198.51.100.5\n"},
        {"$ vsql -h db1 -U dbadmin -w ", " -c 'select 1'\n"},
        {"$ obclient -h db1 -P 2881 -u root -p", " -c\n"},
        {"$ iredis -h db1 -a ", "\n"},
        {"$ samba-tool user list -U admin%", " -H ldap://dc1\n"},
        {"$ lsassy -u kim -p ", " dc1\n"},
        {"$ mullvad account login ", "\n"},
        {"ftp> user acme ", "\n331 Please specify the password.\n"},
        {"ktutil:  add_entry -key -p svc@X -k 1 -e aes256-cts\nKey for svc@X (hex): ",
         "c5ef6ecb6fde38b5ce329ee850\n"},
        {"$ docker run --rm authelia/authelia authelia crypto rand --length 64\nRandom Value: ",
         "\n"},
        {"$ echo ", " | p4 login -a\n"},
        {"$ echo '", "' | zfs create -o encryption=on -o keyformat=passphrase tank/x\n"},
        {"$ echo \"db1:5432:shop:app:", "\" >> ~/.pgpass && chmod 600 ~/.pgpass\n"},
        {"$ echo \"smtp.x.example bob:", "\" | sudo tee -a /etc/postfix/sasl_passwd\n"},
        {"1044:requirepass ", "\n"},
        {"bindpw mango quartz ", "\n"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strstr(commands[i][0], "(hex)"))
            finds(commands[i][0], "c5ef6ecb6fde38b5ce329ee850923512a1e44ad5b8ca4eb2", "\n");
        else if (!strncmp(commands[i][0], "bindpw", 6))
            finds("bindpw ", "mango quartz biscuit", "\n");
        else
            finds(commands[i][0], "Calvin7Hobbes24aB", commands[i][1]);
    expect("$ (echo 0rchid68emb; echo 0rchid68emb) | smbpasswd -s -a kim\n",
           "$ (echo [redacted:value]; echo [redacted:value]) | smbpasswd -s -a kim\n", 2);
    expect("$ { echo 0rchid68emb; echo 0rchid68emb; } | sudo passwd kim\n",
           "$ { echo [redacted:value]; echo [redacted:value]; } | sudo passwd kim\n", 2);
    static const char *const texts[] = {
        "$ swift -A https://auth.x.example/v1.0 list\n",
        "the user acme pepper24tru has no home\n",
        "$ (echo one; echo two) | sort\n",
        "$ echo db1:5432 >> hosts.txt\n",
        "$ zerotier-cli status\n",
        "$ wget --ask-password --user=kim https://x.example/d.tgz\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_lists_of_arguments),
        cmocka_unit_test(test_lists_by_their_names),
        cmocka_unit_test(test_what_tools_show),
        cmocka_unit_test(test_wallets_and_chats),
        cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_composed),
        cmocka_unit_test(test_systems),
        cmocka_unit_test(test_rules_are_found),
        cmocka_unit_test(test_rules_stand_once),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_keys_behind_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
