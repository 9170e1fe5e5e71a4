/* Secrets that are printed behind prompts of all kinds, and where no prompt is in front: what
 * runners and languages show; and what stays. */
#include "redacted.h"

static void test_prompts(void **state)
{
    (void)state;
    static const char *const prompts[] = {
        "$ ",
        ">>  ",
        "\xe2\x9d\xaf ",
        "\xe2\x9e\x9c  ~ ",
        "\xe2\x9e\x9c  app git:(main) ",
        "\xe2\x9e\x9c  app git:(main) \xe2\x9c\x97 ",
        "~/src/app \xe2\x9d\xaf ",
        "\xce\xbb ",
        "\xc2\xbb ",
        "\xe2\x96\xb6 ",
        "PS C:\\> ",
        "C:\\Users\\kim>",
        "kim@mbp ~ % ",
        "bash-5.1$ ",
        "root@web1 /etc# ",
        "(venv) kim@web1:~/x$ ",
        "[12:34:56] kim@web1:~/x$ ",
        "12:34:56 kim@web1 ~ $ ",
        "\xe2\x94\x94\xe2\x94\x80$ ",
        "\xe2\x95\xb0\xe2\x94\x80\xe2\x9d\xaf ",
        "~ $ ",
        "~/infra (main) $ ",
    };
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        char before[120];
        snprintf(before, sizeof before, "%sterraform output -raw rds_password\n", prompts[i]);
        finds(before, "WnjA3g2ouUP!fG9$I3)+", "\n");
        snprintf(before, sizeof before, "%spass show db/prod\n", prompts[i]);
        finds(before, "Marble-otter!", "\n");
    }
    remains("// terraform output -raw rds_password\nMarble-otter\n");
    remains("-> terraform output -raw rds_password\nMarble-otter\n");
}

static void test_answers(void **state)
{
    (void)state;
    finds("$ heroku auth:token\n !    Warning: token will expire 06/14/2025\n"
          " !    To generate another one, use heroku authorizations:create.\n",
          "631c322c-295b-42b5-8a1b-cbc8d787a9ca", "\n");
    finds("$ terraform output -json | jq .admin_password\n{\n  \"sensitive\": true,\n"
          "  \"type\": \"string\",\n  \"value\": \"",
          "falcon-~rocket-jelly%", "\"\n}\n");
    finds("$ sudo cat /var/lib/jenkins/secrets/initialAdminPassword\n",
          "84ce8f91898e18a2fb92c2c0111c663f", "\n");
    finds("$ cat /etc/secrets/smtp\n", "Marble-otter!", "\n");
    finds("##[debug]Evaluating: secrets.DB_PASSWORD\n##[debug]..=> Object\n"
          "##[debug]..=> 'DB_PASSWORD'\n##[debug]=> '",
          "marble-otter-9", "'\n");
    finds(">>> getpass.getpass()\nPassword: \n'", "willow8775", "'\n");
    finds("irb> STDIN.getpass(\"Password: \")\nPassword: \n=> \"", "willow8775", "\"\n");
    remains("##[debug]Evaluating: secrets.DB_PASSWORD\n##[debug]=> '***'\n");
    remains("$ cat /var/run/secrets/x/serviceaccount/namespace\ndefault\n");
    remains("$ cat secrets/README\nMarble otters\n");
}

static void test_lists(void **state)
{
    (void)state;
    finds("$ postmap -q '[smtp.x.example]:587' /etc/postfix/sasl_passwd\nbob@x.example:",
          "livsjporuvwlcvxq", "\n");
    expect(
        "# client server secret ip\nbob * feather1740 *\n\"carol\" isp \"orchid 774\" 10.0.0.2\n",
        "# client server secret ip\nbob * [redacted:value] *\n"
        "\"carol\" isp \"[redacted:value]\" 10.0.0.2\n",
        2);
    finds("$ grep -n pg02 .pgpass\n4:pg02:5433:reporting:kim:", "willow nectar gopher", "\n");
    finds("$ grep -r 5432 ~\n/home/kim/.pgpass:2:db01:5432:app:kim:", "marble-otter9", "\n");
    finds("$ cat -n ~/.pgpass\n     1\tdb01:5432:app:kim:", "marble-otter9", "\n");
    finds("hashcat potfile: 03848d393a81cb717792ec028f72984d:", "lemonade7633", "\n");
    finds("Array\n(\n    [crypt] => Array\n        (\n            [key] => ",
          "2f6b66f832a3298a9dd4387a07d981cf", "\n        )\n");
    remains("Array\n(\n    [cache] => Array\n        (\n            [key] => "
            "2f6b66f832a3298a9dd4387a07d981cf\n        )\n");
    remains("# client server secret handling\nthis is prose here\n");
    remains("localhost:5432:app:bob: connection refused by peer\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prompts),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
