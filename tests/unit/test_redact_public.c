/* What stands where a secret would and is none: types, public keys, cookies that are taken back. */
#include "redacted.h"

#include <stdio.h>

static void test_types_of_columns_stay(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "mysql> DESCRIBE users;\n| password       | varchar(255) | NO   |     | NULL    |\n"
        "| remember_token | varchar(100) | YES  |     | NULL    |\n",
        "| Field    | Type         | Null | Key |\n+----------+--------------+------+-----+\n"
        "| password | VARCHAR2(255 CHAR) | YES  |     |\n",
        " Column | Type | Nullable\n--------+------+---------\n"
        " password_hash | character varying(128) | not null\n"
        " reset_token   | character(64)          |\n",
    };
    STAYS(texts);
    expect("| password | varchar17(Xy) |\n", "| password | [redacted:value] |\n", 1);
    expect("| id | password |\n| 1  | Walrus12ab |\n",
           "| id | password |\n| 1  | [redacted:value] |\n", 1);
}

static void test_types_of_languages_stay(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "type ApiKey = { id: number; secretKey: Uint8Array };\n",
        "struct Auth { secret_key: Vec<u8>, token: Option<String> }\n",
        "def f(password: SecretStr, api_key: Optional[bytes32]) -> None: ...\n",
    };
    STAYS(texts);
    expect("PASSWORD=\"Map<Str0ngPass9>\"\n", "PASSWORD=\"[redacted:value]\"\n", 1);
    expect("DB_PASSWORD=Set[Str0ngPasw0re]\n", "DB_PASSWORD=[redacted:value]\n", 1);
}

/* Of what a line prints beside a public key the private one is none. */
static void test_a_private_key_goes(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "$ wg genkey | tee privatekey; wg pubkey < privatekey > publickey",
        "$ wg genkey | tee privatekey && wg pubkey < privatekey",
        "$ cat /etc/wireguard/privatekey; wg pubkey < /etc/wireguard/privatekey",
        "$ wg genkey | tee /dev/stderr | wg pubkey",
        "WireGuard private key (pipe into wg pubkey for the public one):"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[200], wanted[200];
        snprintf(text, sizeof text, "%s\noiCM0w7SWoB+VgkWKbS/YKRHQpDT3m8LRDAu58Z/jnA=\n", lines[i]);
        snprintf(wanted, sizeof wanted, "%s\n[redacted:value]\n", lines[i]);
        expect(text, wanted, 1);
    }
    expect("-----BEGIN PRIVATE KEY-----\n3a9f\n88b1c2d4\n-----END PRIVATE KEY-----\n",
           "[redacted:private-key]\n", 1);
    expect("DB_PASSWORD=my-cat-fluffy-secret\n", "DB_PASSWORD=[redacted:value]\n", 1);
    expect("  SMTP_PASS: testKiwi99!\n", "  SMTP_PASS: [redacted:value]\n", 1);
    expect("PASS: test_login\n", "PASS: test_login\n", 0);
}

static void test_what_is_public_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("$ age-keygen -y key.txt\n"
         "age1eglr9drkh3zz9m2gd3cmgjj74ecz7d4a8gw8rsdtg5tht0qwnzagx9stcq\n"),
        "$ wg genkey | tee privatekey | wg pubkey\noiCM0w7SWoB+VgkWKbS/YKRHQpDT3m8LRDAu58Z/jnA=\n",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n",
        "set-cookie: sid=deleted; expires=Thu, 01-Jan-1970 00:00:01 GMT; Max-Age=0\n",
        "set-cookie: rememberMe=deleteMe; Path=/\n",
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----\n",
        "  $ vault kv put secret/creds passcode=my-long-passcode\n",
    };
    STAYS(texts);
    expect("set-cookie: sid=deleted7x9Qz; Path=/\n", "set-cookie: sid=[redacted:cookie]; Path=/\n",
           1);
    expect("passcode=my-Walrus-12\n", "passcode=[redacted:value]\n", 1);
    expect("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp\n"
           "-----END PRIVATE KEY-----\n",
           "[redacted:private-key]\n", 1);
}

/* What stands where one would, and is another's alone, a sum or a word of a program. */
static void test_what_says_of_one(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "kind: SealedSecret\nspec:\n  encryptedData:\n    password: "
        "AgBC6DEfdOsq1W+if7bn9LBc7LoxpYiEZ0G1xIc1CzR71OzshIaYL97WyndHRUiJmqqls86CQahyuC/"
        "iPPJy4LANVlUyLQvE52icqRfsZfCbp6Ez+bjo8FgW2Hqr+npr2kP+FBoTNWR3at2==\n",
        "ok: [db-01] => {\"login_user\": \"kim\", \"password\": "
        "\"VALUE_SPECIFIED_IN_NO_LOG_PARAMETER\"}\n",
        "Connecting "
        "to:\t\tmongodb+srv://<credentials>@cluster0.6tvz4ok.mongodb.net/?appName=a+2.5.9\n",
        "2) 1) \"token:stats:2025-12\"\n",
        "  \"hashed_secret\": \"d76c47db49bdec4acbf98d3f37c67331912de68e\",\n",
        "{\"msg\":\"token expired\",\"exp\":1741190400,\"iat\":1741186800}\n",
    };
    STAYS(texts);
    finds("password: ",
          "AgBC6DEfdOsq1W+if7bn9LBc7LoxpYiEZ0G1xIc1CzR71OzshIaYL97WyndHRUiJmqqls86CQahyuC/"
          "iPPJy4LANVlUyLQvE52icqRfsZfCbp6Ez+bjo8FgW2Hqr+npr2kP+FBoTNWR3at2==",
          "\n");
}

/* What systems say of a password, and what stands for one. */
static void test_said_of_one(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Failure Reason:\t\tUnknown user name or bad password.\nStatus:\t\t\t0xC000006D\n",
        "postgres=# show password_encryption;\n password_encryption\n-----\n scram-sha-256\n",
        "mysql> show variables like 'validate_password%';\n+-----------+--------+\n",
        "redis> HGETALL user:12\n3) \"password_changed_at\"\n4) \"1731490000\"\n",
        "Enter Auth Username: lars77\n",
        "registered, machine key mkey:" h32 h32 "\n",
        "check_snmp -H sw1 -C $USER4$ -o .1.3.6\n",
        "smtp::password: ENC[PKCS7,MIIBPn/iDaDgPKnvYRNGMqLM7Fq+hREQ+7K6RMBbeNWuIGuPyCwEzkqEJpczlaLb"
        "S5c0MLVqc+no4MlN1h2oNyYe9alu6MCIBvNZPEGJzCOhzUkHKfT5gaBeiZGWvDJJn5Q+7ee4]\n",
        "$ op item get \"Synology\"\n  password:    [use 'op item get 1p15g0u6fhctrcnjzy2iamh6hy "
        "--reveal' to reveal]\n",
        "Title: Proxmox\nPassword: PROTECTED\n",
    };
    STAYS(texts);
    finds("Enter Auth Password: ", "lars77", "\n");
    finds("postgres=# show smtp_password;\n ", "Calvin7Hobbes", "\n");
}

/* What is called as a secret is, and where one is taken from. */
static void test_what_is_called_so(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "$ apt-cache show libsecret-1-0\nPackage: libsecret-1-0\nSource: libsecret\n",
        "$ perl -e '$password = $ENV{PASSWORD}; print $token;'\n",
        "output \"token\" {\n  value     = random_password.db.result\n}\n",
        "ami-0ecf27f3ef67ac00a   lena-key        subnet-0cd2de65e1127c25e\n",
        "\"ClientRequestToken\": \"Console-CreateStack-84b2628e-6f7f-45a1-a585-345c048ec06d\"\n",
        "$ helm upgrade shop ./chart --set auth.existingSecret=shop-db\n",
        "PASSWORD_HASH_ALGO = pbkdf2$50000$50\n",
        "The key {87f8aa24-e4a5-47df-af27-733cf18cd0c3} was not found in the key ring.\n",
        "Unable to add window -- token android.os.BinderProxy@4f2a91c is not valid\n",
        "VITE_RECAPTCHA_SITE_KEY=6Lp7OxO5dvE4p7Pq2Q47lRSnyW3RXKi8d90ACplW\n",
        "    secure: v1:bzKowQAx2di1R3JX:SNHoIb3M4z6hZG4fSVZ7bKFzMxfS6KNxonDVP8uUpt4=\n",
        "$ cat .env.example | grep KEY\nAPP_KEY=\nAWS_SECRET_ACCESS_KEY=\n",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nRelease 2.4.0\n",
        "| plugin                | password_expired "
        "|\n+-----------------------+------------------+\n"
        "| mysql_native_password | N                |\n| mysql_native_password | N                "
        "|\n",
    };
    STAYS(texts);
    finds("$ pass show mail/libsecret\n", "tall Green 9 lamps", "\n");
    finds("output \"token\" {\n  value     = \"", "x8Kd92mPq1Zr", "\"\n}\n");
    finds("| id | password |\n+----+----------+\n|  1 | ", "mysql4Native", " |\n");
}

/* What stands in addresses for a secret that is set elsewhere. */
static void test_in_addresses(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "dsn: postgres://${DB_USER}:${DB_PASS}@pg01:5432/shop\n",
        "amqp://{{ rabbit_user }}:{{ rabbit_password }}@mq01:5672/jobs\n",
        "url: \"redis://:#{redis_password}@cache01:6379/0\"\n",
        "postgres://[user]:[password]@host01:5432/db\n",
        "https://$(user):$(token)@git01.example.com/a1\n",
    };
    STAYS(texts);
    found_as("postgres://shop:", "Walrus-12", "@pg01:5432/shop\n", "url-password");
}

/* What logs, traces, sums, tables and pages have beside a secret's name. */
static void test_beside_its_name(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("token_cleaner.go:89] \"Deleted expired secret\" "
         "secret=\"kube-system/bootstrap-token-abcdef\"\n"),
        "gw/auth.(*Token).Refresh(0xc0000fae05, {0xdef4a7, 0xc000dbc785})\n",
        "main.checkPassword({0xc00001c0a8, 0x9}, {0x4b8a12, 0x7})\n",
        "in verify_password (password=0x5581c2d0, len=12)\n",
        "    secure: AAABA886c4yq0VXZPQoP7o+mXnPChmIBV1f/Y27FPABAoO1XO1RfzyPdVZoD4VPxq=\n",
        "MD5 (secret.txt) = 828a591a8f0238a737086c4d23d75157\n",
        "SHA1(token)= a94a8fe5ccb19ba61c4c0873d391e987982fbbd3\n",
        "`password` varchar(255) COLLATE utf8mb4_unicode_ci NOT NULL,\n",
        "NEXT_PUBLIC_POSTHOG_KEY=phc_0Gwm7mMj3yYzsLsekQxa8U70LcfXFeTqJ3Je3RFTGf8\n",
        "posthog.init('phc_0Gwm7mMj3yYzsLsekQxa8U70LcfXFeTqJ3Je3RFTGf8')\n",
        "VITE_STRIPE_KEY=pk_live_51lfqbLBqjXSNWTKrP0cWaVnaPcRTKBk14GFQqkXFYrfWCgN\n",
        "AWS_SECRET_ACCESS_KEY=AWS_SECRET_HERE\n",
        "API_KEY=api-key-here\nJWT_SECRET=secret_goes_here\n",
    };
    STAYS(texts);
    finds("secret=\"", "kube/System7Bootstrap", "\"\n");
    finds("DB_PASSWORD=", "0xc0000fae05", "\n");
    finds("DB_PASSWORD=", "maple_2unicode_ci", "\n");
    finds("DB_PASSWORD=", "wish-you-were-here", "\n");
    finds("secret = ", "828a591a8f0238a737086c4d23d75157", "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_of_columns_stay),
        cmocka_unit_test(test_types_of_languages_stay),
        cmocka_unit_test(test_a_private_key_goes),
        cmocka_unit_test(test_what_is_public_stays),
        cmocka_unit_test(test_what_says_of_one),
        cmocka_unit_test(test_said_of_one),
        cmocka_unit_test(test_what_is_called_so),
        cmocka_unit_test(test_in_addresses),
        cmocka_unit_test(test_beside_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
