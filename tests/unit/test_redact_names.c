/* Names of other languages and scripts, and what is glued to them; and what stays. */
#include "redacted.h"

static void test_other_languages(void **state)
{
    (void)state;
    static const char *const befores[] = {
        "mdpAdmin=",        "senhaBanco = ",   "myChaveApi=",   "contrasena-smtp: ",
        "CONTRASENA_SMTP=", "db.senha.prod=",  "jeton = ",      "geheimer_schluessel=",
        "apiSchluessel=",   "Wachtwoord: ",    "Lösenord: ",    "hasło = ",
        "SMTP_MDP=",        "Mot de passe : ", "Mật khẩu: ",    "contraseñadb=",
        "kodeord: ",        "old-cle-api: ",   "kennwortNeu = "};
    for (size_t i = 0; i < sizeof befores / sizeof *befores; i++)
        finds(befores[i], "maple14x7Q", "\n");
}

static void test_other_scripts(void **state)
{
    (void)state;
    static const char *const befores[] = {
        "пароль: ",     "Пароль: ",         "ПАРОЛЬ=", "DB_ПАРОЛЬ=",
        "パスワード：", "密码: ",           "密码是",  "登录密码：",
        "비밀번호: ",   "секретный ключ: ", "סיסמה: ", "كلمة المرور: "};
    for (size_t i = 0; i < sizeof befores / sizeof *befores; i++)
        finds(befores[i], "maple14x7Q", "\n");
}

static void test_glued(void **state)
{
    (void)state;
    finds("$cfg['cookiekey'] = '", "yNx58yG-FHVz3I309smeQpI899dS6tVW", "';\n");
    finds("servicetokendev=", "f8a9d7f6a8d7f", "\n");
    finds("dbpassprod=", "maple14x", "\n");
    finds("upstreamtotpseed=", "JBSWY3DPEHPK3PXP", "\n");
    finds("pepper: ", "q9w8e7r6t5", "\n");
}

/* Which one of several, whose it is, and words cut short. */
static void test_more_of_it(void **state)
{
    (void)state;
    static const char *const befores[] = {"APIKEYV2=",
                                          "TOKENV1=",
                                          "dbpasswordv2=",
                                          "apiKeyV2: ",
                                          "auth_tok=",
                                          "authTok: ",
                                          "tok: ",
                                          "ETH_PRIVKEY=",
                                          "wallet_privkey=",
                                          "prvkey: ",
                                          "the_secret_of_app=",
                                          "token_for_ci = ",
                                          "password_of_db=",
                                          "API_KEY_FOR_MAPS=",

                                          "my_api_key_for_maps=",
                                          "db_psswd="};
    for (size_t i = 0; i < sizeof befores / sizeof *befores; i++)
        finds(befores[i], "dJ9zS6BJUNxsshSVLCVyE6kfHK9JYf", "\n");
    finds("the_secret_of_app = \"", "ZULjJLufrHNzGvwwbLpr", "\"\n");
}

static void test_what_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "cur_tok = next_token2;\n",
        "if (tok == TOKEN_IDENT2) return tok;\n",
        "password_of_file = \"\";\n",
        "secret_for_id: 12345678a\n",
        "ipv6 = fe80\n",
        "mdp_hash = abcdef12\n",
        "mdpLabel = \"Mot 1\"\n",
        "clave_id: 12345\n",
        "donkey = abc12345\n",
        "whiskey = abc12345\n",
        "clean_up = abc12345\n",
        "period = 12x34a56\n",
        "от пароля зависит 1a\n",
        "密度: maple14x\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_languages), cmocka_unit_test(test_other_scripts),
        cmocka_unit_test(test_glued),           cmocka_unit_test(test_more_of_it),
        cmocka_unit_test(test_what_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
