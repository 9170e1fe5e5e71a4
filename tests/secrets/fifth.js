// fifth.js: a fifth corpus, written as the fourth was, after what that one had shown was mended. What is still missed stays in it.
'use strict';
const { parse } = require('./fourth.js');

exports.cases = () => String.raw`
«shpca_‹h32›»
«dor_v1_‹h64›»
«sk-admin-‹W58›T3BlbkFJ‹W58›»
«lsv2_sk_‹h32›_‹h10›»
«tgp_v1_‹W43›»
«dp.ct.‹A43›»
«sntryu_‹h64›»
«PMAK-‹h24›-‹h34›»
«glwt-‹W20›»
«NRAK-‹X27›»
«rubygems_‹h48›»
«ATCTT3xFfGN0‹W170›=‹H8›»
«phx_‹A43›»
«tskey-client-k‹A10›CNTRL-‹A32›»
«rzp_test_‹A14›»
«hvb.AAAAAQ‹W130›»
«EAACEdEose0cBA‹A120›»
«AQEyhmfxK‹B90›-‹B43›=-‹A10›»
«pypi-AgENdGVzdC5weXBpLm9yZw‹W140›»
«api-‹H32›»
export VAULT_TOKEN=hvs.«‹A24›»
DB_PASS: "«‹q›"»
spring.mail.password=«‹q›»
secretKey: '«‹W40›',»
let password = "«‹q›";»
val apiKey: String = "«‹A32›»"
private let token = "«‹A40›»"
@api_key = "«‹A32›»"
apiKey := os.Getenv("K"); if apiKey == "" { apiKey = "«‹A32›»" }
String pw = System.getProperty("db.password", "«‹p›»");
config.set('db_password', '«‹p›»')
cfg.Password = "«‹q›»"
$config['db']['password'] = '«‹q›»';
putenv("API_TOKEN=«‹A32›»");
password => '«‹p›»',
"db_password": os.environ["X"] or "«‹p›»"
const pwd = env.PWD_DB ?? '«‹p›»'
client = Client(api_key="«‹A32›»")
Auth::basic('me', '«‹p›»')
smtp.login("me@x.y", "«‹q›»")
s.auth("me", "«‹p›»")
session.auth = ("me", "«‹q›»")
pymysql.connect(host="h", user="u", passwd="«‹p›»")
mysqli_connect("h", "u", "«‹p›»", "d");
redis.Redis(host='h', password='«‹q›»')
MongoClient("mongodb://u:«‹p›»@h/")
req.SetBasicAuth("u", "«‹p›»")
new NetworkCredential("u", "«‹q›»")
psql postgresql://u:«‹p›»@h/d -c 1
mysql --login-path=x --password=«‹q›»
docker login ghcr.io -u me --password=«ghp_‹A36›»
curl -su me:«‹p›» https://h
curl -XPOST h -d '{"password":"«‹p›»"}'
curl -H "PRIVATE-TOKEN: «‹W20›»" h
wmiexec.py -k dom/u:«‹p›»@h
impacket-mssqlclient u:«‹q›»@h -windows-auth
openssl s_client -pass pass:«‹p›»
ffmpeg -i rtsp://u:«‹p›»@h/s o.mp4
nxc smb h -u u -p '«‹q›»'
kubectl --token=«‹A40›» get po
helm install x y --set password=«‹p›»
cryptsetup open d x -d <(printf %s «‹p›») --key-file=-
borg init; BORG_PASSCOMMAND='echo «‹p›»' borg list
mbsync: PassCmd "echo «‹p›»"
lpass login --password «‹p›»
az sql server create -u a -p «‹q›»
aws rds create-db-instance --master-user-password «‹q›»
ssh-keygen -N '«‹q›»' -f k
ssh-keygen -p -P «‹p›» -N «‹p›»
mc alias set m http://h ACCESS «‹A40›»
minio: MINIO_ROOT_PASSWORD=«‹p›»
machine h login u password «‹q›»
user=me password=«‹p›» host=h
[credentials] token = "«‹A32›»"
{"auths":{"h":{"identitytoken":"«‹A60›»"}}}
{"d":"«‹W43›»","crv":"P-256","kty":"EC"}
u:«‹p›»@tcp4(h:3306)/d
u:«‹q›»@tcp(h)/d
amqp://u:«‹p›»@h:5672/%2f
https://h/?sig=«‹W43›»&x=1
https://h/f?X-Amz-Signature=«‹h64›»
Authorization: Bearer «‹W60›»
X-Api-Token: «‹A32›»
Cookie: session=«‹A50›»
x-functions-key: «‹W54›==»
  - name: API_TOKEN⏎    value: «‹A32›»
    client-key-data: «‹B120›==»
    - POSTGRES_PASSWORD=«‹p›»
Your access token is: «‹A40›»
Your new API token is «‹A40›»
Your password is «‹q›»
Root password: «‹p›»
Created user bob with password «‹p›»
Secret key: «‹A40›»
API token:⏎⏎    «‹A40›»
Your API key:⏎«‹h40›»
Save this secret: «‹A32›»
Token created: «‹A40›»
  -t, --token string   token (default "«‹A32›»")
Temporary password: «‹q›»
Generated secret: «‹h64›»
[info] password set to «‹p›»
msg="login ok" password="«‹q›»"
DEBUG token='«‹A40›'»
`.split('\n').filter((l) => l).map((l) => parse('fifth, all', l.replace(/"»/g, '»"').replace(/(['"][,;]?)»/, '»$1')));
