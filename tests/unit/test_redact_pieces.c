/* Values that end otherwise than their first quote says: shells' words of several pieces,
 * PowerShell's escapes, literals in a row, CDATA, addresses; and commands all of whose output is
 * the secret. */
#include "redacted.h"

static void test_words_of_pieces(void **state)
{
    (void)state;
    finds("$ PGPASSWORD=", "'violin72'\"$velvet\"'!pocket'", " psql -h db\n");
    finds("$ export OC_PASS='", "Oma''s Garten 55", "'; su -s /bin/sh\n");
    finds("PS> $env:SMTP_PASSWORD = \"", "lantern`\"8734`$ladder", "\"\n");
    finds("[\"PATH=/bin\",\"FLASK_SECRET=", "oyster \\\"copper\\\" 94", "\",\"PORT=8000\"]\n");
    finds("static const char *auth_token = \"", "CFN195DRLO6sxu9p24IC\" \"Xfr395e3HGHt4wdhdpTr",
          "\";\n");
    finds("<api_key><![CDATA[", "napkin<&>33189", "]]></api_key>\n");
    expect("tool --token \"CFN195DRLO6sxu9p24IC\" \"Xfr395e3HGHt4wdhdpTr\"\n",
           "tool --token \"[redacted:value]\" \"Xfr395e3HGHt4wdhdpTr\"\n", 1);
}

static void test_addresses(void **state)
{
    (void)state;
    found_as("redis://:", "p@guitar:990/ember", "@cache.lan:6379/1\n", "url-password");
    found_as("https://kim:", "pw42x", "@host/npm/@types/x@1.2.3\n", "url-password");
    found_as("https://kim:", "pw42x", "@host.example/a@b.example:80\n", "url-password");
}

static void test_files_without_names(void **state)
{
    (void)state;
    finds("XV03EALRFK7VDWT0BL4U:", "QFWpTqDGUD0VkQabo28dvFG4NHZEoeAl+QJs7Y8z", "\n");
    remains("XV03EALRFK7VDWT0BL4U:QFWpTqDGUD0VkQabo28dvFG4NHZEoeAl\n");
    remains("see XV03EALRFK7VDWT0BL4U:QFWpTqDGUD0VkQabo28dvFG4NHZEoeAl+QJs7Y8z\n");
}

static void test_all_that_is_printed(void **state)
{
    (void)state;
    finds("% security find-internet-password -a yann -s git.example.com -w\n", "pain au levain",
          "\n");
    finds("$ nmcli -s -g 802-11-wireless-security.psk connection show Home\n", "thermal paste",
          "\n");
    finds("$ aws ssm get-parameter --name /p --query Parameter.Value --output text\n",
          "Papa Schlumpf's Hut", "\n");
    remains("% security find-internet-password -a yann -s git.example.com\nkeychain of yann\n");
    remains("$ nmcli connection modify Home 802-11-wireless-security.psk $PSK\nwarning of it\n");
    remains("$ aws ssm get-parameter --name /p --query Parameter.Value\n"
            "An error occurred (AccessDenied)\n");
}

static void test_what_stands_for_one(void **state)
{
    (void)state;
    remains("export HF_TOKEN=hf_YOUR_TOKEN_HERE\n");
    remains("export K_TOKEN=sk-proj-INSERT-KEY-HERE\n");
    remains("machine github.com\n  login USERNAME\n  password PERSONAL_ACCESS_TOKEN\n");
    remains("10:14:22 [celery] Task loop.tasks.rotate_api_keys[6f949847-a0a1-40bd-88fe-"
            "e7554ad0ce28] succeeded\n");
    remains("for a secret added to app '96b7a0ab-0715-429e-8b6f-6614394b2c83'.\n");
    remains("pass 1.7.4_1\npwgen 2.08\nsops 3.9.0\nzlib 1.3\n");
    remains(" column_name   | data_type         | nullable\n"
            "---------------+-------------------+----------\n"
            " password      | character varying | NO\n api_token     | uuid              | YES\n");
    remains("  Public Key Token: b77a5c561934e089\n");
    remains("Token                                         Balance\n"
            "------------------------------------------------------\n"
            "LpH4uCYryjDsvXhKTkojmjL5VWfKhUSYdNRMg7PRnuVo  120\n");
    finds("password = \"", "HarborTokenRibbon7", "\"\n");
}

/* What a test types into a field, what a plan says, what stands in a tag or before a comment. */
static void test_fields_and_tags(void **state)
{
    (void)state;
    finds("- tapOn: \"Password\"\n- inputText: \"", "hokey cokey", "\"\n- tapOn: \"Sign in\"\n");
    finds("When I fill in \"Password\" with \"", "walnut_parcel9", "\"\n");
    finds("app.secureTextFields[\"Password\"].typeText(\"", "walnut_parcel9", "\")\n");
    finds("element(by.id('password')).typeText('", "walnut_parcel9", "');\n");
    finds("document.getElementById(\"password\").value = \"", "walnut_parcel9", "\";\n");
    finds("<string name=\"pin\">", "480917", "</string>\n");
    finds("<Value>", "Harborrolle", "</Value>  <!-- AdministratorPassword -->\n");
    finds("upload_flags = --auth=", "flash!gordon", "\n");
    finds("$ frobnicate -u kim -p ", "telefon.mann", " -s\n");
    finds("$ databricks secrets put-secret prod pw --string-value '", "monsoon over Mumbai", "'\n");
    expect("  ~ resource \"random_password\" \"db\" {\n        length = 20\n"
           "      ~ result = \"~.-aHWa_(^LDO5P2zfYn\" -> \"ZkOCAAt_f3SLfO1*(9OQ\"\n    }\n",
           "  ~ resource \"random_password\" \"db\" {\n        length = 20\n"
           "      ~ result = \"[redacted:value]\" -> \"[redacted:value]\"\n    }\n",
           2);
    finds("$ cat auth.txt; ls\nmira\n", "badgerJacket?02", "\nauth.txt\n");
    finds("? Please choose a new password (optional) ", "thousand dog photos", "\n");
    finds("$ cat /opt/auth_passwords.json.generated\n{\"admin\": \"", "O9iqaeY2fGA24xFB", "\"}\n");
    remains("? Forgot your password (see the help) ask the helpdesk for it\n");
    remains("- tapOn: \"Password\"\n- assertVisible: \"hokey cokey\"\n");
    remains("if (pin>1234) {\n");
    remains("<Value>true</Value>  <!-- AdministratorPassword -->\n");
    remains("tool --auth=basic --retry=3\n");
}

/* Where a prompt ends an answer, or stands in its front, nothing is looked for behind it. */
static void test_prompts_in_answers(void **state)
{
    (void)state;
    finds("kim@box:~$ pass show mail\n", "ab3kd9)", "kim@box:~$ (true)\n");
    remains("=> print(API_TOKEN)\n$1 ==> Out[x");
    finds("PASSWORD=", "copper-change-walnut-lamp", "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_pieces),     cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_files_without_names), cmocka_unit_test(test_all_that_is_printed),
        cmocka_unit_test(test_what_stands_for_one), cmocka_unit_test(test_fields_and_tags),
        cmocka_unit_test(test_prompts_in_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
