/* What commands print that make secrets, or show a file's bytes, and answers that a prompt ends;
 * and what stays. */
#include "redacted.h"

static void test_made_of_chance(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "$ python3 -c 'import secrets; print(secrets.token_urlsafe(24))'\n",
        "$ ruby -rsecurerandom -e 'puts SecureRandom.hex(16)'\n",
        "$ node -e \"console.log(require('crypto').randomBytes(16).toString('base64'))\"\n",
        "$ php -r 'echo bin2hex(random_bytes(16)), PHP_EOL;'\n",
        "$ perl -e 'print map { (a..z,0..9)[rand 36] } 1..16'\n",
        "$ tr -dc A-Za-z0-9 </dev/urandom | head -c 24; echo\n",
        "$ head -c 18 /dev/urandom | base64\n",
        "$ gpg --gen-random --armor 1 24\n",
        "$ date +%s | sha256sum | base64 | head -c 32\n",
        "$ nsc generate nkey --user\n",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        finds(commands[i], "RSPwXcDTXWlP9sG0D0vmV_raUI", "\n$ ls\n");
    static const char *const texts[] = {
        "$ head -c 1G /dev/urandom > big.bin\n$ ls\nbig.bin\n",
        "$ dd if=/dev/urandom of=x bs=1M count=1\n1+0 records in\n1+0 records out\n",
        "$ python3 -c 'print(1)'\nabc123def456ghi\n",
        "$ cat src/urandom.c\n#include<stdio.h>\n",
        "$ grep -rn randomBytes src | head -3\nsrc/a.js:12:crypto.randomBytes(16)\n",
        "$ age-keygen -y key.txt\nage1l4nv8mj74shb5h616j9rtxhr02ry7rlfz8gn7ovdvesc4qjvix3c5r0d\n",
        "$ vault token lookup -format=json | jq .data.accessor\n\"lCyLXzICyoCX4NtUAShmTQrD\"\n",
    };
    STAYS(texts);
}

static void test_keys_and_their_public_halves(void **state)
{
    (void)state;
    finds("$ wg genkey | tee /dev/stderr | wg pubkey\n",
          "oiCM0w7SWoB+VgkWKbS/YKRHQpDT3m8LRDAu58Z/jnA=",
          "\nC6s9DCbSKgf8zVJG8hCnmcj6bDoVlefDrrcSd67Jk6Y=\n");
    expect("$ wg genkey | wg pubkey\nC6s9DCbSKgf8zVJG8hCnmcj6bDoVlefDrrcSd67Jk6Y=\n",
           "$ wg genkey | wg pubkey\nC6s9DCbSKgf8zVJG8hCnmcj6bDoVlefDrrcSd67Jk6Y=\n", 0);
}

static void test_dumps(void **state)
{
    (void)state;
    finds("# xxd /etc/munge/munge.key | head -2\n00000000: ",
          "d7eb 5087 3e66 8608 018b 9390 342b 0cc5  .5..B.k..,.h....\n"
          "00000010: 359e 7d9d 834a 22ea                      ...s.T..",
          "\n# ls\n");
    finds("# hexdump -C /etc/luks/root.key\n00000000  ",
          "d7 eb 50 87 3e 66 86 08  01 8b 93 90 34 2b 0c c5  |..P.>f......4+..|", "\n");
    finds("# od -An -tx1 keyfile\n ", "d7 eb 50 87 3e 66 86 08 01 8b 93 90 34 2b 0c c5\n 11 22",
          "\n");
    finds("# base64 /etc/corosync/authkey\n",
          "Fp3ztKMYtEhd7S8os35dotdph5nc3fi5yy9wNNR0ZOtOWgrCPk5H\nq9zL4mQk0vR7tXw2", "\n");
    static const char *const texts[] = {
        "$ xxd a.out | head -1\n00000000: 7f45 4c46 0201 0100 0000 0000 0000  .ELF..........\n",
        "$ xxd munge.key\nxxd: munge.key: Permission denied\n",
    };
    STAYS(texts);
}

static void test_answers_without_an_end(void **state)
{
    (void)state;
    finds("$ kubectl get secret a -o jsonpath=\"{.data.password}\" | base64 -d\n",
          "UIrxq2lpc3Rz2kOG", "$ argocd login argocd.lan\n");
    finds("jo@box:~$ cat token.txt\n", "Tq7vR2xLm9Kp4Zc", "jo@box:~$ psql\n");
    finds("[jo@box ~]$ vault kv get -field=password secret/db\n", "Tq7vR2xLm9Kp4Zc",
          "[jo@box ~]$ \n");
    static const char *const texts[] = {
        "jo@box:~$ cat token.txt\njo@box:~$ ls\nabc1\n",
        "$ cat readme.md\nFoo$ bar baz\n",
    };
    STAYS(texts);
}

static void test_decoded(void **state)
{
    (void)state;
    finds("$ echo Ym9iOm1hcGxlN2hhcmJvcg== | base64 --decode\nbob:", "maple7harbor", "\n");
    finds("jo@box:~$ base64 -d <<< bWFwbGU3aGFyYm9y\n", "maple7harbor", "jo@box:~$ ls\n");
    static const char *const texts[] = {
        "$ echo aGVsbG8gd29ybGQ= | base64 -d\nhello world\n",
        "$ base64 -d x > y\njo@h2x:~$ ls\n",
        "$ echo aHR0cHM6 | base64 -d\nhttps://x.example/a1b2\n",
        "$ base64 -d v\nv1.2.3\n",
    };
    STAYS(texts);
}

static void test_encoded(void **state)
{
    (void)state;
    expect("$ echo -n Anchor297 | base64\nQW5jaG9yMjk3\n",
           "$ echo -n [redacted:value] | base64\n[redacted:value]\n", 2);
    expect("$ echo -n 'bob:Maple7248' | base64\nYm9iOk1hcGxlNzI0OA==\n",
           "$ echo -n 'bob:[redacted:value]' | base64\n[redacted:value]\n", 2);
    expect("$ printf '%s' Zebra7crossing | openssl base64\nWmVicmE3Y3Jvc3Npbmc=\n",
           "$ printf '%s' [redacted:value] | openssl base64\n[redacted:value]\n", 2);
    finds("$ echo -n ", "Zebra7crossing", " | sha256sum\n1b4f0e985197  -\n");
    static const char *const texts[] = {
        "$ echo \"5d41402abc4b2a76b9719d911017c592  a.tgz\" | md5sum -c\n",
        "$ echo -n v1.22.333 | md5sum\n",
        "$ echo -n hello | sha256sum\n",
        "$ echo hello | base64\naGVsbG8K\n",
        "$ echo Anchor297 | base64 > a\n$ ls\nQW5jaG9yMjk3\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_of_chance), cmocka_unit_test(test_keys_and_their_public_halves),
        cmocka_unit_test(test_dumps),          cmocka_unit_test(test_answers_without_an_end),
        cmocka_unit_test(test_decoded),        cmocka_unit_test(test_encoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
