/* What calls are given as a secret: in its place, beside a constant, in front of a key. */
#include "redacted.h"

#define TAKES(front, value, behind) expect(front value behind, front "[redacted:value]" behind, 1)
#define HEX                         "7f3c1a2b9d4e4f608a1b2c3d4e5f6071"

static void test_a_secret_in_its_place(void **state)
{
    (void)state;
    TAKES("r = requests.get(url, auth=(\"svc\", \"", "hammockyogurt", "\"))\n");
    TAKES("Client::builder().basic_auth(\"svc\", Some(\"", "ladderlemon", "\"));\n");
    TAKES("createCipheriv('aes-256-cbc', Buffer.from('", HEX, "', 'hex'), iv);\n");
    TAKES("c = AES.new(bytes.fromhex('", HEX, "'), AES.MODE_CBC)\n");
    TAKES("h := hmac.New(sha256.New, []byte(\"", "kernel_vinegar9", "\"))\n");
    TAKES("smtp.login(\"kim@x.example\", \"", "kernelvinegar", "\")\n");
    TAKES("redis:auth(\"", "JigsawZigzag51", "\")\n");
    TAKES("{ password: std.base64('", "harbor_fennel", "') }\n");
    TAKES("new PasswordAuthentication(\"svc\", \"", "walnutparcel", "\".toCharArray());\n");
    TAKES("jwt.sign(payload, \"", "walnutparcel", "\")\n");
    TAKES("factory.setPassword(\"", "walnutparcel", "\");\n");
    remains("form.setPassword(\"password\");\n");
    remains("view.resetPassword(\"from-mail\");\n");
    remains("jwt.sign(payload, \"secret\")\n");
    remains("r = requests.get(url, auth=(\"user\", \"password\"))\n");
    remains("r = requests.get(url, auth=(user, password))\n");
    remains("app.use(auth(\"/api/v1/login\"))\n");
    remains("passport.auth(\"github\")\n");
    remains("client.login(\"user\", \"passwd\")\n");
    remains("password = password.encode(\"latin1\")\n");
}

/* Of what makes something of a key or a wallet's words, and of clients of whatever name. */
static void test_calls_without_a_name(void **state)
{
    (void)state;
    TAKES("const c = require('twilio')('ACed6b38328f75db52b9c928af40ad9886', '", HEX, "')\n");
    TAKES("co = cohere.ClientV2(\"", "v9DAUJ1AHELrF25WloTtdHR5uMLJMpN3W3SniFqI", "\")\n");
    TAKES("m = MistralClient(\"", "v9DAUJ1AHELrF25WloTtdHR5uMLJMpN3", "\")\n");
    TAKES("new HDWalletProvider(\"", "captain jealous acid amazing abandon defense circle tattoo",
          "\", \"https://bsc.example\");\n");
    TAKES("new ethers.Wallet(\"", "0x" HEX HEX, "\")\n");
    TAKES("kp = Keypair.fromSecretKey(bs58.decode(\"", "S5FVr7WNj4ttNw6BAUzpWY5jqm8ZN6QNxj2T36mx",
          "\"))\n");
    TAKES("personal.unlockAccount(eth.accounts[0], \"", "block by block", "\", 600)\n");
    TAKES("c = oracledb.connect(\"scott\", \"", "walnutparcel", "\", \"db/orcl\")\n");
    TAKES("if getpass(\"pw: \") == \"", "semester-ende", "\":\n");
    TAKES("if (prompt('Password:') === '", "semesterende", "') {\n");
    remains("s3 = S3Client(\"eu-west-1-backups-of-the-warehouse\")\n");
    remains("w = new Wallet(\"0x1b04d79a5e6f8c2b3d4e5f60718293a4b5c6d7e8\")\n");
    remains("require('twilio')(accountSid, authToken)\n");
    remains("if (prompt('Password:') === 'password') {\n");
    remains("client = RestClient(\"https://api.example.com/v2/things\")\n");
}

static void test_a_value_beside_a_constant(void **state)
{
    (void)state;
    TAKES("curl_easy_setopt(curl, CURLOPT_USERPWD, \"svc:", "walnut_parcel", "\");\n");
    TAKES("curl_setopt($ch, CURLOPT_PASSWORD, '", "walnut_parcel", "');\n");
    TAKES("c.setopt(c.USERPWD, 'svc:", "walnut_parcel", "')\n");
    TAKES("env.put(Context.SECURITY_CREDENTIALS, \"", "walnut_parcel", "\");\n");
    TAKES("setValue(DB_PASSWORD, \"", "Walnut#parcel7", "\")\n");
    remains("getString(KEY_PASSWORD, \"default\")\n");
    remains("register(TYPE_PASSWORD, \"password-field\")\n");
    remains("addColumn(COLUMN_PASSWORD, \"TEXT NOT NULL\")\n");
    remains("tr(ERR_WRONG_PASSWORD, \"The password is wrong\")\n");
}

static void test_a_value_in_front_of_its_key(void **state)
{
    (void)state;
    TAKES("KeychainWrapper.standard.set(\"", "kernel_vinegar", "\", forKey: \"userPassword\")\n");
    TAKES("UserDefaults.standard.set(\"", "kernelvinegar", "\", forKey: \"apiToken\")\n");
    TAKES("[keychain setObject:@\"", "kernelvinegar", "\" forKey:@\"password\"];\n");
    remains("defaults.set(password, forKey: \"userPassword\")\n");
    remains("defaults.set(\"kernelvinegar\", forKey: \"lastColour\")\n");
    remains("defaults.set(\"password\", forKey: \"userPassword\")\n");
}

static void test_declarations(void **state)
{
    (void)state;
    TAKES("Dim pwd As String = \"", "kiwi-cedar-quartz", "\"\n");
    TAKES("Public Const DbPassword As String = \"", "kiwicedar", "\"\n");
    TAKES("std::string passphrase{\"", "vortex knuckle yogurt 94", "\"};\n");
    TAKES("char password[32] = \"", "walnutparcel", "\";\n");
    TAKES("static char password[] = \"", "walnutparcel", "\";\n");
    remains("char password[] = \"\";\n");
    remains("password[3] = next;\n");
    remains("Dim password As String = \"not-required\"\n");
    remains("Dim password As String = txtPassword.Text\n");
    remains("std::string password{\"Enter your password\"};\n");
}

/* What a value is made of does not end it. */
static void test_values_to_their_end(void **state)
{
    (void)state;
    TAKES("body: { user: admin, password: ", "Koala(8459?EBtLUO", " }\n");
    TAKES("body: { user: admin, password: ", "5NiKG;YF3KX=F4le", " }\n");
    TAKES("conninfo = 'user=rep password=''", "anchor_puzzle_crimson", "'' host=10.1.2.3'\n");
    TAKES("RESTIC_PASSWORD=$'", "the kiwi ate my pepper", "'\n");
    TAKES("    password: ", "CobaltPepper", "\n");
    remains("password: getenv(name2, NULL\n");
    remains("SELECT * FROM t WHERE password='' AND x=''\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_secret_in_its_place),
        cmocka_unit_test(test_calls_without_a_name),
        cmocka_unit_test(test_a_value_beside_a_constant),
        cmocka_unit_test(test_a_value_in_front_of_its_key),
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_values_to_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
