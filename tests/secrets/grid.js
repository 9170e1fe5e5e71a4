// grid.js: names that tell x what stands between a name and its value x values: of all that they make together some, drawn by lot (SEED=n, COUNT=n). No one wrote the
// cases down one by one, so that no rule can have been made for one.
'use strict';

let seed = Number(process.env.SEED || 6);
function random(n) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
}
const D = '0123456789', L = 'abcdefghijklmnopqrstuvwxyz', U = L.toUpperCase(), A = D + L + U;
const some = (set, n) => Array.from({ length: n }, () => set[random(set.length)]).join('');
const one = (list) => list[random(list.length)];
const cap = (w) => w[0].toUpperCase() + w.slice(1);

// The words of names, in small letters with blanks between; `whole`: whatever stands there is secret, also a word.
const fronts = ['', '', '', 'db ', 'admin ', 'root ', 'app ', 'my ', 'new ', 'user ', 'smtp ', 'redis ', 'acme ', 'prod ', 'stripe ', 'backup ', 'old ', 'ldap ', 'aws '];
const whole = ['password', 'passwd', 'pwd', 'pass', 'passphrase', 'pw', 'psw', 'pswd', 'passcode', 'secret', 'client secret', 'secret key', 'app secret', 'jwt secret', 'shared secret',
               'webhook secret', 'signing secret', 'session secret', 'encryption key', 'signing key', 'master key', 'api secret', 'passwort', 'kennwort', 'contrasena', 'clave',
               'mot de passe', 'mdp', 'senha', 'wachtwoord', 'losenord', 'haslo', 'heslo', 'parola', 'salasana', 'adgangskode', 'master password', 'sudo password', 'totp secret', 'secret access key'];
const code = ['token', 'api key', 'apikey', 'access key', 'auth token', 'access token', 'refresh token', 'id token', 'bearer token', 'session token', 'private key', 'service key', 'account key',
              'api token', 'x api key', 'csrf token', 'credentials', 'creds', 'auth key', 'license key', 'deploy key', 'hmac key', 'sas token', 'subscription key', 'functions key', 'webhook key',
              'bot token', 'deploy token', 'session key', 'cookie', 'auth', 'personal access token', 'aes key', 'enc key', 'crypto key', 'unlock code', 'recovery code', 'backup code', 'join key',
              'integration key', 'server key', 'oauth token', 'registration token', 'write key', 'ingest key', 'app key', 'token secret', 'security token', 'access code', 'pat'];

const styles = {
    snake: (n) => n.replace(/ /g, '_'),
    upper: (n) => n.replace(/ /g, '_').toUpperCase(),
    kebab: (n) => n.replace(/ /g, '-'),
    camel: (n) => n.replace(/ (\w)/g, (all, c) => c.toUpperCase()),
    pascal: (n) => n.split(' ').map(cap).join(''),
    train: (n) => n.split(' ').map(cap).join('-'),
    dots: (n) => n.replace(/ /g, '.'),
    words: (n) => n,
    title: (n) => n.split(' ').map(cap).join(' '),
    sentence: (n) => cap(n),
};
const nouns = ['orchid', 'walrus', 'copper', 'fjord', 'lantern', 'pebble', 'saffron', 'tundra', 'velvet', 'zeppelin'];
const digitIn = (s) => s.slice(0, 3) + one(D) + s.slice(4, 6) + one(D) + s.slice(7);
const values = {
    mixed: () => digitIn(some(A, 12 + random(30))),
    lower: () => digitIn(some(D + L, 10 + random(22))),
    hex: () => digitIn(some(D + 'abcdef', one([16, 24, 32, 40, 64]))),
    uuid: () => [8, 4, 4, 4, 12].map((n) => some(D + 'abcdef', n)).join('-'),
    base64: () => digitIn(some(A, 43)) + '=',
    slashes: () => some(A, 9) + '7/' + some(A, 9) + '+3' + some(A, 9),
    url: () => 'a' + digitIn(some(A + '-_', 30)) + 'Z9',
};
const passwords = {
    digits: () => cap(one(nouns)) + some(D, 2 + random(3)) + some(L, 2),
    signs: () => cap(one(nouns)) + one(['!', '#', '%', '@', '$', '*']) + some(D, 2) + some(L, 3),
    wild: () => some(A, 3) + one('#!%^&*?') + '7' + some(A, 3) + one('!@#*+=') + some(A, 3),
    short: () => one(nouns).slice(0, 5) + some(D, 3),
    dashes: () => [one(nouns), one(nouns), one(nouns)].join('-') + some(D, 2),
};
const words = { word: () => one(nouns) + one(nouns), capital: () => cap(one(nouns)) + cap(one(nouns)) };

// [style, form, what may stand there]: w where a word is one, too; p passwords; c codes alone.
const C = (styles, form, kinds = 'pc') => styles.split(' ').map((style) => ({ style, form, kinds }));
const connectors = [
    // shells
    C('upper', (n, v) => `${n}=${v}`, 'wc'), C('upper', (n, v) => `export ${n}="${v}"`, 'wpc'), C('upper', (n, v) => `export ${n}='${v}'`, 'wpc'), C('upper', (n, v) => `set ${n}=${v}`, 'wc'),
    C('upper', (n, v) => `$env:${n} = "${v}"`, 'wpc'), C('upper', (n, v) => `setx ${n} "${v}"`, 'wpc'), C('upper', (n, v) => `setx ${n} ${v} /M`, 'wc'), C('upper', (n, v) => `set -x ${n} ${v}`, 'wc'),
    C('upper snake', (n, v) => `local ${n}="${v}"`, 'wpc'), C('upper', (n, v) => `+ ${n}=${v}`, 'wc'), C('upper', (n, v) => `++ export ${n}=${v}`, 'wc'), C('upper', (n, v) => `env ${n}=${v} ./run.sh`, 'wc'),
    C('upper', (n, v) => `Environment="${n}=${v}"`, 'wc'), C('upper', (n, v) => `docker run -e ${n}=${v} img`, 'wc'), C('upper', (n, v) => `  - ${n}=${v}`, 'wc'),
    C('upper', (n, v) => `\${${n}:-${v}}`, 'c'), C('upper', (n, v) => `: "\${${n}:=${v}}"`, 'c'), C('upper', (n, v) => `read -r ${n} <<< "${v}"`, 'wpc'), C('upper', (n, v) => `printf -v ${n} '%s' '${v}'`, 'wpc'),
    C('upper', (n, v) => `Please run: export ${n}=${v}`, 'wc'), C('upper', (n, v) => `echo "${n}=${v}" >> .env`, 'wc'), C('upper', (n, v) => `echo ${n}=${v} >> $GITHUB_ENV`, 'wc'),
    C('upper', (n, v) => `ENV ${n} ${v}`, 'wc'), C('upper', (n, v) => `ARG ${n}=${v}`, 'wc'), C('upper', (n, v) => `heroku config:set ${n}=${v} -a app`, 'wc'), C('upper', (n, v) => `fly secrets set ${n}=${v}`, 'wc'),
    C('upper', (n, v) => `12:${n}=${v}`, 'wc'), C('upper', (n, v) => `.env:3:${n}=${v}`, 'wc'), C('upper', (n, v) => `.env-${n}=${v}`, 'wc'), C('upper', (n, v) => `     3\t${n}=${v}`, 'wc'), C('upper', (n, v) => `${n}=${v}$`, 'c'),
    // options
    C('kebab', (n, v) => `tool --${n}=${v} run`, 'wc'), C('kebab', (n, v) => `tool --${n} ${v} run`, 'wc'), C('kebab', (n, v) => `tool --${n} '${v}' run`, 'wpc'), C('kebab', (n, v) => `tool --${n}="${v}" run`, 'wpc'),
    C('camel kebab snake', (n, v) => `java -D${n}=${v} -jar a.jar`, 'wc'), C('camel pascal', (n, v) => `helm install a b --set auth.${n}=${v}`, 'wc'), C('pascal', (n, v) => `Connect-Thing -${n} "${v}"`, 'wpc'),
    C('snake', (n, v) => `terraform apply -var '${n}=${v}'`, 'wc'), C('snake', (n, v) => `terraform apply -var="${n}=${v}"`, 'wc'), C('snake', (n, v) => `ansible-playbook a.yml -e ${n}=${v}`, 'wc'),
    C('snake kebab', (n, v) => `kubectl create secret generic s --from-literal=${n}=${v}`, 'wc'), C('upper', (n, v) => `gh secret set ${n} --body "${v}"`, 'wpc'), C('snake', (n, v) => `vault kv put secret/a ${n}=${v}`, 'wc'),
    C('snake', (n, v) => `aws configure set ${n} ${v}`, 'wc'), C('camel kebab', (n, v) => `npm config set ${n} ${v}`, 'c'), C('snake camel', (n, v) => `git config --global a.${n} ${v}`, 'c'), C('snake', (n, v) => `pulumi config set --secret ${n} ${v}`, 'wc'),
    // headers
    C('train kebab', (n, v) => `X-${n}: ${v}`, 'c'), C('train kebab', (n, v) => `curl -H 'X-${n}: ${v}' https://h/`, 'c'), C('train', (n, v) => `> ${n}: ${v}`, 'c'), C('train', (n, v) => `< X-${n}: ${v}\r`, 'c'),
    C('kebab', (n, v) => `'x-${n}': '${v}',`, 'pc'), C('train', (n, v) => `http :8080/a X-${n}:${v}`, 'c'), C('train', (n, v) => `[HPACK] [x-${n}: ${v}]`, 'c'), C('kebab', (n, v) => `* [HTTP/2] [1] [${n}: ${v}]`, 'c'),
    // programs
    C('snake camel', (n, v) => `${n} = "${v}"`, 'wpc'), C('snake', (n, v) => `${n} = '${v}'  # set`, 'wpc'), C('camel', (n, v) => `const ${n} = '${v}';`, 'wpc'), C('camel', (n, v) => `let ${n}: string = "${v}";`, 'wpc'), C('camel', (n, v) => `var ${n} = \`${v}\`;`, 'wpc'),
    C('camel', (n, v) => `  ${n}: '${v}',`, 'wpc'), C('camel', (n, v) => `${n} := "${v}"`, 'wpc'), C('pascal', (n, v) => `\t${n}: "${v}",`, 'wpc'), C('upper', (n, v) => `const ${n}: &str = "${v}";`, 'wpc'),
    C('snake', (n, v) => `let ${n} = String::from("${v}");`, 'wpc'), C('snake', (n, v) => `let ${n} = "${v}".to_string();`, 'wpc'), C('camel upper', (n, v) => `private static final String ${n} = "${v}";`, 'wpc'), C('pascal', (n, v) => `public string ${n} { get; set; } = "${v}";`, 'wpc'),
    C('pascal', (n, v) => `cfg.set${n}("${v}");`, 'wpc'), C('pascal', (n, v) => `client.With${n}("${v}")`, 'wpc'), C('camel', (n, v) => `builder.${n}("${v}").build()`, 'wpc'), C('pascal', (n, v) => `new Config { ${n} = "${v}" };`, 'wpc'),
    C('snake camel', (n, v) => `$${n} = '${v}';`, 'wpc'), C('snake', (n, v) => `'${n}' => '${v}',`, 'wpc'), C('snake', (n, v) => `:${n} => "${v}",`, 'wpc'), C('snake', (n, v) => `$config['${n}'] = "${v}";`, 'wpc'), C('upper', (n, v) => `define('${n}', '${v}');`, 'wpc'),
    C('snake', (n, v) => `@${n} = "${v}"`, 'wpc'), C('upper', (n, v) => `ENV["${n}"] = "${v}"`, 'wpc'), C('upper', (n, v) => `ENV.fetch("${n}", "${v}")`, 'wpc'), C('upper', (n, v) => `ENV.fetch('${n}') { '${v}' }`, 'wpc'),
    C('upper', (n, v) => `os.environ["${n}"] = "${v}"`, 'wpc'), C('upper', (n, v) => `os.environ.get("${n}", "${v}")`, 'wpc'), C('upper', (n, v) => `os.environ.get("${n}") or "${v}"`, 'wpc'), C('upper', (n, v) => `os.environ["${n}"] or "${v}"`, 'wpc'),
    C('upper', (n, v) => `os.environ.setdefault("${n}", "${v}")`, 'wpc'), C('upper', (n, v) => `os.getenv("${n}", default="${v}")`, 'wpc'), C('upper', (n, v) => `process.env.${n} || '${v}'`, 'wpc'), C('upper', (n, v) => `process.env['${n}'] ?? "${v}"`, 'wpc'),
    C('upper', (n, v) => `config("${n}", default="${v}")`, 'wpc'), C('upper', (n, v) => `env("${n}", "${v}")`, 'wpc'), C('upper', (n, v) => `getenv('${n}') ?: '${v}'`, 'wpc'), C('upper', (n, v) => `std::env::var("${n}").unwrap_or("${v}".into())`, 'wpc'),
    C('upper', (n, v) => `std::env::var("${n}").unwrap_or_else(|_| "${v}".to_string())`, 'wpc'), C('upper', (n, v) => `System.getenv("${n}") ?: "${v}"`, 'wpc'), C('dots', (n, v) => `System.getProperty("${n}", "${v}")`, 'wpc'), C('dots snake', (n, v) => `props.put("${n}", "${v}");`, 'wpc'),
    C('upper', (n, v) => `os.Setenv("${n}", "${v}")`, 'wpc'), C('upper', (n, v) => `putenv("${n}=${v}")`, 'wc'), C('upper', (n, v) => `Sys.setenv(${n} = "${v}")`, 'wpc'), C('snake', (n, v) => `connect(host="h", ${n}="${v}", port=1)`, 'wpc'),
    C('snake', (n, v) => `dict(user="a", ${n}="${v}")`, 'wpc'), C('snake', (n, v) => `{"user": "a", "${n}": "${v}"}`, 'wpc'), C('snake', (n, v) => `{'user': 'a', '${n}': '${v}'}`, 'wpc'), C('snake camel', (n, v) => `parser.add_argument("--${n}", default="${v}")`, 'wpc'),
    C('kebab', (n, v) => `flag.String("${n}", "${v}", "usage")`, 'wpc'), C('kebab', (n, v) => `@click.option("--${n}", default="${v}")`, 'wpc'), C('snake', (n, v) => `if ${n} == "${v}":`, 'wpc'), C('camel', (n, v) => `if (${n} === '${v}') {`, 'wpc'), C('snake', (n, v) => `assert ${n} == "${v}"`, 'wpc'),
    C('camel', (n, v) => `if (${n}.equals("${v}"))`, 'wpc'), C('camel', (n, v) => `if (strcmp(${n}, "${v}") == 0)`, 'wpc'), C('snake', (n, v) => `strcpy(${n}, "${v}");`, 'wpc'), C('snake', (n, v) => `char ${n}[] = "${v}";`, 'wpc'), C('upper', (n, v) => `#define ${n} "${v}"`, 'pc'),
    C('snake', (n, v) => `local ${n} = "${v}"`, 'wpc'), C('snake', (n, v) => `my $${n} = "${v}";`, 'wpc'), C('snake', (n, v) => `${n} <- "${v}"`, 'wpc'), C('snake', (n, v) => `(def ${n} "${v}")`, 'pc'), C('kebab', (n, v) => `{:${n} "${v}"}`, 'wpc'), C('snake', (n, v) => `%{${n}: "${v}"}`, 'wpc'), C('snake', (n, v) => `{${n}, <<"${v}">>}`, 'wpc'),
    C('camel', (n, v) => `val ${n} by lazy { "${v}" }`, 'wpc'), C('camel', (n, v) => `static let ${n}: String = "${v}"`, 'wpc'), C('camel', (n, v) => `NSString *${n} = @"${v}";`, 'wpc'), C('snake', (n, v) => `constexpr auto ${n} = "${v}";`, 'wpc'), C('snake', (n, v) => `std::string ${n}("${v}");`, 'wpc'), C('snake', (n, v) => `std::string ${n}{"${v}"};`, 'wpc'),
    C('camel', (n, v) => `final ${n} = '${v}';`, 'wpc'), C('snake', (n, v) => `${n} : constant String := "${v}";`, 'wpc'), C('pascal', (n, v) => `Dim ${n} As String = "${v}"`, 'wpc'), C('snake', (n, v) => `const ${n} = b"${v}"`, 'wpc'), C('camel', (n, v) => `  readonly ${n} = '${v}' as const;`, 'wpc'), C('snake', (n, v) => `SET @${n} = '${v}';`, 'wpc'),
    C('snake', (n, v) => `INSERT INTO t (user, ${n}) VALUES ('a', '${v}');`, 'wpc'), C('snake', (n, v) => `UPDATE users SET ${n}='${v}' WHERE id=1;`, 'wpc'), C('snake', (n, v) => `WHERE ${n} = '${v}'`, 'wpc'), C('snake', (n, v) => `SELECT * FROM s WHERE a=1 AND ${n}="${v}"`, 'wpc'),
    // files
    C('snake camel kebab', (n, v) => `${n}: ${v}`, 'c'), C('snake camel kebab', (n, v) => `  ${n}: "${v}"`, 'wpc'), C('snake camel', (n, v) => `    ${n}: '${v}'`, 'wpc'), C('snake camel', (n, v) => `- ${n}: ${v}`, 'c'), C('snake', (n, v) => `${n}: >-\n  ${v}`, 'c'), C('snake', (n, v) => `${n}: |\n    ${v}`, 'c'), C('snake', (n, v) => `  ${n}: !vault ${v}`, 'c'), C('snake', (n, v) => `${n}: &anchor "${v}"`, 'wpc'),
    C('snake', (n, v) => `{user: a, ${n}: ${v}, port: 1}`, 'c'), C('dots kebab', (n, v) => `spring.${n}=${v}`, 'wc'), C('snake', (n, v) => `${n} = ${v}`, 'c'), C('snake', (n, v) => `${n}=${v}`, 'wc'), C('snake camel', (n, v) => `"${n}": "${v}",`, 'wpc'), C('camel', (n, v) => `{\\"${n}\\":\\"${v}\\"}`, 'pc'), C('camel snake', (n, v) => `{"${n}":["${v}"]}`, 'c'),
    C('camel snake', (n, v) => `"${n}": {"value": "${v}", "type": "s"}`, 'wpc'), C('camel', (n, v) => `"${n}": {\n    "value": "${v}"\n  }`, 'wpc'), C('upper', (n, v) => `{"name": "${n}", "value": "${v}"}`, 'wpc'), C('upper', (n, v) => `- name: ${n}\n  value: ${v}`, 'c'), C('upper', (n, v) => `- name: ${n}\n  value: "${v}"`, 'wpc'), C('upper', (n, v) => `key: ${n}\nvalue: ${v}`, 'c'),
    C('camel snake', (n, v) => `<${n}>${v}</${n}>`, 'wc'), C('pascal', (n, v) => `<add key="${n}" value="${v}" />`, 'wc'), C('camel', (n, v) => `<user name="a" ${n}="${v}"/>`, 'wc'), C('camel', (n, v) => `<key>${n}</key>\n  <string>${v}</string>`, 'wc'), C('camel', (n, v) => `<property name="${n}" value="${v}"/>`, 'wc'), C('snake', (n, v) => `<string name="${n}">${v}</string>`, 'wc'), C('snake', (n, v) => `<input type="hidden" name="${n}" value="${v}">`, 'wc'), C('dots', (n, v) => `<entry key="${n}">${v}</entry>`, 'wc'), C('camel', (n, v) => `<${n}><![CDATA[${v}]]></${n}>`, 'wpc'), C('snake', (n, v) => `<param name="${n}">${v}</param>`, 'wc'),
    C('snake', (n, v) => `variable "${n}" {\n  default = "${v}"\n}`, 'wpc'), C('snake', (n, v) => `variable "${n}" {\n  type    = string\n  default = "${v}"\n}`, 'wpc'), C('snake', (n, v) => `  ${n}        = "${v}"`, 'wpc'), C('snake', (n, v) => `      + ${n} = "${v}"`, 'wpc'), C('snake', (n, v) => `      ~ ${n} = "old" -> "${v}"`, 'c'), C('snake', (n, v) => `${n} = <<EOT\n${v}\nEOT`, 'c'), C('snake', (n, v) => `output "${n}" {\n  value = "${v}"\n}`, 'wpc'),
    C('snake', (n, v) => `+  ${n}: ${v}`, 'c'), C('snake', (n, v) => `-    "${n}": "${v}",`, 'wpc'), C('upper', (n, v) => `-${n}=${v}`, 'wc'), C('upper', (n, v) => `+${n}=${v}`, 'wc'), C('snake camel', (n, v) => `\x1b[36m${n}\x1b[0m: \x1b[32m"${v}"\x1b[0m`, 'wpc'), C('camel', (n, v) => `\x1b[1m${n}\x1b[0m=\x1b[33m${v}\x1b[0m`, 'c'), C('camel', (n, v) => `  \x1b[34;1m"${n}"\x1b[0m\x1b[1m: \x1b[0m\x1b[0;32m"${v}"\x1b[0m`, 'wpc'),
    C('words', (n, v) => `; ${n}: ${v}`, 'c'), C('snake', (n, v) => `# ${n} = "${v}"`, 'wpc'), C('snake', (n, v) => `// ${n} = "${v}"`, 'wpc'), C('snake', (n, v) => `; ${n}=${v}`, 'c'), C('snake', (n, v) => `${n} ${v}`, 'c'), C('kebab', (n, v) => `  ${n} "${v}";`, 'pc'), C('snake', (n, v) => `set ${n} "${v}"`, 'pc'), C('snake', (n, v) => `"${n}"="${v}"`, 'wpc'), C('snake', (n, v) => `s:${n.length}:"${n}";s:${v.length}:"${v}";`, 'wpc'),
    // dumps
    C('snake', (n, v) => `Config { host: "h", ${n}: "${v}" }`, 'wpc'), C('snake', (n, v) => `Config { host: "h", ${n}: Some("${v}"), n: 1 }`, 'wpc'), C('snake', (n, v) => `Config { ${n}: Secret("${v}") }`, 'wpc'), C('snake', (n, v) => `Settings(host='h', ${n}='${v}', port=1)`, 'wpc'), C('pascal', (n, v) => `&{Host:h ${n}:${v} Port:1}`, 'c'), C('pascal', (n, v) => `main.Config{Host:"h", ${n}:"${v}", Port:1}`, 'wpc'), C('camel', (n, v) => `Config[host=h, ${n}=${v}, port=1]`, 'c'), C('camel', (n, v) => `Config(host=h, ${n}=${v}, port=1)`, 'c'), C('camel', (n, v) => `Config{host='h', ${n}='${v}'}`, 'wpc'), C('snake', (n, v) => `#<Config:0x01 @host="h", @${n}="${v}">`, 'wpc'), C('snake', (n, v) => `%Config{host: "h", ${n}: "${v}"}`, 'wpc'), C('snake', (n, v) => `#<struct Config host="h", ${n}="${v}">`, 'wpc'), C('snake', (n, v) => `  ["${n}"]=>\n  string(${v.length}) "${v}"`, 'wpc'), C('snake', (n, v) => `    [${n}] => ${v}`, 'c'), C('snake camel', (n, v) => `{ host: 'h', ${n}: '${v}' }`, 'wpc'), C('snake', (n, v) => `map[host:h ${n}:${v} port:1]`, 'c'), C('snake', (n, v) => `(gdb) p ${n}\n$1 = "${v}"`, 'wpc'), C('snake', (n, v) => `>>> ${n}\n'${v}'`, 'wpc'), C('snake', (n, v) => `ParseResult(user='a', ${n}='${v}')`, 'wpc'), C('camel', (n, v) => `dbg: ${n} = "${v}"`, 'wpc'), C('camel', (n, v) => `${n}=“${v}”`, 'c'), C('snake', (n, v) => `('${n}', '${v}')`, 'wpc'), C('snake', (n, v) => `[('user', 'a'), ('${n}', '${v}')]`, 'wpc'), C('snake', (n, v) => `["${n}", "${v}"]`, 'wpc'), C('camel', (n, v) => `Map(user -> a, ${n} -> ${v})`, 'c'), C('camel', (n, v) => `Object { user: "a", ${n}: "${v}" }`, 'wpc'),
    // tables
    C('snake', (n, v) => `| ${n} | ${v} |`, 'c'), C('snake', (n, v) => `│ ${n} │ ${v} │`, 'c'), C('upper', (n, v) => `${n}      ${v}`, 'c'), C('title', (n, v) => `${n}      ${v}`, 'c'), C('upper', (n, v) => `      ${n}:  ${v}`, 'c'), C('title', (n, v) => `${n.padEnd(20)}: ${v}`, 'c'), C('title', (n, v) => `| ${n.padEnd(20)} | ${v} |`, 'c'), C('snake', (n, v) => ` id | user | ${n}\n----+------+--------\n  1 | bob  | ${v}`, 'c'), C('snake', (n, v) => `| id | ${n} |\n+----+------+\n|  1 | ${v} |`, 'c'), C('upper', (n, v) => `NAME    ${n}    AGE\nweb     ${v}    3d`, 'c'), C('snake', (n, v) => `*************************** 1. row ***************************\n   id: 1\n  ${n}: ${v}`, 'c'), C('snake', (n, v) => `-[ RECORD 1 ]---\nid | 1\n${n} | ${v}`, 'c'), C('snake', (n, v) => `user,${n},mail\nbob,${v},b@x.y`, 'c'), C('snake', (n, v) => `user\t${n}\nbob\t${v}`, 'c'), C('title', (n, v) => `• ${n}: ${v}`, 'c'), C('title', (n, v) => `* **${n}**: \`${v}\``, 'c'), C('title', (n, v) => `║ ${n}: ${v} ║`, 'c'), C('title', (n, v) => `| ${n}: ${v}   |`, 'c'),
    // logs
    C('snake', (n, v) => `level=debug msg="x" ${n}=${v} user=a`, 'c'), C('snake camel', (n, v) => `DEBUG ${n}=${v}`, 'c'), C('snake', (n, v) => `DEBUG: ${n}: ${v}`, 'c'), C('snake', (n, v) => `[DEBUG] using ${n} '${v}'`, 'pc'), C('words', (n, v) => `2025-01-02 03:04:05 INFO using ${n} ${v}`, 'c'), C('words', (n, v) => `debug1: ${n} is "${v}"`, 'pc'), C('words', (n, v) => `error: invalid ${n}: ${v}`, 'c'), C('words', (n, v) => `Error: Invalid ${n} "${v}"`, 'pc'), C('words', (n, v) => `error: ${n} '${v}' is expired`, 'pc'), C('words', (n, v) => `401: ${n} ${v} was rejected`, 'c'), C('snake', (n, v) => `GET /a?x=1&${n}=${v} HTTP/1.1`, 'c'), C('snake', (n, v) => `https://h/p?${n}=${v}#top`, 'c'), C('snake', (n, v) => `https://h/p#${n}=${v}&s=1`, 'c'), C('snake', (n, v) => `body: user=a&${n}=${v}`, 'c'), C('snake camel', (n, v) => `Parameters: {"user"=>"a", "${n}"=>"${v}"}`, 'wpc'), C('words', (n, v) => `Setting ${n} to ${v}`, 'c'), C('words', (n, v) => `Got ${n}: ${v}`, 'c'), C('words', (n, v) => `Loaded ${n} (${v}) from file`, 'c'), C('words', (n, v) => `Using ${n}=${v}`, 'c'),
    // what programs say
    C('words', (n, v) => `Your ${n} is ${v}`, 'pc'), C('words', (n, v) => `Your ${n} is: ${v}`, 'pc'), C('words', (n, v) => `Your new ${n} is "${v}".`, 'pc'), C('words', (n, v) => `Your ${n}: ${v}`, 'pc'), C('sentence title', (n, v) => `${n}: ${v}`, 'pc'), C('sentence', (n, v) => `${n} created: ${v}`, 'pc'), C('sentence', (n, v) => `${n} generated: ${v}`, 'pc'), C('sentence', (n, v) => `${n} (shown once): ${v}`, 'pc'), C('sentence', (n, v) => `${n} = ${v}`, 'pc'), C('sentence', (n, v) => `${n}:\n\n    ${v}\n`, 'c'), C('words', (n, v) => `Use this ${n}: ${v}`, 'pc'), C('words', (n, v) => `Use the ${n} ${v} to sign in`, 'c'), C('words', (n, v) => `Here is your ${n}:\n${v}`, 'c'), C('words', (n, v) => `Save this ${n} now, it will not be shown again: ${v}`, 'pc'), C('words', (n, v) => `Generated ${n}: ${v}`, 'pc'), C('words', (n, v) => `The ${n} has been set to ${v}`, 'pc'), C('words', (n, v) => `The ${n} for user bob is ${v}`, 'pc'), C('words', (n, v) => `Created ${n} ${v}`, 'c'), C('words', (n, v) => `Copy the ${n} below:\n\n  ${v}\n`, 'c'), C('words', (n, v) => `Login: bob / ${n}: ${v}`, 'pc'), C('words', (n, v) => `user: bob, ${n}: ${v}`, 'pc'), C('words', (n, v) => `(${n}: ${v})`, 'pc'), C('words', (n, v) => `with ${n} "${v}"`, 'pc'), C('words', (n, v) => `with ${n} \`${v}\``, 'pc'), C('sentence', (n, v) => `${n} => ${v}`, 'c'), C('sentence', (n, v) => `${n} -> ${v}`, 'c'), C('sentence', (n, v) => `${n} → ${v}`, 'c'), C('words', (n, v) => `Enter ${n}: ${v}`, 'pc'), C('words', (n, v) => `Enter ${n} [${v}]: `, 'c'), C('words', (n, v) => `? ${n} ${v}`, 'c'), C('title', (n, v) => `✔ ${n} … ${v}`, 'c'), C('words', (n, v) => `${n} was changed from old to ${v}`, 'c'), C('kebab', (n, v) => `  --${n} string   the value (default "${v}")`, 'c'), C('words', (n, v) => `Note: the ${n} for 'admin' is '${v}'`, 'pc'),
].flat();

function draw() {
    const c = one(connectors), weak = random(2), name = one(fronts) + one(weak ? code : whole);
    const kinds = [...c.kinds].filter((k) => k !== 'w' || !weak);
    const kind = one(kinds.filter((k) => k !== 'p' || !weak).length ? kinds.filter((k) => k !== 'p' || !weak) : ['c']);
    const set = kind === 'w' ? words : kind === 'p' ? passwords : values;
    const which = one(Object.keys(set)), value = set[which]();
    return { group: `grid, ${weak ? 'codes' : 'passwords'}`, text: c.form(styles[c.style](name), value) + '\n', secrets: [value], name, form: String(c.form), which };
}

exports.cases = (count = Number(process.env.COUNT || 4000)) => Array.from({ length: count }, draw);
exports.connectors = connectors;
