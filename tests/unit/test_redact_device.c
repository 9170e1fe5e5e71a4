/* Secrets that devices and daemons are told at prompts of their own, and that are told again in the
 * next line; and what stays. */
#include "redacted.h"

static void test_prompts(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"ciscoasa(config)# passwd ", "\n"},
        {"(ArubaMM) [mynode] (RADIUS Server \"cppm1\") #key ", "\n"},
        {"sw(config-line)#password ", "\r\n"},
        {"DGS-1210:admin# config snmp community ", " rw\n"},
        {"snmp {\n    location \"DC2 rack 14\";\n    community ", " {\n"},
        {"snmp {\n    community ", ";\n}\n"},
        {"add password *.corp.lan {", "}\n"},
        {"add password 10.3.0.1 ", "\n"},
        {"password \"Auth\" ", "\nSUCCESS: 'Auth' password entered\n"},
        {"password \"Private Key\" ", "\n"},
        {"IP nms.40123 > sw4.161:  C=\"", "\" GetRequest(28)  .1.3.6.1\n"},
        {"hide pgsql_servers = localhost/", "\n"},
        {"snmp-server community x RW\n key 0 ", "\n"},
        {" key 7 ", "\r\n"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        finds(lines[i][0], "puffinThunder", lines[i][1]);
    finds("Changed password for user kibana_system\nPASSWORD kibana_system = ",
          "ZlkymGSMmbJJAFlsNfUW", "\n");
    finds("bob:1001:XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX:", "03C9615DC88FB7C1129F37E5D99C3A33",
          ":[U          ]:LCT-66A01B2C:\n");
    found_as("set protocols bgp group a authentication-key \"", "$9$WrkDqbkt/JrpXIE.rAycKqDSGd/4dq",
             "\"\n", "device-password");
    static const char *const texts[] = {
        "root@host:/etc(x)# passwd\n",
        "# passwd bob1\n",
        "(venv) $ passwd lena\n",
        "sw(config)#key chain ospf\n",
        "sw(config)#no snmp community public ro\n",
        "add password reset form\n",
        "add password fields to users.create table\n",
        "password \"Auth\"\n",
        "PASSWORD changed_at = now\n",
        "(1) # password check\n",
        "f(\"config\") # password check\n",
        "if (C=\"clover665\") then\n",
        "bgp {\n    community target {\n",
    };
    STAYS(texts);
}

static void test_told_again(void **state)
{
    (void)state;
    static const char *const lines[][3] = {
        {"Enter new password for user \"bob\": ", "\nEnter it again: ", "\n"},
        {"New password: ", "\r\nRepeat: ", "\r\n"},
        {"enter password for new repository: ", "\nenter password again: ", "\n"},
        {"o- /iscsi> set auth userid=init password=", "\nParameter password is now '", "'.\n"},
    };
    static const char *const secrets[] = {"Quartz_32", "azvtfywzibmwcy"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[300], wanted[300];
        const char *secret = secrets[i == 3], *gone = "[redacted:value]";
        snprintf(text, sizeof text, "%s%s%s%s%s", lines[i][0], secret, lines[i][1], secret,
                 lines[i][2]);
        snprintf(wanted, sizeof wanted, "%s%s%s%s%s", lines[i][0], gone, lines[i][1], gone,
                 lines[i][2]);
        expect(text, wanted, 2);
    }
    finds("DB_PASSWORD=", "testtest", "\nuser: testtester\n");
    finds("DB_PASSWORD=", "testtest", "\nuser testtest\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prompts),
        cmocka_unit_test(test_told_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
