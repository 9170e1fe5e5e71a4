/* Passwords of several words behind a label, a question and a command that prints one: what says
 * how a password is stays. */
#include "redacted.h"

static void test_words_behind_a_label_are_a_password(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"Username: bjornh\nPassword: ", "fjord og fjell", "\nEmail: b@example.no\n"},
        {"\t * Username : mw\n\t * Password : ", "Herbst&Laub 9", "\n\tkerberos :\t\n"},
        {"\tSSID     : Attic-2G\n\tPassword : ", "squirrel nest", "\nI (702)\n"},
        {"  Username: k.osei\n  Temporary password: ", "jollof rice 2 go", "\n"},
        {"UserName : marta\nPassword : ", "naranja; lim\303\263n; lima", "\n"},
        {"URL: https://x.example\nLogin: retro\nPassword: ", "dial-up modem song", "\n"},
        {"smtp:\n  user_name: postmaster\n  password: ", "oh look, a squirrel", "\n"},
        {"Login: kim\nPassword: ", "Papa Schlumpf's hut", "\n"},
        {"Password: ", "tortilla con cebolla", "\n"},
        {"info  Setup completed: admin@example.com password: ", "chain of proxies", "\n"},
        {"user           kim@example.org\npassword       ", "schnecken post!", "\n"},
        {"machine x.example\n  login dev\n  password ", "pumpkin spice latte", "\n"},
        {"spark.ssl.keyStorePassword   ", "sparkly pony", "\n"},
        {"--conf spark.ssl.keyStorePassword=", "sparkly pony", " \\\n  jobs/daily.py\n"},
        {"tacacs server T1\n key ", "moose on the loose", "\n"},
        {"CMD: Backlog SSId1 Attic; Password1 ", "moth_and_flame", "; MqttHost 10.0.0.4\n"},
        {"<!-- admin login: root / password: ", "Siskin & Serin", " -->\n"},
        {"DB password ........: ", "Frosty the snowman", "\n"},
        {"Your temporary password is: ", "Frosty the snowman", "\n"},
        {"\342\224\202 Password: ", "pickled plum jam", " \342\224\202\n"},
        {"| Password: ", "pickled plum jam", " |\n"},
        {"$ cat cloud.yml\nchpasswd:\n  list: |\n    root:", "Sand Martin!", "\n  expire: no\n"},
        {" | Username: admin, Password: ", "fiddlebiscuitsommer", "\n"},
        {" | Username: anna, Password: ", "fromage mosaic bowie", "\n"},
        {"chpasswd:\n  list: |\n    root:", "Sand Martin!", "\n  expire: false\n"},
    };
    FIND_ALL(places);
}

static void test_words_of_a_member_are_a_password(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"request: {email: t@example.com, password: ", "koala tea party", ", device: tablet}\n"},
        {"curl -H 'api-key: ", "qubits and qdots", "' http://qdrant:6333/collections\n"},
        {"\"Main\": \"Uid=erp;Pwd=", "hedgehog in fog", ";MultipleActiveResultSets=true\"\n"},
        {"Conn = \"User ID=crm;Password=", "Vx9{ember}Tide", ";Encrypt=True;\";\n"},
        {"export OC_PASS='", "Oma''s Garten 55", "'; su -s /bin/sh\n"},
        {"  password: '", "I \342\231\245 cats & dogs", "',\n"},
        {"SMTP_PASS=", "Comfrey, root", "\nPORT=3000\n"},
        {"personal.unlockAccount(eth.accounts[0], \"", "block by block", "\", 600)\n"},
    };
    FIND_ALL(places);
}

static void test_words_behind_a_question_are_a_password(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"s1@login.example.edu's password: ", "mensa um zw\303\266lf", "\nLast login: x\n"},
        {"Password for kim@EXAMPLE.ORG: ", "cerberus guards", "\n$ klist\n"},
        {"Enter new password for user \"app\": ", "bread and butter", "\n"},
        {"? Please choose a new password (optional) ", "thousand dog photos", "\nDone\n"},
        {"\342\234\224 Password \302\267 ", "three blind mice", "\n"},
        {"$ cat /run/secrets/db_password\n", "two horses", "\n"},
        {"$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n", "two horses",
         "\n"},
        {"% security find-internet-password -a y -s git.example -w\n", "pain au levain", "\n"},
        {"$ nmcli -s -g 802-11-wireless-security.psk connection show \"Home\"\n", "thermal paste",
         "\n"},
        {"$ aws ssm get-parameter --name /prod/db/password --output text\n", "Papa Schlumpf's Hut",
         "\n"},
        {"$ databricks secrets put-secret scope pw --string-value '", "monsoon over Mumbai", "'\n"},
    };
    FIND_ALL(places);
    expect("Password: tortilla con cebolla\nRepeat for confirmation: tortilla con cebolla\n",
           "Password: [redacted:value]\nRepeat for confirmation: [redacted:value]\n", 2);
}

static void test_what_says_how_a_password_is_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Password: The password of the user.\n",
        "Password: required, at least 8 characters\n",
        "Username: Name of the account\nPassword: Secret of the account\n",
        "Login: kim\nPassword: on the back of the router\n",
        "Password: same as last year\n",
        "Password: copied to clipboard\n",
        "Password: to be provided\n",
        "Password: Printed on the sticker\n",
        "password: matches confirmation\n",
        "password: Vuelve a escribir\n",
        "- Password: fixes crash on empty input\n",
        "Password for kim@EX.ORG: never expires\n",
        "? Please choose a new password (optional) and press return\n",
        "user kim\npassword is stored elsewhere\n",
        "admin@example.com password: has been reset\n",
        "curl -H 'api-key: your api key' http://qdrant:6333/\n",
        "{email: string, password: string or null, id: number}\n",
        "NAME          TYPE     DATA   AGE\ndb-password   Opaque   1      12d\n",
        "\"Uid=erp;Pwd={password};Encrypt=true\"\n",
        "$ wp option get blogname\nGoats and Grapes\n",
        "$ security find-generic-password -w\nThe specified item could not be found\n",
        "CMD: Password1 is empty\n",
        "Username: admin, Password: unchanged\n",
        "login: kim, Password: required\n",
        "? Choose a password manager 1Password or Bitwarden\n",
        "$ bw list items\nVault is locked\n",
        "$ cat passwords.txt\nNothing to see here\n",
        "tacacs server T1\n key is not set here\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_behind_a_label_are_a_password),
        cmocka_unit_test(test_words_of_a_member_are_a_password),
        cmocka_unit_test(test_words_behind_a_question_are_a_password),
        cmocka_unit_test(test_what_says_how_a_password_is_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
