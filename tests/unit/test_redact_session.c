/* What sessions show besides: addresses that let in, keys beside their ids, codes of devices, what
 * is written into files, typed too early, and said again; and what stays. */
#include "redacted.h"

#include <stdio.h>

static void test_addresses(void **state)
{
    (void)state;
    found_as("celery -A app -b amqp://celery:", "camel@892#lKX", "@mq.lan:5672/%2Fprod -c 8",
             "url-password");
    found_as("mysql://bob:", "qu?es@t1#on", "@db/x", "url-password");
    found_as("$ ffmpeg -i in.mp4 -f flv rtmp://a.rtmp.example/live2/", "grxo-r5dk-6aqh-nmf6-8c5c",
             "\n", "secret-address");
    found_as("http://default/user/reset/1/1740910000/",
             "kh8v8Ft8wQynTGdpm_qx5ivny6_iyD0E0PTc3cnJirM", "/login\n", "secret-address");
    finds("$ influx 'http://db:8086/query?u=root&p=", "biscuit372", "&q=SHOW+DATABASES'");
    finds("GET /rest/ping?v=1&u=bob&p=", "maple7harbor", " HTTP/1.1");
    static const char *const texts[] = {
        "https://x.example/docs/reset/1/2/how-to-reset-your-password",
        "http://x.example/?u=1&page=2",
        "http://x.example/?p=1234&u=5",
        "http://x.example/search?q=x&p=hello-world2",
        "rtmp://localhost/live/stream",
        "https://github.com/org/repo#readme@x",
    };
    STAYS(texts);
}

static void test_keys_beside_their_ids(void **state)
{
    (void)state;
    expect("ak=LTAI5tVCRS2YVN2TNDYqhh3W sk=lPx5s411Q4azhRfoJWZQhHdJJZTnxH\n",
           "ak=[redacted:alibaba-key-id] sk=[redacted:alibaba-secret-key]\n", 2);
    expect("SK" h32 "  pager          cRXF1PBx1m6MAK3IyOQi0AM3501sJhmI\n",
           "[redacted:twilio-key]  pager          [redacted:twilio-secret]\n", 2);
    expect("SK" h32 "  pager          " h32 "\n", "[redacted:twilio-key]  pager          " h32 "\n",
           1);
}

static void test_codes_of_devices(void **state)
{
    (void)state;
    finds("! First copy your one-time code: ", "TN2O-FSOB", "\nOpen this URL\n");
    static const char *const names[] = {"enter the code REFUND24 today\n",
                                        "device code: XPS-9310\n", "security code: ISO-27001\n",
                                        "pin code is SW1A1AA\n"};
    STAYS(names);
    finds("open https://x.example/devicelogin and enter the code ", "FK8XJ2QPL",
          " to authenticate.\n");
    finds("{\"user_code\":\"", "WDJB-MJHT", "\"}");
    static const char *const texts[] = {
        "error code: ABCD-EFGH\n",      "exit code: E1234-XYZ\n", "{\"user_code\":\"ADMIN\"}",
        "enter the code NOW please.\n", "device code: LINUX\n",
    };
    STAYS(texts);
}

static void test_written_and_typed(void **state)
{
    (void)state;
    finds("$ printf '%s' '", "zF9pZcUifiQz2Q7CP5n8", "' > api_token.txt\n");
    finds("$ printf '%s' \"", "zF9pZcUifiQz\"\\\n> \"qeQCYxuUxpmq", "\" > api_token.txt\n");
    finds("$ echo '", "maple7harbor", "' | sudo tee /etc/x/secret.key > /dev/null\n");
    finds("$ docker run -e DB_PASS=\\\n", "tulip-donut-dolphin", " -e X=1 acme/app\n");
    finds("msf6 exploit(multi/http/x) > set HttpPassword ", "maple7harbor", "\n");
    expect("$ read -s PW; daisy_panda80\n-bash: daisy_panda80: command not found\n",
           "$ read -s PW; [redacted:value]\n-bash: [redacted:value]: command not found\n", 2);
    found_as("X-Session: ", h32 h32, "\n", "authorization");
    static const char *const texts[] = {
        "$ echo 'maple7harbor' | sudo tee /etc/x/host.conf\n",
        "$ read -s PW; ls2\nok\n",
        "$ foo2bar\nbash: foo2bar: command not found\n",
        "X-Session: none\n",
    };
    STAYS(texts);
}

static void test_said_again(void **state)
{
    (void)state;
    expect("$ sed -i 's/password=igloo-spruce-fjord/password=Violet2019/' a && git commit -m \"no "
           "igloo-spruce-fjord\"\n",
           "$ sed -i 's/password=[redacted:value]/password=[redacted:value]' a && git commit -m "
           "\"no [redacted:value]\"\n",
           3);
    expect("db_password=hunter7kiwi\nlog: no hunter7kiwi\n",
           "db_password=[redacted:value]\nlog: no [redacted:value]\n", 2);
    expect("password: pod2html\nsub pod2html\n", "password: [redacted:value]\nsub pod2html\n", 1);
    expect("password: walnutkiwi\nthe walnutkiwi\n", "password: [redacted:value]\nthe walnutkiwi\n",
           1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),        cmocka_unit_test(test_keys_beside_their_ids),
        cmocka_unit_test(test_codes_of_devices), cmocka_unit_test(test_written_and_typed),
        cmocka_unit_test(test_said_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
