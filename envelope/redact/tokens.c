/* Tokens that give themselves away by their shape: those of the table (shapes.c), found by
 * the three characters that their longest text begins with, and a few that no row can say. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

#include "envelope/redact/forms.h"
#include "envelope/redact/shapes.h"

#define PARTS          16
#define ROWS           1200
#define CAPITALS_LEAST 16 /* letters behind a mark */
#define NEAR_MOST      4  /* characters behind a shape's text that are looked at before it is */

/* A shape read: texts and sets in turn. */
struct part {
    const char *text; /* NULL for a set */
    size_t len;       /* of the text */
    uint32_t set;
    size_t min, max;
};

struct shape {
    const char *type;
    bool inside, random;
    int count, first, last; /* of its parts; and which of them is the first and the last secret */
    struct part parts[PARTS];
    size_t back;     /* from the text that it is found by to its beginning */
    const char *key; /* that text, */
    size_t key_len;  /* three characters at least */
    size_t ahead; /* behind its beginning, the last place at which one of `ahead_set` has to be, */
    size_t near;  /* and how many right behind its text, of those that are looked at first */
    uint32_t ahead_set;
};

/* What a look at one costs: most end here. */
struct head {
    int16_t next; /* of the same bucket, counted from 1; 0 for none */
    uint8_t len;
    char fourth, last;
};

static struct index {
    struct shape shapes[ROWS];
    struct head heads[ROWS];
    int16_t buckets[REDACT_HASHES];
} shared;

uint8_t redact_begins[REDACT_HASHES / 8], redact_begins_inside[REDACT_HASHES / 8];
uint32_t redact_keys[REDACT_HASHES], redact_fourths[REDACT_HASHES];
uint8_t redact_pairs[(1 << 16) / 8];

/* ---- rows ---- */

static uint32_t set_of(char letter)
{
    static const struct {
        char letter;
        uint32_t set;
    } sets[] = {
        {'d', CLASS_DIGIT},
        {'h', CLASS_DIGIT | CLASS_HEX_LOWER},
        {'n', CLASS_DIGIT | CLASS_HEX_LOWER | CLASS_DASH},
        {'H', CLASS_HEX},
        {'u', CLASS_UPPER},
        {'U', CLASS_UPPER | CLASS_DIGIT},
        {'l', CLASS_LOWER | CLASS_DIGIT},
        {'k', CLASS_LOWER | CLASS_DIGIT | CLASS_DASH},
        {'a', CLASS_ALNUM},
        {'w', CLASS_WORD},
        {'W', CLASS_NAME},
        {'b', CLASS_ALNUM | CLASS_BASE64},
        {'B', CLASS_WORD | CLASS_BASE64},
        {'j', CLASS_NAME | CLASS_BASE64},
        {'p', CLASS_NAME | CLASS_PERCENT | CLASS_TILDE},
        {'r', CLASS_NAME | CLASS_PERCENT | CLASS_TILDE | CLASS_BASE64 | CLASS_SEPARATOR},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (sets[i].letter == letter)
            return sets[i].set;
    return 0;
}

static size_t read_number(const char **at)
{
    size_t n = 0;
    while (**at >= '0' && **at <= '9')
        n = n * 10 + (size_t)(*(*at)++ - '0');
    return n;
}

/* `a36-255`, `a36`, or `a36-` for any number from there. */
static void read_set(const char *at, struct part *part)
{
    *part = (struct part){.set = set_of(*at++)};
    part->min = part->max = read_number(&at);
    if (*at++ == '-')
        part->max = *at == '>' ? SIZE_MAX : read_number(&at);
}

static void read_parts(const char *form, struct shape *shape)
{
    shape->last = PARTS;
    for (bool began = false; *form && shape->count < PARTS;) {
        if (*form == '^') {
            if (began)
                shape->last = shape->count - 1;
            else
                shape->first = shape->count;
            began = true;
            form++;
            continue;
        }
        struct part *part = &shape->parts[shape->count++];
        size_t text = strcspn(form, "<^");
        if (text) {
            *part = (struct part){.text = form, .len = text};
            form += text;
            continue;
        }
        read_set(form + 1, part);
        form += strcspn(form, ">") + 1;
    }
}

/* Where a text has two characters that are in few words, three or more left of it: what is found by
 * its first ones costs a look at each word that begins so. */
static size_t rare_pair(const struct part *part)
{
    for (size_t at = 0; at + 3 <= part->len; at++)
        if (!redact_in(part->text[at], CLASS_LOWER) || !redact_in(part->text[at + 1], CLASS_LOWER))
            return at;
    return 0;
}

/* The longest text that has only parts of one length in front is what the shape is found by; of
 * what nobody issues, from two rare characters of it on. */
static const char *find_anchor(struct shape *shape, bool rare)
{
    const struct part *best = NULL;
    size_t back = 0, skip = 0;
    for (int i = 0; i < shape->count; i++) {
        const struct part *part = &shape->parts[i];
        if (part->text && (!best || part->len > best->len)) {
            best = part;
            skip = rare ? rare_pair(part) : 0;
            shape->back = back + skip;
            shape->key_len = part->len - skip > 3 ? part->len - skip : 3;
            const struct part *next = i + 1 < shape->count ? part + 1 : NULL;
            bool needs = next && !next->text && next->min;
            shape->ahead = needs ? part->len - skip + next->min - 1 : 0;
            shape->near = !needs || part->len - skip < 3 ? 0
                          : next->min < NEAR_MOST        ? next->min
                                                         : NEAR_MOST;
            shape->ahead_set = needs ? next->set : CLASS_ALL;
        }
        if (!part->text && part->min != part->max)
            break;
        back += part->text ? part->len : part->min;
    }
    return best ? best->text + skip : "   ";
}

static void add_pair(char first, char second)
{
    uint16_t pair;
    memcpy(&pair, (char[]){first, second}, sizeof pair);
    redact_pairs[pair / 8] |= (uint8_t)(1u << pair % 8);
}

/* Of what no table has: numbers, ids in base64 (is_discord()), armour, addresses, and dashes
 * between hexadecimal digits. */
static bool begins_other(char first, char second)
{
    switch (first) {
    case 'M':
    case 'N':
    case 'O':
        return redact_in(second, CLASS_WORD);
    case 'P':
        return second == 'u' || second == 'r';
    case '-':
        return redact_in(second, CLASS_DASH | CLASS_DIGIT | CLASS_HEX_LOWER | CLASS_UPPER);
    case '@':
        return redact_in(second, CLASS_ALNUM) || second == '(';
    case ':':
        return true;
    default:
        return redact_in(first, CLASS_DIGIT) && redact_in(second, CLASS_DIGIT);
    }
}

static void read_pairs(void)
{
    for (int first = 0; first < 256; first++)
        for (int second = 0; second < 256; second++)
            if (begins_other((char)first, (char)second))
                add_pair((char)first, (char)second);
}

/* By `len` characters of it, three or more. */
static void add_beginning(const char *key, size_t len, bool inside)
{
    add_pair(key[0], key[1]);
    unsigned hash = redact_hash(key);
    bool other = redact_keys[hash] && redact_keys[hash] != redact_key(key);
    redact_keys[hash] = other ? REDACT_MANY : redact_key(key);
    redact_fourths[hash] |= len > 3 ? 1u << ((unsigned char)key[3] & 31u) : UINT32_MAX;
    redact_begins[hash / 8] |= (uint8_t)(1u << hash % 8);
    redact_begins_inside[hash / 8] |= (uint8_t)((unsigned)inside << hash % 8);
}

/* What is found by the same three characters is told apart by the fourth, where it has one. */
static unsigned bucket(const char *key, size_t len)
{
    return len > 3 ? (redact_hash(key) * 31u + (unsigned char)key[3] * 1021u + 1) % REDACT_HASHES
                   : redact_hash(key);
}

static void read_rows(void)
{
    static const char *const others[] = {"eyJ", "eyA", "eyo", "eyg", "ewJ", "ewA", "ewo", "ewg"};
    for (int i = redact_shape_count() < ROWS ? redact_shape_count() : ROWS; i-- > 0;) {
        const struct redact_shape *row = redact_shape(i);
        struct shape *shape = &shared.shapes[i];
        *shape = (struct shape){.type = row->type,
                                .inside = row->inside,
                                .random = !strcmp(row->type, REDACT_PREFIXED),
                                .key_len = 3};
        read_parts(row->form, shape);
        shape->key = find_anchor(shape, i >= redact_issued_shape_count);
        int16_t *first = &shared.buckets[bucket(shape->key, shape->key_len)];
        shared.heads[i] = (struct head){.next = *first,
                                        .len = (uint8_t)shape->key_len,
                                        .fourth = shape->key_len > 3 ? shape->key[3] : 0,
                                        .last = shape->key[shape->key_len - 1]};
        *first = (int16_t)(i + 1);
        add_beginning(shape->key, shape->key_len, shape->inside || shape->back);
        if (i < redact_issued_shape_count && shape->parts->text && shape->parts->len >= 3 &&
            redact_in(*shape->parts->text, CLASS_UPPER | CLASS_LOWER))
            redact_coded_begin(shape->parts->text, add_beginning);
    }
    read_pairs();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_beginning(others[i], 3, false);
    redact_form_begins(add_beginning);
    for (const char *digit = "0123456789abcdefABCDEF"; *digit; digit++)
        add_beginning((char[]){'S', 'K', *digit}, 3, false);
}

void redact_read_shapes(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_rows);
}

/* ---- one shape ---- */

/* A letter that has an accent as it is seen ends a token: none has one. */
static bool is_marked(const struct redact_scan *s, size_t at)
{
    return s->fold && s->fold->places[at + 1] - s->fold->places[at] != 1;
}

/* Behind the part at `at`; 0 when it is not there. */
static size_t match_part(struct redact_scan *s, const struct part *part, bool last, size_t at)
{
    if (part->text)
        return s->len - at >= part->len && !memcmp(s->text + at, part->text, part->len)
                   ? at + part->len
                   : 0;
    size_t run = redact_run(s, at, part->set) - at;
    if (run < part->min || (last && run > part->max && !is_marked(s, at + part->max)))
        return 0;
    return at + (run < part->max ? run : part->max);
}

/* A word as people write them has none, however long it is. */
static bool has_digit(struct redact_scan *s, size_t from, size_t to)
{
    return redact_run(s, from, CLASS_ALL & ~(uint32_t)CLASS_DIGIT) < to;
}

/* `AKIA` and capital letters only, as one of a hundred has: of a length that no word has. */
static bool is_capitals(struct redact_scan *s, const struct shape *shape, size_t from, size_t to)
{
    const struct part *last = &shape->parts[shape->count - 1];
    return !last->text && last->min == last->max && last->min >= CAPITALS_LEAST &&
           redact_run(s, from, CLASS_UPPER) == to;
}

/* What manuals show instead of one: `xoxb-xxxxxxxxxxxx-xxxx`. */
static bool is_mask(const struct redact_scan *s, size_t from, size_t to)
{
    static const char *const words[] = {"your_",   "your-",   "_here", "-here",
                                        "example", "EXAMPLE", "xxxx"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (to - from < 80 && memmem(s->text + from, to - from, words[i], strlen(words[i])))
            return true;
    size_t at = to;
    while (at > from && strchr("xX*.-_", s->text[at - 1]))
        at--;
    return to - at >= 16 || (to > at && to - at >= (to - from) / 2 && to - at >= 8);
}

/* `pk_live_`: what a page may show to everybody. */
static bool is_published(const struct redact_scan *s, size_t at)
{
    static const char *const words[] = {"pk", "pub", "public", "publishable", "site"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (at >= strlen(words[i]) && redact_at(s, at - strlen(words[i]), words[i]))
            return true;
    return false;
}

/* Armour in base64 that is a certificate or a public key, and no private one behind it. */
static bool is_public(const struct redact_scan *s, size_t from, size_t to)
{
    static const char *const labels[] = {"BDRVJUSUZJQ0FUR", "BQVUJMSUMg",      "BUUlVTVEVEIENFUl",
                                         "BYNTA5IENST",     "BORVcgQ0VSVElGS", "BSU0EgUFVCTEl",
                                         "BQR1AgUFVCTEl",   "BQR1AgU0lHT"};
    static const char *const keys[] = {"UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW"};
    size_t label = from + strlen("LS0tLS1CRUdJTi");
    bool open = false;
    for (size_t i = 0; i < sizeof labels / sizeof *labels && !open; i++)
        open = to - label > strlen(labels[i]) &&
               !memcmp(s->text + label, labels[i], strlen(labels[i]));
    for (size_t i = 0; i < sizeof keys / sizeof *keys && open; i++)
        open = !memmem(s->text + label, to - label, keys[i], strlen(keys[i]));
    return open;
}

static bool match_shape(struct redact_scan *s, const struct shape *shape, size_t at,
                        struct redact_match *ret_match)
{
    if (at < shape->back)
        return false;
    size_t from = at - shape->back, to = from;
    if (!shape->inside && !redact_starts_word(s, from))
        return false;
    size_t secret = from, secret_to = 0;
    for (int i = 0; i < shape->count; i++) {
        secret = i == shape->first ? to : secret;
        to = match_part(s, &shape->parts[i], i + 1 == shape->count, to);
        if (!to)
            return false;
        secret_to = i == shape->last ? to : secret_to;
    }
    if (!secret_to && to < s->len && redact_in(s->text[to], CLASS_ALNUM) && !is_marked(s, to))
        return false;
    while (to > from && redact_in(s->text[to - 1], CLASS_DOT | CLASS_SEPARATOR))
        to--; /* a sentence ends there */
    to = secret_to ? secret_to : to;
    struct redact_reached body = {.from = shape->first ? secret : from + shape->key_len, .to = to};
    from = secret;
    *ret_match = (struct redact_match){from, to, shape->type};
    if (shape->random && (redact_strength(s, &body) != REDACT_RANDOM || is_published(s, from)))
        return false;
    if (*shape->type == 'p' && !strcmp(shape->type, "pem") && is_public(s, from, to))
        return false;
    return (shape->inside || has_digit(s, from, to) || is_capitals(s, shape, from, to)) &&
           !is_mask(s, from, to);
}

/* Whether what has to be behind the shape's text may be there: its last, and the first few. */
static bool may_go_on(const struct shape *shape, const char *t, size_t left)
{
    if (shape->ahead >= left || !redact_in(t[shape->ahead], shape->ahead_set))
        return false;
    for (size_t i = 0; i < shape->near; i++)
        if (!redact_in(t[shape->key_len + i], shape->ahead_set))
            return false;
    return true;
}

static bool is_in_bucket(struct redact_scan *s, size_t at, unsigned which,
                         struct redact_match *ret_match)
{
    const char *t = s->text + at;
    size_t left = s->len - at;
    char fourth = left > 3 ? t[3] : 0;
    const struct head *head;
    for (int i = shared.buckets[which]; i; i = head->next) {
        head = &shared.heads[i - 1];
        if ((head->len > 3 && head->fourth != fourth) || left < head->len ||
            t[head->len - 1] != head->last)
            continue;
        const struct shape *shape = &shared.shapes[i - 1];
        if (may_go_on(shape, t, left) && !memcmp(shape->key, t, shape->key_len) &&
            match_shape(s, shape, at, ret_match))
            return true;
    }
    return false;
}

static bool is_listed(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    const char *t = s->text + at;
    if (s->len - at < 3)
        return false;
    return (s->len - at > 3 && is_in_bucket(s, at, bucket(t, 4), ret_match)) ||
           is_in_bucket(s, at, bucket(t, 3), ret_match);
}

/* ---- what no row can say ---- */

/* JSON web tokens: parts of base64url between dots, of which the first is an object: `{"`, `{ ` or
 * `{\n`. The second is one, too, or there are five; a signature may be missing. */
static bool is_jwt(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t from = at, parts = 0;
    const char *t = s->text;
    if (s->len - at < 20 || t[at] != 'e' || (t[at + 1] != 'y' && t[at + 1] != 'w') ||
        !REDACT_ONE_OF(t[at + 2], "JAog") || (at >= s->jwt_from && at < s->jwt_to) ||
        !redact_starts_word(s, at))
        return false;
    bool object = false;
    s->jwt_from = s->jwt_to = at;
    for (; parts < 5; parts++) {
        size_t end = redact_run(s, from, CLASS_WORD);
        s->jwt_to = parts ? s->jwt_to : end; /* what begins later in it is none either */
        if (parts < 2 && end - from < 8 && !(parts == 1 && end < s->len && t[end] == '.'))
            return false;
        if (parts == 1)
            object = t[from] == 'e' && (t[from + 1] == 'y' || t[from + 1] == 'w');
        from = end;
        if (end >= s->len || t[end] != '.' || parts == 4)
            break;
        from = end + 1;
    }
    if (!(object && parts >= 1) && parts < 4)
        return false;
    while (from > at && t[from - 1] == '.')
        from--;
    *ret_match = (struct redact_match){at, from, "jwt"};
    return true;
}

/* 8 to 10 digits, a colon, 35 characters of which the first are AA. */
static bool is_telegram(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (!redact_in(s->text[at], CLASS_DIGIT) || (at && redact_in(s->text[at - 1], CLASS_DIGIT)))
        return false;
    size_t digits = redact_run(s, at, CLASS_DIGIT) - at, secret = at + digits + 1;
    if (digits < 8 || digits > 10 || s->len < secret + 35 || !redact_at(s, secret - 1, ":AA") ||
        redact_run(s, secret, CLASS_WORD) != secret + 35)
        return false;
    *ret_match = (struct redact_match){at, secret + 35, "telegram-token"};
    return true;
}

/* Eight times six digits, dashes in between: BitLocker's recovery password. */
static bool is_recovery(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t to = at;
    if (redact_char(s, at + 6) != '-' || (at && redact_in(s->text[at - 1], CLASS_NAME)))
        return false;
    for (int i = 0; i < 8; i++, to += i < 8) {
        if (redact_run(s, to, CLASS_DIGIT) != to + 6)
            return false;
        to += 6;
        if (i < 7 && redact_char(s, to) != '-')
            return false;
    }
    if (redact_in(redact_char(s, to), CLASS_NAME))
        return false;
    *ret_match = (struct redact_match){at, to, "recovery-key"};
    return true;
}

/* An id, a time and a signature in base64url. */
static bool is_discord(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (!redact_starts_word(s, at))
        return false;
    size_t time = redact_run(s, at, CLASS_WORD) + 1, id = time - 1 - at, signature = time + 7;
    if (id < 24 || id > 26 || s->len < signature + 27 || s->text[time - 1] != '.' ||
        redact_run(s, time, CLASS_WORD) != time + 6 || s->text[signature - 1] != '.')
        return false;
    size_t run = redact_run(s, signature, CLASS_WORD) - signature;
    if (run < 27 || run > 38)
        return false;
    *ret_match = (struct redact_match){at, signature + run, "discord-token"};
    return true;
}

/* SK and 32 hexadecimal digits. */
static bool is_twilio(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (s->len - at < 34 || s->text[at + 1] != 'K' || !redact_starts_word(s, at))
        return false;
    size_t end = redact_run(s, at + 2, CLASS_HEX);
    if (end != at + 34 || (end < s->len && redact_in(s->text[end], CLASS_ALNUM)))
        return false;
    *ret_match = (struct redact_match){at, end, "twilio-key"};
    return true;
}

static bool is_token(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (is_listed(s, at, ret_match))
        return true;
    switch (s->text[at]) {
    case 'e':
        return is_jwt(s, at, ret_match);
    case 'M':
    case 'N':
    case 'O':
        return is_discord(s, at, ret_match);
    case 'S':
        return is_twilio(s, at, ret_match);
    case '$':
    case '*':
    case '(':
    case '{':
    case 's':
    case 'u':
        return redact_form(s, at, ret_match);
    default:
        if (!redact_in(s->text[at], CLASS_DIGIT))
            return false; /* most */
        return is_telegram(s, at, ret_match) || is_recovery(s, at, ret_match) ||
               (at && REDACT_ONE_OF(s->text[at - 1], "[,") && redact_form(s, at, ret_match));
    }
}

bool redact_token(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    return is_token(s, at, ret_match) || redact_coded(s, at, ret_match);
}
