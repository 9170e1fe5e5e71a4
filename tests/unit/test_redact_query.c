/* What is asked for at a prompt and printed below, whatever it is made of: variables, fields of
 * managers of secrets, files by their names, hashes that were found out; options of more tools. */
#include "redacted.h"

static void test_questions(void **state)
{
    (void)state;
    static const char *const asked[][2] = {
        {"$ echo $DB_PASSWORD\n", "\n"},
        {"C:\\>echo %DB_PASS%\n", "\n"},
        {"PS C:\\Users\\kim> $env:DB_PASSWORD\n", "\n"},
        {"kim@lap:~$ docker exec app printenv DB_PASS\n", "\n"},
        {"> process.env.SESSION_SECRET\n'", "'\n"},
        {"irb> ENV['SMTP_PASSWORD']\n=> \"", "\"\n"},
        {">>> os.environ['DB_PASSWORD']\n'", "'\n"},
        {"$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n", "\n"},
        {"$ terraform output -raw db_password\n", "\n"},
        {"$ vault kv get -field=password secret/db\n", "\n"},
        {"$ cat /etc/openvpn/auth.txt\nkim\n", "\n"},
        {"$ heroku config:get SECRET_TOKEN -a acme\n", "\n"},
        {"$ gcloud secrets versions access latest --secret=db\n", "\n"},
        {"$ az keyvault secret show --name SqlAdmin --query value -o tsv\n", "\n"},
        {"$ security find-generic-password -s acme -w\n", "\n"},
        {"$ nmcli -s -g 802-11-wireless-security.psk connection show Home\n", "\n"},
        {"$ sudo cat /var/lib/rabbitmq/.erlang.cookie\n", "\n"},
        {"PS C:\\> Get-Content .\\password.txt\n", "\n"},
        {"$ cat /run/secrets/db_password\n", "\n"},
        {"$ john --show hashes.txt\nkim:", ":1001:1001::/home/kim:/bin/bash\n"},
        {"$ hashcat -m 1000 n.txt w.txt --show\nkim:2ec9d480d78c9259030ae97b41832963:", "\n"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        finds(asked[i][0], "harborNickel", asked[i][1]);
}

static void test_what_is_no_answer(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "$ echo seen \"$A_TOKEN\"\nseen 4kT9zQ1x\n",
        "$ ls secrets\nharbornickel\n",
        "$ echo $PASSWORD_STORE_DIR\n/home/kim/.password-store\n",
        "$ cat passwords.txt\ncat: passwords.txt: No such file or directory\n",
        "$ printenv DB_PASSWORD\n$ ls\n",
        "$ export GITHUB_TOKEN=$(gh auth token)\n$ npm install\n",
        "$ vault kv get -field=password secret/db\nNo value found at secret/data/db\n",
        "$ git config --get user.password\nkim@lap:~$ ls\n",
        "$ cat /etc/passwd\nroot:x:0:0:root:/root:/bin/bash\n",
        ("$ cat ~/.ssh/authorized_keys\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIImBQ8BMayk4cX2wpiFN "
         "k@x\n"),
        "$ cat token.c\nint\n",
        "$ security find-identity -v -p codesigning\n",
        "Use `wandb login --relogin` to force relogin\n",
        "$ rclone config password crypt\nError: command config password needs 3 arguments\n",
        "Newtonsoft.Json, Culture=neutral, PublicKeyToken=30ad4fe6b2a6aeed\n",
        "ED25519 key fingerprint is SHA256:aZTBLQcPJz/o6EN6URbMAYa5ZfevVyoL/ic2GAXIwdE.\n",
        "POSTGRES_PASSWORD:  24 bytes\nPOSTGRES_USER:      8 bytes\n",
        "rotated signing key kid=4f052aa580c1a3ad, previous key valid for 24h\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

static void test_more_options(void **state)
{
    (void)state;
    static const char *const commands[][2] = {
        {"$ slappasswd -s ", "\n"},
        {"$ acmectl login -u kim -p '", "'\n"},
        {"$ echo -n ", " > ~/.restic-pass\n"},
        {"$ openssl passwd -6 -salt Xa9 '", "'\n"},
        {"$ fs_cli -H 127.0.0.1 -p ", "\n"},
        {"$ drush user:password admin \"", "\"\n"},
        {"$ virt-customize -a i.qcow2 --root-password password:", "\n"},
        {"$ mount -t cifs //fs1/data /mnt -o username=kim,password=", ",vers=3.0\n"},
        {"$ tshark -o 'uat:80211_keys:\"wpa-pwd\",\"", "\"'\n"},
        {"$ dotnet nuget add source https://n.acme.io -n acme -u bot -p ", "\n"},
        {"    user mira insecure-password ", "\n"},
        {"cache_peer parent.proxy 3128 0 default login=acme:", "\n"},
        {"Router(config)# enable secret ", "\n"},
        {" vrrp 10 authentication text ", "\n"},
        {"  key-string ", "\n"},
        {"ftp> quote PASS ", "\n"},
        {"$ echo '", "' | htpasswd -i -c .htpasswd deploy\n"},
        {"$ jira session --user kim --password-source=stdin <<< \"", "\"\n"},
        {"$ reg add \"HKLM\\SYSTEM\\ValidCommunities\" /v ", " /t REG_DWORD\n"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        finds(commands[i][0], "harborNickel", commands[i][1]);
    expect("pg_dump \"host=db user=app password=$SECRET dbname=x\"\n",
           "pg_dump \"host=db user=app password=$SECRET dbname=x\"\n", 0);
    expect("enable password authentication for all of them\n",
           "enable password authentication for all of them\n", 0);
}

/* Behind YAML's dashes, below whom it is told of, a member of a credential. */
static void test_answers_of_systems(void **state)
{
    (void)state;
    finds("$ puppet lookup --node web1 profile::ldap::bindpw\n--- ", "Violet!87glacier", "\n...\n");
    finds("$ salt 'db*' pillar.get mysql:root_pw\ndb1.ex.org:\n    ", "Maple@62bicycle!", "\n");
    finds("PS C:\\> [System.Net.NetworkCredential]::new(\"\", $sec).Password\n", "rocket18", "\n");
    finds("PS C:\\> $cred.GetNetworkCredential().Password\n", "rocket18", "\n");
    static const char *const texts[] = {
        "$ salt 'db*' pillar.get mysql:root_pw\ndb1.ex.org:\n    ----------\n",
        "PS C:\\> $cred.Password\nSystem.Security.SecureString\n",
        "PS C:\\> $cred.Password.Length\n18\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_what_is_no_answer),
        cmocka_unit_test(test_more_options),
        cmocka_unit_test(test_answers_of_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
