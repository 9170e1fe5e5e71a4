/* Secrets that a line's end cuts which is none of the text's; and what stays below one. */
#include "redacted.h"

/* A terminal's edge, a serial console's, fold(1)'s: what goes on does so where the line begins. */
static void test_an_edge_cuts(void **state)
{
    (void)state;
    expect("$ echo $GITHUB_TOKEN\n"
           "github_pat_110T12RXUWA0JY4MJx0QcT_3SiaSh6KtXLkgB3BO2Gnozb84B\n"
           "gIbBmNWbUvUaY4ccQfZjGthLE9XTcR5lU\n",
           "$ echo $GITHUB_TOKEN\n[redacted:value]\n", 1);
    expect("$ fold -w 20 secret.key\nc082789c71b694ff9bd7\n74354af12621309063f8\n"
           "3e058148394d6fe7\n",
           "$ fold -w 20 secret.key\n[redacted:value]\n", 1);
    expect("jo@h:~$ curl -H \"X-Auth-Token: gAAAAABkqwErTyUiOpAsDfGhJkLzXcVbNm1234567890qwer\n"
           "tyuiopASDFGHJKL987\" https://api\n",
           "jo@h:~$ curl -H \"X-Auth-Token: [redacted:value]\" https://api\n", 1);
}

/* A window with numbers, and a cell, go on below the place where they began. */
static void test_a_window_and_a_cell_cut(void **state)
{
    (void)state;
    expect("      14 client_secret = \"8Q~a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y\n"
           "         5Z6a7b8c9d0\"\n      15 region = \"eu\"\n",
           "      14 client_secret = \"[redacted:value]\"\n      15 region = \"eu\"\n", 1);
    expect("| token | glsa_HOruNAb7SOiCdshU9algkrq7FDsNSLAa_ |\n"
           "|       | 54e2f8be                               |\n",
           "| token | [redacted:value]                               |\n", 1);
    expect("│ msg: push rejected, found token │\n│      glpat-8vx2DU2ptOjq3ycI2N\n"
           "│      Zr.01.hrevaw9iswyu\n",
           "│ msg: push rejected, found token │\n│      [redacted:gitlab-token]\n", 1);
}

/* One line has only the beginning of the shape. */
static void test_a_token_is_cut(void **state)
{
    (void)state;
    expect("jo@box:~/src$ export SLACK_BOT=xoxb-643697693706-3\n"
           "314502195731-gS1zvwKxWsfz0ezWzKdSy11v\n",
           "jo@box:~/src$ export SLACK_BOT=[redacted:slack-token]\n", 1);
    expect("Your token: glpat-taRZKIlp=\ni3kUepgqlMA3\n", "Your token: [redacted:gitlab-token]\n",
           1);
    static const char *const texts[] = {
        "Use a token such as glpat-XXXXXXXXXXXXXXXXXXXX.\nSlack bot tokens begin with xoxb-\n",
        "tokens of GitLab begin with glpat-\nfollowed by twenty characters\n",
    };
    STAYS(texts);
}

#define GITHUB_FIRST  "ghp_iq428Yhkj5jFBpRcxf"
#define GITHUB_SECOND "2aQiGx1pQHqcL7ItK8"

/* A program's literals, a shell's quotes, and what a call joins. */
static void test_a_token_is_put_together(void **state)
{
    (void)state;
    static const char *const joins[] = {
        "\" + \"",  "\" . \"",        "\" .. \"",      "\" <> \"",    "\" ++ \"",   "\" ^ \"",
        "\" << \"", "\" & _\n    \"", "\" \"",         "\" \\\n  \"", "\" +\n  \"", "\"\n     \"",
        "\"'",      "\".concat(\"",   "\").append(\"", "\" +`\n \"",
    };
    char text[200];
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) {
        snprintf(text, sizeof text, "f(\"" GITHUB_FIRST "%s" GITHUB_SECOND "\");", joins[i]);
        expect(text, "f(\"[redacted:github-token]\");", 1);
    }
    static const char *const others[][2] = {
        {"x = ['glpat-KmyI9rH', 'cY7ZgkcS1gUYu'].join('')",
         "x = ['[redacted:gitlab-token]'].join('')"},
        {"concat!(\"" GITHUB_FIRST "\", \"" GITHUB_SECOND "\")",
         "concat!(\"[redacted:github-token]\")"},
        {"T=" GITHUB_FIRST "\"" GITHUB_SECOND "\" make", "T=[redacted:github-token]\" make"},
        {"printf '%s%s' " GITHUB_FIRST " " GITHUB_SECOND " > f",
         "printf '%s%s' [redacted:github-token] > f"},
        {"+t = (\"glpat-oq-REG\"\n+     \"xP2dFjts7FjBbQ\")", "+t = (\"[redacted:gitlab-token]\")"},
        {"-t = (\"glpat-oq-REG\"\n-     \"xP2dFjts7FjBbQ\")", "-t = (\"[redacted:gitlab-token]\")"},
        {"h = 'Authorization: Bearer thisIs9The' + 'alsoSecret8'",
         "h = 'Authorization: Bearer [redacted:authorization]'"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect(others[i][0], others[i][1], 1);
    static const char *const texts[] = {
        "[\"ghp_\", \"glpat-\", \"xoxb-\", \"AKIA\", \"sk_live_\"].join('|')\n",
        "re.compile('AKIA' + '[0-9A-Z]{16}')\n",
        "if (s.startsWith('ghp_') || s.startsWith('github_pat_')) {\n",
        "x = 'glpat-' + token + 'abc'\nprint(\"glpat-\" \"XXXXXXXXXXXXXXXXXXXX\")\n",
        "{\"t\": [\"ghp_iq428Yhkj5\", \"2aQiGx1pQHqcL7ItK8abcdefghijk\"]}\n",
    };
    STAYS(texts);
}

/* In a mail's answer, in a comment, beside another pane. */
static void test_a_token_goes_on_below(void **state)
{
    (void)state;
    static const char first[] = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIzMDg3MzE2MTA";
    static const char second[] =
        "iLCJuYW1lIjoiZ3JhdmVsIn0fQ.srhQLu37BkXyuY8z7g7MgRHAzamhucaIRxT0wS";
    static const char *const signs[] = {">> ", "# ", "// ", "+", " * "};
    char text[300], wanted[100];
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        snprintf(text, sizeof text, "%splease try %s\n%s%s\n%sthanks\n", signs[i], first, signs[i],
                 second, signs[i]);
        snprintf(wanted, sizeof wanted, "%splease try [redacted:jwt]\n%sthanks\n", signs[i],
                 signs[i]);
        expect(text, wanted, 1);
    }
    expect("│ $ export T=" GITHUB_FIRST " │ top - 10:02\n"
           "│ " GITHUB_SECOND "              │ load 0.12\n",
           "│ $ export T=[redacted:github-token]              │ load 0.12\n", 1);
    expect("vim foo │ export T=" GITHUB_FIRST "│ 1\n"
           "foo bar │ " GITHUB_SECOND "             │ 2\n",
           "vim foo │ export T=[redacted:github-token]             │ 2\n", 1);
    expect("https://" GITHUB_FIRST "\n" GITHUB_SECOND "@github.com/a/b\n",
           "https://[redacted:github-token]@github.com/a/b\n", 1);
    expect("acme@b:/raven/magnet/parrot/jasmine/gravel/jasmi$ export API_TOKEN=I4m9qLBSlhCz3\r\n"
           "lFjMWS3KpI0BVHCpshPFevjsEYz; make deploy\n",
           "acme@b:/raven/magnet/parrot/jasmine/gravel/jasmi$ export API_TOKEN=[redacted:value];"
           " make deploy\n",
           1);
    expect("acme@b:/raven/magnet/parrot/jasmine/gravel/jasmi$ export API_TOKEN=I4m9qLBSlhCz3\n"
           "production deployed by kim\n",
           "acme@b:/raven/magnet/parrot/jasmine/gravel/jasmi$ export API_TOKEN=[redacted:value]\n"
           "production deployed by kim\n",
           1);
    remains("│ $ export T=ghp_iq428Yhkj5jF          │ top - 10:02\n"
            "│ 2aQiGx1pQHqcL7ItK8              │ load 0.12\n");
}

/* What a shell puts together, and MIME. */
static void test_a_sign_says_that_a_line_goes_on(void **state)
{
    (void)state;
    expect("$ docker run -e DB_PASS=\\\ntulip-donut-dolphin -e X=1 acme/app\n",
           "$ docker run -e DB_PASS=\\\n[redacted:value] -e X=1 acme/app\n", 1);
    expect("$ psql \"postgresql://app:Sup3r\\\nS3cretPw@db/x\"\n",
           "$ psql \"postgresql://app:[redacted:url-password]@db/x\"\n", 1);
    expect("$ curl \\\n    -H \"Authorization: Bearer \\\n"
           "RbasySkvTJB3PjLufTc6xFSOV7S-skQiQASc1xBTvVA\" \\\n    -d @body.json\n",
           "$ curl \\\n    -H \"Authorization: Bearer \\\n"
           "[redacted:authorization]\" \\\n    -d @body.json\n",
           1);
    expect("$ printf '%s' \"zF9pZcUifiQz2Q7CP5n8slEDEtkKLJ\"\\\n"
           "> \"qeQCYxuUxpmqJboADKuk2MCz6S4uIa\" > api_token.txt\n",
           "$ printf '%s' \"[redacted:value]\" > api_token.txt\n", 1);
    expect("Content-Transfer-Encoding: quoted-printable\n\nYour new password is: Walrus12=\n"
           "abXy99 and your user is jo=\nhn\n",
           "Content-Transfer-Encoding: quoted-printable\n\nYour new password is: "
           "[redacted:value] and your user is jo=\nhn\n",
           1);
    expect("PS> cd C:\\Users\\jo\\\npassword: hunter2x9\n",
           "PS> cd C:\\Users\\jo\\\npassword: [redacted:value]\n", 1);
    static const char *const texts[] = {
        "PYPIRC = \"\"\"\\\n[distutils]\n\nindex-servers =\n    server1\n\"\"\"\n",
        "#define A(password) \\\n    use(password)\n",
    };
    STAYS(texts);
}

/* Below a secret: settings, names, sums and sentences are their own. */
static void test_what_is_below_stays(void **state)
{
    (void)state;
    /* Of a word with others behind it nothing says whether it goes on there or is a host's. */
    expect("INFO GET https://internal.example/v2/session answered with token Zq8Yt5Rw2Lk9Xv3B\n"
           "web01-prod-3 sshd: accepted\n",
           "INFO GET https://internal.example/v2/session answered with token [redacted:value]\n"
           "web01-prod-3 sshd: accepted\n",
           1);
    static const char *const texts[][2] = {
        {"API_KEY=a8f7d6e5c4b3a2918273645566778899aabb\nBUILD_ID=20231104abc12\n",
         "API_KEY=[redacted:value]\nBUILD_ID=20231104abc12\n"},
        {"MY_TOKEN=4f5c6d7e8f9a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c\n"
         "docker-ce_20.10.7_amd64\n",
         "MY_TOKEN=[redacted:value]\ndocker-ce_20.10.7_amd64\n"},
        {"password: correcthorse99batterystaple00aaaabbbbccccddddeeeeffff12\nuser1 logged in\n",
         "password: [redacted:value]\nuser1 logged in\n"},
        {"export SECRET_KEY=x123456789abcdef0123456789abcdef01234567\n"
         "9fceb02d0ae598e95dc970b74767f19372d61af8\n",
         "export SECRET_KEY=[redacted:value]\n9fceb02d0ae598e95dc970b74767f19372d61af8\n"},
        {"│ access_token  │ ya29.a0AfH6SMBx1234567890abcdefghijklmnop │\n"
         "│ build         │ v1.2.3-rc1                                │\n",
         "│ access_token  │ [redacted:value] │\n"
         "│ build         │ v1.2.3-rc1                                │\n"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i][0], texts[i][1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_edge_cuts),
        cmocka_unit_test(test_a_window_and_a_cell_cut),
        cmocka_unit_test(test_a_token_is_cut),
        cmocka_unit_test(test_a_token_is_put_together),
        cmocka_unit_test(test_a_token_goes_on_below),
        cmocka_unit_test(test_a_sign_says_that_a_line_goes_on),
        cmocka_unit_test(test_what_is_below_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
