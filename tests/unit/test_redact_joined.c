/* Secrets that are found by the line above, and those that go on: in another literal, in the same
 * column of the next row, in lines that stand further in. */
#include "redacted.h"

#include <stdio.h>

#define ID    "AKIA26SGWPZPQXSVBTLC"
#define KEY   "vbljUu2/u+t3FtRV6MwCP+FZt6Od7/Dcduf3307F"
#define VALUE "[redacted:value]"
/* A key's secret is on the line below its id, whatever it is called there. */
static void test_a_line_below_an_id(void **state)
{
    (void)state;
    expect("my $id = '" ID "';\nmy $s = '" KEY "';\n",
           "my $id = '[redacted:aws-key-id]';\nmy $s = '[redacted:aws-secret-key]';\n", 2);
    expect(ID "\n" KEY, "[redacted:aws-key-id]\n[redacted:aws-secret-key]", 2);
    expect(ID "\nsum 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n",
           "[redacted:aws-key-id]\nsum 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n", 1);
    expect("ASIAXNKZJHLGNKXVJIVD\n" KEY, "[redacted:aws-key-id]\n[redacted:aws-secret-key]", 2);
    expect("ASIAPACIFIC\n" KEY, "ASIAPACIFIC\n" KEY, 0);
    expect(ID "\n\n" KEY "\n", "[redacted:aws-key-id]\n\n" KEY "\n", 1);
}

static void test_literals(void **state)
{
    (void)state;
    static const char *const joins[] = {"' .\n         '", "' . '",        "' + '",
                                        "'\n    + '",      "' .. '",       "' & _\n  '",
                                        "' `\n  + '",      "'\n         '"};
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) {
        char text[200];
        snprintf(text, sizeof text, "token = 'ddSHirBIp7ai4ODOD7Hd%swsntEb4sFUKNqYmuekTW'\n",
                 joins[i]);
        expect(text, "token = '" VALUE "'\n", 1);
    }
    expect("\"apiKey\": \"6bfcac844c42d037\" + \"0a302b69d199f922\",\n",
           "\"apiKey\": \"" VALUE "\",\n", 1);
    expect("password = \"hunter42kiwi\" + \"@localhost\"\n",
           "password = \"" VALUE "\" + \"@localhost\"\n", 1);
    expect("\"user\",\"password\"\n\"bob\",\"hunter42kiwi\"\n\"Eve2\",\"x\"\n",
           "\"user\",\"password\"\n\"bob\",\"" VALUE "\"\n\"Eve2\",\"x\"\n", 1);
    expect("password: \"hunter42kiwi\"\n  \"Other2\": 1\n",
           "password: \"" VALUE "\"\n  \"Other2\": 1\n", 1);
}

static void test_cells_and_lines(void **state)
{
    (void)state;
    expect("| api_key | 0jKvWUZfDaDug5SxjWnWBzrlyA | 2024 |\n"
           "|         | JUcQ2buhXt81x4Zrzl2WZgkQ9x |      |\n",
           "| api_key | " VALUE " | 2024 |\n|         | " VALUE " |      |\n", 2);
    expect("| password | X8kd92ksl02ka | 2024 |\n|          | see notes     |      |\n",
           "| password | " VALUE " | 2024 |\n|          | see notes     |      |\n", 1);
    expect("aws_session_token = IQoJb3JpZ2luX2VjEPRDwZzw8MfCQC4bBB2ZDK2POfGkTXj8Go+FIGv+2SrGAj7C\n"
           "  fPMfrizWGH3OgQpdSY1fJZaq/T4UjxsuXrwBiGNzHvyZm7qdiDBNHO+z1gb5ZpJSz7hzhRjM/BUjEazv\n"
           "  S98ouFMAbUbwfznCaNe/PkWLqqL5c4dJrLLrIPqKUaTeSKT2BrFQQCODI\nregion = eu-west-1\n",
           "aws_session_token = " VALUE "\nregion = eu-west-1\n", 1);
    expect("GitHub token in use: ghp_JsUbQaCC4CltmSHjcz\nCsSYZ89gjKLpUg2XkM\nScopes: repo\n",
           "GitHub token in use: " VALUE "\nScopes: repo\n", 1);
    expect("GitHub token in use: ghp_JsUbQaCC4CltmSHjcz\nScopes: repo\n",
           "GitHub token in use: " VALUE "\nScopes: repo\n", 1);
}

/* A terminal's edge over three rows, the last of which has more behind it; a soft line end in a
 * sentence; a pane that is narrower than any edge. */
static void test_edges(void **state)
{
    (void)state;
    expect("[info] anthropic provider ready (model=claude-3-5-sonnet) using sk-ant-api03-fSC\n"
           "Maq-de6-PfLHaxm-SfOHhnFK1C4jCNWyMFLrk6Q3b7TzB-LwUfuXdpgLSNxh6ZtoQ1j_ep1FUICOn8NJ\n"
           "NJS-QiQ_K-AA ok\n",
           "[info] anthropic provider ready (model=claude-3-5-sonnet) using "
           "[redacted:anthropic-key] ok\n",
           1);
    expect("Your token is glpat-uT-E52s1_4tpEC=\nObD7Uc and expires on Friday.\n",
           "Your token is " VALUE " and expires on Friday.\n", 1);
    expect(
        "github_pat_11BJ4J37MDFVDV937IPDB4_eYHxc6yN\nEAq51rY6q5pALHX4ZOJuXs4ZI66cUjZYj1gSfy8cKe\n"
        "dMm3npBMFI\n$ ls\n",
        "[redacted:github-token]\n$ ls\n", 1);
    expect("github_pat_11BJ4J37MDFVDV937IPDB4_eYHxc6yN\nsha "
           "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n",
           "[redacted:github-token]\nsha 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n", 1);
    expect("aws_secret_access_key = \\\n    " KEY "\n",
           "aws_secret_access_key = \\\n    " VALUE "\n", 1);
    expect("export DATABASE_PASSWORD_FOR_REPORTS=hunter42kiwi\n",
           "export DATABASE_PASSWORD_FOR_REPORTS=" VALUE "\n", 1);
    static const char *const texts[] = {"THANKS_FOR_ALL=hunter42kiwi\n"};
    STAYS(texts);
}

/* What a log says behind a question for a password is no answer. */
static void test_answers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "SASL LOGIN authentication failed: UGFzc3dvcmQ6\npostfix/qmgr[1]: status=sent (active)\n"};
    STAYS(texts);
    expect("334 UGFzc3dvcmQ6\nSHVudGVyMg==\n235 ok\n", "334 UGFzc3dvcmQ6\n" VALUE "\n235 ok\n", 1);
    expect("$ read PGPW\nFf1yM3LO8ggqPgsA\n$ export PGPW\n",
           "$ read PGPW\n" VALUE "\n$ export PGPW\n", 1);
    expect("$ read -r DB_PASS\nwalrus\n$ \n", "$ read -r DB_PASS\n" VALUE "\n$ \n", 1);
    static const char *const others[] = {"$ read name\nWalrus42\n$ \n", "$ read PASSWORD\n$ ls\n",
                                         "read PASSWORD\necho \"walrus42\"\nfi\n"};
    STAYS(others);
}

/* A token that may be of any length goes on in lines as wide; a name on the next line does not. */
static void test_tokens_of_any_length(void **state)
{
    (void)state;
    expect("password = pypi-AgEIcHlwaS5vcmcCCavWhD9PbLnS_cg-bDeeplhc6fk6Uz\n"
           "7SoSIIcG5AMPhAJJVJVbzsP9o7SLtyc6DWqYAdMV0ZQPprvfoWc4t-UHBeAhO\n"
           "2d4yJPHvha9y9T-6zf-2vE5GUoIWYXtZnC0RJZbPRVIYYhyJb1WIEZAH\n",
           "password = [redacted:pypi-token]\n", 1);
    expect("echo pypi-AgEIcHlwaS5vcmcCCavWhD9PbLnS_cg-bDeeplhc6fk6Uz\n"
           "7SoSIIcG5AMPhAJJVJVbzsP9o7SLtyc6DWqYAdMV0ZQPprvfoWc4t-U\n",
           "echo [redacted:pypi-token]\n", 1);
    expect("INTERNAL_TOKEN = "
           "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI1NjI5NjQ3NTEwIn0.fR_j8WAeTKyHmFtLyoP8QJxZFS\n"
           "LFS_JWT_SECRET = IfQep2dM1vSkAeFANm09Fym6zL\n",
           "INTERNAL_TOKEN = [redacted:jwt]\nLFS_JWT_SECRET = " VALUE "\n", 2);
    expect("ghp_t7QwVX6LSwWAlyWG0dHhQtfhTc27CeJ0JZBo\n9f86d081884c7d659a2feaa0c55ad015\n",
           "[redacted:github-token]\n9f86d081884c7d659a2feaa0c55ad015\n", 1);
    finds("$ fly tokens create deploy\n",
          "FlyV1 fm2_df6gGp8P2Rno3liH5gceoc2ErvgAfdnA9VMuc90do7r25xCtf52R", "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_below_an_id),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_cells_and_lines),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_tokens_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
