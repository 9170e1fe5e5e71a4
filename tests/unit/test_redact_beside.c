/* What stands beside a word and says that it is a secret, of whatever it is made: headers,
 * questions, brackets, comparisons, maps of relays; and what stands there and is none. */
#include "redacted.h"

#define HEX40 "5a1f491ce5fbf2c1304b8f83f8290eb602c31b23"

/* A word of small letters, of no sentence or program. */
static void test_words_of_letters(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"X-Gitlab-Event: Push Hook\nX-Gitlab-Token: ", "tulipferry", "\n"},
        {"> X-Auth-Token: ", "tulipferry", "\r\n"},
        {"curl -H \"PRIVATE-TOKEN: ", "tulipferry", "\" https://git.lan/api\n"},
        {"if password == '", "turtleginger", "':\n"},
        {"if password != \"", "turtleginger", "\":\n"},
        {"? What's the value of DB_PASSWORD? ", "tulipferry", "\n"},
        {"enter password for new repository: ", "tulipferry", "\n"},
        {"Password for bob@CORP.LAN: ", "tulipferry", "\n"},
        {"Password for \"bob@pbs\": ", "tulipferry", "\n"},
    };
    FIND_ALL(places);
    static const char *const texts[] = {
        "X-Gitlab-Token: required\n",
        "X-Auth-Token: string\n",
        "The X-Auth-Token: tulipferry\n",
        "curl -H \"X-Auth-Token: undefined\" https://git.lan/api\n",
        "if password == 'abcdef':\n",
        "if password == 'password':\n",
        "if token == 'turtleginger':\n",
        "? Reset the password? Yes\n",
        "Did you forget your password? Click here\n",
        "Password for kim: required\n",
    };
    STAYS(texts);
}

/* What is said behind it. */
static void test_told_behind(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"Your API token is ", HEX40, ". Keep it safe.\n"},
        {"New value: ", "lUeAFBPm7GSNzTFl3qVB", " (password of elastic)\n"},
        {"root / ", "kjh34KJHk34kjh9", " (root password)\n"},
        {"  ", "lUeAFBPm7GSNzTFl3qVB", "  (API token)\n"},
    };
    FIND_ALL(places);
    static const char *const texts[] = {
        "see docs/setup2.md (password section)\n",
        "commit " HEX40 " (token)\n",
        "lUeAFBPm7GSNzTFl3qVB (token) is no secret\n",
        "args to pass to subprocess.Popen. Returns a Popen\n",
    };
    STAYS(texts);
}

/* Postfix' and other relays' logins, OpenVPN's, what Ansible makes a hash of. */
static void test_files(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"smtp_sasl: [mx.acme.io]:587 noreply:", "carrot07bottle", "\n"},
        {"echo '[mx.acme.io]:587 noreply@acme.io:", "carrot07bottle", "' > sasl_passwd\n"},
        {"smtp.acme.io:587 noreply@acme.io:", "tulipferry", "\n"},
        {"<auth-user-pass>\nmara\n", "turtleginger", "\n</auth-user-pass>\n"},
        {"<auth-user-pass>\r\nmara\r\n", "turtleginger", "\r\n</auth-user-pass>\r\n"},
        {"name=bob password={{ '", "k1wi tree", "' | password_hash('sha512') }}\n"},
        {"  password: \"{{ '", "turtleginger", "' | password_hash('sha512') }}\"\n"},
    };
    FIND_ALL(places);
    static const char *const texts[] = {
        "connected to [10.0.0.1]:587 in:3\n",
        "[mx.acme.io]:587 noreply:<password>\n",
        "relayhost = [smtp.acme.io]:587\n",
        "auth-user-pass /etc/openvpn/auth.txt\n",
        "<auth-user-pass>\n",
        "  password: \"{{ vault_password | password_hash('sha512') }}\"\n",
        "  password: \"{{ 'path/of/it' | lookup }}\"\n",
    };
    STAYS(texts);
}

/* Names and options of single issuers. */
static void test_issuers(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"MJ_APIKEY_PRIVATE=", "5efcb9e812aaaca2588cf046519a28f2", "\n"},
        {"$ vultr-cli --api ", "DC35SH3WJ24LTUDH6WTEVIYQQERTFMN2VOCQ", "\n"},
        {"$ eas secret:create --name SENTRY --value ", "sntryu_kiwi9tree", "\n"},
        {"microk8s join 10.0.0.4:25000/", "92b2db237428470dc4fcfc4ebbd9dc81/2c0cb3284b05", "\n"},
    };
    FIND_ALL(places);
    found_as("$ export BW_SESSION=\"",
             "Zk8Qw2Lm0Rt5Yv7Xc9Bn1Hs3Jd4Kf6Gp8Aq0We2Er4Ty6Ui8Op0As2Df4Gh6Jk8aZk8Qw2Lm0Rt5Yv7Xc9Bn1"
             "==",
             "\"\n", "bitwarden-session");
    remains("MJ_APIKEY_PUBLIC=5efcb9e812aaaca2588cf046519a28f2\n");
}

/* What a language's shell answers that was asked for chance; what sd puts in another's place. */
static void test_made(void **state)
{
    (void)state;
    static const struct place places[] = {
        {">>> secrets.token_urlsafe(16)\n'", "kjh34KJHk34kjh9xZ_-a12", "'\n>>> "},
        {">>> secrets.token_hex(16)\r\n'", "3f2c1d0e9b8a7f6e5d4c3b2a1f0e9d8c", "'\r\n"},
        {"In [3]: secrets.token_urlsafe(16)\nOut[3]: '", "kjh34KJHk34kjh9xZ_-a12", "'\n"},
        {"irb(main):001> SecureRandom.hex(16)\n=> \"", "3f2c1d0e9b8a7f6e5d4c3b2a1f0e9d8c", "\"\n"},
        {"> crypto.randomBytes(8).toString('hex')\n'", "3f2c1d0e9b8a7f6e", "'\n"},
        {"iex(1)> :crypto.strong_rand_bytes(16) |> Base.encode64()\n\"",
         "P2wdDpuKf25dTDsqHw6djA==", "\"\n"},
        {"sd 'password: old' '", "new-Zk38sk2LskTr0pQm5V", "' config.yml\n"},
        {"$ credstash put db.password ", "turtleginger", "\n"},
        {"$ wp config set DB_PASSWORD ", "turtleginger", "\n"},
    };
    FIND_ALL(places);
    static const char *const texts[] = {
        ">>> secrets.token_urlsafe(16)\n>>> print('kjh34KJHk34kjh9xZ')\n",
        ">>> str(uuid.uuid4())\n'8c0e0d4e-31f6-47bb-b6c8-3ef4b1b8a9d2'\n",
        ">>> random.choices(names)\n['kim']\n",
        ">>> hashlib.md5(b'x').hexdigest()\n'9dd4e461268c8034f5c8564e155c67a6'\n",
        "$ sd 'foo' 'bar' config.yml\n",
        "$ sd '1.2.3' '1.2.4' Cargo.toml\n",
        "$ wp option set blogname turtleginger\n",
    };
    STAYS(texts);
}

/* Headers whose value is a word of letters, or has brackets that are no program's. */
static void test_headers(void **state)
{
    (void)state;
    static const struct place sent[] = {
        {"Authorization: Bearer ", "tulipferry", "\n"},
        {"> authorization: BEARER ", "tulipferry", "\r\n"},
        {"> Authorization: token ", "tulipferry", "\n"},
        {"> Authorization: ", "tulipferry", "\n"},
        {"curl -H \"Authorization: Bearer ", "tulipferry", "\" https://api.lan\n"},
        {"wget --header='Authorization: Token ", "tulipferry", "' https://api.lan\n"},
        {"headers: { \"Authorization\": \"Bearer ", "tulipferry", "\" }\n"},
        {"> Authorization: ", "kR#9)(m&2=Lq", "\n"},
        {"> Authorization: Bearer ", "kR#9)(m&2=Lq", "\n"},
    };
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        found_as(sent[i].before, sent[i].secret, sent[i].behind, "authorization");
    static const struct place places[] = {
        {"> X-Auth-Token: ", "kR#9)(m&2=Lq", "\n"},
        {"curl -H 'X-Api-Key: ", "kR#9)(m&2=Lq", "' https://api.lan\n"},
    };
    FIND_ALL(places);
    static const char *const texts[] = {
        "Authorization: Bearer <token>\n",
        "Authorization: Bearer YOUR_TOKEN\n",
        "Authorization: Bearer mytoken\n",
        "Authorization: Bearer accesstoken\n",
        "Authorization: Bearer xxxxxxxxxx\n",
        "Authorization: Bearer $TOKEN\n",
        "Authorization: Bearer {{token}}\n",
        "Authorization: Bearer authentication\n",
        "Authorization: Bearer credentials\n",
        "authorization: kubernetes\n",
        "Authorization: Bearer tulipferry is what the server wants\n",
        "Authorization: Bearer getToken(User1)\n",
        "> X-Auth-Token: makeToken(User1)\n",
        "{Authorization: getToken1(User)}\n",
    };
    STAYS(texts);
}

/* Where a command, or a file, has a place for it. */
static void test_given(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"machine a login b account ", "kjh34KJHk34", "\n"},
        {"$ curl -u dana:\"$(echo ", "kjh34KJHk34", ")\" https://api.lan\n"},
        {"$ curl --user dana:$(echo ", "tulipferry", ") https://api.lan\n"},
        {"$ export DB_PASSWORD=\"$(echo ", "tulipferry", ")\"\n"},
        {"$ wg set wg0 private-key <(echo ", "kjh34KJHk34", ")\n"},
        {"$ secret-tool store --label=x k v <<< ", "tulipferry", "\n"},
        {"$ adb shell am start -n a/b --es user kim --es token ", "tulipferry", "\n"},
        {"$ puppet config set ca_password ", "tulipferry", "\n"},
        {"$ samba-tool user create dana ", "tulipferry", "\n"},
        {"$ mc config host add m https://h minio ", "tulipferry", "\n"},
        {"$ curlftpfs dana:", "tulipferry", "@ftp.lan /mnt\n"},
        {"$ read -r PASS <<< ", "tulipferry", "\n"},
    };
    FIND_ALL(places);
    static const char *const texts[] = {
        "machine a login b account main\n",
        "$ curl -u dana:\"$(cat pw.txt)\" https://api.lan\n",
        "$ TOKEN=$(echo \"$line\" | cut -d: -f1)\n",
        "$ TOKEN=$(echo $1)\n",
        "$ greeting=$(echo tulipferry)\n",
        "$ samba-tool user create dana --surname Miller\n",
        "$ samba-tool group create staff\n",
        "$ mc config host remove old\n",
        "$ adb shell am start --es name tulipferry\n",
        "$ puppet config set server puppet.lan\n",
        "$ curlftpfs ftp.lan /mnt\n",
        "$ read -r token rest <<< \"$line\"\n",
    };
    STAYS(texts);
}

/* What stands where a secret would. */
static void test_none(void **state)
{
    (void)state;
    remains("/tmp/ccX4.o: in function `check_password': auth.c:(.text+0x1f)\n");
    remains("$ sshpass -e ssh root@10.0.0.1\n");
    remains("$ gh auth status --show-token\ngithub.com\n  - Active account: true\n");
    expect("$ cat ~/.smbcredentials\nusername=dana\npassword=Kiwi7tree\n",
           "$ cat ~/.smbcredentials\nusername=dana\npassword=[redacted:value]\n", 1);
    expect("$ gitea admin user create --random-password --email b@x.lan\n"
           "generated random password is 'kQ8zLmW2xRtY'\n",
           "$ gitea admin user create --random-password --email b@x.lan\n"
           "generated random password is '[redacted:value]'\n",
           1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_letters),
        cmocka_unit_test(test_told_behind),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_issuers),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
