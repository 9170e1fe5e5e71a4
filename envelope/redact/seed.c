/* The words of a wallet (BIP 39, LND, Monero): twelve and more of three to eight small letters,
 * which make no sentence, near a name that says what they are: on its line, or on the lines below,
 * in a row, in quotes, with numbers in front. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define SEED_MOST   600 /* bytes behind the name that are looked at */
#define FIRST_MOST  320 /* and in which the first word is */
#define WORD_LEAST  3
#define WORD_MOST   8
#define LONG_MOST   10 /* letters of a word on the name's own line: `seed phrase: X` */
#define WORDS_LEAST 12
#define WORDS_MOST  25
#define NAME_MOST   20 /* of `recovery phrase` behind `seed` */
#define WRITE_NEAR  20 /* bytes in front of `down` in which `Write` is */
#define NUMBERED    6  /* words with numbers in front are fewer where a part of them is shown */

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

/* Words of sentences that a wallet may have, but not beside one that is longer than its words. */
static bool is_spoken(const char *word, size_t len)
{
    static const char spoken[][7] = {"this", "that",  "you",    "your", "with", "will",
                                     "must", "store", "please", "keep", "have", "when"};
    for (size_t i = 0; i < sizeof spoken / sizeof *spoken; i++)
        if (len == strlen(spoken[i]) && !memcmp(word, spoken[i], len))
            return true;
    return false;
}

static bool is_word(struct redact_scan *s, size_t at, size_t to, size_t most)
{
    return to >= at + WORD_LEAST && to <= at + most && !redact_in(redact_char(s, to), CLASS_WORD) &&
           redact_char(s, to) != '(' && !is_said(s->text + at, to - at);
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

/* Where the name's line ends, if that goes on behind `: ` or ` phrase: `; `end` where it does not.
 */
static size_t words_on_line(struct redact_scan *s, size_t end)
{
    size_t sign = redact_run(s, end, CLASS_LOWER | CLASS_UPPER | CLASS_BLANK);
    return sign < end + NAME_MOST && redact_at(s, sign, ": ") ? redact_line_end(s, sign) : end;
}

bool redact_is_written_down(const struct redact_scan *s, size_t at)
{
    size_t from = at > WRITE_NEAR ? at - WRITE_NEAR : 0;
    return memmem(s->text + from, at - from, "rite ", 5);
}

bool redact_seed(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    size_t most = s->len - end < SEED_MOST ? s->len : end + SEED_MOST, at = end;
    size_t words = 0, numbers = 0, first = 0, last = 0;
    bool longer = false, spoken = false;
    if (end < s->seed_to)
        return false; /* looked at for another name */
    size_t line = words_on_line(s, end);
    while (at < most) {
        struct between b = read_between(s, at, most);
        size_t word = b.to, to = redact_run(s, word, CLASS_LOWER);
        if (words && b.ends && !numbers) {
            if (words >= WORDS_LEAST)
                break;
            words = 0;
        }
        if ((word > at || at == end) && is_word(s, word, to, word < line ? LONG_MOST : WORD_MOST)) {
            first = words ? first : word;
            numbers = words++ ? numbers + b.number : b.number;
            longer |= to - word > WORD_MOST;
            spoken |= line > end && is_spoken(s->text + word, to - word);
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
    if (longer && spoken)
        return false; /* a sentence */
    bool listed = numbers == words && words >= NUMBERED && words <= WORDS_MOST;
    if (!listed && (words < WORDS_LEAST || words > WORDS_MOST || (words % 3 && words != 25)))
        return false;
    *ret_match = (struct redact_match){first, last, "seed-phrase"};
    return is_parted(s, end, first);
}
