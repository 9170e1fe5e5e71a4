/* Secrets that stand behind options and in places of commands: `mysql -pX`, `curl -u user:X`,
 * `vault login X`. A row says where; another tool is another row. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "envelope/redact_private.h"

#define BUCKETS    1024
#define ENTRIES    640
#define TOOL_MOST  24 /* bytes of a tool's name */
#define ACTIVE     8  /* tools in one command: sudo docker exec mysql ... */
#define WORDS_MOST 400

enum how {
    NEXT,        /* the word behind the option */
    ATTACHED,    /* what follows the option in its word */
    EITHER,      /* both */
    USER,        /* either, and of user:password what is behind the colon */
    PERCENT,     /* the same with a % */
    COMMA,       /* the same with a , */
    PAIR,        /* either, and of name=value what is behind the = */
    PLACE,       /* the word at the place `place` that is no option, behind the subcommand */
    PLACE_USER,  /* there, behind its colon */
    PLACE_SLASH, /* there, user/password@host */
    PAIRS,       /* all name=value behind the subcommand */
    SETTING,     /* the word behind one that has a telling name */
    PREFIX,      /* words that begin so */
};

static const struct rule {
    const char *tools; /* between blanks */
    const char *sub;   /* a word that has to come first; NULL */
    const char *option;
    enum how how;
    int place; /* from 1 */
} rules[] = {
    {"mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlpump mariadb mariadb-dump "
     "mariadb-admin mycli "
     "xtrabackup mariabackup mysql_upgrade mysqlslap",
     NULL, "-p", ATTACHED, 0},
    {"sshpass", NULL, "-p", EITHER, 0},
    {"docker podman nerdctl buildah skopeo crane oras helm regctl ko", "login", "-p", EITHER, 0},
    {"skopeo podman buildah", NULL, "--creds", USER, 0},
    {"skopeo", NULL, "--src-creds", USER, 0},
    {"skopeo", NULL, "--dest-creds", USER, 0},
    {"redis-cli valkey-cli keydb-cli redis-benchmark", NULL, "-a", EITHER, 0},
    {"redis-cli valkey-cli", "auth", NULL, PLACE, 1},
    {"redis-cli valkey-cli", "set", NULL, SETTING, 0},
    {"mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop", NULL, "-p",
     EITHER, 0},
    {"sqlplus sqlldr expdp impdp rman sqlcl", NULL, NULL, PLACE_SLASH, 0},
    {"sqlcmd bcp osql isql tsql", NULL, "-P", EITHER, 0},
    {"curl", NULL, "-u", USER, 0},
    {"curl", NULL, "--user", USER, 0},
    {"curl", NULL, "-U", USER, 0},
    {"curl", NULL, "--proxy-user", USER, 0},
    {"curl", NULL, "-E", USER, 0},
    {"curl", NULL, "--cert", USER, 0},
    {"curl", NULL, "--pass", NEXT, 0},
    {"curl", NULL, "--oauth2-bearer", NEXT, 0},
    {"curl wget http https", NULL, "-b", PAIR, 0},
    {"curl", NULL, "--cookie", PAIR, 0},
    {"http https httpie xh xhs", NULL, "-a", USER, 0},
    {"http https httpie xh xhs", NULL, "--auth", USER, 0},
    {"ab hey siege wrk vegeta", NULL, "-A", USER, 0},
    {"hey ab", NULL, "-a", USER, 0},
    {"lftp", NULL, "-u", COMMA, 0},
    {"ncftp ncftpput ncftpget", NULL, "-p", EITHER, 0},
    {"smbclient rpcclient net smbmap smbget smbcacls wmic winexe nmblookup", NULL, "-U", PERCENT,
     0},
    {"smbclient", NULL, NULL, PLACE, 2},
    {"ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare ldappasswd ldapmodrdn "
     "ldapexop",
     NULL, "-w", EITHER, 0},
    {"ldappasswd", NULL, "-s", EITHER, 0},
    {"ldappasswd", NULL, "-a", EITHER, 0},
    {"keytool jarsigner", NULL, "-new", NEXT, 0},
    {"keytool jarsigner", NULL, "-storepass", NEXT, 0},
    {"keytool jarsigner", NULL, "-keypass", NEXT, 0},
    {"apksigner", NULL, "pass:", PREFIX, 0},
    {"openssl", NULL, "pass:", PREFIX, 0},
    {"openssl", NULL, "-k", NEXT, 0},
    {"openssl", NULL, "-K", NEXT, 0},
    {"openssl", NULL, "-pass", NEXT, 0},
    {"openssl", "passwd", NULL, PLACE, 1},
    {"zip unzip zipcloak funzip", NULL, "-P", EITHER, 0},
    {"7z 7za 7zr 7zz rar unrar", NULL, "-p", ATTACHED, 0},
    {"rar unrar", NULL, "-hp", ATTACHED, 0},
    {"htpasswd", "-b", NULL, PLACE, 3},
    {"htpasswd", "-cb", NULL, PLACE, 3},
    {"htpasswd", "-bc", NULL, PLACE, 3},
    {"htpasswd", "-nb", NULL, PLACE, 2},
    {"htpasswd", "-nbB", NULL, PLACE, 2},
    {"htpasswd", "-Bbn", NULL, PLACE, 2},
    {"htpasswd", "-bnB", NULL, PLACE, 2},
    {"htpasswd", "-bB", NULL, PLACE, 3},
    {"htpasswd", "-Bb", NULL, PLACE, 3},
    {"vault bao", "login", NULL, PLACE, 1},
    {"vault bao", "unseal", NULL, PLACE, 1},
    {"vault bao", "unwrap", NULL, PLACE, 1},
    {"vault bao", "put", NULL, PAIRS, 0},
    {"vault bao", "patch", NULL, PAIRS, 0},
    {"vault bao", "write", NULL, SETTING, 0},
    {"aws", "set", NULL, SETTING, 0},
    {"aws", NULL, "--secret-string", NEXT, 0},
    {"aws", "put-parameter", "--value", NEXT, 0},
    {"az", "login", "-p", EITHER, 0},
    {"az", "secret", "--value", NEXT, 0},
    {"az", NULL, "--connection-string", NEXT, 0},
    {"az", NULL, "--sas-token", NEXT, 0},
    {"gh", "secret", "--body", NEXT, 0},
    {"gh", "secret", "-b", EITHER, 0},
    {"glab", "login", "-t", EITHER, 0},
    {"glab", "variable", NULL, PLACE, 3},
    {"git", "config", NULL, SETTING, 0},
    {"npm yarn pnpm bun", "set", NULL, SETTING, 0},
    {"twine", "upload", "-p", EITHER, 0},
    {"uv", "publish", "-p", EITHER, 0},
    {"uv", "publish", "-t", EITHER, 0},
    {"hatch", NULL, "-a", EITHER, 0},
    {"poetry", "publish", "-p", EITHER, 0},
    {"poetry", "config", NULL, SETTING, 0},
    {"poetry", "config", NULL, PLACE, 3},
    {"cargo", "login", NULL, PLACE, 1},
    {"nuget dotnet", "push", "-k", NEXT, 0},
    {"nuget", "setapikey", NULL, PLACE, 1},
    {"nuget", NULL, "-ApiKey", NEXT, 0},
    {"nuget", NULL, "-Password", NEXT, 0},
    {"dotnet", "user-secrets", NULL, PLACE, 3},
    {"kubectl oc k kubecolor", NULL, "--from-literal", PAIR, 0},
    {"oc cf ibmcloud bosh credhub", "login", "-p", EITHER, 0},
    {"oc", "login", "--token", NEXT, 0},
    {"credhub", "set", "-w", EITHER, 0},
    {"credhub", "set", "-v", EITHER, 0},
    {"cf", "auth", NULL, PLACE, 2},
    {"heroku", "config:set", NULL, PAIRS, 0},
    {"fly flyctl supabase doppler", "set", NULL, PAIRS, 0},
    {"fly flyctl", "import", NULL, PAIRS, 0},
    {"firebase", "functions:config:set", NULL, PAIRS, 0},
    {"netlify", "env:set", NULL, PLACE, 2},
    {"netlify", NULL, "--auth", NEXT, 0},
    {"pulumi", "set", "--secret", SETTING, 0},
    {"pulumi", "set", NULL, SETTING, 0},
    {"travis", "encrypt", NULL, PAIRS, 0},
    {"chamber", "write", NULL, PLACE, 3},
    {"bw", "login", NULL, PLACE, 2},
    {"bw", "unlock", NULL, PLACE, 1},
    {"security", NULL, "-w", NEXT, 0},
    {"security", NULL, "-p", NEXT, 0},
    {"rclone", "obscure", NULL, PLACE, 1},
    {"rclone", "config", NULL, SETTING, 0},
    {"rdesktop", NULL, "-p", EITHER, 0},
    {"xfreerdp wlfreerdp sdl-freerdp", NULL, "/p:", PREFIX, 0},
    {"cmdkey", NULL, "/pass:", PREFIX, 0},
    {"psexec", NULL, "-p", NEXT, 0},
    {"usermod useradd", NULL, "-p", EITHER, 0},
    {"mkpasswd", NULL, NULL, PLACE, 1},
    {"nmcli iwconfig iw", NULL, NULL, SETTING, 0},
    {"wpa_passphrase", NULL, NULL, PLACE, 2},
    {"snmpwalk snmpget snmpset snmpbulkwalk snmptable snmptrap", NULL, "-A", EITHER, 0},
    {"snmpwalk snmpget snmpset snmpbulkwalk snmptable snmptrap", NULL, "-X", EITHER, 0},
    {"snmpwalk snmpget snmpset snmpbulkwalk snmptable snmptrap", NULL, "-c", EITHER, 0},
    {"ipmitool ipmi-power", NULL, "-P", EITHER, 0},
    {"hydra crackmapexec netexec nxc evil-winrm medusa", NULL, "-p", EITHER, 0},
    {"mosquitto_pub mosquitto_sub mosquitto_rr", NULL, "-P", EITHER, 0},
    {"mosquitto_passwd", "-b", NULL, PLACE, 3},
    {"rabbitmqctl", "add_user", NULL, PLACE, 2},
    {"rabbitmqctl", "change_password", NULL, PLACE, 2},
    {"rabbitmqadmin", NULL, "-p", EITHER, 0},
    {"influx", NULL, "-t", EITHER, 0},
    {"cqlsh cypher-shell couchbase-cli cbq neo4j-admin arangosh", NULL, "-p", EITHER, 0},
    {"neo4j-admin", "set-initial-password", NULL, PLACE, 1},
    {"mc", "set", NULL, PLACE, 4},
    {"mc", "set", NULL, PLACE, 3},
    {"swaks", NULL, "-ap", NEXT, 0},
    {"sendemail", NULL, "-xp", NEXT, 0},
    {"ssh-keygen", NULL, "-N", EITHER, 0},
    {"ssh-keygen", NULL, "-P", EITHER, 0},
    {"plink pscp psftp putty", NULL, "-pw", NEXT, 0},
    {"veracrypt truecrypt", NULL, "-p", EITHER, 0},
    {"p4", NULL, "-P", EITHER, 0},
    {"jenkins-cli java", NULL, "-auth", USER, 0},
    {"sonar-scanner mvn gradle", NULL, "-Dsonar.login=", PREFIX, 0},
    {"ngrok", "authtoken", NULL, PLACE, 1},
    {"ngrok", "add-authtoken", NULL, PLACE, 1},
    {"cloudflared", "install", NULL, PLACE, 1},
    {"snyk", "auth", NULL, PLACE, 1},
    {"codecov doctl fastly", NULL, "-t", EITHER, 0},
    {"wandb", "login", NULL, PLACE, 1},
    {"openai", NULL, "-k", EITHER, 0},
    {"expo eas", "login", "-p", EITHER, 0},
    {"rancher", "login", "-t", EITHER, 0},
    {"etcdctl", NULL, "--user", USER, 0},
    {"cadaver qpdf pdftk", NULL, "--encrypt", NEXT, 0},
    {"pdftotext pdfinfo pdfimages", NULL, "-upw", NEXT, 0},
    {"pdftotext pdfinfo pdfimages", NULL, "-opw", NEXT, 0},
    {"pdftk", NULL, "user_pw", NEXT, 0},
    {"pdftk", NULL, "owner_pw", NEXT, 0},
    {"pdftk", NULL, "input_pw", NEXT, 0},
    {"gpg gpg2", NULL, "--passphrase", NEXT, 0},
    {"ccrypt", NULL, "-K", EITHER, 0},
    {"stunnel socat", NULL, "proxyauth=", PREFIX, 0},
    {"impacket-psexec secretsdump.py impacket-secretsdump", NULL, "-hashes", NEXT, 0},
    {"expect", NULL, "-password", NEXT, 0},
    {"asadmin", NULL, "-w", EITHER, 0},
    {"wget", NULL, "--password", NEXT, 0},
    {"vncpasswd x11vnc", NULL, "-passwd", NEXT, 0},
    {"tsm tabcmd", "login", "-p", EITHER, 0},
    {"cloudctl", "login", "-p", EITHER, 0},
    {"argocd", "login", "--password", NEXT, 0},
    {"freshclam kinit", NULL, "--password", NEXT, 0},
    {"ConvertTo-SecureString convertto-securestring", NULL, NULL, PLACE, 1},
    {"ConvertTo-SecureString convertto-securestring", NULL, "-String", NEXT, 0},
    {"iwconfig", "key", "s:", PREFIX, 0},
    /* a here-string for what reads a secret from its input */
    {"cryptsetup vncpasswd smbpasswd passwd chpasswd kinit", NULL, "<<<", EITHER, 0},
    {"pass gopass", "insert", "<<<", EITHER, 0},
    {"sudo", "-S", "<<<", EITHER, 0},
    {"docker podman helm buildah skopeo crane oras", "--password-stdin", "<<<", EITHER, 0},
    {"gh glab", "--with-token", "<<<", EITHER, 0},
    {"gh", "secret", "<<<", EITHER, 0},
    {"wrangler fly flyctl vercel", "secret", "<<<", EITHER, 0},
    {"op", "signin", "<<<", EITHER, 0},
    {"gpg gpg2", "--passphrase-fd", "<<<", EITHER, 0},
};

#define RULES (sizeof rules / sizeof *rules)

/* ---- tools by their names ---- */

static struct tools {
    struct tool {
        const char *name;
        size_t len;
        size_t rule;
        int next;
    } list[ENTRIES];
    int buckets[BUCKETS], count;
} tools;

static unsigned hash(const char *name, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return (h ^ h >> 16) % BUCKETS;
}

/* A bit for each beginning and length of a tool's name: most words have none. */
static uint32_t beginnings[2048 / 32];

static unsigned beginning(const char *name, size_t len)
{
    return ((unsigned char)name[0] * 31u + (unsigned char)name[len > 1] * 67u + (unsigned)len) %
           2048;
}

static void read_tools(void)
{
    memset(tools.buckets, -1, sizeof tools.buckets);
    for (size_t i = 0; i < RULES; i++)
        for (const char *at = rules[i].tools; *at && tools.count < ENTRIES;) {
            size_t len = strcspn(at, " ");
            unsigned bit = beginning(at, len);
            beginnings[bit / 32] |= 1u << bit % 32;
            int *first = &tools.buckets[hash(at, len)];
            tools.list[tools.count] = (struct tool){at, len, i, *first};
            *first = tools.count++;
            at += len + strspn(at + len, " ");
        }
}

static int first_of(const char *name, size_t len)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!len || len > TOOL_MOST)
        return -1;
    pthread_once(&once, read_tools);
    unsigned bit = beginning(name, len);
    if (!(beginnings[bit / 32] & 1u << bit % 32))
        return -1;
    for (int i = tools.buckets[hash(name, len)]; i >= 0; i = tools.list[i].next)
        if (tools.list[i].len == len && !memcmp(tools.list[i].name, name, len))
            return i;
    return -1;
}

/* ---- a command's words ---- */

/* One tool's rule while its words are read. */
struct active {
    const struct rule *rule;
    bool begun; /* the subcommand came */
    bool next;  /* the next word is the value */
    int places; /* words that are no options, since then */
};

struct command {
    struct redact_scan *s;
    struct active active[ACTIVE * 4];
    int count;
    int known; /* a tool all of whose rules are there; counted from 1 */
    struct redact_command_found *found;
    size_t from, to; /* of the word, without its quotes */
    bool inside;     /* of a quoted word */
    bool option;
    bool behind; /* an option that may have taken the word for its value */
};

/* A tool that is named again goes on as it began: a line of nothing else costs no more. */
static bool is_active(const struct command *c, const struct rule *rule)
{
    for (int i = 0; rule->option && !rule->sub && i < c->count; i++)
        if (c->active[i].rule == rule)
            return true;
    return false;
}

static void begin_tool(struct command *c, const char *name, size_t len)
{
    int first = first_of(name, len);
    bool all = true;
    if (first + 1 == c->known || c->count == ACTIVE * 4)
        return;
    for (int i = first; i >= 0; i = tools.list[i].next) {
        const struct rule *rule = &rules[tools.list[i].rule];
        if (tools.list[i].len != len || memcmp(tools.list[i].name, name, len))
            continue;
        all = all && rule->option && !rule->sub && c->count < ACTIVE * 4;
        if (c->count < ACTIVE * 4 && !is_active(c, rule))
            c->active[c->count++] = (struct active){.rule = rule, .begun = !rule->sub};
    }
    c->known = all && first >= 0 ? first + 1 : c->known;
}

static bool word_is(const struct command *c, const char *word)
{
    return word && ((c->s->text[c->from] ^ *word) & ~0x20) == 0 &&
           strlen(word) == c->to - c->from &&
           !strncasecmp(c->s->text + c->from, word, c->to - c->from);
}

void redact_command_add(struct redact_scan *s, struct redact_command_found *f, size_t from,
                        size_t to)
{
    const char *t = s->text;
    if (to - from >= 2 && (t[from] == '\'' || t[from] == '"') && t[to - 1] == t[from])
        from++, to--;
    if (from >= to || redact_is_placeholder(s, from, to) ||
        (f->count && f->list[f->count - 1].to > from))
        return;
    if (f->count == sizeof f->list / sizeof *f->list) {
        f->list[f->count - 1].to = to; /* no more room: all of them in one */
        return;
    }
    f->list[f->count++] = (struct redact_match){from, to, "value"};
}

static void add(struct command *c, size_t from, size_t to)
{
    redact_command_add(c->s, c->found, from, to);
}

/* What is behind `sign`, or nothing. */
static void add_behind(struct command *c, size_t from, size_t to, char sign)
{
    const char *at = memchr(c->s->text + from, sign, to - from);
    if (at)
        add(c, (size_t)(at - c->s->text) + 1, to);
}

static void add_login(struct command *c)
{
    const char *slash = memchr(c->s->text + c->from, '/', c->to - c->from);
    if (!slash || slash == c->s->text + c->from || slash[1] == '/')
        return;
    size_t from = (size_t)(slash - c->s->text) + 1;
    const char *sign = memrchr(slash, '@', c->to - from + 1);
    add(c, from, sign ? (size_t)(sign - c->s->text) : c->to);
}

static void add_value(struct command *c, enum how how, size_t from)
{
    static const char signs[] = {[USER] = ':', [PERCENT] = '%', [COMMA] = ',', [PAIR] = '='};
    if (how == USER || how == PERCENT || how == COMMA || how == PAIR)
        add_behind(c, from, c->to, signs[how]);
    else
        add(c, from, c->to);
}

/* `-su` is -s and -u: behind the letters that take no value, the dash of what is left. */
static size_t skip_joined(const struct command *c, const struct rule *r)
{
    size_t at = c->from;
    if (r->option[2] || c->to - at < 3 || c->s->text[at + 1] == '-')
        return at;
    while (at + 2 < c->to && c->s->text[at + 1] != r->option[1] &&
           strchr("sSkLvifIgGjJlnNOqpRaB012346#Z", c->s->text[at + 1]))
        at++;
    return c->s->text[at + 1] == r->option[1] ? at : c->from;
}

/* The word is an option's, with or without a value in it. */
static void take_option(struct command *c, struct active *a)
{
    const struct rule *r = a->rule;
    bool joins = c->option && r->how == USER;
    if (!joins && (c->to - c->from < 2 || c->s->text[c->from] != *r->option ||
                   c->s->text[c->from + 1] != r->option[1]))
        return; /* most end here */
    size_t start = joins ? skip_joined(c, r) : c->from;
    if (start == c->from && c->s->text[start] != *r->option)
        return;
    size_t len = strlen(r->option), word = c->to - start;
    if (word < len || (start == c->from && memcmp(c->s->text + start, r->option, len)))
        return;
    bool attached = word > len;
    size_t from = start + len + (attached && c->s->text[start + len] == '=');
    if (!attached)
        a->next = r->how != ATTACHED && r->how != PREFIX;
    else if (r->how == PREFIX || (r->option[1] != '-' && r->how != NEXT && r->how != SETTING) ||
             c->s->text[start + len] == '=')
        add_value(c, r->how, from);
}

static bool is_telling_word(const struct command *c)
{
    size_t len = c->to - c->from;
    return len < 200 && !memchr(c->s->text + c->from, '=', len) &&
           redact_is_telling(c->s->text + c->from, len);
}

static void take_place(struct command *c, struct active *a)
{
    const struct rule *r = a->rule;
    if (c->option)
        return;
    a->places++;
    if (r->how == PLACE && a->places == r->place)
        add(c, c->from, c->to);
    else if (r->how == PLACE_SLASH && a->places <= 2)
        add_login(c);
    else if (r->how == PAIRS)
        add_behind(c, c->from, c->to, '=');
    else if (r->how == SETTING)
        a->next = is_telling_word(c);
}

static void take_word(struct command *c)
{
    const char *t = c->s->text + c->from;
    c->option = *t == '-' && c->to - c->from > 1;
    for (int i = 0; i < c->count; i++) {
        struct active *a = &c->active[i];
        if (a->next) {
            a->next = false;
            if (!c->option || a->rule->how == NEXT)
                add_value(c, a->rule->how, c->from);
        } else if (!a->begun) {
            a->begun = word_is(c, a->rule->sub) && !(c->behind && a->places);
            a->places = a->begun ? 0 : a->places + !c->option;
        } else if (a->rule->option && a->rule->how != SETTING) {
            take_option(c, a);
        } else {
            take_place(c, a);
        }
    }
    c->behind = c->option && !memchr(t, '=', c->to - c->from);
    const char *slash = memrchr(t, '/', c->to - c->from);
    const char *name = slash ? slash + 1 : t;
    if (!c->option)
        begin_tool(c, name, c->to - c->from - (size_t)(name - t));
}

static size_t skip_blanks(struct redact_scan *s, size_t at, size_t end)
{
    for (;;) {
        at = redact_run(s, at, CLASS_BLANK);
        if (at + 1 < end && s->text[at] == '\\' && s->text[at + 1] == '\n')
            at += 2;
        else
            return at < end ? at : end;
    }
}

static size_t read_words(struct command *c, size_t at, size_t most);

static bool ends_command(char c)
{
    return c == '\n' || c == '|' || c == ';' || c == '&' || !c;
}

/* A quoted word may be commands of its own: `sudo sh -c 'mysql -pX'`. */
static void read_inside(struct command *outer, size_t at, size_t end)
{
    if (!memchr(outer->s->text + at, ' ', end - at))
        return;
    while (at < end) {
        struct command c = {.s = outer->s, .found = outer->found, .inside = true};
        size_t to = read_words(&c, at, end);
        at = to > at ? to : at + 1;
    }
}

/* The words up to what ends the command, or to `most`. Returns where they end. */
static size_t read_words(struct command *c, size_t at, size_t most)
{
    struct redact_scan *s = c->s;
    for (int i = 0; i < WORDS_MOST; i++) {
        at = skip_blanks(s, at, most);
        if (at >= most || ends_command(s->text[at]))
            break;
        size_t line = redact_line_end(s, at),
               end = redact_shell_word(s, at, line < most ? line : most);
        if (end == at)
            break;
        bool quotes = end - at >= 2 && (s->text[at] == '"' || s->text[at] == '\'') &&
                      s->text[end - 1] == s->text[at];
        c->from = at + quotes;
        c->to = end - quotes;
        if (c->to > c->from)
            take_word(c);
        if (quotes && !c->inside)
            read_inside(c, at + 1, end - 1);
        at = end;
    }
    return at;
}

/* How far words go: what stands right behind a quote ends with it. */
static size_t quoted_end(struct redact_scan *s, size_t at, size_t end)
{
    char quote = at ? s->text[at - 1] : 0;
    const char *close = quote == '"' || quote == '\''
                            ? memchr(s->text + end, quote, redact_line_end(s, end) - end)
                            : NULL;
    return close ? (size_t)(close - s->text) : s->len;
}

bool redact_command(struct redact_scan *s, size_t at, size_t end,
                    struct redact_command_found *ret_found)
{
    size_t len = end - at;
    ret_found->count = 0;
    if (at < s->command_end || end >= s->len || !redact_in(s->text[end], CLASS_BLANK))
        return false;
    if ((len == 4 && !memcmp(s->text + at, "echo", 4)) ||
        (len == 6 && !memcmp(s->text + at, "printf", 6))) {
        redact_piped(s, end, ret_found);
        return ret_found->count > 0;
    }
    if (first_of(s->text + at, len) < 0)
        return false;
    struct command c = {.s = s, .found = ret_found};
    begin_tool(&c, s->text + at, len);
    s->command_end = read_words(&c, end, quoted_end(s, at, end));
    return ret_found->count > 0;
}
