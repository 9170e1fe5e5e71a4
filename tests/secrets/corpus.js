// corpus.js: what people have on their terminals that is secret, by group, and what is none.
// Values are made here, from an alphabet and a length; nothing is taken from the program's tables.
'use strict';

let seed = 20;
function random(n) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
}
const D = '0123456789', L = 'abcdefghijklmnopqrstuvwxyz', U = L.toUpperCase();
const A = D + L + U, H = D + 'abcdef';
function some(alphabet, count) {
    let out = '';
    for (let i = 0; i < count; i++)
        out += alphabet[random(alphabet.length)];
    return out;
}
const pick = (list) => list[random(list.length)];
const uuid = () => [8, 4, 4, 4, 12].map((n) => some(H, n)).join('-');
const base64 = (text) => Buffer.from(text).toString('base64');
const W = A + '_-';

// What a person chooses, and what a program makes.
const chosen = [() => 'hunter2', () => 'correcthorse', () => 'S0mm3r' + some(D, 4), () => 'p@ss,w0rd;x9!Q', () => 'tr0ub4dor&3',
                () => 'Geheim' + some(D, 3) + '!', () => 'x' + some(A, 8), () => 'kX#' + some(A, 6) + '?z'];
const made = [() => some(A, 20) + '7', () => some(H, 32), () => some(W, 40) + '3', () => base64(some(A, 24)), () => uuid()];
const any = [...chosen, ...made];

// [parts of the prefix, what follows]: the prefixes are joined here, so that no file holds a whole token.
const vendors = {
    listed: [
        [['gh', 'p_'], () => some(A, 36)], [['gh', 'o_'], () => some(A, 36)], [['github', '_pat_'], () => some(A, 22) + '_' + some(A, 59)],
        [['glp', 'at-'], () => some(W, 20)], [['AK', 'IA'], () => some(U + '234567', 15) + '7'], [['sk-', 'ant-api03-'], () => some(W, 93) + 'AA'],
        [['sk-', 'proj-'], () => some(W, 60)], [['AI', 'za'], () => some(W, 35)], [['xo', 'xb-'], () => some(D, 12) + '-' + some(A, 24)],
        [['sk_', 'live_'], () => some(A, 24)], [['np', 'm_'], () => some(A, 36)], [['py', 'pi-AgEI'], () => some(W, 80)],
        [['h', 'f_'], () => some(A, 33) + '1'], [['S', 'G.'], () => some(W, 22) + '.' + some(W, 43)], [['dop', '_v1_'], () => some(H, 64)],
        [['hv', 's.'], () => some(W, 24)], [['gl', 'sa_'], () => some(A, 32) + '_' + some(H, 8)], [['shp', 'at_'], () => some(H, 32)],
        [['AGE-SECRET-', 'KEY-1'], () => some(U + D, 58)], [['lin_', 'api_'], () => some(A, 40)], [['discordapp', '.com/api/webhooks/'], () => some(D, 18) + '/' + some(W, 68)],
    ],
    others: [
        [['gl', 'ft-'], () => some(W, 20)], [['gls', 'oat-'], () => some(W, 20)], [['gl', 'imt-'], () => some(W, 25)], [['gl', 'agent-'], () => some(W, 50)],
        [['gl', 'ffct-'], () => some(W, 20)], [['GR13', '48941'], () => some(W, 20)], [['xo', 'xc-'], () => some(D, 12) + '-' + some(H, 64)],
        [['xo', 'xd-'], () => some(A, 60) + '%2B' + some(A, 30) + '%3D'], [['ya', '29.'], () => 'a0' + some(W, 60) + '.' + some(W, 60)], [['', ''], () => some(A, 3) + '8Q' + '~' + some(A, 31) + '.2_'.slice(0, 3)],
        [['AB', 'SK'], () => base64(some(A, 100))], [['1/', '/0'], () => some(W, 60)], [['ATC', 'TT3'], () => 'x' + some(W, 120) + '=' + some(H.toUpperCase(), 8)],
        [['HR', 'KU-'], () => uuid()], [['op', 's_eyJ'], () => some(A, 300)], [['nv', 'api-'], () => some(W, 64)], [['pc', 'sk_'], () => some(A, 5) + '_' + some(A, 63)],
        [['ls', 'v2_pt_'], () => some(H, 32) + '_' + some(H, 10)], [['pu', 'l-'], () => some(H, 40)], [['pa', 't'], () => some(A, 13) + '4.' + some(H, 64)],
        [['s', 'l.'], () => 'B' + some(W, 130)], [['EA', 'A'], () => some(A, 150)], [['pat-', 'na1-'], () => uuid()], [['sq', 'u_'], () => some(H, 40)],
        [['CCI', 'PAT_'], () => some(A, 22) + '_' + some(H, 40)], [['', ''], () => some(A, 14) + '.atlas' + 'v1.' + some(W, 67)], [['dt0', 'c01.'], () => some(U + D, 24) + '.' + some(U + D, 64)],
        [['ey', 'Ai'], () => some(A, 40) + '.eyJ' + some(W, 80) + '.' + some(W, 43)], [['ey', 'J'], () => some(A, 40) + '.ey' + 'J' + some(W, 80) + '.'],
        [['rz', 'p_live_'], () => some(A, 14)], [['PM', 'AT-'], () => some(U + D, 26)], [['SK', ''], () => some(H, 32)], [['tf', 'p_'], () => some(W, 44) + '_' + some(W, 14)],
        [['xke', 'ysib-'], () => some(H, 64) + '-' + some(A, 16)], [['r', 'e_'], () => some(A, 8) + '_' + some(A, 24)], [['ap', 'ify_api_'], () => some(A, 36)], [['nf', 'p_'], () => some(A, 36)],
        [['EZ', 'AK'], () => some(A, 54)], [['dn', 'key-'], () => some(L, 26) + '-' + some(L + D, 52)], [['sec', 'ret-live-'], () => some(A, 36)], [['vc', 'p_'], () => some(A, 24)],
        [['AKC', 'p'], () => some(A, 69)], [['LT', 'AI'], () => some(A, 20)], [['A3', '-'], () => [6, 6, 5, 5, 5, 5].map((n) => some(U + D, n)).join('-')],
    ],
};

// Where a token stands.
const places = [(t) => `token is ${t} there`, (t) => `curl -s https://api.example.com/v1 -d ${t}`, (t) => `"${t}"`, (t) => `x=${t}&y=1`, (t) => `  - ${t}`, (t) => `(${t})`, (t) => `{"a":"b\\n${t}\\n"}`];

const names = ['PASSWORD', 'db_password', 'DB_PASS', 'apiSecret', 'client_secret', 'JWT_SECRET', 'mysql_root_password', 'admin.password'];
const codes = ['API_KEY', 'accessToken', 'auth_token', 'private_key', 'github_token', 'X_API_KEY', 'apikey'];

const assignments = [
    (n, v) => `${n}=${v}`, (n, v) => `export ${n}=${v}`, (n, v) => `${n}: ${v}`, (n, v) => `${n}: "${v}"`, (n, v) => `"${n}": "${v}"`, (n, v) => `{"a":1,"${n}":"${v}","b":"c"}`,
    (n, v) => `{\\"${n}\\":\\"${v}\\"}`, (n, v) => `'${n}' => '${v}',`, (n, v) => `:${n} => "${v}"`, (n, v) => `<${n}>${v}</${n}>`, (n, v) => `<add key="${n}" value="${v}" />`, (n, v) => `${n} = "${v}"`,
    (n, v) => `${n} = ${v}`, (n, v) => `const ${n} = '${v}';`, (n, v) => `define('${n}', '${v}');`, (n, v) => `os.environ["${n}"] = "${v}"`, (n, v) => `--set ${n}=${v}`, (n, v) => `cmd --${n.toLowerCase().replace(/_/g, '-')} ${v} --x`,
    (n, v) => `cmd --${n.toLowerCase().replace(/_/g, '-')}='${v}'`, (n, v) => `  - name: ${n}\n    value: ${v}`, (n, v) => `{"name": "${n}", "value": "${v}"}`, (n, v) => `  ~ ${n} = "old${v}" -> "${v}"`,
];

const tools = [
    (v) => `mysql -u root -p${v} shop`, (v) => `mysqldump -uroot -p'${v}' a`, (v) => `sshpass -p ${v} ssh a@b`, (v) => `sshpass -p'${v}' ssh a@b`, (v) => `docker login -u me -p ${v}`, (v) => `podman login -p ${v} quay.io`,
    (v) => `redis-cli -h r -a ${v} ping`, (v) => `keytool -list -keystore k -storepass ${v}`, (v) => `keytool -genkey -keypass ${v} -alias a`, (v) => `sqlplus system/${v}@db`, (v) => `openssl rsa -in k -passin pass:${v}`,
    (v) => `openssl enc -aes-256-cbc -k ${v} -in f`, (v) => `curl -u admin:${v} https://h/`, (v) => `curl --user admin:${v} https://h/`, (v) => `wget --password=${v} https://h/`, (v) => `wget --http-password ${v} https://h/`, (v) => `http -a me:${v} example.com`,
    (v) => `psql postgres://me:${encodeURIComponent(v)}@db/x`, (v) => `PGPASSWORD=${v} psql -h db`, (v) => `psql "host=db user=me password=${v.replace(/[ '";,]/g, 'q')}"`, (v) => `az login -u me -p ${v}`, (v) => `az login --service-principal --password ${v}`,
    (v) => `aws configure set aws_secret_access_key ${v}`, (v) => `gh secret set X --body ${v}`, (v) => `echo ${v} | gh auth login --with-token`, (v) => `echo '${v}' | docker login -u me --password-stdin`, (v) => `echo ${v} | sudo -S ls`, (v) => `echo "me:${v}" | chpasswd`,
    (v) => `kubectl create secret generic s --from-literal=pin=${v}`, (v) => `helm install a b --set db.password=${v}`, (v) => `ansible-playbook -e ansible_password=${v} x.yml`, (v) => `vault login ${v}`, (v) => `vault kv put secret/a key=${v}`, (v) => `mongosh -u me -p ${v} h`,
    (v) => `sqlcmd -S h -U sa -P ${v}`, (v) => `ldapsearch -D cn=a -w ${v} -b dc=x`, (v) => `smbclient //h/s -U me%${v}`, (v) => `lftp -u me,${v} h`, (v) => `zip -P ${v} a.zip b`, (v) => `unzip -P ${v} a.zip`, (v) => `7z a -p${v} a.7z b`, (v) => `htpasswd -b f me ${v}`,
    (v) => `npm config set //r/:_authToken ${v}`, (v) => `twine upload -u me -p ${v} dist/x`, (v) => `cargo login ${v}`, (v) => `dotnet nuget push a.nupkg -k ${v}`, (v) => `heroku config:set A=${v}`, (v) => `rabbitmqctl add_user me ${v}`, (v) => `snmpwalk -v3 -A ${v} h`, (v) => `ipmitool -H h -U a -P ${v} power`,
    (v) => `mosquitto_pub -u me -P ${v} -t a`, (v) => `nmcli dev wifi connect home password ${v}`, (v) => `wpa_passphrase home ${v}`, (v) => `ssh-keygen -t rsa -N ${v} -f k`, (v) => `plink -pw ${v} me@h`, (v) => `xfreerdp /u:me /p:${v} /v:h`, (v) => `mc alias set a http://h me ${v}`, (v) => `git config --global x.token ${v}9`,
    (v) => `oc login -u me -p ${v}`, (v) => `cf login -u me -p ${v}`, (v) => `sudo docker exec db mysql -uroot -p${v}`, (v) => `gpg --batch --passphrase ${v} -d f`, (v) => `ngrok authtoken ${v}`, (v) => `rclone obscure ${v}`, (v) => `security add-generic-password -a a -w ${v}`, (v) => `java -jar jenkins-cli.jar -auth me:${v}`,
    (v) => `vncpasswd <<< ${v}`, (v) => `cryptsetup luksOpen /dev/sda x <<< "${v}"`, (v) => `pass insert -m x <<< '${v}'`, (v) => `echo -n "${v}" | cryptsetup luksFormat /dev/sda -`, (v) => `docker login -u me --password-stdin <<< ${v}`, (v) => `iwconfig wlan0 key s:${v}`,
    (v) => `$s = ConvertTo-SecureString "${v}" -AsPlainText -Force`, (v) => `x = (ConvertTo-SecureString -String '${v}' -AsPlainText)`, (v) => `wrangler secret put X <<< ${v}`,
    (v) => `sudo sh -c 'mysql -uroot -p${v} app'`, (v) => `sudo bash -c "curl -u bob:${v} https://h/x"`, (v) => `sudo -u deploy bash -lc 'sshpass -p ${v} ssh x'`, (v) => `ssh h 'sudo -S id'; mysql -uroot -p${v} app`, (v) => `op run -- sh -c 'redis-cli -a ${v} ping'`,
];

const files = [
    (v) => `machine h login me password ${v}`, (v) => `machine h\n  login me\n  password ${v}\n`, (v) => `db:5432:shop:me:${v}`, (v) => `*:*:*:me:${v}`, (v) => `requirepass ${v}`, (v) => `masterauth ${v}`, (v) => `define('DB_PASSWORD', '${v}');`, (v) => `DB_PASS=${v}`,
    (v) => `//registry.npmjs.org/:_authToken=${v}1a2b3c4d`, (v) => `_auth=${base64('me:' + v)}`, (v) => `[pypi]\nusername = a\npassword = ${v}`, (v) => `[client]\nuser=a\npassword=${v}`, (v) => `  "auth": "${base64('me:' + v)}"`, (v) => `    token: ${v}7a8b9c0d`, (v) => `    client-key-data: ${base64('-----BEGIN RSA ' + 'PRIVATE KEY-----\n' + v)}`,
    (v) => `spring.datasource.password=${v}`, (v) => `https://me:${encodeURIComponent(v)}@github.com`, (v) => `<password>${v}</password>`, (v) => `bindpw ${v}`, (v) => `db_password = "${v}"`, (v) => `  "password": "${v}",`, (v) => `CREATE USER a IDENTIFIED BY '${v}';`, (v) => `ALTER ROLE a WITH PASSWORD '${v}';`,
    (v) => `variable "db_password" {\n  default = "${v}"\n}`, (v) => `      "db_password": {\n      "value": "${v}"`, (v) => `  psk="${v}"`, (v) => `PrivateKey = ${base64(v + some(A, 32)).slice(0, 43)}=`, (v) => `Server=h;Database=d;User Id=a;Password=${v.replace(/;/g, '')};Encrypt=true`, (v) => `  password: ${base64(v)}`,
    (v) => `ENV DB_PASSWORD ${v}`, (v) => `http-basic.repo.corp.password "${v}"`, (v) => `secret "${v}";`, (v) => `jdbc:oracle:thin:scott/${v}@//h:1521/x`, (v) => `> PASS ${v}`, (v) => `AUTH PLAIN ${base64('\0me\0' + v)}`,
    (v) => `+  password: ${v}`, (v) => `-password = ${v}`, (v) => `src/a.yml:12:  password: ${v}`, (v) => `12:password = ${v}`, (v) => `conf/a.yml:  db_password: ${v}`,
];

const headers = [
    (v) => `Authorization: Bearer ${v}`, (v) => `authorization: bearer ${v}`, (v) => `AUTHORIZATION: BEARER ${v}`, (v) => `Authorization: token ${v}`, (v) => `Authorization: ${v}`, (v) => `"Authorization": "Bearer ${v}"`, (v) => `-H 'Authorization: Basic ${base64('me:' + v)}'`, (v) => `{'authorization': 'Basic ${base64('me:' + v)}'}`,
    (v) => `Authorization: Basic "${base64('me:' + v)}"`, (v) => `X-Api-Key: ${v}`, (v) => `x-auth-token: ${v}`, (v) => `PRIVATE-TOKEN: ${v}`, (v) => `Cookie: session=${v}`, (v) => `Set-Cookie: sid=${v}; Path=/; HttpOnly`, (v) => `cookie: a=b12345; sessionid=${v}`, (v) => `> Authorization: ApiKey ${v}`, (v) => `Proxy-Authorization: Basic ${base64('me:' + v)}`, (v) => `X-Vault-Token: ${v}`,
];

const dumps = [];
for (const n of ['DB_PASSWORD', 'SMTP_PASS', 'NPM_AUTH', 'ENCRYPTION_KEY', 'SECRET_KEY_BASE', 'TOKEN2', 'MY_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'APP_SECRET'])
    for (const form of [(v) => `A=1\n${n}=${v}\nB=2`, (v) => `declare -x ${n}="${v}"`, (v) => `export ${n}='${v}'`, (v) => `typeset -x ${n}=${v}`, (v) => `set -x ${n} ${v}`, (v) => `set -gx ${n} '${v}'`, (v) => `setenv ${n} ${v}`, (v) => `$env:${n} = "${v}"`, (v) => `set ${n}=${v}`, (v) => `${n} ${v}`])
        dumps.push(form);

const joined = [(t) => `{"log":"line\\n${t}\\n"}`, (t) => `a%3D${t}`, (t) => `\\u003d${t}`, (t) => `[0m${t}`, (t) => `\\t${t}`, (t) => `[1;31m${t}[0m`];

function pem(kind, lines) {
    const body = [];
    for (let i = 0; i < lines; i++)
        body.push(some(A + '+/', 63) + '4');
    body.push(some(A, 38) + '==');
    return { head: `-----BEGIN ${kind}-----`, body, tail: `-----END ${kind}-----` };
}

function keys() {
    const out = [];
    for (const kind of ['RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'EC PRIVATE KEY', 'PRIVATE KEY']) {
        const k = pem(kind, 6), whole = [k.head, ...k.body, k.tail];
        const secret = k.body;
        const add = (text) => out.push({ text, secrets: secret });
        add(whole.join('\n'));
        add([k.head, ...k.body].join('\n'));
        add([...k.body, k.tail].join('\n'));
        add(k.body.join('\n'));
        add(whole.map((l, i) => String(i + 1).padStart(6) + '\t' + l).join('\n'));
        add(whole.map((l, i) => `${i + 1}:${l}`).join('\n'));
        add(whole.map((l, i) => `id_rsa:${i + 1}:${l}`).join('\n'));
        add(whole.map((l) => '+' + l).join('\n'));
        add('key: |\n' + whole.map((l) => '    ' + l).join('\n'));
        add(JSON.stringify({ k: whole.join('\n') }));
        add(k.body.map((l, i) => String(i + 2).padStart(6) + '\t' + l).join('\n'));
    }
    const pgp = pem('PGP PRIVATE KEY BLOCK', 5);
    out.push({ text: [pgp.head, 'Version: GnuPG v2', '', ...pgp.body, '=' + some(A, 4), pgp.tail].join('\n'), secrets: pgp.body });
    out.push({ text: ['PuTTY-User-Key-File-2: ssh-rsa', 'Encryption: none', 'Comment: me', 'Public-Lines: 1', some(A, 64), 'Private-Lines: 6', ...pgp.body, 'Private-MAC: ' + some(H, 40)].join('\n'), secrets: pgp.body });
    return out;
}

function cases() {
    const out = [];
    const add = (group, text, secret) => out.push({ group, text, secrets: [].concat(secret) });
    for (const kind of ['listed', 'others'])
        for (const [prefix, rest] of vendors[kind])
            for (const place of places) {
                const token = prefix.join('') + rest();
                add(kind === 'listed' ? 'shapes, well known' : 'shapes, others', place(token), token);
            }
    for (const form of assignments)
        for (let i = 0; i < 12; i++) {
            const code = i % 3 === 2, v = code ? pick(made)() + '7' : pick(any)();
            const quoted = form('N', '');
            if (/[;,&]/.test(v) && !/["']/.test(quoted) && !/^(export )?N=$/.test(quoted))
                continue; // what ends such a value nobody can say
            add('assignments', form(pick(code ? codes : names), v), v);
        }
    const group = (name, list, values, count) => list.forEach((form) => {
        for (let i = 0; i < count; i++) {
            const v = pick(values)();
            const text = form(v);
            const shown = text.includes(v) ? v : [encodeURIComponent(v), base64('me:' + v), base64(v)].find((x) => text.includes(x)) || null;
            if (shown)
                add(name, text, shown);
        }
    });
    const plain = [() => 'hunter2', () => 'Geheim' + some(D, 3) + '!', () => some(A, 12) + '4', () => 'correcthorse', () => some(W, 20).replace(/^-/, 'x') + '7'];
    group('tools', tools, plain, 4);
    group('files', files, plain, 4);
    group('headers', headers, made, 4);
    group('env dumps', dumps, [...plain, ...made], 2);
    for (const form of joined)
        for (const [prefix, rest] of vendors.listed.slice(0, 12)) {
            const token = prefix.join('') + rest();
            add('behind a word', form(token), token);
        }
    for (const k of keys())
        out.push({ group: 'keys', ...k });
    return out;
}

module.exports = { cases };
