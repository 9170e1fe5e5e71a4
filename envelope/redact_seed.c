/* The words of a wallet (BIP 39, LND, Monero): twelve and more of three to eight small letters,
 * which make no sentence, near a name that says what they are: on its line, or on the lines below,
 * in a row, in quotes, with numbers in front. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact_places.h"

#define SEED_MOST   600 /* bytes behind the name that are looked at */
#define FIRST_MOST  320 /* and in which the first word is */
#define WORD_LEAST  3
#define WORD_MOST   8
#define WORDS_LEAST 12
#define WORDS_MOST  25
#define NUMBERED    6 /* words with numbers in front are fewer where a part of them is shown */

/* Words of sentences that no wallet has. */
static bool is_said(const char *word, size_t len)
{
    static const char said[][5] = {"the", "and", "for",  "are", "not", "was",
                                   "its", "our", "from", "his", "has", "been"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (len == strlen(said[i]) && !memcmp(word, said[i], len))
            return true;
    return false;
}

static bool is_word(struct redact_scan *s, size_t at, size_t to)
{
    return to >= at + WORD_LEAST && to <= at + WORD_MOST &&
           !redact_in(redact_char(s, to), CLASS_WORD) && redact_char(s, to) != '(' &&
           !is_said(s->text + at, to - at);
}

/* What stands between two words. */
struct between {
    size_t to;
    bool number;
    bool ends; /* a sentence, a paragraph, a name in front of what it is set to */
};

static struct between read_between(struct redact_scan *s, size_t at, size_t most)
{
    struct between b = {.to = at};
    int feeds = 0;
    for (; b.to < most && b.to - at < 24; b.to++) {
        char c = s->text[b.to];
        bool digit = redact_in(c, CLASS_DIGIT);
        b.number = b.number || digit;
        feeds += c == '\n';
        b.ends = b.ends || ((c == '.' || c == ':') && !b.number) || feeds > 1;
        if (c == '\\' && redact_char(s, b.to + 1) == 'n')
            b.to++;
        else if (!digit && !redact_in(c, CLASS_SPACE) && !REDACT_ONE_OF(c, ".,\"'|):"))
            break;
    }
    return b;
}

/* Whether something parts the name from its words: a sign, a line's end. */
static bool is_parted(const struct redact_scan *s, size_t end, size_t first)
{
    for (size_t i = end; i < first; i++)
        if (REDACT_ONE_OF(s->text[i], ":=\"'\n([>"))
            return true;
    return redact_in(s->text[first - 1], CLASS_BLANK) && redact_in(s->text[first - 2], CLASS_BLANK);
}

bool redact_seed(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    size_t most = s->len - end < SEED_MOST ? s->len : end + SEED_MOST, at = end;
    size_t words = 0, numbers = 0, first = 0, last = 0;
    if (end < s->seed_to)
        return false; /* looked at for another name */
    while (at < most) {
        struct between b = read_between(s, at, most);
        size_t word = b.to, to = redact_run(s, word, CLASS_LOWER);
        if (words && b.ends && !numbers) {
            if (words >= WORDS_LEAST)
                break;
            words = 0;
        }
        if ((word > at || at == end) && is_word(s, word, to)) {
            first = words ? first : word;
            numbers = words++ ? numbers + b.number : b.number;
            last = at = to;
            continue;
        }
        if (words >= WORDS_LEAST || (words >= NUMBERED && numbers == words) ||
            word - end > FIRST_MOST)
            break;
        words = 0;
        at = to > word ? to : word + 1;
    }
    s->seed_to = at;
    bool listed = numbers == words && words >= NUMBERED && words <= WORDS_MOST;
    if (!listed && (words < WORDS_LEAST || words > WORDS_MOST || (words % 3 && words != 25)))
        return false;
    *ret_match = (struct redact_match){first, last, "seed-phrase"};
    return is_parted(s, end, first);
}
