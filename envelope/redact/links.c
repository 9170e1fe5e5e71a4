/* Addresses that let in whoever has them: what stands behind a word of their path that says so
 * (`/invite/X`, `/hooks/X`, `/with/key/X`), and those of proxies, whose user is the secret
 * (`trojan://X@host`). */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LINK_MOST    400 /* bytes of an address that are looked at */
#define SEGMENT_MOST 24  /* of a word that says so */
#define SCHEME_MOST  10
#define QUERY_MOST   120 /* of a query, around a name in it */
#define UUID         36

/* What is behind a word of the path. */
enum segment {
    NO_SEGMENT,
    TOKEN,  /* letters and digits that look random, twenty or more, no word of a page's name */
    HOOK,   /* sixteen or more, small letters with digits, or a UUID */
    KEY,    /* the same, but no UUID and no sum of git's */
    FOLDER, /* a token with another segment behind it */
};

static const struct words {
    struct redact_word word;
    enum segment is;
} words[] = {
    {REDACT_WORD("invite"), TOKEN},
    {REDACT_WORD("invites"), TOKEN},
    {REDACT_WORD("invitation"), TOKEN},
    {REDACT_WORD("invitations"), TOKEN},
    {REDACT_WORD("accept"), TOKEN},
    {REDACT_WORD("join"), TOKEN},
    {REDACT_WORD("reset"), TOKEN},
    {REDACT_WORD("reset-password"), TOKEN},
    {REDACT_WORD("reset_password"), TOKEN},
    {REDACT_WORD("password-reset"), TOKEN},
    {REDACT_WORD("password"), TOKEN},
    {REDACT_WORD("recover"), TOKEN},
    {REDACT_WORD("recovery"), TOKEN},
    {REDACT_WORD("magic"), TOKEN},
    {REDACT_WORD("magic-link"), TOKEN},
    {REDACT_WORD("magic_link"), TOKEN},
    {REDACT_WORD("login"), TOKEN},
    {REDACT_WORD("signin"), TOKEN},
    {REDACT_WORD("autologin"), TOKEN},
    {REDACT_WORD("verify"), TOKEN},
    {REDACT_WORD("verify-email"), TOKEN},
    {REDACT_WORD("verification"), TOKEN},
    {REDACT_WORD("confirm"), TOKEN},
    {REDACT_WORD("confirmation"), TOKEN},
    {REDACT_WORD("activate"), TOKEN},
    {REDACT_WORD("activation"), TOKEN},
    {REDACT_WORD("unsubscribe"), TOKEN},
    {REDACT_WORD("shared_invite"), TOKEN},
    {REDACT_WORD("token"), TOKEN},
    {REDACT_WORD("tokens"), TOKEN},
    {REDACT_WORD("auth"), TOKEN},
    {REDACT_WORD("secret"), TOKEN},
    {REDACT_WORD("private"), TOKEN},
    {REDACT_WORD("published"), TOKEN},
    {REDACT_WORD("key"), KEY},
    {REDACT_WORD("apikey"), KEY},
    {REDACT_WORD("api_key"), KEY},
    {REDACT_WORD("hook"), HOOK},
    {REDACT_WORD("hooks"), HOOK},
    {REDACT_WORD("webhook"), HOOK},
    {REDACT_WORD("webhooks"), HOOK},
    {REDACT_WORD("webhook-test"), HOOK},
    {REDACT_WORD("incoming"), KEY},
    {REDACT_WORD("build_hooks"), HOOK},
    {REDACT_WORD("deploy_hooks"), HOOK},
    {REDACT_WORD("ping"), HOOK},
    {REDACT_WORD("heartbeat"), HOOK},
    {REDACT_WORD("genericWebhook"), HOOK},
    {REDACT_WORD("calendar"), KEY},
    {REDACT_WORD("caldav"), KEY},
    {REDACT_WORD("ical"), KEY},
    {REDACT_WORD("feed"), KEY},
    {REDACT_WORD("http"), KEY}, /* receiver/v1/http/X */
    {REDACT_WORD("t"), FOLDER},
};

static enum segment segment_of(const struct redact_scan *s, size_t from, size_t to)
{
    for (size_t i = 0; to - from <= SEGMENT_MOST && i < sizeof words / sizeof *words; i++)
        if (words[i].word.len == to - from && redact_at(s, from, words[i].word.text))
            return words[i].is;
    return NO_SEGMENT;
}

static bool is_uuid(const struct redact_scan *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (i - from == 8 || i - from == 13 || i - from == 18 || i - from == 23
                ? s->text[i] != '-'
                : !redact_in(s->text[i], CLASS_HEX))
            return false;
    return to - from == UUID;
}

/* Whether [from, to) is what such a word is followed by. */
static bool is_let_in(struct redact_scan *s, enum segment is, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    size_t len = to - from;
    if (len < 16 || !redact_has_digit(s, from, to) || redact_is_placeholder(s, from, to))
        return false;
    if (is == HOOK && is_uuid(s, from, to))
        return true;
    enum redact_strength strength = redact_strength(s, &v);
    if (v.hex && (len == 40 || len == 64) && is != HOOK)
        return false;
    if (is == HOOK || is == KEY)
        return len >= 20 && redact_run(s, from, CLASS_WORD | CLASS_BASE64) >= to &&
               strength >= REDACT_MIXED;
    return len >= 20 && strength == REDACT_RANDOM;
}

/* Where what a segment of the path holds begins: `private-X` is a calendar's. */
static size_t behind_mark(const struct redact_scan *s, size_t from)
{
    return from + (redact_at(s, from, "private-") ? 8 : 0);
}

/* Whose it is, and when it was made, in front of a token: `/reset/1/1740910000/X`, `/reset/MQ/X`.
 */
static bool is_of_whom(struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = redact_run(s, from, CLASS_DIGIT), word = redact_run(s, from, CLASS_ALNUM);
    return to > from && ((digits == to && to - from <= 12) ||
                         (word == to && to - from <= 4 && redact_in(s->text[from], CLASS_UPPER)));
}

bool redact_link(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t end = redact_run(
        s, at, CLASS_NAME | CLASS_COLON | CLASS_BASE64 | CLASS_PERCENT | CLASS_OTHER | CLASS_TILDE);
    size_t most = end - at > LINK_MOST ? at + LINK_MOST : end;
    enum segment is = NO_SEGMENT;
    const char *slash = memchr(s->text + at, '/', most - at);
    for (size_t from = slash ? (size_t)(slash - s->text) + 1 : most; from < most;) {
        size_t to = from;
        while (to < most && !REDACT_ONE_OF(s->text[to], "/?#"))
            to++;
        if (to == from)
            return false; /* another address begins */
        size_t secret = behind_mark(s, from), last = to;
        while (last > secret && redact_in(s->text[last - 1], CLASS_DOT | CLASS_COLON))
            last--; /* a sentence ends there */
        bool folder = is != FOLDER || redact_char(s, to) == '/';
        if (is == HOOK && last - secret == 17 && redact_char(s, to) == '/')
            last = redact_run(s, to + 1, CLASS_WORD | CLASS_BASE64); /* an id, and its token */
        if ((secret > from && last - secret == 32 && redact_run(s, secret, CLASS_HEX) == last) ||
            (is && folder && is_let_in(s, is, secret, last))) {
            *ret_match = (struct redact_match){secret, last, "secret-address"};
            return true;
        }
        if (redact_char(s, to) != '/')
            return false;
        is = is == TOKEN && is_of_whom(s, from, to) ? is : segment_of(s, from, to);
        from = to + 1;
    }
    return false;
}

/* Groups of as many letters and digits, as keys of streams have them: `grxo-r5dk-6aqh-nmf6-8c5c`.
 */
static bool is_grouped(const struct redact_scan *s, size_t from, size_t to)
{
    size_t len = 0, groups = 0;
    for (size_t i = from; i <= to; i++) {
        if (i < to && redact_in(s->text[i], CLASS_ALNUM)) {
            len++;
            continue;
        }
        if (len != 4 || (i < to && s->text[i] != '-'))
            return false;
        groups++;
        len = 0;
    }
    return groups >= 4;
}

/* `rtmp://a.example/live2/X`: the key by which a stream is sent, the last of the path. */
bool redact_stream(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (!(at >= 4 && redact_at(s, at - 4, "rtmp")) && !(at >= 5 && redact_at(s, at - 5, "rtmps")))
        return false; /* most */
    size_t end = redact_run(s, at + 3, CLASS_NAME | CLASS_COLON | CLASS_BASE64 | CLASS_PERCENT);
    size_t from = end > at + LINK_MOST ? at + LINK_MOST : end;
    const char *slash = memchr(s->text + at + 3, '/', from - at - 3);
    end = from;
    while (from > at + 3 && s->text[from - 1] != '/')
        from--;
    struct redact_reached v = {.from = from, .to = end};
    if (!slash || s->text + from <= slash + 1 || end < from + 12 ||
        !(is_grouped(s, from, end) || redact_strength(s, &v) >= REDACT_MIXED) ||
        redact_is_placeholder(s, from, end))
        return false;
    *ret_match = (struct redact_match){from, end, "secret-address"};
    return true;
}

/* `u == "ops" && p == "X"`: a user and a password that a program compares with. */
static bool is_compared(const struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match)
{
    static const char users[][8] = {"u == \"", "u == '"};
    if (!redact_at(s, end, " == ") || !REDACT_ONE_OF(redact_char(s, end + 4), "\"'"))
        return false; /* most */
    size_t from = end + 5, before = redact_line_start(s, at, QUERY_MOST), to = from;
    while (to < s->len && to - from < QUERY_MOST && s->text[to] != s->text[end + 4] &&
           s->text[to] != '\n')
        to++;
    return redact_char(s, to) == s->text[end + 4] && REDACT_HOLDS(s, before, at, users) &&
           redact_take_word(s, from, to, 4, ret_match);
}

/* `?u=root&p=X`: InfluxDB's, Subsonic's. */
bool redact_brief(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    static const char users[][4] = {"?u=", "&u="};
    if (redact_char(s, end) == ' ')
        return is_compared(s, at, end, ret_match);
    if (redact_char(s, end) != '=' || !at || !REDACT_ONE_OF(s->text[at - 1], "?&"))
        return false; /* most */
    size_t from = end + 1,
           to = redact_run(s, from,
                           CLASS_NAME | CLASS_PERCENT | CLASS_TILDE | CLASS_OTHER | CLASS_COLON);
    size_t before = redact_line_start(s, at, QUERY_MOST);
    size_t word = redact_run(s, to, ~(uint32_t)CLASS_SPACE);
    size_t behind = word - to > QUERY_MOST ? to + QUERY_MOST : word;
    if (to < from + 4 || redact_is_number(s, from, to) || redact_is_placeholder(s, from, to) ||
        !(REDACT_HOLDS(s, before, at, users) || REDACT_HOLDS(s, to, behind, users)))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}

bool redact_proxy(const struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    static const struct redact_word schemes[] = {
        REDACT_WORD("trojan"),   REDACT_WORD("vless"), REDACT_WORD("vmess"),
        REDACT_WORD("ss"),       REDACT_WORD("ssr"),   REDACT_WORD("tuic"),
        REDACT_WORD("hysteria"), REDACT_WORD("hy2"),   REDACT_WORD("hysteria2"),
        REDACT_WORD("anytls"),   REDACT_WORD("snell"), REDACT_WORD("trojan-go"),
    };
    size_t from = at, secret = at + 3, to = secret;
    while (from > 0 && at - from < SCHEME_MOST && redact_in(s->text[from - 1], CLASS_WORD))
        from--;
    size_t i = 0, count = sizeof schemes / sizeof *schemes;
    while (i < count && (schemes[i].len != at - from || !redact_at(s, from, schemes[i].text)))
        i++;
    if (i == count)
        return false; /* most */
    while (to < s->len && to - secret < 4 * LINK_MOST && !REDACT_ONE_OF(s->text[to], "@#?/<>") &&
           !redact_in(s->text[to], CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK))
        to++;
    if (to < secret + 4 || (redact_char(s, to) != '@' && to < secret + 24) ||
        redact_is_placeholder(s, secret, to))
        return false; /* a host alone */
    *ret_match = (struct redact_match){secret, to, "url-password"};
    return true;
}
