/* Secrets that are put somewhere by commands: in a placeholder's place, into a file, into a store
 * behind a key; and those of addresses without a scheme and of databases; and what stays. */
#include "redacted.h"

static void test_replaced(void **state)
{
    (void)state;
    finds("$ sed -i \"s|__DB_PASS__|", "nectar1001", "|\" app.ini\n");
    finds("$ sed -i 's/{{ db_password }}/", "nectar-otter", "/g' app.ini\n");
    finds("$ sed -i \"s/CHANGE_ME_SECRET/", "nectar1001otter", "/\" .env\n");
    finds("$ perl -pi -e 's/\\@\\@DB_PASSWORD\\@\\@/", "nectar1001", "/' app.ini\n");
    finds("$ sed -e \"s#%TOKEN%#", "nectar1001otter22", "#\" tpl > out\n");
    finds("$ sed -i 's/^password: .*/password: ", "lantern-otter", "/' app.yml\n");
    finds("$ sed -i \"s/@DB_PASSWORD@/", "lantern otter", "/\" app.yml\n");
    remains("$ sed -i 's/^password: .*/password: hidden/' app.yml\n");
    remains("$ sed -i 's/old_password/new_password/' app.py\n");
    remains("$ sed -i \"s|__DB_PASS__|$DB_PASS|\" app.ini\n");
    remains("$ sed 's/token/TOKEN/g'\n");
    remains("$ sed 's/secret/***/g'\n");
    remains("$ sed 's/__HOST__/nectar1001/'\n");
}

static void test_written(void **state)
{
    (void)state;
    finds("cat <<< \"", "lobster2877", "\" > db_password.txt\n");
    finds("cat > /run/app/db_password <<< '", "lobster otter", "'\n");
    finds("sudo tee /etc/borg/passphrase <<<\"", "lobster otter 9", "\" >/dev/null\n");
    finds("sudo sh -c \"echo 'requirepass ", "violin4593", "' >> /etc/redis.conf\"\n");
    finds("echo \"masterauth ", "violin-otter", "\" | sudo tee -a /etc/redis.conf\n");
    finds("printf 'machine x.io\\nlogin bob\\npassword ", "badger86387", "\\n' >> ~/.netrc\n");
    finds("$ echo ", "iolebioiizxgxwfcasprniheew4q6gpmz", " | az devops login --organization x\n");
    remains("cat <<< \"hello\" > notes.txt\n");
    remains("tee notes.txt <<< \"hello world 12\"\n");
    remains("$ echo \"please login\" | tee notes\n");
    remains("$ echo run gh auth login | cat\n");
}

static void test_stored(void **state)
{
    (void)state;
    finds("consul kv put app/db/password ", "lantern5021", "\n");
    finds("etcdctl put /app/db/password '", "lantern otter", "'\n");
    finds("127.0.0.1:6379> SET config:smtp_password ", "lantern-otter", "\nOK\n");
    finds("$ zkCli.sh create /app/db/password ", "lantern-otter", "\n");
    finds("$ eyaml encrypt -s '", "dragon willow wombat!", "' -o string\n");
    finds("gem push --key ", "444668e0e9f77b521bacbd53c08f11c42f2512c109c8114d", " a.gem\n");
    found_as("npmAuthIdent: \"", "c2FkZGxlOmNhbmRsZUp1bmlwZXIx", "\"\n", "npm-ident");
    remains("gem push --key rubygems a.gem\n");
    remains("$ consul kv put app/db/host lantern5021\n");
}

static void test_databases(void **state)
{
    (void)state;
    finds("$ mysqlsh root:", "6MpNa0ujDsd3wa1glGm3ggiQaXDd9TwY", "@db02:33060 --sql\n");
    finds("$ pgcli bob:", "yonder-zephyr", "@db01/shop\n");
    finds("$ pt-archiver --source h=a,u=bob,p=", "marble-otter", ",D=x --dest h=b\n");
    finds("$ sql -S 'hr/", "4903Indigomar!", "@ora01:1521/HR' @report.sql\n");
    finds("SQL> CONNECT hr/", "glacier_416", "\nConnected.\n");
    finds("ALTER USER app WITH ENCRYPTED PASSWORD $$", "hammock'206", "$$;\n");
    finds("CREATE ROLE x LOGIN PASSWORD $pw$", "marble otter", "$pw$;\n");
    finds("127.0.0.1:6379> AUTH app \"", "pepper 3025", "\"\nOK\n");
    found_as("$ usql root:", "Yonder50zephyr", "@localhost:3306\n", "value");
    found_as(" Sfdx Auth Url    ", "force://X::5Aep8HbURXeCtcZb1DixR7qu9Kjmw4@a.salesforce.com",
             "\n", "salesforce-token");
    remains("SQL> connect / as sysdba\n");
    remains("image: app:v1.2.3@sha256:12ab\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_stored),
        cmocka_unit_test(test_databases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
