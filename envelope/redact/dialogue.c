/* What was typed behind a program's question, where it is shown: `Enter passphrase for key 'x':
 * words`,
 * `[sudo] password for kim: X`, `Secret Access Key [****abcd]: X`. A question that shows nothing
 * has nothing behind it; what is behind one was typed there, and may be made of anything. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define ABOUT_MOST 90  /* bytes of what the question says behind the name */
#define FRONT_MOST 60  /* and in front of it */
#define TYPED_MOST 100 /* of what was typed */

/* What questions begin with. */
static bool is_asked(const struct redact_scan *s, size_t from, size_t name)
{
    static const char words[][14] = {
        "Enter ",  "enter ",  "[sudo]",   "Retype ",  "retype ",  "Re-enter ", "Reenter ",
        "Verify ", "Repeat ", "Confirm ", "Type ",    "(current", "New ",      "Current ",
        "Old ",    "Please ", "Input ",   "Provide ", "Again",    "Key in ",   "? ",
        "BECOME ", "SSH ",    "Vault ",   "SUDO ",    "SU "};
    return REDACT_HOLDS(s, from, name, words);
}

/* `Password for kim@CORP.LAN: `. */
static bool says_whose(const struct redact_scan *s, size_t end, size_t from)
{
    return redact_at(s, end, " for ") && memchr(s->text + end, '@', from - end) &&
           !memchr(s->text + end + 5, ' ', from - end - 5);
}

/* What questions say of an answer that is empty: `(enter for none):`. */
static bool says_how(const struct redact_scan *s, size_t end, size_t from)
{
    static const char words[][14] = {"enter for",  "Enter for",  "ENTER for",  "eave blank",
                                     "eave empty", "ress enter", "ress Enter", "ress return",
                                     "empty for",  "blank for",  "won't echo", "not be echoed"};
    return REDACT_HOLDS(s, end, from, words);
}

/* Words that tell of a secret instead of being one. */
static bool is_told_of(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][12] = {
        " the ",   " a ",    " be ",    " is ",    " must ",     " not ",    " your ",
        " and ",   " or ",   " for ",   "equired", "characters", "optional", "hidden",
        "empty",   "none",   "default", "string",  "changed",    "accepted", "incorrect",
        "ailed",   "nvalid", "rror",    "expired", " to ",       " of ",     " was ",
        "updated", "(",      "yes",     "no ",     "-here"};
    return REDACT_HOLDS(s, from, to, words);
}

/* Several words with a digit and a sign that no sentence has: `Magnet;sparrow 913%`. */
static bool is_several(struct redact_scan *s, size_t from, size_t to)
{
    bool sign = redact_has_sign(s, from, to);
    for (size_t i = from; i < to && !sign; i++)
        sign = REDACT_ONE_OF(s->text[i], ";&|?@+=~!#%") && redact_char(s, i + 1) != ' ';
    return sign && redact_has_digit(s, from, to);
}

/* One word that holds more than small letters, or words of a phrase; whatever they are made of,
 * where none of them says how a password is. */
static bool is_typed(struct redact_scan *s, size_t from, size_t to, bool asked)
{
    if (memchr(s->text + from, ' ', to - from) && redact_is_stated(s, from, to) &&
        !redact_is_expression(s, from, to))
        return true;
    if (to < from + 4 || to - from > TYPED_MOST || redact_is_placeholder(s, from, to) ||
        REDACT_ONE_OF(s->text[from], "\"'{[<(/$%&*") ||
        REDACT_ONE_OF(s->text[to - 1], ":;,{(\"')]}>`") || is_told_of(s, from, to) ||
        memmem(s->text + from, to - from, "://", 3))
        return false;
    if (redact_run(s, from, ~(uint32_t)CLASS_SPACE) < to)
        return redact_is_phrase(s, from, to, asked ? 2 : 3) || redact_is_spoken(s, from, to) ||
               (asked && is_several(s, from, to));
    if (redact_run(s, from, CLASS_LOWER) == to || redact_is_number(s, from, to))
        return asked;
    if (s->text[to - 1] == '.')
        return false;
    size_t capital = from + redact_in(s->text[from], CLASS_UPPER);
    return asked || redact_run(s, capital, CLASS_LOWER) < to;
}

/* Where the question ends that the name is in: behind its colon and a blank; 0 for none. */
static size_t behind_question(struct redact_scan *s, size_t end, size_t line)
{
    size_t most = line - end > ABOUT_MOST ? end + ABOUT_MOST : line;
    if (!memchr(s->text + end, ':', most - end))
        return 0; /* most */
    for (size_t at = end, colons = 0; at < most && colons < 3; at++) {
        char c = s->text[at];
        colons += c == ':';
        if (c == ':' && (at + 1 == line || s->text[at + 1] == ' '))
            return at + 1;
        if (REDACT_ONE_OF(c, "=,;{}<>") || (c == '.' && redact_char(s, at + 1) == ' ') ||
            (c == '(' && at == end))
            return 0;
    }
    return 0;
}

/* Whether the line begins as a question may: with a capital or a bracket, and words of no program.
 */
static bool begins_question(const struct redact_scan *s, size_t start, size_t at)
{
    for (size_t i = start; i < at; i++)
        if (REDACT_ONE_OF(s->text[i], "#=(){}\"`<>,;") || REDACT_ONE_OF(s->text[i], "*$\\/+_|&"))
            return false;
    return redact_in(s->text[start], CLASS_UPPER) || REDACT_ONE_OF(s->text[start], "[?") ||
           redact_at(s, start, "enter ") || redact_at(s, start, "retype ") ||
           (at > start + 3 && redact_at(s, at - 3, "'s ")); /* `kim@host's password: ` */
}

/* Whether the question shows the end of what is set: `[****************9dk2]:`. */
static bool shows_mask(const struct redact_scan *s, size_t end, size_t from)
{
    const char *open = memchr(s->text + end, '[', from - end);
    return open && s->text[from - 2] == ']' && open[1] == '*';
}

/* Whether it asks for something else: `Auth Username:`, `Password file:`. */
static bool is_about_else(const struct redact_scan *s, size_t end)
{
    static const char what[][11] = {" username", " user name", " user:",  " login:", " name:",
                                    " file",     " type",      " method", " mode",   " host"};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++)
        if (redact_at(s, end, what[i]))
            return true;
    return false;
}

/* Whether the name is all that the line is about, but whose it is: not `Password hashing: SHA-512`.
 */
static bool is_of_whom(const struct redact_scan *s, size_t end)
{
    static const char whose[][7] = {":",    " for ",  " of ", " (", " fur ",
                                    " de ", " pour ", " [",   " :"};
    for (size_t i = 0; i < sizeof whose / sizeof *whose; i++)
        if (redact_at(s, end, whose[i]))
            return true;
    return false;
}

/* `? Please choose a new password (optional) X`: what asks so puts no sign behind the question.
 */
static bool is_chosen(struct redact_scan *s, size_t at, size_t end, size_t start,
                      struct redact_match *ret_match)
{
    static const char marks[][4] = {"? ", "\xe2\x9c\x94", "\xe2\x9c\x93", "\xe2\x88\x9a"};
    size_t question = end + (redact_char(s, end) == '?'), to;
    size_t from = redact_run(s, question, CLASS_BLANK);
    bool is = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !is; i++)
        is = redact_at(s, start, marks[i]);
    if (!is || from == question)
        return false;
    if (s->text[from] == '(') {
        size_t line = redact_line_end(s, from);
        const char *close = memchr(s->text + from, ')', line - from);
        from = close ? redact_run(s, (size_t)(close - s->text) + 1, CLASS_BLANK) : line;
    }
    if (redact_at(s, from, "\xc2\xb7 ") || redact_at(s, from, "\xe2\x80\xba ") ||
        redact_at(s, from, "\xe2\x80\xa6 "))
        from = redact_run(s, from + 2, ~(uint32_t)CLASS_SPACE) + 1; /* what parts the answer */
    to = redact_text_end(s, from);
    *ret_match = (struct redact_match){from, to, "value"};
    if (to <= from || redact_tells_of_phrase(s, at, end) != TELLS_ALL)
        return false;
    if (question > end && redact_is_lone_word(s, from, to))
        return true;
    return redact_is_stated(s, from, to) && !redact_is_expression(s, from, to);
}

bool redact_dialogue(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end), from = behind_question(s, end, line), to = line;
    size_t question = from;
    if (redact_stated(s, at, end, ret_match))
        return true;
    if (!from && !REDACT_ONE_OF(redact_char(s, end), " ?"))
        return false; /* most */
    size_t start = redact_line_start(s, at, FRONT_MOST);
    if (start && s->text[start - 1] != '\n')
        return false;
    if (!from)
        return is_chosen(s, at, end, start, ret_match);
    bool mask = shows_mask(s, end, from);
    if (!begins_question(s, start, at))
        return false;
    bool asked = mask || is_asked(s, start, at) || says_how(s, end, from);
    if (is_about_else(s, end))
        return false;
    if (!asked && (redact_tells_of_phrase(s, at, end) != TELLS_ALL || !is_of_whom(s, end)))
        return false;
    bool below = redact_run(s, from, CLASS_BLANK) >= line;
    if (below && redact_char(s, line) == '\n') { /* the terminal went on with a new line */
        from = line + 1;
        to = redact_line_end(s, from);
        if (!redact_is_phrase(s, from, to, 3))
            return false;
    }
    from = redact_run(s, from, CLASS_BLANK);
    while (to > from && redact_in(s->text[to - 1], CLASS_SPACE))
        to--;
    bool whose = says_whose(s, end, question) && redact_is_lone_word(s, from, to);
    if (from >= to || !(whose || is_typed(s, from, to, asked && !below)))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}
