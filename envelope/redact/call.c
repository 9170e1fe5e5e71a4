/* Secrets that are told apart by what is around them: an argument of a call, a member of a private
 * JSON Web Key, a driver's `user:password@tcp(host)`, what is below `"github-oauth"`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LEAST       6    /* bytes of a value */
#define CALL_MOST   300  /* bytes of a call's arguments */
#define MAKER_MOST  40   /* of the name of what makes something of one, */
#define MAKERS_MOST 2    /* and so many in one another */
#define JWK_MOST    1600 /* in front of and behind a member */
#define DSN_MOST    128  /* of user and password */

#define NETWORK_LEAST 8 /* characters of a passphrase of IEEE 802.11 */

static bool has_digit_or_sign(const struct redact_scan *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!redact_in(s->text[i], CLASS_UPPER | CLASS_LOWER | CLASS_NAME | CLASS_SPACE) ||
            redact_in(s->text[i], CLASS_DIGIT))
            return true;
    return false;
}

static bool take(const struct redact_scan *s, size_t from, size_t to,
                 struct redact_match *ret_match)
{
    return redact_take_word(s, from, to, LEAST, ret_match);
}

/* ---- calls ---- */

/* What takes a secret as an argument, and as which, from 1; MIXED: it has to look like one. A name
 * with a dot is the end of one. */
#define MIXED     16
#define NETWORK   32  /* it is a wireless network's: eight characters at least, blanks among them */
#define LINE      64  /* the last argument ends with its line */
#define SURELY    256 /* it is nothing else, whatever it is made of */
#define WHOLE     512 /* it is no path, and the only one */
#define RANDOM    128 /* long, and in no order that a word has */
#define HEX_KEY   1024 /* a key of Ethereum's: 64 hexadecimal digits */
#define SUFFIX    2048 /* of whatever name that ends so */
#define LOGIN     4096 /* `user:X`, where it becomes base64 */
#define WHICH     15
#define OF_LETTER 40 /* and one that ends them */
static const struct callee {
    char name[38];
    unsigned char len;
    unsigned short argument;
} callees[26][OF_LETTER] = {
/* by their last letter */
#define CALLEE(text, argument)                                                                     \
    {                                                                                              \
        text, sizeof(text) - 1, argument                                                           \
    }
    ['a' - 'a'] = {CALLEE("btoa", 1 | LOGIN)},
    ['b' - 'a'] = {CALLEE("Gitlab", 2 | MIXED), CALLEE("Github", 2), CALLEE("Github", 1 | MIXED)},
    ['c' - 'a'] = {CALLEE("pbkdf2Sync", 1), CALLEE("scryptSync", 1), CALLEE("pbkdf2_hmac", 2),
                   CALLEE("basic", 2), CALLEE("httpBasic", 2 | SURELY),
                   CALLEE("createHmac", 2 | SURELY), CALLEE("hash_hmac", 3),
                   CALLEE("compareSync", 1), CALLEE("bcrypt.hashSync", 1)},
    ['d' - 'a'] = {CALLEE("signInWithEmailAndPassword", 3 | SURELY),
                   CALLEE("signInWithEmailAndPassword", 2 | SURELY),
                   CALLEE("createUserWithEmailAndPassword", 3 | SURELY),
                   CALLEE("createUserWithEmailAndPassword", 2 | SURELY),
                   CALLEE("authWithPassword", 2 | SURELY), CALLEE("ssh2_auth_password", 3 | SURELY),
                   CALLEE("ldap_bind", 3 | SURELY), CALLEE("ks.load", 2 | SURELY),
                   CALLEE("KeyStore.load", 2 | SURELY), CALLEE("changeUserPassword", 2 | SURELY),
                   CALLEE("updateUserPassword", 2 | SURELY), CALLEE("setUserPassword", 2 | SURELY),
                   CALLEE("change_password", 2), CALLEE("changePassword", 2),
                   CALLEE("set_password", 2), CALLEE("make_password", 1),
                   CALLEE("check_password", 1), CALLEE("GenerateFromPassword", 1),
                   CALLEE("CompareHashAndPassword", 2)},
    ['e' - 'a'] = {CALLEE("set_cookie", 2 | MIXED), CALLEE("Sequelize", 3), CALLEE("database", 3),
                   CALLEE("jwt.encode", 2 | SURELY), CALLEE("jwt.decode", 2),
                   CALLEE("authenticate", 2), CALLEE("bcrypt.compare", 1),
                   CALLEE("Password.create", 1), CALLEE("remote", 4), CALLEE("remoteSecure", 4),
                   CALLEE("b64encode", 1 | LOGIN), CALLEE("base64_encode", 1 | LOGIN),
                   CALLEE("strict_encode", 1 | LOGIN), CALLEE("Base64.encode", 1 | LOGIN)},
    ['m' - 'a'] = {CALLEE("Buffer.from", 1 | LOGIN)},
    ['h' - 'a'] = {CALLEE("algoliasearch", 2 | MIXED),
                   CALLEE("HTTPBasicAuth", 2 | SURELY),
                   CALLEE("algoliasearch", 2),
                   CALLEE("HTTPDigestAuth", 2 | SURELY),
                   CALLEE("BasicAuth", 2 | SURELY),
                   CALLEE("basicAuth", 2 | SURELY),
                   CALLEE("basic_auth", 2 | SURELY),
                   CALLEE("SetBasicAuth", 2 | SURELY),
                   CALLEE("auth", 2 | SURELY),
                   CALLEE("signWith", 2),
                   CALLEE("redisAuth", 2),
                   CALLEE("auth", 1 | WHOLE),
                   CALLEE("PlainAuth", 3 | SURELY),
                   CALLEE("http_auth", 2 | SURELY),
                   CALLEE("bcrypt.hash", 1),
                   CALLEE("argon2.hash", 1),
                   CALLEE("password_hash", 1 | MIXED),
                   CALLEE("generate_password_hash", 1),
                   CALLEE("check_password_hash", 2),
                   CALLEE("ph.hash", 1),
                   CALLEE("pwd_context.hash", 1)},
    ['g' - 'a'] = {CALLEE("Secret.fromString", 1)},
    ['i' - 'a'] = {CALLEE("mysqli", 3)},
    ['l' - 'a'] = {CALLEE("NetworkCredential", 2 | SURELY), CALLEE("PSCredential", 2),
                   CALLEE("UsernamePasswordCredential", 2), CALLEE("sqlalchemy.URL", 3),
                   CALLEE("mysql", 5), CALLEE("postgresql", 5),
                   CALLEE("UsernamePasswordCredentialsImpl", 5)},
    ['n' - 'a'] = {CALLEE("set_access_token", 2 | MIXED),
                   CALLEE("personal.sendTransaction", 2 | SURELY),
                   CALLEE("WiFi.begin", 2 | NETWORK), CALLEE("getConnection", 3 | SURELY),
                   CALLEE("login", 2), CALLEE("smtp.login", 2 | SURELY),
                   CALLEE("server.login", 2 | SURELY), CALLEE("imap.login", 2 | SURELY),
                   CALLEE("mail.login", 2 | SURELY), CALLEE("ftp_login", 3 | SURELY),
                   CALLEE("imap_open", 3), CALLEE("jwt.sign", 2 | SURELY), CALLEE("sign", 2),
                   CALLEE("PasswordAuthentication", 2 | SURELY), CALLEE("createConnection", 3),
                   CALLEE("connection", 3), CALLEE("signIn", 2)},
    ['o' - 'a'] = {CALLEE("twilio", 2), CALLEE("PDO", 3 | SURELY), CALLEE("Minio", 3 | MIXED)},
    ['p' - 'a'] = {CALLEE("ftplib.FTP", 3 | SURELY), CALLEE("FTPHost", 3),
                   CALLEE("WiFi.softAP", 2 | NETWORK), CALLEE("addAP", 2 | NETWORK),
                   CALLEE("radio.start_ap", 2 | NETWORK)},
    ['r' - 'a'] = {CALLEE("HDWalletProvider", 1 | SURELY), CALLEE("OAuthHandler", 2 | MIXED),
                   CALLEE("createCipher", 2), CALLEE("createDecipher", 2),
                   CALLEE("cookieParser", 1 | SURELY), CALLEE("Buffer", 1 | LOGIN),
                   CALLEE("OAuth1UserHandler", 2), CALLEE("Authenticator", 2),
                   CALLEE("create_superuser", 3), CALLEE("create_user", 3 | MIXED)},
    ['s' - 'a'] = {CALLEE("jenkins.Jenkins", 3), CALLEE("privateKeyToAddress", 1 | HEX_KEY),
                   CALLEE("ldap_simple_bind_s", 3), CALLEE("simple_bind_s", 2),
                   CALLEE("credentials", 2), CALLEE("UsernamePasswordCredentials", 2 | SURELY)},
    ['t' - 'a'] = {CALLEE("mysqli_connect", 3 | SURELY),
                   CALLEE("mysql_connect", 3 | SURELY),
                   CALLEE("mysql_pconnect", 3),
                   CALLEE("mssql_connect", 3),
                   CALLEE("odbc_connect", 3),
                   CALLEE("oci_connect", 2),
                   CALLEE("connect", 5),
                   CALLEE("username_pw_set", 2 | SURELY),
                   CALLEE("unlockAccount", 2 | SURELY),
                   CALLEE("personal.newAccount", 1 | SURELY),
                   CALLEE("oracledb.connect", 2 | SURELY),
                   CALLEE("cx_Oracle.connect", 2 | SURELY),
                   CALLEE("connect", 4),
                   CALLEE("connect", 3),
                   CALLEE("__construct", 3),
                   CALLEE("mysql_real_connect", 4 | SURELY),
                   CALLEE("Client", 2 | MIXED),
                   CALLEE("TwilioRestClient", 2 | MIXED),
                   CALLEE("InfluxDBClient", 4 | SURELY),
                   CALLEE("Client", 1 | RANDOM | SUFFIX),
                   CALLEE("Client", 2 | RANDOM | SUFFIX),
                   CALLEE("Wallet", 1 | HEX_KEY),
                   CALLEE("privateKeyToAccount", 1 | HEX_KEY),
                   CALLEE("Fernet", 1 | MIXED),
                   CALLEE("pgp_sym_encrypt", 2 | SURELY),
                   CALLEE("openssl_encrypt", 3),
                   CALLEE("openssl_decrypt", 3),
                   CALLEE("pgp_sym_decrypt", 2 | SURELY),
                   CALLEE("aes_encrypt", 2),
                   CALLEE("aes_decrypt", 2),
                   CALLEE("AES.encrypt", 2),
                   CALLEE("AES.decrypt", 2),
                   CALLEE("wlan.connect", 2 | NETWORK),
                   CALLEE("wifi.connect", 2 | NETWORK),
                   CALLEE("sta_if.connect", 2 | NETWORK),
                   CALLEE("radio.connect", 2 | NETWORK),
                   CALLEE("hash_pwd_salt", 1)},
    ['v' - 'a'] = {CALLEE("createCipheriv", 2 | MIXED), CALLEE("createDecipheriv", 2 | MIXED)},
    ['w' - 'a'] = {CALLEE("Credentials.new", 2 | MIXED), CALLEE("hmac.new", 1 | MIXED),
                   CALLEE("AES.new", 1 | MIXED), CALLEE("hmac.New", 2), CALLEE("hashpw", 1),
                   CALLEE("checkpw", 1)},
    ['y' - 'a'] = {CALLEE("fromSecretKey", 1 | MIXED), CALLEE("from_key", 1 | HEX_KEY),
                   CALLEE("SigningKey", 1 | HEX_KEY), CALLEE("importRawKey", 1 | HEX_KEY),
                   CALLEE("importRawKey", 2 | SURELY), CALLEE("jwt.verify", 2 | SURELY),
                   CALLEE("verify", 2 | MIXED), CALLEE("password_verify", 1),
                   CALLEE("ph.verify", 2), CALLEE("argon2.verify", 2),
                   CALLEE("pwd_context.verify", 1)},
};

/* Behind `AT+`. */
static const struct callee modem_commands[] = {CALLEE("CWJAP", 2 | NETWORK),
                                               CALLEE("CWJAP_CUR", 2 | NETWORK),
                                               CALLEE("CWJAP_DEF", 2 | NETWORK),
                                               CALLEE("CWSAP", 2 | NETWORK),
                                               CALLEE("CWSAP_CUR", 2 | NETWORK),
                                               CALLEE("CWSAP_DEF", 2 | NETWORK),
                                               CALLEE("CSTT", 3),
                                               CALLEE("QICSGP", 4),
                                               CALLEE("CGAUTH", 4),
                                               CALLEE("CGAUTH", 3),
                                               CALLEE("MQTTUSERCFG", 5),
                                               CALLEE("CMQTTCONNECT", 6),
                                               CALLEE("QMTCONN", 4)};

static void tell_end(const char *name, size_t len, void (*end)(const char *two))
{
    if (len)
        end(name + len - 2);
}

void redact_call_ends(void (*end)(const char *two))
{
    static const char *const others[] = {"provider", "oauth",     "omniauth", "token",
                                         "bearer",   "CONCEALED", "encoded"};
    for (size_t i = 0; i < sizeof callees / sizeof **callees; i++) {
        const struct callee *c = &callees[0][0] + i;
        tell_end(c->name, c->len, end);
    }
    for (size_t i = 0; i < sizeof modem_commands / sizeof *modem_commands; i++)
        tell_end(modem_commands[i].name, modem_commands[i].len, end);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        tell_end(others[i], strlen(others[i]), end);
}

/* The argument at `at`: behind it. */
static size_t skip_argument(const struct redact_scan *s, size_t at, size_t most)
{
    int depth = 0;
    char quote = 0;
    for (; at < most && s->text[at] != '\n'; at++) {
        char c = s->text[at];
        if (quote) {
            at += c == '\\' && at + 1 < most;
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'' || c == '`') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            depth++;
        } else if (c == ')' || c == ']' || c == '}' || c == ',') {
            if (!depth)
                return at;
            depth -= c != ',';
        }
    }
    return 0;
}

/* Letters whose case changes as in no name: in most of its words is one letter, or two. */
static bool is_jumble(const struct redact_scan *s, size_t from, size_t to)
{
    size_t words = 0, brief = 0, letters = 0;
    for (size_t i = from; i <= to; i++) {
        if (i == to || redact_in(s->text[i], CLASS_UPPER)) {
            words += letters > 0;
            brief += letters == 1 || letters == 2;
            letters = 0;
        } else if (redact_in(s->text[i], CLASS_LOWER)) {
            letters++;
        } else {
            return false;
        }
    }
    return to - from >= 8 && words >= 3 && 2 * brief >= words;
}

/* `Some(`, `Buffer.from(`, `[]byte(`: what makes something else of a text; whether any is there. */
static bool skip_makers(struct redact_scan *s, size_t *at)
{
    bool made = false;
    for (int i = 0; i < MAKERS_MOST; i++) {
        size_t from = *at + (redact_at(s, *at, "new ") ? 4 : redact_at(s, *at, "[]") ? 2 : 0);
        size_t open = redact_run(s, from, CLASS_NAME | CLASS_COLON);
        if (open == from || open - from > MAKER_MOST || redact_char(s, open) != '(')
            break;
        *at = open + 1;
        made = true;
    }
    return made;
}

static bool is_hex_key(struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = from + (redact_at(s, from, "0x") ? 2 : 0);
    return to - digits == 64 && redact_run(s, digits, CLASS_HEX) == to;
}

static bool is_argument(struct redact_scan *s, size_t open, int how, struct redact_match *ret)
{
    int which = how & WHICH;
    size_t at = open + 1, most = s->len - open < CALL_MOST ? s->len : open + CALL_MOST;
    if (which > 1 && !memchr(s->text + open, ',', most - open))
        return false;
    for (int i = 1; i < which; i++) {
        at = skip_argument(s, at, most);
        if (!at || s->text[at] != ',')
            return false;
        at = redact_run(s, at + 1, CLASS_BLANK);
    }
    bool made = skip_makers(s, &at);
    at += redact_in(redact_char(s, at + 1), CLASS_DOUBLE | CLASS_SINGLE) &&
          redact_in(redact_char(s, at), CLASS_LOWER); /* b'X' */
    char quote = redact_char(s, at);
    size_t end = quote == '"' || quote == '\'' ? skip_argument(s, at, most) : 0;
    const char *close = end ? memchr(s->text + at + 1, quote, end - at - 1) : NULL;
    if (close && (made || redact_char(s, (size_t)(close - s->text) + 1) == '.'))
        end = (size_t)(close - s->text) + 1; /* "X".getBytes() */
    if (!end && how & LINE) {
        end = redact_line_end(s, at);
        end -= end > at && s->text[end - 1] == '\r';
    }
    if (!end || end < at + 6 || s->text[end - 1] != quote)
        return false;
    struct redact_reached v = {.from = at + 1, .to = end - 1};
    if (how & MIXED && redact_strength(s, &v) < REDACT_MIXED)
        return false;
    if (how & LOGIN)
        return redact_encoded_login(s, v.from, v.to, ret);
    if (how & HEX_KEY)
        return is_hex_key(s, v.from, v.to) && take(s, v.from, v.to, ret);
    if (how & RANDOM && (redact_strength(s, &v) != REDACT_RANDOM || v.hex))
        return false;
    if (how & WHOLE && (redact_char(s, end) != ')' || memchr(s->text + at, '/', end - at) ||
                        memchr(s->text + at, ':', end - at) || memchr(s->text + at, ' ', end - at)))
        return false;
    if (how & NETWORK && v.to - v.from >= NETWORK_LEAST)
        return take(s, v.from, v.to, ret);
    bool words = memchr(s->text + at, ' ', end - at) != NULL;
    return (words ? redact_is_spoken(s, at + 1, end - 1) || redact_is_quoted(s, at + 1, end - 1) ||
                        (how & SURELY && !redact_is_notice(s, at + 1, end - 1) &&
                         (redact_has_digit(s, at + 1, end - 1) ||
                          redact_is_phrase(s, at + 1, end - 1, 2)))
                  : has_digit_or_sign(s, at + 1, end - 1) || is_jumble(s, at + 1, end - 1) ||
                        redact_is_wordy(s, at + 1, end - 1) ||
                        (how & SURELY && !redact_is_remark(s, at + 1, end - 1) &&
                         !redact_tells(s, at + 1, end - at - 2))) &&
           take(s, at + 1, end - 1, ret);
}

/* ---- members ---- */

/* `"github-oauth": {"github.com": "X"}`, as composer keeps it. */
static bool is_below(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    static const char *const names[] = {"github-oauth", "gitlab-oauth", "gitlab-token", "bearer"};
    static const char *const signs[] = {":", "{", "\"", NULL, "\"", ":", "\""};
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is = is || (end - at == strlen(names[i]) && redact_at(s, at, names[i]));
    if (!is || redact_char(s, end) != '"')
        return false;
    size_t look = end + 1;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!signs[i]) {
            look = redact_run(s, look, CLASS_NAME);
            continue;
        }
        look = redact_run(s, look, CLASS_SPACE);
        if (redact_char(s, look) != *signs[i])
            return false;
        look++;
    }
    size_t to = redact_run(s, look, CLASS_WORD | CLASS_DOT);
    return redact_char(s, to) == '"' && take(s, look, to, ret_match);
}

/* `send "X\r"`, where a password was expected. */
static bool is_sent(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (end - at != 4 || !redact_at(s, at, "send"))
        return false;
    size_t from = redact_run(s, end, CLASS_BLANK), back = at > 200 ? at - 200 : 0;
    from = redact_at(s, from, "-- ") ? from + 3 : from;
    size_t open = from;
    from += redact_char(s, from) == '\\';
    if (redact_char(s, from) != '"')
        return false;
    size_t line = redact_line_end(s, from++);
    const char *close = memmem(s->text + from, line - from, "\\r", 2);
    close = close ? close : memmem(s->text + from, line - from, "\\n", 2);
    bool asked = memmem(s->text + back, open - back, "assword", 7) ||
                 memmem(s->text + back, open - back, "assphrase", 9);
    return close && asked && take(s, from, (size_t)(close - s->text), ret_match);
}

/* `provider :github, 'id', 'X'`, `config.omniauth :github, 'id', 'X'`. */
static bool is_provider(struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match)
{
    bool is =
        end - at >= 8 && (redact_at(s, end - 8, "provider") || redact_at(s, end - 8, "omniauth"));
    return is && redact_at(s, end, " :") && is_argument(s, end, 3 | MIXED | LINE, ret_match);
}

/* `AT+CWJAP="network","X"`: what modems are told, and which of its arguments it is. */
static bool is_modem(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (redact_char(s, end) != '=' || at < 3 || !redact_at(s, at - 3, "AT+"))
        return false;
    for (size_t i = 0; i < sizeof modem_commands / sizeof *modem_commands; i++)
        if (end - at == modem_commands[i].len && redact_at(s, at, modem_commands[i].name) &&
            is_argument(s, end, modem_commands[i].argument | LINE, ret_match))
            return true;
    return false;
}

/* Whether the name, or what is behind its last dot, is that one, capital letters or not. */
static bool is_callee(const struct redact_scan *s, size_t at, size_t dot, size_t end,
                      const struct callee *c)
{
    if (end - at < c->len)
        return false;
    bool part = memchr(c->name, '.', c->len) != NULL || (c->argument & SUFFIX);
    return (part || end - dot == c->len) && !strncasecmp(s->text + end - c->len, c->name, c->len);
}

/* `auth = ("user", "X")`: where the arguments open; 0 where none do. */
static size_t opens_at(struct redact_scan *s, size_t end)
{
    size_t sign = redact_run(s, end, CLASS_BLANK), open = redact_run(s, sign + 1, CLASS_BLANK);
    if (redact_char(s, end) == '(')
        return end;
    return redact_char(s, sign) == '=' && redact_char(s, open) == '(' ? open : 0;
}

/* Without the number of its version: `ClientV2`. */
static size_t stem_of(const struct redact_scan *s, size_t at, size_t end)
{
    size_t stem = end;
    while (stem > at + 1 && redact_in(s->text[stem - 1], CLASS_DIGIT))
        stem--;
    return stem - (stem < end && stem > at + 1 && (s->text[stem - 1] | 0x20) == 'v');
}

bool redact_call(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    char next = redact_char(s, end);
    bool quote = next == '"' || next == '\'', made = quote && redact_at(s, end + 1, ")(");
    if (quote && !made) /* made: require('x')('X') */
        return next == '"' &&
               (is_below(s, at, end, ret_match) || redact_concealed(s, at, end, ret_match) ||
                (end - at == 4 && redact_talk(s, at, end, ret_match)));
    if (next == '=' && is_modem(s, at, end, ret_match))
        return true;
    if (next == ' ' && (is_sent(s, at, end, ret_match) || is_provider(s, at, end, ret_match)))
        return true;
    size_t open = made ? end + 2 : opens_at(s, end); /* auth=("user", "X") */
    if (!open)
        return false;
    end = stem_of(s, at, end);
    size_t dot = end;
    if (!redact_in(s->text[end - 1], CLASS_UPPER | CLASS_LOWER))
        return false;
    const struct callee *callee = callees[(s->text[end - 1] | 0x20) - 'a'];
    while (dot > at && *callee->name && s->text[dot - 1] != '.')
        dot--;
    for (; *callee->name; callee++)
        if (is_callee(s, at, dot, end, callee) && is_argument(s, open, callee->argument, ret_match))
            return true;
    return false;
}

/* `<P>X</P>` of .NET's `<RSAKeyValue>`, in which all that follows is private, too. */
static bool is_xml_key(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t to = redact_run(s, end + 1, CLASS_ALNUM | CLASS_BASE64);
    size_t back = at > JWK_MOST ? at - JWK_MOST : 0;
    size_t ahead = s->len - to > JWK_MOST ? to + JWK_MOST : s->len;
    if (!at || s->text[at - 1] != '<' || !REDACT_ONE_OF(s->text[at], "DPQ") || to < end + 17 ||
        !redact_at(s, to, "</") ||
        !(memmem(s->text + back, at - back, "<RSAKeyValue>", 13) ||
          memmem(s->text + back, at - back, "<DSAKeyValue>", 13)) ||
        (s->text[at] != 'D' && !memmem(s->text + to, ahead - to, "</D>", 4)))
        return false; /* of a DSA key, P and Q are public */
    const char *close = memmem(s->text + to, ahead - to, "SAKeyValue>", 11);
    const char *tag = close ? memrchr(s->text + to, '>', (size_t)(close - s->text) - to) : NULL;
    while (tag && tag > s->text + to && *tag != '<')
        tag--; /* the last member's */
    return take(s, end + 1, tag ? (size_t)(tag - s->text) : to, ret_match);
}

/* RFC 7517 and 7518: what of a key is private has names of a letter or two. */
bool redact_jwk(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (redact_char(s, end) == '>')
        return is_xml_key(s, at, end, ret_match);
    char first = s->text[at], second = end - at == 2 ? s->text[at + 1] : 0;
    bool is = second ? (first == 'd' && (second == 'p' || second == 'q')) ||
                           (first == 'q' && second == 'i')
                     : end - at == 1 && REDACT_ONE_OF(first, "dkpq");
    if (!is || !at || s->text[at - 1] != '"' || redact_char(s, end) != '"')
        return false;
    size_t sign = redact_run(s, end + 1, CLASS_BLANK);
    size_t from = redact_run(s, sign + 1, CLASS_BLANK) + 1;
    if (redact_char(s, sign) != ':' || redact_char(s, from - 1) != '"')
        return false;
    size_t to = redact_run(s, from, CLASS_WORD);
    if (to < from + 16 || redact_char(s, to) != '"')
        return false;
    size_t back = at > JWK_MOST ? at - JWK_MOST : 0;
    size_t ahead = s->len - to > JWK_MOST ? to + JWK_MOST : s->len;
    return (memmem(s->text + back, at - back, "\"kty\"", 5) ||
            memmem(s->text + to, ahead - to, "\"kty\"", 5)) &&
           take(s, from, to, ret_match);
}

/* ---- around a sign ---- */

/* Whether the port of a host that ends at `at` is there: two to five digits. */
static bool is_port(struct redact_scan *s, size_t at)
{
    size_t to = redact_run(s, at + 1, CLASS_DIGIT);
    return redact_char(s, at) == ':' && to >= at + 3 && to <= at + 6 &&
           !redact_in(redact_char(s, to), CLASS_WORD | CLASS_COLON);
}

/* `user:X@10.0.0.1`, `user:X@db:3306`, with no scheme in front: the host has a dot or a port, X
 * looks like a password. */
static bool is_login(struct redact_scan *s, size_t at, size_t colon, size_t from,
                     struct redact_match *ret_match)
{
    struct redact_reached v = {.from = colon + 1, .to = at};
    const char *last = memrchr(s->text + from, ':', at - from); /* sip:user:X@host */
    if (last && (size_t)(last - s->text) > colon &&
        (redact_at(s, from, "sip:") || redact_at(s, from, "sips:"))) {
        from = colon + 1;
        colon = (size_t)(last - s->text);
        v.from = colon + 1;
    }
    size_t user = redact_run(s, from, CLASS_WORD), host = redact_run(s, at + 1, CLASS_NAME);
    if (user != colon || user == from ||
        (redact_in(s->text[from], CLASS_DIGIT) && colon - from < 4) ||
        !(is_port(s, host) ||
          (memchr(s->text + at + 1, '.', host - at - 1) && redact_char(s, host) != ':')) ||
        redact_strength(s, &v) == REDACT_WEAK || at - colon < 7)
        return false;
    *ret_match = (struct redact_match){colon + 1, at, "url-password"};
    return true;
}

bool redact_dsn(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    static const char *const nets[] = {"tcp(", "unix(", "tcp4(", "tcp6(", "tcp/", "udp(", "("};
    bool is = false;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        is = is || redact_at(s, at + 1, nets[i]);
    size_t from = at, colon = 0;
    while (from > 0 && at - from < DSN_MOST &&
           !redact_in(s->text[from - 1], CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK)) {
        from--;
        colon = s->text[from] == ':' && !redact_at(s, from, "://") ? from : colon;
    }
    if (is && from && s->text[from - 1] == ' ') { /* a blank in the password */
        size_t line = redact_line_start(s, at, DSN_MOST), user = redact_run(s, line, CLASS_WORD);
        if (user > line && user < from && s->text[user] == ':' &&
            !redact_in(s->text[user + 1], CLASS_BLANK))
            colon = user;
    }
    if (!colon || colon + 1 >= at || redact_is_placeholder(s, colon + 1, at))
        return false;
    if (!is)
        return is_login(s, at, colon, from, ret_match);
    *ret_match = (struct redact_match){colon + 1, at, "url-password"};
    return true;
}

/* 32, 8 and 8 hexadecimal digits, at whose first dash `at` is. */
bool redact_dashes(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (at < 32 || s->len - at < 18 || s->text[at + 9] != '-')
        return false;
    size_t from = at - 32, end = at + 18;
    for (size_t i = from; i < end; i++)
        if (i != at && i != at + 9 && !redact_in(s->text[i], CLASS_DIGIT | CLASS_HEX_LOWER))
            return false;
    if ((from && redact_in(s->text[from - 1], CLASS_WORD)) ||
        redact_in(redact_char(s, end), CLASS_WORD))
        return false;
    *ret_match = (struct redact_match){from, end, "mailgun-key"};
    return true;
}

bool redact_is_identifier(const struct redact_scan *s, size_t from, size_t to, bool *ret_digits)
{
    *ret_digits = false;
    for (size_t i = from; i < to; i++) {
        char c = s->text[i];
        if (redact_in(c, CLASS_DIGIT))
            *ret_digits = true;
        else if (!redact_in(c, CLASS_ALNUM | CLASS_UNDER | CLASS_DOT) && c != '>' && c != '-' &&
                 c != ':')
            return false;
    }
    return true;
}

bool redact_is_cmdlet(struct redact_scan *s, const struct redact_value *v)
{
    size_t verb = redact_run(s, v->from, CLASS_UPPER | CLASS_LOWER);
    return redact_char(s, verb) == '-' && redact_in(s->text[v->from], CLASS_UPPER) &&
           redact_in(redact_char(s, verb + 1), CLASS_UPPER) &&
           redact_run(s, verb + 1, CLASS_UPPER | CLASS_LOWER) == v->to &&
           redact_char(s, v->to) == ' ';
}
