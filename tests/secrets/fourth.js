// fourth.js: a fourth corpus, written without a look at the rules or at the other three. A line is a case: «what is secret», ‹what is made up›, ⏎ a new line.
// What is still missed stays in it.
'use strict';

let seed = 4711;
function random(n) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
}
const D = '0123456789', L = 'abcdefghijklmnopqrstuvwxyz', U = L.toUpperCase();
const sets = { D, L, U, A: D + L + U, a: D + L, X: D + U, h: D + 'abcdef', H: D + 'ABCDEF', W: D + L + U + '_-', B: D + L + U + '+/' };
const some = (set, n) => Array.from({ length: n }, () => set[random(set.length)]).join('');
const words = ['orchid', 'walrus', 'copper', 'fjord', 'lantern', 'pebble', 'saffron', 'tundra', 'velvet', 'zeppelin'];
const word = () => words[random(words.length)];
const cap = (w) => w[0].toUpperCase() + w.slice(1);
const kinds = {
    u: () => [8, 4, 4, 4, 12].map((n) => some(sets.h, n)).join('-'), // UUID
    w: () => word() + word(),                                        // letters alone
    p: () => cap(word()) + some(D, 3) + some(L, 2),                  // with a digit
    q: () => cap(word()) + '!' + some(D, 2) + '#' + some(L, 3),      // with punctuation
    j: () => Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url') + '.' + // a JWT
             Buffer.from(`{"sub":"${some(D, 8)}","iat":17${some(D, 8)}}`).toString('base64url') + '.' + some(sets.W, 43),
};
function make(spec) {
    return kinds[spec] ? kinds[spec]() : some(sets[spec[0]], Number(spec.slice(1)));
}
function parse(group, line) {
    const secrets = [];
    const text = line.replace(/‹(\w+)›/g, (all, spec) => make(spec)).replace(/⏎/g, '\n')
                     .replace(/«([^»]*)»/g, (all, secret) => { secrets.push(secret); return secret; });
    return { group, text: text + '\n', secrets };
}
const all = [], none = [];
function add(group, lines) {
    lines.split('\n').filter((line) => line).forEach((line) => all.push(parse(group, line)));
}

add('fourth, vendors', String.raw`
«ghu_‹A36›»
using «ghs_‹A36›» for the clone
«ghr_‹A76›» refreshed
«github_pat_11‹X20›_‹A59›»
«gldt-‹W20›»
Runner registered: «glrt-‹W20›»
«glptt-‹h40›»
«glsoat-‹W20›»
«gloas-‹h64›»
«glcbt-64_‹W20›»
«glagent-‹W50›»
«glpat-‹W27›.01.‹a9›»
«glimt-‹W25›»
«AKIA‹X16›»
«ASIA‹X16›»
«ABSKQmVkcm9ja0FQSUtleS‹B110›=»
«ya29.a0AfB_by‹W130›»
«GOCSPX-‹W28›»
«AIzaSy‹W33›»
refresh «1//0g‹W62›»
«xoxb-‹D12›-‹D13›-‹A24›»
«xoxp-‹D12›-‹D12›-‹D13›-‹h32›»
«xoxc-‹D12›-‹D12›-‹D13›-‹h64›»
«xapp-1-A0‹X9›-‹D13›-‹h64›»
«xoxe.xoxp-1-‹A160›»
posting to https://hooks.slack.com/services/«T0‹X8›/B0‹X8›/‹A24›»
«sk_live_51‹A97›»
«rk_live_51‹A97›»
> Ready! Your webhook signing secret is «whsec_‹h64›» (^C to quit)
«sk_test_‹A24›»
«sk-proj-‹W74›T3BlbkFJ‹W74›»
«sk-svcacct-‹W74›T3BlbkFJ‹W74›»
«sk-‹A20›T3BlbkFJ‹A20›»
«sk-ant-api03-‹W93›AA»
«sk-ant-admin01-‹W93›AA»
«sk-ant-oat01-‹W93›AA»
«hf_‹L34›»
«r8_‹A37›»
«gsk_‹A52›»
«pplx-‹A48›»
«xai-‹A80›»
«fw_‹A24›»
«sk-or-v1-‹h64›»
«nvapi-‹W64›»
«pcsk_‹A5›_‹A63›»
«lsv2_pt_‹h32›_‹h10›»
«sk-lf-‹u›»
«tvly-dev-‹A32›»
«fc-‹h32›»
«e2b_‹h40›»
«jina_‹h32›‹W28›»
«tgp_v1_‹W43›»
«csk-‹a48›»
«rpa_‹X40›‹a6›»
«dapi‹h32›-2»
«sbp_‹h40›»
«sb_secret_‹W22›_‹A8›»
«napi_‹a64›»
«pscale_tkn_‹W43›»
«pscale_pw_‹W43›»
«pscale_oauth_‹W43›»
«mdb_sa_sk_‹W40›»
«CCDB1_‹A22›_‹A40›»
«AVNS_‹W18›»
«vercel_blob_rw_‹A16›_‹A32›»
«vcp_‹A56›»
«nfp_‹A40›»
FlyV1 «fm2_lJPE‹B200›»
«rnd_‹A32›»
«HRKU-AA‹W58›»
«dop_v1_‹h64›»
«doo_v1_‹h64›»
«cfut_‹A40›‹h8›»
«v1.0-‹h24›-‹h146›»
«dp.pt.‹A43›»
«dp.st.prd.‹A43›»
«hvs.CAESI‹W90›»
«hvb.AAAAAQ‹W140›»
«‹A14›.atlasv1.‹W67›»
«pul-‹h40›»
«ops_eyJ‹A250›»
«A3-‹X6›-‹X11›-‹X5›-‹X5›-‹X5›»
«tskey-auth-k‹A10›CNTRL-‹A32›»
«tskey-api-k‹A10›CNTRL-‹A32›»
«AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE»
«npm_‹A36›»
«pypi-AgEIcHlwaS5vcmc‹W150›»
«rubygems_‹h48›»
«cio‹A32›»
«oy2‹a43›»
«dckr_pat_‹W27›»
«dckr_oat_‹W32›»
«AKCp8‹A68›»
«squ_‹h40›»
«sqp_‹h40›»
«CCIPAT_‹A22›_‹h40›»
«CCIPRJ_‹A22›_‹h40›»
«bkua_‹h40›»
«sntrys_eyJ‹A90›_‹B43›»
«sntryu_‹h64›»
«glsa_‹A32›_‹h8›»
«glc_eyJ‹A90›»
«NRAK-‹X27›»
«NRII-‹W32›»
«hcaik_01‹a56›»
«dt0c01.‹X24›.‹X64›»
«sdk-‹u›»
«secret-‹A44›»
«phx_‹A47›»
«phs_‹A43›»
«sgp_‹A64›»
«SK‹h32›»
«SG.‹W22›.‹W43›»
«key-‹h32›»
«‹h32›-‹h8›-‹h8›»
«‹h32›-us21»
«xkeysib-‹h64›-‹A16›»
«xsmtpsib-‹h64›-‹A16›»
«re_‹A8›_‹A24›»
bot «‹D10›:AAH‹W32›» started
«MTE‹A21›.G‹W5›.‹W38›»
https://discord.com/api/webhooks/«‹D18›/‹W68›»
https://‹L6›.webhook.office.com/webhookb2/«‹u›@‹u›/IncomingWebhook/‹h32›/‹u›»
«ntn_‹D11›‹A35›»
«secret_‹A43›»
«lin_api_‹A40›»
«lin_oauth_‹h64›»
«ATATT3xFfGF0‹W180›=‹H8›»
«ATBB‹A32›»
«figd_‹W40›»
«pat‹A14›.‹h64›»
«tfp_‹W44›_‹W14›»
«CFPAT-‹W43›»
«shpat_‹h32›»
«shpss_‹h32›»
«sq0csp-‹W43›»
«sq0atp-‹W22›»
«EAAA‹W60›»
«access_token$production$‹a16›$‹h32›»
«access-production-‹u›»
«rzp_live_‹A14›»
«live_‹A30›»
«pdl_live_apikey_01‹a24›_‹A22›_‹A3›»
«FLWSECK-‹h32›-X»
«EZAK‹h54›»
«shippo_live_‹h40›»
«duffel_live_‹W43›»
«sk.eyJ1Ijoi‹A80›.‹W22›»
«EAAG‹A180›ZD»
«sl.B‹W135›»
«pat-na1-‹u›»
«fio-u-‹W64›»
«CLOJARS_‹a60›»
«PMAK-‹h24›-‹h34›»
«rdme_xn8s9h‹a64›»
«pnu_‹a36›»
«dbtc_‹W44›»
«y0_‹W55›»
«t1.‹W87›.‹W86›»
«AQVN‹W35›»
«vk1.a.‹W210›»
«LTAI5t‹A18›»
«AKID‹A32›»
«bce-v3/ALTAK-‹A21›/‹h40›»
«sgp_‹h16›_‹h40›»
«crsr_‹h64›»
tid=‹h32›;exp=17‹D8›;sku=copilot;«8kp=1:‹h64›»
«hawk.‹W20›.‹W20›»
«prod:happy-otter-‹D3›|eyJ2MiI6‹A60›=»
«ory_at_‹W43›.‹W43›»
«ory_pat_‹A32›»
«wandb_v1_‹A77›»
«api_org_‹A34›»
«sk_live_‹A40›»
«waka_‹u›»
«apify_api_‹A36›»
«bb_live_‹W27›»
«dG9rOj‹A54›=»
«zpka_‹h32›_‹h8›»
«snyk_uat.‹h8›.eyJ‹W80›.‹W60›»
`);

add('fourth, cloud', String.raw`
DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=«‹B86›==»;EndpointSuffix=core.windows.net
Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«‹B43›=»
https://acct.blob.core.windows.net/c/f.tgz?sv=2022-11-02&se=2026-01-01&sr=b&sp=r&sig=«‹A40›%3D»
  "password": "«‹A3›8Q~‹W34›»",
«‹A52›JQQJ99‹X6›ACAAAAAAAAAAAAASAZDO‹A4›»
«‹W44›AzFu‹A6›==»
aws_secret_access_key = «‹B40›»
aws_session_token=«IQoJb3JpZ2luX2VjE‹B300›»
    "SecretAccessKey": "«‹B40›»",
    "SessionToken": "«FwoGZXIvYXdzE‹B250›»",
|  AccessKeyId     |  «AKIA‹X16›»  |⏎|  SecretAccessKey |  «‹B40›»  |⏎
ACCESSKEY	«AKIA‹X16›»	2025-01-01T00:00:00+00:00	«‹B40›»	Active	ci-user
CREDENTIALS	«ASIA‹X16›»	2025-01-01T00:00:00Z	«‹B40›»	«IQoJb3JpZ2luX2VjE‹B300›»
$ gcloud auth print-access-token⏎«ya29.c.c0ASRK0Ga‹W200›»
$ gcloud auth print-identity-token⏎«‹j›»
$ az account get-access-token⏎{⏎  "accessToken": "«‹j›»",⏎  "expiresOn": "2025-01-01"⏎}
  "private_key": "«-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF‹B60›\n‹B64›\n-----END PRIVATE KEY-----\n»",
  "private_key_id": "‹h40›", "client_secret": "«GOCSPX-‹W28›»"
export AWS_SECRET_ACCESS_KEY="«‹B40›»"
$Env:AWS_SECRET_ACCESS_KEY="«‹B40›»"
SET AWS_SESSION_TOKEN=«FwoGZXIvYXdzE‹B250›»
X-Amz-Security-Token=«IQoJb3JpZ2luX2VjE‹A200›»&X-Amz-Signature=«‹h64›»
`);

add('fourth, assignments', String.raw`
DB_PASSWORD=«‹p›» ./manage.py migrate
export REDIS_PASS='«‹q›»'
readonly api_token="«‹w›»"
declare -x SMTP_PASSWORD="«‹q›»"
: "\${ADMIN_PASSWORD:=«‹p›»}"
password = "«‹p›»"
conn = psycopg2.connect(host="db", user="app", password="«‹q›»")
SECRET_KEY = 'django-insecure-«‹a40›»'
API_KEY: str = "«‹A32›»"
token = os.getenv("API_TOKEN", "«‹A32›»")
pw = os.environ.get('DB_PASSWORD', '«‹p›»')
self.auth_token = '«‹A24›»'
config["secret_key"] = "«‹h32›»"
headers = {"X-API-Key": "«‹A32›»"}
requests.get(url, auth=("admin", "«‹p›»"))
const apiKey = '«‹A32›»';
const clientSecret: string = "«‹W32›»";
  password: '«‹q›»',
process.env.JWT_SECRET = "«‹h64›»";
const secret = process.env.SESSION_SECRET || '«‹p›»';
const secret = process.env.SESSION_SECRET ?? "«‹w›»";
let dbPassword = \`«‹q›»\`;
jwt.sign(payload, '«‹p›»', { expiresIn: '1h' })
password := "«‹p›»"
const APIToken = "«‹A32›»"
	Password: "«‹q›»",
viper.SetDefault("db.password", "«‹p›»")
os.Setenv("API_SECRET", "«‹A24›»")
let api_key = "«‹A32›»".to_string();
const DB_PASSWORD: &str = "«‹q›»";
std::env::set_var("AUTH_TOKEN", "«‹A24›»");
private static final String PASSWORD = "«‹p›»";
props.setProperty("password", "«‹q›»");
DriverManager.getConnection(url, "sa", "«‹p›»");
@Value("\${app.secret:«‹p›»}")
string password = "«‹q›»";
var connectionString = "Server=db;Database=a;User Id=sa;Password=«‹p›»;";
public const string ApiKey = "«‹A32›»";
services.AddSingleton(new Client { ClientSecret = "«‹A32›»" });
$password = '«‹q›»';
define('DB_PASSWORD', '«‹q›»');
'password' => '«‹p›»',
$db = new PDO($dsn, 'root', '«‹p›»');
'key' => env('APP_KEY', '«base64:‹B43›=»'),
password: "«‹p›"».freeze
secret_key_base: «‹h128›»
ENV['API_TOKEN'] = "«‹A24›»"
ENV.fetch("SECRET_TOKEN", "«‹A24›»")
:password => "«‹q›»",
val dbPassword = "«‹q›»"
const val API_KEY = "«‹A32›»"
storePassword = "«‹p›»"
let apiSecret = "«‹A32›»"
static let clientToken: String = "«‹A24›»"
my $passwd = "«‹q›»";
my %opt = (password => '«‹p›»');
$ENV{DB_PASS} = '«‹p›»';
local password = "«‹p›»"
db = { password = '«‹q›»' }
password: «‹p›»
  api_key: "«‹A32›»"
  - name: admin⏎    password: «‹q›»
password = "«‹q›»"
secret_token = '«‹A24›»'
[client]⏎user=root⏎password=«‹p›»
admin_passwd = «‹q›»
variable "db_password" {⏎  default = "«‹p›»"⏎}
master_password = "«‹q›»"
provider "x" { api_token = "«‹A32›»" }
spring.datasource.password=«‹p›»
ssl.keystore.password = «‹w›»
jdbc.pass: «‹p›»
<password>«‹p›»</password>
<add key="ApiKey" value="«‹A32›»" />
<property name="hibernate.connection.password">«‹p›»</property>
<property name="password" value="«‹q›»"/>
<key>AuthToken</key>⏎	<string>«‹A24›»</string>
<key>password</key><string>«‹p›»</string>
<server><id>nexus</id><username>u</username><password>«‹q›»</password></server>
{"password":"«‹p›»","user":"a"}
{"data":{"auth":{"client_token":"«‹A24›»"}}}
"{\"api_key\":\"«‹A32›»\",\"n\":1}"
{"body":"{\\\"password\\\":\\\"«‹p›»\\\"}"}
"passphrase": "«‹w›»",
{"accessToken": "«‹A40›»", "refreshToken": "«‹A40›»"}
set -gx API_TOKEN «‹A24›»
setenv DB_PASSWORD «‹p›»
$password = ConvertTo-SecureString "«‹q›»" -AsPlainText -Force
New-Object PSCredential("admin", (ConvertTo-SecureString '«‹p›»' -AsPlainText -Force))
[Environment]::SetEnvironmentVariable("API_TOKEN", "«‹A24›»", "User")
$headers = @{ Authorization = "Bearer «‹A40›»" }
ALTER USER app WITH PASSWORD '«‹p›»';
CREATE USER 'app'@'%' IDENTIFIED BY '«‹q›»';
char *password = "«‹p›»";
#define WIFI_PASSWORD "«‹p›»"
const char* ssid_pass = "«‹w›»";
Sys.setenv(API_KEY = "«‹A32›»")
config :app, App.Repo, password: "«‹p›»"
(setq my-api-token "«‹A24›»")
System.put_env("API_TOKEN", "«‹A24›»")
ansible_ssh_pass=«‹p›»
ansible_become_password: «‹q›»
`.replace(/\\`/g, '`').replace(/\\\$/g, '$'));

add('fourth, tools', String.raw`
mysql -h db -uroot -p«‹p›» app
mysqldump --password='«‹q›»' app > a.sql
PGPASSWORD=«‹p›» psql -h db -U app
psql "host=db user=app password=«‹p›» dbname=a"
sshpass -p '«‹q›»' ssh root@h
docker login -u me -p «‹p›» reg.io
podman login --username me --password «‹p›» quay.io
helm registry login reg.io -u me -p «‹p›»
redis-cli -h r -a «‹p›» ping
redis-cli -u redis://default:«‹p›»@r:6379
mongosh -u admin -p «‹p›» --authenticationDatabase admin
mongodump --username a --password=«‹q›»
curl -u admin:«‹p›» https://h/
curl --user 'admin:«‹q›»' https://h/
curl -H "Authorization: Bearer «‹A40›»" https://h/
curl -H 'X-Auth-Token: «‹A24›»' https://h/
curl -d 'user=a&password=«‹p›»' https://h/login
curl --proxy-user me:«‹p›» https://h/
curl -F client_secret=«‹A32›» https://h/token
wget --user=me --password=«‹p›» https://h/f
http -a me:«‹p›» GET https://h/
https h/api Authorization:"Token «‹A40›»"
openssl enc -aes-256-cbc -pass pass:«‹p›» -in a
openssl pkcs12 -export -passout pass:«‹q›» -in a.pem
openssl rsa -in k.pem -passin pass:«‹w›»
keytool -genkey -storepass «‹p›» -keypass «‹p›» -alias a
jarsigner -storepass «‹p›» a.jar k
sqlplus system/«‹p›»@//db:1521/XE
sqlcmd -S db -U sa -P «‹q›»
bcp t out f -U sa -P «‹p›»
az login --service-principal -u ‹u› -p «‹A3›8Q~‹W34›» --tenant t
az storage blob list --account-key «‹B86›==»
aws configure set aws_secret_access_key «‹B40›»
gh secret set TOKEN --body «‹A32›»
gh auth login --with-token <<< «gho_‹A36›»
vault login «hvs.‹A24›»
vault kv put secret/app password=«‹p›»
kubectl create secret generic s --from-literal=password=«‹p›»
kubectl create secret docker-registry r --docker-password=«‹q›» --docker-username=u
kubectl config set-credentials me --token=«‹A40›»
oc login --token=sha256~«‹W43›» --server=https://h:6443
argocd login h --username admin --password «‹p›»
ansible-playbook site.yml -e ansible_password=«‹p›»
terraform apply -var db_password=«‹p›»
smbclient //h/s -U 'dom\me%«‹p›»'
mount -t cifs //h/s /m -o username=me,password=«‹p›»
net use Z: \\h\s /user:me «‹p›»
xfreerdp /v:h /u:me /p:«‹p›»
rdesktop -u me -p «‹p›» h
ldapsearch -x -D cn=admin -w «‹p›» -b dc=x
ldappasswd -x -D cn=admin -w «‹p›» -s «‹q›» uid=a
ipmitool -I lanplus -H h -U ADMIN -P «‹p›» power status
snmpwalk -v3 -u me -A «‹p›» -X «‹w›» h
impacket-psexec corp/admin:«‹p›»@10.0.0.1
secretsdump.py 'corp/admin:«‹q›»@10.0.0.1'
crackmapexec smb h -u admin -p «‹p›»
evil-winrm -i h -u admin -p «‹p›»
hydra -l admin -p «‹p›» ssh://h
echo '«‹p›»' | sudo -S ls
echo «‹A36›» | docker login -u me --password-stdin
echo "root:«‹p›»" | chpasswd
printf '%s' «‹p›» | passwd --stdin me
htpasswd -bc f me «‹p›»
zip -P «‹p›» a.zip f
unzip -P «‹p›» a.zip
7z x -p«‹p›» a.7z
gpg --batch --passphrase «‹q›» -d f.gpg
cryptsetup luksOpen /dev/sdb x --key-file <(echo -n «‹p›»)
restic -r r --password-command 'echo «‹p›»' snapshots
BORG_PASSPHRASE='«‹q›»' borg create r::a
rclone config create r sftp user me pass «‹p›»
lftp -u me,«‹p›» ftp://h
ftp://me:«‹p›»@h/f
expect -c 'spawn ssh h; expect "assword:"; send "«‹p›»\r"; interact'
wpa_passphrase ssid «‹p›»
nmcli dev wifi connect ssid password «‹p›»
iwctl --passphrase «‹p›» station wlan0 connect ssid
npm config set //registry.npmjs.org/:_authToken «npm_‹A36›»
composer config http-basic.repo.h me «‹p›»
composer config --global github-oauth.github.com «‹h40›»
pip install --index-url https://me:«‹p›»@h/simple p
twine upload -u __token__ -p «pypi-AgEIcHlwaS5vcmc‹W150›» d/*
cargo login «cio‹A32›»
gem push a.gem --key «rubygems_‹h48›»
mvn deploy -Dpassword=«‹p›»
java -Djavax.net.ssl.keyStorePassword=«‹p›» -jar a.jar
./gradlew publish -PossrhPassword=«‹p›»
sonar-scanner -Dsonar.login=«‹h40›»
git clone https://oauth2:«glpat-‹W20›»@gitlab.com/a/b
git -c http.extraheader="AUTHORIZATION: basic «‹B48›»" fetch
svn co https://h/r --username me --password «‹p›»
rabbitmqctl add_user me «‹p›»
rabbitmqadmin -u me -p «‹p›» list queues
influx -username me -password «‹p›»
clickhouse-client --user me --password «‹p›»
cqlsh -u me -p «‹p›» h
isql DSN me «‹p›»
tailscale up --authkey=«tskey-auth-k‹A10›CNTRL-‹A32›»
ngrok config add-authtoken «2‹A26›_‹A21›»
cloudflared service install «eyJhIjoi‹A150›»
wrangler secret put X <<< «‹A40›»
k3s agent --server https://h:6443 --token «K10‹h64›::server:‹h32›»
kubeadm join h:6443 --token «‹a6›.‹a16›» --discovery-token-ca-cert-hash sha256:‹h64›
docker swarm join --token «SWMTKN-1-‹a50›-‹a25›» h:2377
buildah push --creds me:«‹p›» i docker://h/i
skopeo copy --dest-creds me:«‹q›» a b
usermod -p '«$6$‹A8›$‹A86›»' me
grafana-cli admin reset-admin-password «‹p›»
wp user create bob b@x.y --user_pass=«‹p›»
pg_dump postgresql://app:«‹q›»@db/app
sudo openvpn --auth-user-pass <(printf 'me\n«‹p›»\n')
`);

add('fourth, files', String.raw`
machine h login me password «‹p›»
machine api.github.com⏎  login me⏎  password «ghp_‹A36›»
db.x.y:5432:app:me:«‹p›»
requirepass «‹p›»
masterauth «‹p›»
user default on >«‹p›» ~* +@all
user app on #«‹h64›» ~app:* +@read
//registry.npmjs.org/:_authToken=«npm_‹A36›»
_auth=«‹B32›»
//npm.h/:_password="«‹B24›»"
{"github-oauth": {"github.com": "«‹h40›»"}}
{"http-basic": {"h": {"username": "me", "password": "«‹p›»"}}}
[pypi]⏎username = __token__⏎password = «pypi-AgEIcHlwaS5vcmc‹W150›»
https://me:«‹p›»@github.com
mavenPassword=«‹p›»
signing.password=«‹p›»
RELEASE_KEY_PASSWORD=«‹w›»
<privateKey>k</privateKey><passphrase>«‹q›»</passphrase>
me:«$6$‹A16›$‹A86›»:19700:0:99999:7:::
me:«$apr1$‹A8›$‹A22›»
me:«$2y$05$‹A53›»
PrivateKey = «‹B43›=»
PresharedKey = «‹B43›=»
psk="«‹p›»"
wpa_passphrase=«‹p›»
psk=«‹h64›»
rpcpassword=«‹p›»
bind_pw «‹p›»
olcRootPW: «{SSHA}‹B32›»
rootpw «‹p›»
smtp_sasl_password_maps = static:me:«‹p›»
[smtp.x.y]:587 me:«‹p›»
{"auths":{"h":{"auth":"«‹B32›»"}}}
oauth_token: «gho_‹A36›»
aws_access_key_id=«AKIA‹X16›»⏎aws_secret_access_key=«‹B40›»
account default⏎host h⏎user me⏎password «‹p›»
set imap_pass="«‹p›»"
{"kty":"OKP","crv":"Ed25519","d":"«‹W43›»","x":"‹W43›"}
{"kty":"oct","k":"«‹W43›»","alg":"HS256"}
{"kty":"RSA","n":"‹W100›","e":"AQAB","d":"«‹W340›»"}
<Password>«‹B24›»</Password>
server.password: "«‹p›»"
elasticsearch.password: "«‹q›»"
POSTGRES_PASSWORD: «‹p›»
MYSQL_ROOT_PASSWORD=«‹q›»
SECRET_KEY_BASE=«‹h128›»
NEXTAUTH_SECRET=«‹B43›=»
STRIPE_WEBHOOK=«whsec_‹A32›»
TELEGRAM_BOT_TOKEN=«‹D10›:AA‹W33›»
cookie_secret: «‹A32›»
hmac-md5 key { algorithm hmac-md5; secret "«‹B24›=="»; };
rndc secret "«‹B43›=»";
`);

add('fourth, headers', String.raw`
Authorization: Bearer «‹A40›»
authorization: token «‹h40›»
> Authorization: Basic «‹B24›»
Proxy-Authorization: Basic «‹B24›==»
Authorization: Digest username="a", realm="r", nonce="n", response="«‹h32›»"
Authorization: AWS4-HMAC-SHA256 Credential=«AKIA‹X16›»/20250101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=«‹h64›»
Authorization: ApiKey «‹B60›==»
Authorization: Negotiate «YII‹B200›»
X-API-Key: «‹A32›»
x-api-key: «‹p›»
X-Vault-Token: «hvs.‹A24›»
PRIVATE-TOKEN: «glpat-‹W20›»
Cookie: sessionid=«‹a32›»; csrftoken=«‹A64›»
< Set-Cookie: JSESSIONID=«‹H32›»; Path=/; HttpOnly
Set-Cookie: connect.sid=«s%3A‹A32›.‹A43›»; Path=/
X-CSRF-Token: «‹A40›»
Ocp-Apim-Subscription-Key: «‹h32›»
X-Amz-Security-Token: «IQoJb3JpZ2luX2VjE‹B200›»
DD-API-KEY: «‹h32›»
X-Shopify-Access-Token: «shpat_‹h32›»
apikey: «‹j›»
X-Auth-Key: «‹h37›»
Sec-WebSocket-Protocol: bearer, «‹j›»
"Authorization": "Bearer «‹A40›»"
'authorization': 'Basic «‹B24›'»,
-H "JOB-TOKEN: «‹W20›»"
`);

add('fourth, clusters', String.raw`
    token: «‹j›»
    client-key-data: «LS0tLS1CRUdJTi‹B200›==»
    password: «‹p›»⏎    username: admin
kind: Secret⏎data:⏎  password: «‹B16›»⏎  username: YWRtaW4=
stringData:⏎  api-token: «‹A32›»
        - name: DB_PASSWORD⏎          value: "«‹q›»"
  .dockerconfigjson: «eyJhdXRocyI6‹B120›=»
    environment:⏎      - MYSQL_PASSWORD=«‹p›»
      POSTGRES_PASSWORD: "«‹q›»"
ENV API_KEY=«‹A32›»
ARG NPM_TOKEN=«npm_‹A36›»
docker run -e DB_PASSWORD=«‹p›» img
                "REDIS_PASSWORD=«‹p›»",
  + password = "«‹q›»"
  ~ master_password = "«‹p›»" -> "«‹q›»"
db_password = "«‹p›»"
            "secret_string": "«‹q›»",
resource "aws_db_instance" "d" {⏎  password = "«‹p›»"⏎}
Data⏎====⏎token:      «‹j›»
helm upgrade r c --set auth.rootPassword=«‹p›»
      DB_PASSWORD:  «‹p›»⏎      PORT:  80
`);

add('fourth, dumps', String.raw`
LC_ALL=C⏎DB_PASS=«‹p›»⏎HOME=/root
declare -x GITHUB_TOKEN="«ghp_‹A36›»"
export STRIPE_KEY=«‹A32›»
SET -x OPENAI_API_KEY '«sk-‹A48›»'
Name                           Value⏎----                           -----⏎API_TOKEN                      «‹A32›»
typeset -x SMTP_AUTH=«‹p›»
SONAR_TOKEN2=«‹h40›»
APP_PASSPHRASE=«‹w›»
BASIC_AUTH=me:«‹p›»
DATABASE_URL=postgres://app:«‹p›»@db:5432/app
CELERY_BROKER_URL=amqp://me:«‹q›»@mq//
ENCRYPTION_KEY=«‹h64›»
JWT_SIGNING_KEY=«‹B43›=»
TWILIO_AUTH=«‹h32›»
$env:DB_PWD = '«‹p›»'
API_TOKEN: «‹A32›»
environ({'HOME': '/root', 'DB_PASSWORD': '«‹p›»'})
ADMIN_PW=«‹p›»
SSH_PASSPHRASE=«‹q›»
MAILGUN_API_KEY=«‹h32›-‹h8›-‹h8›»
COOKIE_SECRET=«‹A32›»
SENTRY_AUTH_TOKEN=«‹h64›»
WEBHOOK_SECRET=«‹w›»
ALGOLIA_ADMIN_KEY=«‹h32›»
`);

add('fourth, behind', String.raw`
"out":"line\n«ghp_‹A36›»\n"
x%3D«ghp_‹A36›»
token=\u0022«npm_‹A36›»\u0022
tokenis«ghp_‹A36›»
\t«AKIA‹X16›»
url%3Fkey%3D«AIzaSy‹W33›»
_«glpat-‹W20›»
1«xoxb-‹D12›-‹D13›-‹A24›»
b'«hf_‹A34›»'
x-access-token:«ghs_‹A36›»@github.com
`);

const b64 = '‹B64›';
add('fourth, keys', [
    `-----BEGIN OPENSSH PRIVATE KEY-----⏎«${b64}»⏎«${b64}»⏎-----END OPENSSH PRIVATE KEY-----`,
    `-----BEGIN EC PRIVATE KEY-----⏎«MHcCAQEEI${b64.replace('64', '55')}»⏎«${b64}»`,
    `«${b64}»⏎«${b64}»⏎«${b64}»⏎-----END RSA PRIVATE KEY-----`,
    `     1\t-----BEGIN RSA PRIVATE KEY-----⏎     2\t«${b64}»⏎     3\t«${b64}»⏎     4\t-----END RSA PRIVATE KEY-----`,
    `  tls.key: |⏎    -----BEGIN PRIVATE KEY-----⏎    «${b64}»⏎    «${b64}»⏎    -----END PRIVATE KEY-----`,
    `+-----BEGIN ENCRYPTED PRIVATE KEY-----⏎+«${b64}»⏎+«${b64}»⏎+-----END ENCRYPTED PRIVATE KEY-----`,
    `-----BEGIN PGP PRIVATE KEY BLOCK-----⏎Version: GnuPG v2⏎⏎«${b64}»⏎«${b64}»⏎=‹B4›⏎-----END PGP PRIVATE KEY BLOCK-----`,
    `PuTTY-User-Key-File-3: ssh-ed25519⏎Encryption: none⏎Private-Lines: 1⏎«‹B48›»⏎Private-MAC: «‹h64›»`,
    `KEY="-----BEGIN RSA PRIVATE KEY-----\\n«${b64}\\n${b64}»\\n-----END RSA PRIVATE KEY-----"`,
    `«${b64}»⏎«${b64}»⏎«${b64}»⏎«${b64}»⏎«${b64}»`,
    `«b3BlbnNzaC1rZXktdjEAAAAA‹B46›»⏎«‹B70›»⏎«‹B70›»`,
    `«MIIEpAIBAAKCAQEA‹B48›»⏎«${b64}»⏎«${b64}»`,
    `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----⏎«${b64}»⏎---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
    `# secret key: «AGE-SECRET-KEY-1‹X58›»`,
    `untrusted comment: minisign encrypted secret key⏎«RWRTY0Iy‹B204›»`,
].join('\n'));

add('fourth, URLs', String.raw`
postgres://app:«‹p›»@db/app
mysql://root:«‹q›»@127.0.0.1:3306/a
mongodb+srv://me:«‹p›»@c.x.mongodb.net/a?retryWrites=true
redis://:«‹p›»@r:6379/0
rediss://default:«‹A32›»@r:6380
amqps://me:«‹q›»@mq/v
sftp://me:«‹p›»@h/f
smb://dom;me:«‹p›»@h/s
ldap://cn=a:«‹p›»@h
app:«‹p›»@tcp(db:3306)/app?parseTime=true
root:«‹q›»@unix(/run/mysqld.sock)/a
dsn = "app:«‹w›»@tcp(127.0.0.1:3306)/a"
https://me:«‹p›»@h:8443/p?q=1
https://«ghp_‹A36›»@github.com/a/b.git
https://h/cb?code=ok&access_token=«‹A40›»
https://h/api?api_key=«‹A32›»&n=1
wss://h/s?token=«‹A32›»
jdbc:mysql://db/a?user=me&password=«‹p›»
jdbc:oracle:thin:me/«‹p›»@db:1521:XE
jdbc:sqlserver://db;user=sa;password=«‹q›»;encrypt=true
jdbc:postgresql://db/a?password=«‹w›»&ssl=true
oracle+cx://me:«‹p›»@db
snowflake://me:«‹p›»@acc/db
socks5://me:«‹p›»@h:1080
rtsp://admin:«‹p›»@10.0.0.9/ch0
vnc://:«‹p›»@h
clickhouse://default:«‹q›»@c:9000
nats://me:«‹p›»@n:4222
ss://«YWVzLTI1Ni1nY206‹W20›»@h:8388
otpauth://totp/X:me?secret=«‹U32›»&issuer=X
http://localhost:8888/lab?token=«‹h48›»
http://127.0.0.1:8888/tree?token=«‹h48›»
https://h/magic#id_token=«‹j›»
https://bucket.s3.amazonaws.com/k?X-Amz-Credential=«AKIA‹X16›»%2F20250101&X-Amz-Signature=«‹h64›»
https://storage.googleapis.com/b/o?X-Goog-Signature=«‹h256›»
Data Source=db;Initial Catalog=a;User ID=sa;Pwd=«‹p›»
mssql://sa:«‹q›»@db/a
`);

add('fourth, logs', String.raw`
[DEBUG] connecting with password=«‹p›» host=db
INFO  login user=a pass=«‹p›»
time=12:00 level=debug msg="auth" token=«‹A40›»
2025-01-01 12:00:00 DEBUG Authorization: Bearer «‹j›»
+ curl -H 'Authorization: token «ghp_‹A36›»' https://api.github.com
+ export DB_PASSWORD=«‹p›»
DEBUG headers={'Authorization': 'Bearer «‹A40›»', 'Accept': '*/*'}
{"level":"info","password":"«‹p›»","msg":"x"}
request body: {"username":"a","password":"«‹q›»"}
Failed login for admin with password «‹p›»
config: {Host:db Port:5432 Password:«‹p›» SSL:false}
Config { host: "db", password: "«‹q›»", port: 1 }
User(name='a', api_key='«‹A32›»')
#<User id: 1, auth_token: "«‹A24›»">
access token: «‹A40›» expires in 3600
Using token «‹A40›»
Got refresh_token «‹A64›»
Setting secret DB_PASSWORD to «‹p›»
GET /cb?code=x&client_secret=«‹A32›» HTTP/1.1" 200
==> root password: «‹q›»
[Note] A temporary password is generated for root@localhost: «‹q›»
mysqld: A temporary password is generated for root@localhost: «aK9;‹A6›.Q»
Session key: «‹h32›»
bearer «‹j›» rejected
`);

add('fourth, prompts', String.raw`
Your API key is «‹A32›»
Your API key is: «‹A40›»
API key: «‹A32›»
API Key    : «‹u›»
Your new token: «‹A40›»
Password: «‹p›» (generated)
password: «‹q›» (generated)
Generated password: «‹p›»
The admin password is «‹p›»
Admin password is: «‹q›»
Your password has been reset to «‹p›»
New password: «‹p›»
Initial root password: «‹q›»
Client secret: «‹W40›»
Client Secret   «‹W40›»
Secret access key: «‹B40›»
Access token: «‹A40›»
Here is your token: «‹A40›»
Copy your token now: «‹A40›»
Token: «‹A36›»
Unseal Key 1: «‹B43›=»
Initial Root Token: «hvs.‹A24›»
Recovery code: «‹a5›-‹a5›»
Recovery key: «‹a4›-‹a4›-‹a4›-‹a4›»
Your secret key is «‹A32›»
Username: admin⏎Password: «‹p›»
Login with user "admin" and password "«‹p›»"
Use the password '«‹q›»' to log in
Your one-time password is «‹A12›»
Passphrase: «‹w› ‹w›»
Please use this API token: «‹A40›»
The generated key is: «‹A40›»
Elastic user password: «‹A20›»
Password for the elastic user (reset with ...):⏎  «‹A20›»
  --api-key string   the key (default "«‹A32›»")
      --password TEXT  [default: «‹p›»]
Enter API key [«‹A32›»]:
Jenkins initial setup is required. Please use the following password to proceed to installation:⏎⏎«‹h32›»
`);

// What is none: prose, programs and public keys in the same places.
String.raw`
Your API key is stored in the keyring
The password is read from the file
Using token authentication for the clone
with password prompt disabled
gpg: using RSA key 4AEE18F83AFDEB23A1B2C3D4E5F60718
key fingerprint is SHA256:abcdef
Enter API key [none]:
  --password TEXT  [default: prompt]
  --token string   the token (default "env")
#define PASSWORD_HELP "type it again"
send "ls\r"
sign(payload, 'utf8')
auth("user", "role")
a@tcp(h) is none
{"d":"2024-01-01","k":"short"}
$ echo hello | cat
user alice on host
net use
composer config --global repo.packagist
const secret = load() || 'none'
`.split('\n').filter((line) => line).forEach((line) => none.push({ group: 'fourth, none', text: line + '\n', stays: line }));

exports.cases = () => all;
exports.negatives = () => none;
exports.parse = parse;
