/* Where telling names stand closer than any text has them, the rules are not asked name by name:
 * each costs a look around, and the text would cost many times what others of its length do. What
 * is between two names goes whole instead, whatever it is: too much is lost rather than a secret
 * left, or the time. */
#include "envelope/redact/places.h"

#define SPAN  1024 /* bytes, from a telling name on */
#define MOST  128  /* what the names in these weigh: a variable and its value are some 20 bytes */
#define AHEAD 256  /* bytes behind a name that go, and the word in which they end */

/* Not as close, but so for pages: a list of nothing but variables has 30 bytes and more for each.
 */
#define LONG_SPAN 8192
#define LONG_MOST 620

/* `key` and `code` tell by what is around them: between blanks they cost what telling names do,
 * with a sign behind about half; lists in JSON and YAML write these as close as 10 bytes. */
static int weight_of(struct redact_scan *s, size_t at, size_t end)
{
    if (redact_tells(s, at, end - at))
        return 2;
    bool bare = at && s->text[at - 1] == ' ' && redact_char(s, end) == ' ';
    return redact_is_of_phrase(s, at, end) ? 1 + bare : 0;
}

/* Whether as many stood in this span already, or in the one before. */
static bool is_full(struct redact_crowd *c, size_t at, int weight, size_t span, int most)
{
    if (at - c->from >= span || !c->weight)
        *c = (struct redact_crowd){
            .from = at,
            .goes_on = c->weight > most && at - c->from < 2 * span,
        };
    c->weight += weight;
    return c->goes_on || c->weight > most;
}

/* Whether the names are a crowd here. */
bool redact_is_crowded(struct redact_scan *s, size_t at, size_t end)
{
    int weight = weight_of(s, at, end);
    if (!weight)
        return false;
    bool throng = is_full(&s->throng, at, weight, LONG_SPAN, LONG_MOST);
    return is_full(&s->crowd, at, weight, SPAN, MOST) || throng;
}

bool redact_crowd(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    size_t from = end, to = end, most = s->len - end > AHEAD ? end + AHEAD : s->len;
    bool word = false;
    while (from < most && REDACT_ONE_OF(s->text[from], " \t\n:=,;\"'"))
        from++;
    for (size_t at = from; at < most;) {
        if (redact_in(s->text[at], CLASS_SPACE)) {
            at++;
            continue;
        }
        size_t name = redact_run(s, at, CLASS_NAME);
        if (name > at && redact_tells(s, at, name - at))
            break;
        if (s->text[at] == '-' && redact_at(s, at, "-----BEGIN"))
            break;
        to = at = name > at ? name : at + 1;
        word |= name == at && redact_in(s->text[at - 1], CLASS_ALNUM | CLASS_OTHER);
    }
    if (to >= most)
        to = redact_run(s, to, ~(uint32_t)CLASS_SPACE);
    if (!word || to <= from)
        return false;
    *ret_match = (struct redact_match){from, to, "crowded"};
    return true;
}
