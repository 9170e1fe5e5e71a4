/* Names of which only a part is shown. */
#include "redacted.h"

static void test_a_column_cuts_a_name(void **state)
{
    (void)state;
    expect("  Name              Value\n  ----              -----\n"
           "  AZURE_CLIENT_SEC… 3BjcdffzHqcH0wYauRHukcWoSM1mdqhvIw\n"
           "  DB_CONNECTION_PA… jasper_ribbon\n  DB_BACKUP_PA...   /var/backups\n",
           "  Name              Value\n  ----              -----\n"
           "  AZURE_CLIENT_SEC… [redacted:value]\n"
           "  DB_CONNECTION_PA… [redacted:value]\n  DB_BACKUP_PA...   /var/backups\n",
           2);
    expect("│ STRIPE_SECRET_K… │ rk_9182736455abcDEF0192837 │\n",
           "│ STRIPE_SECRET_K… │ [redacted:value] │\n", 1);
    static const char *const texts[] = {
        "Set the DB_PASS... variable first\n",
        "loading foo_pass… done\n",
        "  APP_TO…           Toronto\n  DB_PA…  250\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

static void test_an_edge_cuts_a_name(void **state)
{
    (void)state;
    expect("...ssword: gravelquartz\n    role: admin\n",
           "...ssword: [redacted:value]\n    role: admin\n", 1);
    expect("…oken=a8f7d6e5c4b3a29182736455\n", "…oken=[redacted:value]\n", 1);
    expect("...broken: gravelquartz\n", "...broken: gravelquartz\n", 0);
    expect("...word: the first one of the text\n", "...word: the first one of the text\n", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_column_cuts_a_name),
        cmocka_unit_test(test_an_edge_cuts_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
