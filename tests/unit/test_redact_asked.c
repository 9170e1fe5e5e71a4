/* Secrets that are asked for in words of all kinds: in a shell elsewhere, by the name of a field,
 * as an object of JSON, at prompts of languages; users that are tokens; calls that hash a password;
 * curl's file, braces of YAML; and what stays. */
#include "redacted.h"

static void test_shells_elsewhere(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "$ docker exec db sh -c 'cat /run/secrets/pg_root'\n",
        "$ kubectl exec -it web -- sh -c \"cat /etc/app/db-password\"\n",
        "$ docker exec v sh -c 'vault kv get -field=password kv/x'\n",
        "$ bash -lc 'pass show web/mail'\n",
        "$ ssh db1 'cat /run/secrets/pg_root'\n",
        "$ ssh db1 \"sudo cat /etc/app/db_password\"\n",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        finds(commands[i], "quiverLantern", "\n$ ls\n");
    static const char *const texts[] = {
        "$ kubectl exec web -- sh -c 'cat /etc/hosts'\n127.0.0.1 localhost\n",
        "$ sh -c 'ls; cat README.md'\nHello9there\n",
        "$ ssh db1 'cat /etc/motd'\nwelcome2db1\n",
        "$ echo 'cat /run/secrets/pg_root'\ncat /run/secrets/pg_root\n",
        "$ git commit -qm 'cat the password file'\n$ ls\n",
    };
    STAYS(texts);
}

static void test_fields_and_members(void **state)
{
    (void)state;
    static const char *const commands[][2] = {
        {"$ vault kv get -field=dsn_pw kv/billing\n", "\n"},
        {"$ op item get db --fields password --vault Prod\n", "\n"},
        {"$ bao kv get -field=db_passphrase -mount=kv app\n", "\n"},
        {"$ kcadm.sh get clients/81aa/client-secret -r acme\n{\n  \"type\" : \"secret\",\n"
         "  \"value\" : \"",
         "\"\n}\n"},
        {"$ curl -s https://kc.acme/clients/81aa/client-secret | jq\n{\"value\":\"", "\"}\n"},
        {"$ terraform show -json | jq '.r[] | select(.type==\"random_password\")'\n"
         "{\"length\":20,\"result\":\"",
         "\"}\n"},
        {"jshell> System.getenv(\"KEYSTORE_PASSWORD\")\n$1 ==> \"", "\"\n"},
        {"iex(2)> System.get_env(\"DB_PASS\")\n\"", "\"\n"},
        {"ghci> getEnv \"DB_PASS\"\n\"", "\"\n"},
        {"scala> sys.env(\"DB_PASS\")\nres0: String = ", "\n"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        finds(commands[i][0], "Fiddle,9734wil", commands[i][1]);
    finds("$ bw get password \"router admin\"\n", "comet866.", "\n");
    finds("$ pass show a/b\n", "[9xKw2mQ", "\n");
    static const char *const texts[] = {
        "$ bw get password x\nNot found.\n",
        "$ pass show a/b\n[a1, b2]\n",
        "$ vault kv get -field=ttl kv/x\n3600\n",
        "$ vault kv get -field=dsn_pw kv/x > pw\nnotes to read\n",
        "$ kubectl get secret db -o json\n{\n  \"kind\": \"Secret\",\n  \"value\": \"x\"\n}\n",
        ("$ aws secretsmanager get-secret-value --secret-id db/password --query Tags\n"
         "[\n  {\"Key\": \"env\", \"Value\": \"prod-eu-west-1\"}\n]\n"),
        "$ kubectl get secret/token -o json\n{\"annotations\":{\"value\":\"production\"}}\n",
        "iex(2)> System.get_env(\"DB_PASS\")\nnil\n",
        "jshell> var token = lexer.next()\ntoken ==> Token[kind=IDENT]\n",
    };
    STAYS(texts);
}

static void test_users_that_are_tokens(void **state)
{
    (void)state;
    finds("$ curl -u ", "8e729e2ad101934e8985dab45577b12fec989f5b", ": https://ci.example/me\n");
    finds("$ curl -u '", "8e729e2ad101934e8985dab45577b12fec989f5b", ":' https://ci.example/me\n");
    finds("$ bundle config set --global gems.acme.com ", "21a7031b:03d7b917", "\n");
    finds("$ bundle config gems.acme.com kim:", "hunter2x", "\n");
    finds("$ exp scott/", "fiddle", " file=scott.dmp owner=scott\n");
    finds("$ mix hex.user auth --key ", "4ac8e6250e920d9031cca0ed48b19602", "\n");
    static const char *const texts[] = {
        "$ curl -u admin: https://ci.example/me\n",
        "see exp imp/test for more\n",
        "$ cat exp/README\n",
    };
    STAYS(texts);
}

static void test_calls(void **state)
{
    (void)state;
    static const char *const calls[][2] = {
        {"UPDATE mysql.user SET authentication_string=PASSWORD('", "') WHERE User='root';\n"},
        {"> bcrypt.compareSync(\"", "\", hash)\n"},
        {">>> bcrypt.hashpw(b\"", "\", bcrypt.gensalt())\n"},
        {"php > password_verify(\"", "\", $hash);\n"},
        {"assert check_password_hash(h, \"", "\")\n"},
        {"bcrypt.CompareHashAndPassword(hash, []byte(\"", "\"))\n"},
        {"shop> db.changeUserPassword('api', '", "')\n"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        finds(calls[i][0], "VortexMarble897", calls[i][1]);
    finds("mysql> SET PASSWORD FOR kim = PASSWORD(\"", "falconGravel", "\");\n");
    finds("> db.changeUserPassword('api', '", "marble-granite-violet-falcon", "')\n");
    static const char *const texts[] = {
        "bcrypt.compare(req.body.password, user.hash)\n",   "bcrypt.hash(\"password\", 10)\n",
        "db.changeUserPassword('api', passwordPrompt())\n", "SELECT PASSWORD('password');\n",
        "form.add(password(\"confirmation\"))\n",
    };
    STAYS(texts);
}

static void test_here_strings(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "$ step crypto jwt sign --key - --alg HS256 <<< '",
        "$ read -s PASS <<< '",
        "$ read -rsp 'Password: ' PASS <<< '",
        "$ kubectl create secret generic x --from-file=p=/dev/stdin <<< '",
        "$ cryptpw -m sha512 <<< '",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        finds(commands[i], "mustard bramble willow", "'\n");
    expect("$ read -r A B <<< 'foo bar9x'\n", "$ read -r A B <<< 'foo bar9x'\n", 0);
    expect("$ read -s A <<< \"$B\"\n", "$ read -s A <<< \"$B\"\n", 0);
    finds("$ python -c 'from django.core.management.utils import get_random_secret_key as k; "
          "print(k())'\n",
          "Zl2(%%g@Q1yNH-Ho!%=OK*^!0)yWFQZ7(9p)SsJ-*=%lDs8NVk", "\n");
}

static void test_files(void **state)
{
    (void)state;
    finds("user = \"mk:", "zebra saffron thunder waffle", "\"\n");
    finds("user = \"mk:", "cheddar9132", "\"\n");
    finds("proxy-user = squid:", "cheddar", "\n");
    finds("  10        - http_config: {basic_auth: {username: am, password: ", "zephyranchor",
          "}}\n");
    finds("- auth: { user: app, password: ", "zephyr-anchor", " }\n");
    static const char *const texts[] = {
        "user: \"1000:1000\"\n",
        "user = nginx:nginx\n",
        "user = \"{{ user }}:{{ pass }}\"\n",
        "user: root:wheel\n",
        "auth: { user: string, password: string }\n",
        "const a = { auth: { user: app, password: zephyranchor } }\n",
        "x: {user: am, password: undefined}\n",
        "DATABASE_URL=postgres://user:password@localhost:5432/dbname\n",
        "bearerAuth: { type: http, scheme: bearer, bearerFormat: JWT }\n",
    };
    STAYS(texts);
    expect("Sec-WebSocket-Protocol: bearer, abcDEFGHIJKLMNop\n",
           "Sec-WebSocket-Protocol: bearer, [redacted:authorization]\n", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shells_elsewhere),      cmocka_unit_test(test_fields_and_members),
        cmocka_unit_test(test_users_that_are_tokens), cmocka_unit_test(test_calls),
        cmocka_unit_test(test_here_strings),          cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
