/* What a name says of what it is set to: by its last words, whatever stands between them. */
#include <pthread.h>
#include <string.h>

#include "envelope/redact/places.h"

#define WORDS_MOST     4
#define WORD_MOST      48
#define NAME_LOOKED_AT 96 /* bytes of a name's end */
#define GLUED_LEAST    6  /* letters of a word that two are glued to */
#define BEHIND_MOST    8  /* signs and digits behind its last letter */

/* The last words of a name, the last one first, in small letters and without digits at their end.
 */
struct words {
    char word[WORDS_MOST][WORD_MOST];
    size_t len[WORDS_MOST];
    int count;
};

struct row {
    char word[22];
    unsigned char len, tells; /* enum redact_telling */
};

/* Rows, found by a letter of their words: the first, or the last. A look at one row costs little;
 * at all of them, for every name of a text, it would not. */
#define ROWS_MOST 200
struct rows {
    const struct row *row;
    int count;
    bool by_last;
    uint8_t first[32], next[ROWS_MOST]; /* counted from 1; 0 for none */
};

#define ROW(word, tells)                                                                           \
    {                                                                                              \
        word, sizeof(word) - 1, tells                                                              \
    }

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether a word ends in front of `at`: sshKey is two, APIKey is, APIKEY is one. */
static bool is_border(const char *name, size_t len, size_t at)
{
    if (!redact_in(name[at - 1], CLASS_ALNUM))
        return true;
    if (!redact_in(name[at], CLASS_UPPER))
        return false;
    return redact_in(name[at - 1], CLASS_LOWER) ||
           (at + 2 < len && redact_in(name[at + 1], CLASS_LOWER) && /* but PSKc, PSKs */
            redact_in(name[at - 1], CLASS_UPPER));
}

static size_t take_word(const char *name, size_t len, size_t to, struct words *words)
{
    size_t from = to;
    while (from > 0 && redact_in(name[from - 1], CLASS_ALNUM)) {
        from--;
        if (from == 0 || is_border(name, len, from))
            break;
    }
    size_t end = to;
    while (end > from && redact_in(name[end - 1], CLASS_DIGIT))
        end--;
    size_t start = end - from >= WORD_MOST ? end - WORD_MOST + 1 : from;
    if (end > start) {
        char *word = words->word[words->count];
        words->len[words->count++] = end - start;
        for (size_t i = start; i < end; i++)
            *word++ = lower(name[i]);
        *word = 0;
    }
    return from;
}

/* Words behind the telling one that change nothing. */
static const struct row qualifier_rows[] = {
    ROW("base", TELLS_ALL),         ROW("prod", TELLS_ALL),    ROW("production", TELLS_ALL),
    ROW("staging", TELLS_ALL),      ROW("stage", TELLS_ALL),   ROW("dev", TELLS_ALL),
    ROW("live", TELLS_ALL),         ROW("old", TELLS_ALL),     ROW("new", TELLS_ALL),
    ROW("value", TELLS_ALL),        ROW("plain", TELLS_ALL),   ROW("primary", TELLS_ALL),
    ROW("secondary", TELLS_ALL),    ROW("backup", TELLS_ALL),  ROW("current", TELLS_ALL),
    ROW("previous", TELLS_ALL),     ROW("main", TELLS_ALL),    ROW("plaintext", TELLS_ALL),
    ROW("local", TELLS_ALL),        ROW("b", TELLS_ALL),       ROW("v", TELLS_ALL),
    ROW("test", TELLS_ALL),         ROW("string", TELLS_ALL),  ROW("text", TELLS_ALL),
    ROW("confirmation", TELLS_ALL), ROW("confirm", TELLS_ALL), ROW("again", TELLS_ALL),
    ROW("us", TELLS_ALL),           ROW("eu", TELLS_ALL),      ROW("encrypted", TELLS_ALL),
    ROW("pypi", TELLS_ALL),         ROW("equals", TELLS_ALL),  ROW("txt", TELLS_ALL),
    ROW("private", TELLS_ALL),
};

/* What a word ends in. */
static const struct row ending_rows[] = {
    ROW("password", TELLS_ALL),
    ROW("passwd", TELLS_ALL),
    ROW("passphrase", TELLS_ALL),
    ROW("passwort", TELLS_ALL),
    ROW("secret", TELLS_ALL),
    ROW("passcode", TELLS_ALL),
    ROW("requirepass", TELLS_ALL),
    ROW("masterauth", TELLS_ALL),
    ROW("storepass", TELLS_ALL),
    ROW("keypass", TELLS_ALL),
    ROW("dbpass", TELLS_ALL),
    ROW("userpass", TELLS_ALL),
    ROW("remotepass", TELLS_ALL),
    ROW("localpass", TELLS_ALL),
    ROW("loginpass", TELLS_ALL),
    ROW("authpass", TELLS_ALL),
    ROW("wifipass", TELLS_ALL),
    ROW("vpnpass", TELLS_ALL),
    ROW("sqlpass", TELLS_ALL),
    ROW("redispass", TELLS_ALL),
    ROW("httppass", TELLS_ALL),
    ROW("imappass", TELLS_ALL),
    ROW("masterpass", TELLS_ALL),
    ROW("defaultpass", TELLS_ALL),
    ROW("certpass", TELLS_ALL),
    ROW("rootpass", TELLS_ALL),
    ROW("controlpass", TELLS_ALL),
    ROW("adminpass", TELLS_ALL),
    ROW("smtppass", TELLS_ALL),
    ROW("mailpass", TELLS_ALL),
    ROW("ftppass", TELLS_ALL),
    ROW("bindpw", TELLS_ALL),
    ROW("rootpw", TELLS_ALL),
    ROW("dbpw", TELLS_ALL),
    ROW("dbpwd", TELLS_ALL),
    ROW("userpwd", TELLS_ALL),
    ROW("sapwd", TELLS_ALL),
    ROW("cryptopass", TELLS_ALL),
    ROW("privpass", TELLS_ALL),
    ROW("secretkey", TELLS_ALL),
    ROW("encryptionkey", TELLS_ALL),
    ROW("signingkey", TELLS_ALL),
    ROW("masterkey", TELLS_ALL),
    ROW("token", TELLS_CODE),
    ROW("apikey", TELLS_CODE),
    ROW("psswd", TELLS_ALL),
    ROW("accesskey", TELLS_CODE),
    ROW("privatekey", TELLS_CODE),
    ROW("authkey", TELLS_CODE),
    ROW("accountkey", TELLS_CODE),
    ROW("credential", TELLS_CODE),
    ROW("credentials", TELLS_CODE),
    ROW("cookie", TELLS_CODE),
    ROW("sharedkey", TELLS_CODE),
    ROW("keydata", TELLS_CODE),
    ROW("sharedaccesssignature", TELLS_CODE),
    ROW("passkey", TELLS_CODE),
    ROW("proxyauth", TELLS_CODE),
    ROW("sshpass", TELLS_ALL),
    ROW("kennwort", TELLS_ALL),
    ROW("wachtwoord", TELLS_ALL),
    ROW("contrasena", TELLS_ALL),
    ROW("motdepasse", TELLS_ALL),
    ROW("losenord", TELLS_ALL),
    ROW("geheimnis", TELLS_ALL),
    ROW("segreto", TELLS_ALL),
    ROW("authtok", TELLS_ALL),
    ROW("schlussel", TELLS_CODE),
    ROW("secreta", TELLS_ALL),
    ROW("segreta", TELLS_ALL),
    ROW("pswd", TELLS_ALL),
    ROW("passwrd", TELLS_ALL),
    ROW("senha", TELLS_ALL),
    ROW("haslo", TELLS_ALL),
    ROW("heslo", TELLS_ALL),
    ROW("salasana", TELLS_ALL),
    ROW("adgangskode", TELLS_ALL),
    ROW("adgangskod", TELLS_ALL),
    ROW("passord", TELLS_ALL),
    ROW("jelszo", TELLS_ALL),
    ROW("lozinka", TELLS_ALL),
    ROW("parola", TELLS_ALL),
    ROW("pasahitza", TELLS_ALL),
    ROW("contrasenya", TELLS_ALL),
    ROW("palavrapasse", TELLS_ALL),
    ROW("zugangscode", TELLS_ALL),
    ROW("schluessel", TELLS_CODE),
    ROW("kodeord", TELLS_ALL),
    ROW("lykilord", TELLS_ALL),
    ROW("slaptazodis", TELLS_ALL),
    ROW("matkhau", TELLS_ALL),
    ROW("contrasinal", TELLS_ALL),
    ROW("segredo", TELLS_ALL),
    ROW("hemlighet", TELLS_ALL),
    ROW("passwordsalt", TELLS_LONG),
    ROW("otpseed", TELLS_CODE),
    ROW("sessid", TELLS_LONG),
    ROW("sessionid", TELLS_LONG),
    ROW("accesscode", TELLS_CODE),
    ROW("mnemonic", TELLS_LONG),
    ROW("connectionstring", TELLS_LONG),
    ROW("dbroot", TELLS_LONG),
};

/* What a word is. */
static const struct row single_rows[] = {
    ROW("pass", TELLS_ALL),       ROW("pwd", TELLS_ALL),        ROW("pw", TELLS_ALL),
    ROW("psk", TELLS_ALL),        ROW("xauth", TELLS_CODE),     ROW("auth", TELLS_CODE),
    ROW("creds", TELLS_CODE),     ROW("jwt", TELLS_CODE),       ROW("bearer", TELLS_CODE),
    ROW("sas", TELLS_LONG),       ROW("sig", TELLS_LONG),       ROW("signature", TELLS_LONG),
    ROW("salt", TELLS_LONG),      ROW("passw", TELLS_ALL),      ROW("mdp", TELLS_ALL),
    ROW("psw", TELLS_ALL),        ROW("pword", TELLS_ALL),      ROW("pwrd", TELLS_ALL),
    ROW("clave", TELLS_ALL),      ROW("sifre", TELLS_ALL),      ROW("geslo", TELLS_ALL),
    ROW("parool", TELLS_ALL),     ROW("codice", TELLS_LONG),    ROW("pepper", TELLS_CODE),
    ROW("seed", TELLS_LONG),      ROW("otpauth", TELLS_LONG),   ROW("encrypt", TELLS_LONG),
    ROW("secure", TELLS_LONG),    ROW("totp", TELLS_LONG),      ROW("cred", TELLS_CODE),
    ROW("authtoken", TELLS_CODE), ROW("apitoken", TELLS_CODE),  ROW("dsn", TELLS_LONG),
    ROW("csrf", TELLS_LONG),      ROW("xsrf", TELLS_LONG),      ROW("webhook", TELLS_LONG),
    ROW("appid", TELLS_LONG),     ROW("clientkey", TELLS_CODE), ROW("chave", TELLS_CODE),
    ROW("chiave", TELLS_CODE),    ROW("llave", TELLS_CODE),     ROW("sleutel", TELLS_CODE),
    ROW("nyckel", TELLS_CODE),    ROW("nokkel", TELLS_CODE),    ROW("klucz", TELLS_CODE),
    ROW("pskc", TELLS_CODE),      ROW("localkey", TELLS_CODE),  ROW("networkkey", TELLS_CODE),
    ROW("tok", TELLS_LONG),
};

/* What stands in front of `key`. */
static const struct row key_rows[] = {
    ROW("secret", TELLS_ALL),        ROW("encryption", TELLS_ALL),
    ROW("signing", TELLS_ALL),       ROW("master", TELLS_ALL),
    ROW("api", TELLS_CODE),          ROW("private", TELLS_CODE),
    ROW("access", TELLS_CODE),       ROW("account", TELLS_CODE),
    ROW("auth", TELLS_CODE),         ROW("shared", TELLS_CODE),
    ROW("session", TELLS_CODE),      ROW("license", TELLS_CODE),
    ROW("service", TELLS_CODE),      ROW("app", TELLS_CODE),
    ROW("application", TELLS_CODE),  ROW("client", TELLS_CODE),
    ROW("deploy", TELLS_CODE),       ROW("storage", TELLS_CODE),
    ROW("admin", TELLS_CODE),        ROW("consumer", TELLS_CODE),
    ROW("subscription", TELLS_CODE), ROW("write", TELLS_CODE),
    ROW("server", TELLS_CODE),       ROW("function", TELLS_CODE),
    ROW("webhook", TELLS_CODE),      ROW("crypt", TELLS_CODE),
    ROW("cipher", TELLS_CODE),       ROW("aes", TELLS_CODE),
    ROW("hmac", TELLS_CODE),         ROW("jwt", TELLS_CODE),
    ROW("integration", TELLS_CODE),  ROW("preshared", TELLS_ALL),
    ROW("security", TELLS_CODE),     ROW("secure", TELLS_CODE),
    ROW("logged", TELLS_LONG),       ROW("in", TELLS_LONG),
    ROW("nonce", TELLS_LONG),        ROW("transport", TELLS_CODE),
    ROW("cookie", TELLS_CODE),       ROW("unseal", TELLS_CODE),
    ROW("recovery", TELLS_CODE),     ROW("registration", TELLS_CODE),
    ROW("interface", TELLS_NOTHING), ROW("agent", TELLS_CODE),
    ROW("decryption", TELLS_CODE),   ROW("validation", TELLS_CODE),
    ROW("radio", TELLS_CODE),        ROW("functions", TELLS_CODE),
    ROW("join", TELLS_CODE),         ROW("enc", TELLS_CODE),
    ROW("crypto", TELLS_CODE),       ROW("ingest", TELLS_CODE),
    ROW("ingestion", TELLS_CODE),    ROW("decrypt", TELLS_CODE),
    ROW("encrypt", TELLS_CODE),      ROW("kms", TELLS_CODE),
    ROW("bot", TELLS_CODE),          ROW("activation", TELLS_CODE),
    ROW("product", TELLS_CODE),      ROW("pairing", TELLS_CODE),
    ROW("rpc", TELLS_CODE),          ROW("sdk", TELLS_CODE),
    ROW("wifi", TELLS_ALL),          ROW("wpa", TELLS_ALL),
    ROW("sync", TELLS_CODE),         ROW("bootstrap", TELLS_CODE),
    ROW("enrollment", TELLS_CODE),   ROW("enrolment", TELLS_CODE),
    ROW("provisioning", TELLS_CODE), ROW("instrumentation", TELLS_CODE),
    ROW("stream", TELLS_CODE),       ROW("tunnel", TELLS_CODE),
    ROW("instance", TELLS_CODE),     ROW("developer", TELLS_CODE),
    ROW("production", TELLS_CODE),   ROW("sandbox", TELLS_CODE),
    ROW("managed", TELLS_CODE),      ROW("sas", TELLS_CODE),
    ROW("token", TELLS_CODE),        ROW("webhooks", TELLS_CODE),
    ROW("restic", TELLS_CODE),       ROW("vault", TELLS_CODE),
    ROW("priv", TELLS_CODE),         ROW("prv", TELLS_CODE),
};

/* What in front of `key` says that it is none. */
#define OPEN(word) ROW(word, TELLS_ALL)
static const struct row open_key_rows[] = {
    OPEN("public"),      OPEN("primary"),   OPEN("foreign"),     OPEN("sort"),
    OPEN("partition"),   OPEN("cache"),     OPEN("object"),      OPEN("hot"),
    OPEN("hkey"),        OPEN("gpg"),       OPEN("pgp"),         OPEN("publishable"),
    OPEN("idempotency"), OPEN("host"),      OPEN("pub"),         OPEN("row"),
    OPEN("lookup"),      OPEN("map"),       OPEN("index"),       OPEN("unique"),
    OPEN("composite"),   OPEN("natural"),   OPEN("grouping"),    OPEN("group"),
    OPEN("file"),        OPEN("path"),      OPEN("translation"), OPEN("message"),
    OPEN("registry"),    OPEN("config"),    OPEN("column"),      OPEN("field"),
    OPEN("item"),        OPEN("tree"),      OPEN("json"),        OPEN("attr"),
    OPEN("attribute"),   OPEN("query"),     OPEN("param"),       OPEN("event"),
    OPEN("dedup"),       OPEN("etag"),      OPEN("known"),       OPEN("authorized"),
    OPEN("fingerprint"), OPEN("verify"),    OPEN("verifying"),   OPEN("any"),
    OPEN("arrow"),       OPEN("i18n"),      OPEN("metric"),      OPEN("label"),
    OPEN("dict"),        OPEN("hash"),      OPEN("node"),        OPEN("range"),
    OPEN("dataset"),     OPEN("rsa"),       OPEN("dsa"),         OPEN("ecdsa"),
    OPEN("ed25519"),     OPEN("openpgp"),   OPEN("trusted"),     OPEN("peer"),
    OPEN("issuer"),      OPEN("subject"),   OPEN("identity"),    OPEN("s3"),
    OPEN("blob"),        OPEN("return"),    OPEN("shortcut"),    OPEN("menu"),
    OPEN("property"),    OPEN("option"),    OPEN("setting"),     OPEN("section"),
    OPEN("entry"),       OPEN("id"),        OPEN("name"),        OPEN("type"),
    OPEN("first"),       OPEN("last"),      OPEN("next"),        OPEN("prev"),
    OPEN("other"),       OPEN("same"),      OPEN("wrong"),       OPEN("missing"),
    OPEN("unknown"),     OPEN("duplicate"), OPEN("recv"),        OPEN("from"),
    OPEN("restored"),    OPEN("to"),        OPEN("enum"),        OPEN("invalid"),
    OPEN("given"),       OPEN("of"),        OPEN("for"),         OPEN("by"),
    OPEN("and"),         OPEN("or"),        OPEN("is"),          OPEN("no"),
    OPEN("site"),        OPEN("kernel"),
};

/* What stands in front of `code`. */
static const struct row code_rows[] = {
    ROW("recovery", TELLS_CODE),     ROW("backup", TELLS_CODE), ROW("unlock", TELLS_CODE),
    ROW("access", TELLS_CODE),       ROW("login", TELLS_CODE),  ROW("activation", TELLS_CODE),
    ROW("verification", TELLS_CODE), ROW("auth", TELLS_CODE),   ROW("authorization", TELLS_CODE),
    ROW("security", TELLS_CODE),     ROW("invite", TELLS_CODE), ROW("pairing", TELLS_CODE),
    ROW("scratch", TELLS_CODE),      ROW("device", TELLS_CODE), ROW("secret", TELLS_CODE),
    ROW("door", TELLS_CODE),         ROW("gate", TELLS_CODE),   ROW("alarm", TELLS_CODE),
    ROW("entry", TELLS_CODE),        ROW("garage", TELLS_CODE), ROW("safe", TELLS_CODE),
};

#define ROWS(list, last)                                                                           \
    {                                                                                              \
        .row = (list), .count = (int)(sizeof(list) / sizeof *(list)), .by_last = (last)            \
    }
static struct rows qualifiers = ROWS(qualifier_rows, false), endings = ROWS(ending_rows, true),
                   single = ROWS(single_rows, false), keys = ROWS(key_rows, false),
                   open_keys = ROWS(open_key_rows, false), codes = ROWS(code_rows, false);

static unsigned letter_of(char c)
{
    return (unsigned char)c % 32;
}

/* Of a row of each letter the first of the list comes first. */
static void index_rows(struct rows *rows)
{
    for (int i = rows->count; i-- > 0;) {
        const struct row *row = &rows->row[i];
        uint8_t *first = &rows->first[letter_of(row->word[rows->by_last ? row->len - 1 : 0])];
        rows->next[i] = *first;
        *first = (uint8_t)(i + 1);
    }
}

/* ---- words that are in them ---- */

static enum redact_telling ends_in(const char *word, size_t len)
{
    for (int i = len ? endings.first[letter_of(word[len - 1])] : 0; i; i = endings.next[i - 1]) {
        const struct row *row = &endings.row[i - 1];
        if (row->len <= len && !memcmp(word + len - row->len, row->word, row->len))
            return row->tells;
    }
    return TELLS_NOTHING;
}

static enum redact_telling is_one_of(const char *word, size_t len, const struct rows *rows)
{
    for (int i = rows->first[letter_of(*word)]; i; i = rows->next[i - 1]) {
        const struct row *row = &rows->row[i - 1];
        if (row->len == len && !memcmp(word, row->word, len))
            return row->tells;
    }
    return TELLS_NOTHING;
}

static struct words words_of(const char *name, size_t len)
{
    struct words words;
    words.count = 0;
    if (len > NAME_LOOKED_AT) {
        name += len - NAME_LOOKED_AT;
        len = NAME_LOOKED_AT;
    }
    size_t at = len;
    while (at > 0 && words.count < WORDS_MOST) {
        while (at > 0 && !redact_in(name[at - 1], CLASS_ALNUM))
            at--;
        if (at > 0)
            at = take_word(name, len, at, &words);
        if (words.count == 1 && is_one_of(words.word[0], words.len[0], &qualifiers))
            words.count = 0;
    }
    for (int i = words.count; i < WORDS_MOST; i++)
        words.word[i][0] = 0, words.len[i] = 0;
    return words;
}

static bool is_upper(const char *name, size_t len)
{
    bool letters = false;
    for (size_t i = 0; i < len; i++) {
        if (redact_in(name[i], CLASS_LOWER))
            return false;
        letters = letters || redact_in(name[i], CLASS_UPPER);
    }
    return letters;
}

static enum redact_telling of_key(const struct words *w)
{
    enum redact_telling tells = is_one_of(w->word[1], w->len[1], &keys);
    bool secret = !strcmp(w->word[1], "secret") || !strcmp(w->word[2], "secret");
    bool shared = !strcmp(w->word[1], "preshared") ||
                  (!strcmp(w->word[1], "shared") && !strcmp(w->word[2], "pre"));
    if (secret || shared || !strcmp(w->word[3], "wireless") || !strcmp(w->word[2], "wireless"))
        return TELLS_ALL; /* what networks are entered by are words, too */
    if (tells)
        return tells;
    bool open = !w->word[1][0] || is_one_of(w->word[1], w->len[1], &open_keys);
    return open ? TELLS_NOTHING : TELLS_LONG;
}

/* `cookiekey`: what stands in front of `key` is glued to it. */
static enum redact_telling of_glued_key(const char *word, size_t len)
{
    if (len < GLUED_LEAST || memcmp(word + len - 3, "key", 3) != 0)
        return TELLS_NOTHING;
    len -= 3;
    for (int i = 0; i < keys.count; i++) {
        const struct row *row = &keys.row[i];
        if (row->len <= len && (row->len == len ? len > 2 : row->len > 4) &&
            !memcmp(word + len - row->len, row->word, row->len))
            return row->tells;
    }
    return TELLS_NOTHING;
}

/* `servicetokendev`, `dbpassprod`: the same of where it is used; `APIKEYV2`, of which one. */
static enum redact_telling of_glued_place(const char *word, size_t len)
{
    size_t place = len > 7 && !memcmp(word + len - 3, "dev", 3)    ? 3
                   : len > 8 && !memcmp(word + len - 4, "prod", 4) ? 4
                   : len > 5 && word[len - 1] == 'v'               ? 1
                                                                   : 0;
    return place ? ends_in(word, len - place) : TELLS_NOTHING;
}

/* Of several: `api_keys`, `dbPasswords`. */
static enum redact_telling of_many(const struct words *w)
{
    struct words one = *w;
    size_t len = --one.len[0];
    one.word[0][len] = 0;
    if (!strcmp(one.word[0], "key"))
        return of_key(&one) ? TELLS_LONG : TELLS_NOTHING;
    if (!strcmp(one.word[0], "code"))
        return is_one_of(one.word[1], one.len[1], &codes);
    return ends_in(one.word[0], len) ? TELLS_LONG : TELLS_NOTHING;
}

/* The last word says something only with the one in front. */
static enum redact_telling of_two(const struct words *w)
{
    const char *last = w->word[0], *front = w->word[1];
    if (!strcmp(last, "phrase"))
        return !strcmp(front, "pass")                                 ? TELLS_ALL
               : !strcmp(front, "seed") || !strcmp(front, "recovery") ? TELLS_CODE
                                                                      : TELLS_NOTHING;
    if (!strcmp(last, "word"))
        return !strcmp(front, "pass") ? TELLS_ALL : TELLS_NOTHING;
    if (!strcmp(last, "passe"))
        return !strcmp(front, "de") && !strcmp(w->word[2], "mot") ? TELLS_ALL : TELLS_NOTHING;
    if (!strcmp(last, "khau"))
        return !strcmp(front, "mat") ? TELLS_ALL : TELLS_NOTHING;
    if (!strcmp(last, "hash") || !strcmp(last, "sha"))
        return ends_in(front, w->len[1]) == TELLS_ALL ? TELLS_LONG : TELLS_NOTHING;
    if (!strcmp(last, "id"))
        return !strcmp(front, "secret") ? TELLS_LONG : TELLS_NOTHING;
    if (!strcmp(last, "code"))
        return is_one_of(front, w->len[1], &codes);
    if (!strcmp(last, "community"))
        return !strcmp(front, "snmp") || !strcmp(front, "ro") || !strcmp(front, "rw") ||
                       !strcmp(front, "trap")
                   ? TELLS_ALL
                   : TELLS_NOTHING;
    if (!strcmp(last, "data"))
        return !strcmp(front, "secret") ? TELLS_CODE : TELLS_NOTHING;
    if (!strcmp(last, "url"))
        return !strcmp(front, "webhook") ? TELLS_LONG : TELLS_NOTHING;
    if (!strcmp(last, "tok")) /* auth_tok */
        return is_one_of(front, w->len[1], &keys) ? TELLS_CODE : TELLS_LONG;
    return TELLS_NOTHING;
}

uint8_t redact_last_two[32 * 32];
static pthread_once_t rows_once = PTHREAD_ONCE_INIT;

static void add_pair(char first, char second, unsigned bits)
{
    redact_last_two[letter_of(first) << 5 | letter_of(second)] |= (uint8_t)bits;
}

static void add_ends(const struct row *rows, int count, unsigned bits)
{
    for (int i = 0; i < count; i++) {
        const char *end = rows[i].word + rows[i].len;
        for (unsigned any = 0; rows[i].len < 2 && any < 32; any++)
            add_pair((char)any, end[-1], bits);
        if (rows[i].len > 1)
            add_pair(end[-2], end[-1], bits);
    }
}

static void add_pairs(const char *pairs, unsigned bits)
{
    for (; *pairs; pairs += pairs[2] ? 3 : 2)
        add_pair(pairs[0], pairs[1], bits);
}

/* Of the names that redact_prose() may find something behind. */
static const char prose_ends[] = "rd se wd en et ey de ss al rt PI es";

static void add_call_end(const char *two)
{
    add_pair(two[0], two[1], MAY_CALL);
}

/* A look at two letters spares most names the rest. */
static void read_rows(void)
{
    static const struct row more[] = {ROW("key", 0), ROW("phrase", 0), ROW("word", 0),
                                      ROW("hash", 0)},
                            last[] = {ROW("data", 0),    ROW("pat", 0),      ROW("passe", 0),
                                      ROW("khau", 0),    ROW("code", 0),     ROW("id", 0),
                                      ROW("keys", 0),    ROW("words", 0),    ROW("tokens", 0),
                                      ROW("secrets", 0), ROW("community", 0)};
    index_rows(&qualifiers), index_rows(&endings), index_rows(&single);
    index_rows(&keys), index_rows(&open_keys), index_rows(&codes);
    add_ends(endings.row, endings.count, MAY_TELL | MAY_TELL_LAST);
    add_ends(single.row, single.count, MAY_TELL | MAY_TELL_LAST);
    add_ends(more, (int)(sizeof more / sizeof *more), MAY_TELL | MAY_TELL_LAST);
    add_ends(last, (int)(sizeof last / sizeof *last), MAY_TELL_LAST);
    add_ends(qualifiers.row, qualifiers.count, MAY_TELL_LAST);
    redact_read_firsts();
    add_pairs("ev od", MAY_TELL);       /* tokendev, dbpassprod */
    add_pairs("on er ic ie", MAY_HEAD); /* authorization, bearer, basic, cookie */
    add_pairs(redact_file_ends, MAY_FILE);
    add_pairs(prose_ends, MAY_PROSE);
    redact_call_ends(add_call_end);
    add_pairs(redact_digits_ends, MAY_DIGITS);
}

void redact_read_names(void)
{
    pthread_once(&rows_once, read_rows);
}

unsigned redact_may_behind(const char *name, size_t len)
{
    if (redact_in(name[len - 1], CLASS_DIGIT))
        return MAY_ALL;
    size_t least = len > BEHIND_MOST ? len - BEHIND_MOST : 0, at = len;
    while (at > least &&
           redact_in(name[at - 1], CLASS_UNDER | CLASS_DASH | CLASS_DOT | CLASS_DIGIT))
        at--;
    if (!at)
        return 0; /* it has no letter */
    if (!redact_in(name[at - 1], CLASS_UPPER | CLASS_LOWER))
        return MAY_TELL | MAY_TELL_LAST;
    return redact_may(name, at) & (MAY_TELL | MAY_TELL_LAST);
}

/* Whether no telling name ends so. */
static bool ends_otherwise(const char *name, size_t len)
{
    unsigned may = redact_may(name, len);
    if (len < 2 || !(may & MAY_TELL_LAST) || may & MAY_TELL)
        return len < 2 || !(may & MAY_TELL_LAST);
    for (size_t i = len > 24 ? len - 24 : 1; i < len; i++)
        if (redact_in(name[i], CLASS_UPPER) && redact_in(name[i - 1], CLASS_LOWER))
            return false;
    return !memchr(name, '_', len) && !memchr(name, '-', len) && !memchr(name, '.', len);
}

static bool is_directory(const char *name, size_t len)
{
    return (len == 3 && !memcmp(name, "PWD", 3)) ||
           (len >= 6 && !memcmp(name + len - 6, "OLDPWD", 6));
}

enum redact_telling redact_telling(const char *name, size_t len)
{
    redact_read_names();
    if (!len || is_directory(name, len) || ends_otherwise(name, len))
        return TELLS_NOTHING;
    struct words w = words_of(name, len);
    if (!w.count)
        return TELLS_NOTHING;
    const char *last = w.word[0];
    enum redact_telling tells = ends_in(last, w.len[0]);
    if (!strcmp(last, "key") || (!strcmp(last, "data") && !strcmp(w.word[1], "key")))
        return strcmp(last, "key") ? TELLS_CODE : of_key(&w);
    if (!tells && !(w.count > 1 && !strcmp(last, "tok")))
        tells = is_one_of(last, w.len[0], &single);
    if (!tells)
        tells = of_glued_key(last, w.len[0]);
    if (!tells)
        tells = of_glued_place(last, w.len[0]);
    if (tells == TELLS_CODE && !strncmp(w.word[1], "geheim", 6))
        tells = TELLS_ALL;
    if (!tells && !strcmp(last, "pat") && w.count > 1)
        tells = is_upper(name, len) ? TELLS_CODE : TELLS_LONG;
    if (!tells && w.count > 1)
        tells = of_two(&w);
    if (!tells && w.count > 1 && w.len[0] > 3 && last[w.len[0] - 1] == 's')
        tells = of_many(&w);
    return tells;
}
