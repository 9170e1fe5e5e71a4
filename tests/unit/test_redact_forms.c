/* Secrets by their forms that no row of a table says, addresses that are secrets, and what of them
 * stays. */
#include "redacted.h"

#include <stdio.h>

static void test_hashes_that_tools_try(void **state)
{
    (void)state;
    expect("$ hashcat -m 13100 t.txt wl.txt --show\n$krb5tgs$23$*svc$CORP$corp/svc*$" h32
           "$" h32 h32 ":puzzle bergamo 7\n",
           "$ hashcat -m 13100 t.txt wl.txt --show\n[redacted:password-hash]\n", 1);
    expect("$2y$10$7V1YgPHgAxrWtZX0TCSDogVpIpIUCztlCAh1JDwcygVGIbT1SFupP:UncleSunset\n",
           "[redacted:password-hash]\n", 1);
    expect("$DCC2$10240#tess#" h32 "\n", "[redacted:password-hash]\n", 1);
    expect("bob:$6$Zq3kP0aa$" a40 a40 ":19000:0:99999:7:::\n",
           "bob:[redacted:password-hash]:19000:0:99999:7:::\n", 1);
    expect("| app | % | *737BD01B165892910D4CB467646E6EE896E894B9 |\n",
           "| app | % | [redacted:password-hash] |\n", 1);
    expect("  * NTLM     : " h32 "\n", "  * NTLM     : [redacted:password-hash]\n", 1);
    expect("rpcauth=node:" h32 "$" h32 h32 "\n", "rpcauth=node:[redacted:password-hash]\n", 1);
    expect("a *737BD01B165892910D4CB467646E6EE896E894 b\n",
           "a *737BD01B165892910D4CB467646E6EE896E894 b\n", 0);
}

static void test_keys(void **state)
{
    (void)state;
    expect("OA3xOriginalProductKey\n0HKBF-GOPX2-PK94P-2TTK1-06XH7\n",
           "OA3xOriginalProductKey\n[redacted:product-key]\n", 1);
    expect("00330-80000-00000-AA123 ABCDE-FGHIJ-KLMNO-PQRST-UVWXY\n",
           "00330-80000-00000-AA123 ABCDE-FGHIJ-KLMNO-PQRST-UVWXY\n", 0);
    expect("see acme_v1_hNfIHwRg4fUp242gfxrttWsjFMKvXmafechRS9X\n", "see [redacted:marked-key]\n",
           1);
    expect("see lookup_table_of_all_the_names_that_there_are_in_it\n",
           "see lookup_table_of_all_the_names_that_there_are_in_it\n", 0);
    expect("Stripe('pk_liv_hNfIHwRg4fUp242gfxrttWsjFMKvXmafechRS9X')\n",
           "Stripe('pk_liv_hNfIHwRg4fUp242gfxrttWsjFMKvXmafechRS9X')\n", 0);
    expect(
        "[168,94,208,34,2,156,229,201,100,57,152,46,4,156,194,61,132,50,114,75,4,203,33,224,208,"
        "74,122,75,4,104,63,19,160,24,212,70,5,111,83,140,107,95,231,69,4,172,172,142,109,76,112,"
        "74,5,199,176,215,202,25,208,79,8,246,231,30]\n",
        "[[redacted:private-key]]\n", 1);
    expect("[16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31]\n",
           "[16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31]\n", 0);
}

static void test_addresses(void **state)
{
    (void)state;
    static const char *const found[][3] = {
        {"https://chat.acme.io/hooks/", "al26zafftbuaaykovu5xoszqgw", "\n"},
        {"https://maker.ifttt.com/trigger/door/with/key/",
         "UIpYIuSuW-jc-I4di3OoYu6zRdLHopFREf2YepvWdrn", "\n"},
        {"https://hc-ping.com/", "Ci82PEL6yeL4CwcNRSYImU", "/nightly\n"},
        {"https://calendar.google.com/calendar/ical/kim%40acme.io/private-",
         "9032a82c4d5cee5e053e87345d0f655a", "/basic.ics\n"},
        {"  - https://conda.acme.io/t/", "jOeX0ffMWg0HkabjdtITAFi0sLnOjakg14jaAPmX", "/main\n"},
        {"https://acme.io/reset-password/", "a7RZA2HvF3LKyueakRbbvuZFMfbsbmXS5MSZNYRL", ".\n"},
        {"https://mainnet.infura.io/v3/", "443f617d6098a92fb3fb66c5e0832f97", " --x\n"},
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        char text[300], wanted[300];
        snprintf(text, sizeof text, "%s%s%s", found[i][0], found[i][1], found[i][2]);
        snprintf(wanted, sizeof wanted, "%s[redacted:secret-address]%s", found[i][0], found[i][2]);
        expect(text, wanted, 1);
    }
    expect("trojan://7cef0ed2-787f-4e7e-86fa-5b13d37256f9@proxy.acme.io:443?sni=acme.io#home\n",
           "trojan://[redacted:url-password]@proxy.acme.io:443?sni=acme.io#home\n", 1);
    expect("ss://Y2hhY2hhMjAtaWV0Zi1wb2x5MTMwNTpodVFX@203.0.113.4:8388#berlin\n",
           "ss://[redacted:url-password]@203.0.113.4:8388#berlin\n", 1);
    static const char *const stay[] = {
        "https://acme.io/login/oauth/authorize/the-page-of-the-new-users\n",
        "https://acme.io/join/room-12/of-the-many-rooms-that-there-are\n",
        "https://acme.io/t/lib/test/of-something-in-perl-that-is-long/x.t\n",
        "wss://stream.acme.io:9443/ws\n",
        "see https://acme.io/hooks/README.md and https://acme.io/webhooks/stripe-payment-events\n",
    };
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        expect(stay[i], stay[i], 0);
}

/* A mark in front of what is in no order; and keys whose length says whose they are. */
static void test_keys_of_unknown_issuers(void **state)
{
    (void)state;
    expect("zeta_Q7xK2mVn9TbR4wLp8YcD5sJh3FgA6eZu1kQvXiM0\n", "[redacted:marked-key]\n", 1);
    expect("X=zeta-sk-v1-Q7xK2mVn-TbR4wLp8Y_D5sJh3FgA6eZu1kQvXiM0\n", "X=[redacted:marked-key]\n",
           1);
    expect("see zeta_TheNameOfAFunctionThatIsLongerThanAnyOtherOne2\n",
           "see zeta_TheNameOfAFunctionThatIsLongerThanAnyOtherOne2\n", 0);
    expect("see fleet-12a34b55-67cd-8ef9-ba9b-9208dEXAMPLEABC\n",
           "see fleet-12a34b55-67cd-8ef9-ba9b-9208dEXAMPLEABC\n", 0);
    expect("okta: SSWS 00o5_c5zgSGesWskEsanEK5FsGTgY_0izKwZXWIydL\n",
           "okta: SSWS [redacted:okta-token]\n", 1);
    expect("blob 00" h32 "01234567\n", "blob 00" h32 "01234567\n", 0);
    expect("ngrok 2nJk9xYp3QwLm4TzRb7VdSaKf1e_5xQ8WmZ2cYtRvN7pLkJhG\n",
           "ngrok [redacted:ngrok-token]\n", 1);
    expect("see 27_names_of_tests_that_are_as_long_as_one_of_them\n",
           "see 27_names_of_tests_that_are_as_long_as_one_of_them\n", 0);
}

static void test_keys_in_two_halves(void **state)
{
    (void)state;
    expect("ghost aba1a455ca176043c39d721c:" h32 h32 "\n", "ghost [redacted:ghost-key]\n", 1);
    expect("ghost aba1a455ca176043c39d721c:" h32 "\n", "ghost aba1a455ca176043c39d721c:" h32 "\n",
           0);
    expect("ably: 9Tn8z8.xviPVM:evFGePidC0oow5_XoSvr88YMskY5ngg02U7xIgnSisN\n",
           "ably: [redacted:ably-key]\n", 1);
    expect("ably: 9Tn8z8.xviPVM:8080\n", "ably: 9Tn8z8.xviPVM:8080\n", 0);
    expect("fal 7f3c1a2b-9d4e-4f60-8a1b-2c3d4e5f6071:" h32 "\n", "fal [redacted:fal-key]\n", 1);
    expect("gtid 7f3c1a2b-9d4e-4f60-8a1b-2c3d4e5f6071:1-77\n",
           "gtid 7f3c1a2b-9d4e-4f60-8a1b-2c3d4e5f6071:1-77\n", 0);
    expect("bws 0.7f3c1a2b-9d4e-4f60-8a1b-2c3d4e5f6071.q1w2e3r4t5q1w2e3r4t5q1w2e3r4t5:"
           "q7Z3k9X1j5V8w2M4q7Z3kA==\n",
           "bws [redacted:bitwarden-token]\n", 1);
}

static void test_later_issuers(void **state)
{
    (void)state;
    found_as("gs_access_key_id = ", "GOOG1E80XF5XA7K5AQ9SA30DDAIOOXBOUGAI7M4LR9LJJZDYFH9676MWF0UZM",
             "\n", "google-key-id");
    found_as("client('", "2/0153714909896058/3323444160787413:463fc804fe0c966087e76f385b977bee",
             "')\n", "asana-token");
    found_as(
        "the run: ", "k8s-aws-v1.aHR0cHM6Ly9zdHMuYW1hem9uYXdzLmNvbS8_QWN0aW9uPUdldENhbGxlcklkZW50",
        "\n", "eks-token");
    found_as("use ", "ark-3a7f1c22-90bd-4e11-8c55-0a1b2c3d4e5f-7ab3c", " here\n", "volcengine-key");
    found_as("Run echo \"::add-mask::", "PO1bSNsq9SYKTJg7S8M8cgZRlt4Ze54E397yMy8H", "\"\n",
             "masked-value");
    found_as("Click: https://x.example/magic?t=", "nrksmFNlUz5AHlBH85EgsDysOmiL9in5bka04Gb12lQ",
             "\n", "prefixed-key");
    static const char *const texts[] = {
        "https://x.example/watch?v=1&t=120s\n",
        "use t-shirt and ark-of-the-covenant\n",
        "echo \"::add-mask::$TOKEN\"\n",
        "GOOGLE and GOOG are two\n",
    };
    STAYS(texts);
}

#define BODY_64 "Bnr5yQ7kqhkiG9w0xAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEfYy"

/* Keys without armour, and armour that a diff, an address or a cut shows otherwise. */
static void test_keys_without_armour(void **state)
{
    (void)state;
    found_as("k = \"", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" BODY_64, "\"\n", "private-key");
    found_as("k = ", "MIIEpAIBAAKCAQEA" BODY_64, "\n", "private-key");
    found_as("k = ", "MHcCAQEEI" BODY_64, "\n", "private-key");
    found_as(
        "ADD_ONION ED25519-V3:",
        "SMA1FldzVuP/h725w1sGv8pWczuWHT/fPFRomJfdCaPAyCzKLMBMfZUWTVUcA6zOJGnJNzERi/MAvH1Y7/yFav==",
        " Port=80\n", "onion-key");
    found_as("",
             "------BEGIN EC PRIVATE KEY-----\n-M" BODY_64
             "\n-F7o86b7\n------END EC PRIVATE KEY-----",
             "\n", "private-key");
    found_as("k=", "-----BEGIN%20PRIVATE%20KEY-----%0AM" BODY_64 "%0A-----END%20PRIVATE%20KEY-----",
             "&x=1\n", "private-key");
    found_as("", "-----BEGIN+RSA+PRIVATE+KEY-----%0AM" BODY_64, "\n", "private-key");
    found_as("", "-----BEGIN RSA PRIVATE KEY-----\nM" BODY_64 "...", "\n", "private-key");
    static const char *const texts[] = {
        "pub MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA" BODY_64 "\n",
        "-----BEGIN RSA PRIVATE KEY----- is what the file must start with\n",
        "It starts with -----BEGIN OPENSSH PRIVATE KEY----- and has many lines.\nNext line\n",
        "?q=-----BEGIN%20PRIVATE%20KEY-----\n",
    };
    STAYS(texts);
}

/* In base64, as a cluster keeps them. */
static void test_coded_tokens(void **state)
{
    (void)state;
    found_as("  tok: ", "Z2hwXzdXak5ORXlGT004clV6NnMySzZqWVZhY1RDSE5xcGhLUGNGOA==", "\n",
             "github-token");
    found_as("  tok: ", "Z2hwXzdXak5ORXlGT004clV6NnMySzZqWVZhY1RDSE5xcGhLUGNGOAo=", "\n",
             "github-token");
    found_as("echo ", "QUtJQUVPTzJOWTNRWE1MTEwyVUM=", " | base64 -d\n", "aws-key-id");
    static const char *const texts[] = {
        "Z2hwXyBpcyB3aGF0IHRva2VucyBiZWdpbiB3aXRo\n",
        "Z2hwXzdXak5ORXlGT004clV6\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_that_tools_try),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_keys_of_unknown_issuers),
        cmocka_unit_test(test_keys_in_two_halves),
        cmocka_unit_test(test_later_issuers),
        cmocka_unit_test(test_keys_without_armour),
        cmocka_unit_test(test_coded_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
