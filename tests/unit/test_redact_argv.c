/* Secrets in commands that no shell reads as they stand: in lists of arguments, of programs and of
 * files, in quotes inside of quotes, of programs of Windows; and what stays. */
#include "redacted.h"

static void test_lists(void **state)
{
    (void)state;
    static const char *const commands[][2] = {
        {"subprocess.run([\"docker\",\"login\",\"-u\",\"ci\",\"-p\",\"", "\",\"r.io\"])\n"},
        {"spawn('curl', ['-u', 'bob:", "', url])\n"},
        {"execFile(\"curl\", [\"-u\",\"bob:", "\", \"-o\", out], cb)\n"},
        {"exec.Command(\"docker\",\n\t\"login\",\n\t\"-u\", \"ci\",\n\t\"-p\", \"", "\",\n)\n"},
        {"Command::new(\"curl\").args([\"-u\", \"bob:", "\"]).output()\n"},
        {"Command::new(\"curl\")\n    .arg(\"-u\")\n    .arg(\"bob:", "\")\n    .spawn()?;\n"},
        {"{\"cmd\": \"[\\\"docker\\\",\\\"login\\\",\\\"-p\\\",\\\"", "\\\"]\"}\n"},
        {"CMD [\"redis-cli\",\"-a\",\"", "\"]\n"},
        {"command: [docker, login, -u, ci, -p, ", ", r.io]\n"},
        {"command:\n  - docker\n  - login\n  - -p\n  - ", "\n  - r.io\n"},
        {"  - \"redis-cli\"\n  - \"-a\"\n  - \"", "\"\n"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        finds(commands[i][0], "Calvin7Hobbes", commands[i][1]);
}

static void test_options(void **state)
{
    (void)state;
    finds("args:\n  - --user=app\n  - --password\n  - ", "violin2370", "\n");
    finds("args:\n  - --password\n  - \"", "violin 2370", "\"\n  - --verbose\n");
    finds("args: [--user, app, --password, ", "violin2370", "]\n");
    finds("\"args\": [\n  \"--db-password\",\n  \"", "violin", "\",\n  \"--port\", \"80\"\n]\n");
}

static void test_quotes(void **state)
{
    (void)state;
    finds("ssh -t bob@h 'sudo mysql -uroot -p'", "\\''canyon 343'\\'", "' -e \"show tables\"'\n");
    finds("ssh db 'mysql -uroot -p'", "\"'\"'canyon 343'\"'\"", "' shop'\n");
    finds("ssh db \"mysql -uroot -p", "\\\"canyon 343\\\"", " shop\"\n");
    finds("ssh bob@h 'curl -u bob:'", "\\''canyon343'\\'", "' http://x/'\n");
}

/* A name in quotes is no alias; at a text's very beginning, too. */
static void test_quoted_names(void **state)
{
    (void)state;
    finds("'curl' -u bob:", "violin2370", " https://a.example/\n");
    finds("$ \"mysql\" -p", "violin2370", " shop\n");
    remains("say 'curl' to get it; \"mysql\" is another\n");
}

static void test_windows(void **state)
{
    (void)state;
    finds("C:\\> curl.exe -u bob:", "yonder5997", " ^\n  -o a.zip https://n/a.zip\n");
    finds("PS C:\\> mysql.exe -uroot -p", "yonder5997", " shop\n");
    finds("& \"C:\\Program Files\\MySQL\\mysql.exe\" -uroot -p", "yonder5997", " shop\n");
    finds("Start-Process curl.exe -ArgumentList '-u','bob:", "yonder5997", "',$url\n");
    finds("C:\\Redis> .\\redis-cli.EXE -a ", "yonder5997", " ping\n");
}

static void test_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "keywords: [\"docker\", \"login\", \"devops\"]\n",
        "subprocess.run([\"docker\", \"login\", \"-p\", password])\n",
        "spawn('curl', ['-u', user + ':' + secret, url])\n",
        "packages:\n  - mkpasswd\n  - curl\n  - git\n",
        "PACKAGES = [\"mkpasswd\", \"curl\", \"git\"]\n",
        "args:\n  - --password\n  - --verbose\n",
        "args:\n  - --password\n  - $(DB_PASSWORD)\n",
        "args:\n  - --token\n  - /run/app/other\n",
        "args:\n  - --password\n    - deeper\n",
        "(0x7fffffff, -0x80000000, -0x1000000, 0x7f000000))\n",
    };
    STAYS(texts);
}

/* What was written for a quote ends with the next of its kind; one command with where another
 * begins. */
static void test_ends(void **state)
{
    (void)state;
    finds("{\"a\":\"{\\\"cmd\\\":\\\"mysql -p", "Hunter22x", "\\\",\\\"b\\\":\\\"y\\\"}\"}\n");
    finds("C:\\> set DB_PASSWORD=", "Hunter22x", " & python manage.py migrate --noinput\n");
    finds("C:\\> set DB_PASSWORD=", "two words22", "\nC:\\> x\n");
    finds("$ pt-archiver --source h=db1,t=app=1,tmp=2,p=", "Hunter22x", "\n");
    static const char *const texts[] = {"if s.useIPv4AndIPv6ForDNSOnly {\n"};
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),   cmocka_unit_test(test_options),
        cmocka_unit_test(test_quotes),  cmocka_unit_test(test_quoted_names),
        cmocka_unit_test(test_windows), cmocka_unit_test(test_none),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
