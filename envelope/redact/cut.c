/* What a line's end cuts that is none of the text's. A terminal's edge, fold(1), watch(1) and a
 * serial console go on where the next line begins; a window with numbers, a box and a table's cell
 * below the place where they began. Nothing says so but the lines themselves: how wide they are,
 * and that what goes on is no word, no name and no sentence. */
#include <string.h>

#include "envelope/redact/cut.h"
#include "envelope/redact/places.h"

#define PIECES_MOST    32   /* lines that one secret goes on in */
#define LINE_MOST      512  /* bytes of one that are looked at */
#define TOKEN_MOST     1024 /* bytes of a token in all its lines */
#define FIRST_LEAST    8    /* bytes of what goes on, */
#define REST_LEAST     5    /* and of its last piece */
#define EDGE_LEAST     50   /* columns of a terminal or a page that cuts what stands in it */
#define FOLD_LEAST     16   /* and of lines that are all as wide as another */
#define EDGE_NEAR      4    /* columns by which a wide character or a sign may differ */
#define EDGE_WORDS     72   /* columns of one behind whose cut a quote may close */
#define INDENTED_LEAST 40   /* bytes of base64 whose lines stand further in */
#define SIGN_MOST      8    /* bytes of what says that lines are quoted */
#define LINES_BESIDE   3    /* that would be cut, too */

#define CLASS_PIECE (CLASS_WORD | CLASS_BASE64 | CLASS_DOT | CLASS_TILDE)

/* A piece in its line. */
struct piece {
    size_t line;     /* where that begins */
    size_t from, to; /* without the bar of a cell behind it */
    bool whole;      /* nothing else is behind it in its line or cell */
};

static size_t columns(const struct redact_scan *s, size_t from, size_t to)
{
    size_t n = 0;
    for (; from < to; from++)
        n += ((unsigned char)s->text[from] & 0xc0) != 0x80;
    return n;
}

/* Behind blanks and bars, up to the line's end. */
static size_t behind_frame(const struct redact_scan *s, size_t at, size_t end)
{
    size_t most = end - at > LINE_MOST ? at + LINE_MOST : end;
    while (at < most) {
        if (redact_in(s->text[at], CLASS_BLANK) || s->text[at] == '\r')
            at++;
        else if (redact_is_bar(s, at))
            at += s->text[at] == '|' ? 1 : 3;
        else
            break;
    }
    return at;
}

/* Whether the line ends behind `at`, or a cell, or a soft line end of MIME. */
static bool ends_there(struct redact_scan *s, size_t at)
{
    size_t end = redact_line_end(s, at);
    return behind_frame(s, at, end) == end || (s->text[at] == '=' && at + 1 == end);
}

/* Whether the number of a line stands in front of what begins at `at`: `  12 `. */
static bool is_numbered(const struct redact_scan *s, size_t line, size_t at)
{
    size_t i = line;
    while (i < at && s->text[i] == ' ')
        i++;
    size_t digits = i;
    while (i < at && redact_in(s->text[i], CLASS_DIGIT))
        i++;
    return i > digits && i < at && redact_in(s->text[i], CLASS_BLANK);
}

/* How far the content of a line is from where it begins: behind the frame, or the number. */
static size_t indent_of(const struct redact_scan *s, size_t line, size_t end)
{
    size_t at = behind_frame(s, line, end), i = at;
    while (i < end && redact_in(s->text[i], CLASS_DIGIT))
        i++;
    return (i < end && is_numbered(s, line, i + 1) ? behind_frame(s, i, end) : at) - line;
}

static size_t run_of(const struct redact_scan *s, size_t at, size_t end, uint32_t set)
{
    while (at < end && redact_in(s->text[at], set))
        at++;
    return at;
}

/* How long the sign is that stands in front of both lines: a mail's `>> `, a comment's, a diff's.
 */
static size_t same_sign(const struct redact_scan *s, size_t line, size_t next, size_t end)
{
    size_t most = end - next > SIGN_MOST ? SIGN_MOST : end - next, len = 0, signs = 0;
    for (; len < most && s->text[line + len] == s->text[next + len] &&
           REDACT_ONE_OF(s->text[next + len], "># +-/*;%");
         len++)
        signs += s->text[next + len] != ' ';
    return signs ? len : 0;
}

/* The piece in the next line that goes on where `p` ends, which ends its line. */
static bool next_piece(struct redact_scan *s, const struct piece *p, uint32_t set,
                       struct piece *ret)
{
    size_t end = redact_line_end(s, p->to), line = end + 1;
    if (end - p->line > LINE_MOST || line >= s->len)
        return false;
    size_t line_end = redact_line_end(s, line), sign = same_sign(s, p->line, line, line_end);
    size_t from = behind_frame(s, line + sign, line_end), indent = from - line;
    if (indent > sign && indent != p->from - p->line && indent != indent_of(s, p->line, end))
        return false;
    size_t to = run_of(s, from, line_end, set);
    if (to == from || (s->text[from] == '-' && redact_char(s, from + 1) == '-') ||
        redact_char(s, redact_run(s, to, CLASS_BLANK)) == '=')
        return false; /* an option, a name */
    *ret = (struct piece){line, from, to, ends_there(s, to)};
    return true;
}

/* ---- a secret that goes on ---- */

/* What characters go on: those of its last word, and what base64 pads it by. */
static uint32_t set_of(const struct redact_scan *s, size_t from, size_t to)
{
    uint32_t has = 0;
    for (; from < to; from++)
        has |= redact_class(s->text[from]);
    if (!(has & ~(uint32_t)CLASS_HEX & (CLASS_ALNUM | CLASS_WORD | CLASS_BASE64 | CLASS_DOT)) &&
        (has & CLASS_DIGIT))
        return CLASS_HEX;
    return CLASS_WORD | CLASS_TILDE | (has & CLASS_DOT) | CLASS_BASE64;
}

static bool is_hexadecimal(const struct redact_scan *s, size_t from, size_t to)
{
    while (from < to && redact_in(s->text[from], CLASS_HEX))
        from++;
    return from == to;
}

/* A sign of base64 in a word whose beginning has none is a path's, and one that sets a name. */
static bool has_set(const struct redact_scan *s, size_t from, size_t to)
{
    while (to > from && s->text[to - 1] == '=')
        to--;
    return memchr(s->text + from, '=', to - from);
}

/* Whether the piece is made as no word, name or number is that a program prints on a line. */
static bool is_rest(struct redact_scan *s, const struct piece *p, bool hex, bool base64)
{
    struct redact_reached word = {.from = p->from, .to = p->to};
    size_t len = p->to - p->from;
    if (len < REST_LEAST || has_set(s, p->from, p->to))
        return false;
    if (hex)
        return redact_has_digit(s, p->from, p->to) && len % 2 == 0 && len <= 64;
    if ((len == 40 || len == 64) && is_hexadecimal(s, p->from, p->to))
        return false; /* a sum */
    if (!base64 && memchr(s->text + p->from, '/', len))
        return false;
    enum redact_strength strength = redact_strength(s, &word);
    return strength >= REDACT_MIXED || (strength && len >= 12) ||
           (p->whole && strength == REDACT_SHORT_WORD && base64);
}

/* Whether the lines in front, where any is as wide, end where this one does. */
static bool is_widest(struct redact_scan *s, size_t line, size_t width)
{
    size_t at = line;
    for (int i = 0; i < LINES_BESIDE && at > 0; i++) {
        size_t end = at - 1;
        at = redact_line_start(s, end, LINE_MOST);
        if (columns(s, at, end) > width + EDGE_NEAR)
            return false;
    }
    return true;
}

/* How the line that `p` ends is cut. */
struct edge {
    size_t width;     /* columns up to there */
    size_t cell;      /* and of the piece */
    bool framed;      /* it is in a box or a table */
    bool quoted;      /* a quote is open there */
    bool hex, base64; /* what it is made of */
};

/* Whether the piece fills its line as the first one does. */
static bool is_full(const struct redact_scan *s, const struct edge *e, const struct piece *p,
                    const struct piece *first)
{
    size_t width = columns(s, p->line, p->to);
    if (!p->whole)
        return false;
    if (e->framed || p->from - p->line == first->from - first->line)
        return p->to - p->from == e->cell && e->cell >= FOLD_LEAST;
    return width + EDGE_NEAR >= e->width && width <= e->width + EDGE_NEAR && width >= EDGE_LEAST;
}

/* Whether what goes on is like no word that begins a line, and the command goes on behind it. */
static bool is_followed(struct redact_scan *s, const struct piece *p)
{
    struct redact_reached word = {.from = p->from, .to = p->to};
    return REDACT_ONE_OF(redact_char(s, p->to), " ;)&|") &&
           redact_strength(s, &word) == REDACT_RANDOM && !word.hex;
}

/* The end of the last of the pieces behind `first`; first->to where there is none. */
static size_t walk(struct redact_scan *s, const struct edge *e, const struct piece *first,
                   uint32_t set)
{
    struct piece p = *first, next;
    bool full = false;
    for (int i = 0; i < PIECES_MOST && next_piece(s, &p, set, &next); i++) {
        if (is_full(s, e, &next, first) && !has_set(s, next.from, next.to)) {
            full = true;
            p = next;
            continue;
        }
        char behind = redact_char(s, next.to);
        bool quote = REDACT_ONE_OF(behind, "\"'");
        bool closed = next.whole || (quote && (e->quoted || e->width >= EDGE_WORDS)) ||
                      (e->width >= EDGE_WORDS && is_followed(s, &next));
        bool edge = full || e->framed || e->quoted || e->width >= EDGE_LEAST;
        if (closed && edge && (is_rest(s, &next, e->hex, e->base64) || full))
            p = next;
        break;
    }
    bool listed = full && e->cell < EDGE_LEAST && !e->framed && !e->quoted &&
                  p.to - p.from == e->cell; /* one on each line */
    return listed ? first->to : p.to;
}

/* A first look: a word begins the next line, or its frame, and is no name that is set. `wide`: it
 * may be a terminal's edge that cuts the line. */
static bool may_go_on(struct redact_scan *s, size_t to, bool wide)
{
    size_t line = redact_line_end(s, to) + 1;
    if (line >= s->len)
        return false;
    size_t end = redact_line_end(s, line), from = behind_frame(s, line, end);
    size_t most = end - from > REST_LEAST ? from + REST_LEAST : end;
    if (run_of(s, from, most, CLASS_PIECE) != from + REST_LEAST)
        return false;
    char behind = redact_char(s, run_of(s, from, end, CLASS_PIECE));
    return REDACT_ONE_OF(behind, "\n\r\"'") ||
           (REDACT_ONE_OF(behind, " ;)&|") && (wide || (behind == ' ' && from != line)));
}

/* `name = X` whose lines below are further in, and have nothing but base64 that is as long as in no
 * text: where the last of them ends. */
static size_t walk_indented(struct redact_scan *s, size_t start, size_t word, size_t to)
{
    size_t first = redact_run(s, start, CLASS_BLANK) - start, indent = 0, end = to;
    bool quoted = word && redact_in(s->text[word - 1], CLASS_DOUBLE | CLASS_SINGLE);
    if (to - word < INDENTED_LEAST || first == word - start)
        return to;
    for (int i = 0; i < PIECES_MOST; i++) {
        size_t line = redact_line_end(s, end) + 1;
        size_t from = line < s->len ? redact_run(s, line, CLASS_BLANK) : line;
        size_t stop = redact_run(s, from, CLASS_PIECE);
        struct piece p = {line, from, stop, true};
        struct redact_reached word_there = {.from = from, .to = stop};
        bool closed = quoted && redact_char(s, stop) == s->text[word - 1];
        if (line >= s->len || from - line <= first || (i && from - line != indent) ||
            redact_run(s, stop + closed, CLASS_BLANK) != redact_line_end(s, stop))
            break;
        bool full =
            stop - from >= INDENTED_LEAST && redact_strength(s, &word_there) == REDACT_RANDOM;
        if (!full && !(i && is_rest(s, &p, false, true)))
            break;
        indent = from - line;
        end = stop;
        if (closed)
            break;
    }
    return end;
}

static bool is_cut_token(struct redact_scan *s, size_t at, struct redact_match *ret_match);
static bool fills(const struct redact_scan *s, const struct piece *first, const struct piece *p);

/* A token that may be of any length, `first`, in a pane that is narrower than any edge: where the
 * last of the lines ends that nothing else would have. */
static size_t walk_token(struct redact_scan *s, const struct piece *first)
{
    struct piece p = *first, next;
    for (int i = 0; i < PIECES_MOST && p.whole && fills(s, first, &p) &&
                    next_piece(s, &p, CLASS_WORD | CLASS_DOT, &next);
         i++) {
        struct redact_reached word = {.from = next.from, .to = next.to};
        struct redact_match other;
        bool begins = s->len - next.from >= 3 && redact_may_be_token(s, next.from) &&
                      redact_token(s, next.from, &other);
        enum redact_strength strength = redact_strength(s, &word); /* which says hex, too */
        if (begins || !next.whole || !is_rest(s, &next, false, false) || word.hex ||
            (!i && strength != REDACT_RANDOM))
            break;
        p = next;
    }
    return p.to;
}

/* The same of the token that [from, to) is, or begins: a name told of it. */
static size_t token_goes_on(struct redact_scan *s, size_t line, size_t from, size_t to)
{
    struct redact_match token;
    if (s->len - from < 3 || !redact_may_be_token(s, from))
        return to; /* most */
    if (!redact_token(s, from, &token))
        return is_cut_token(s, from, &token) ? token.to : to;
    return token.to == to ? walk_token(s, &(struct piece){line, from, to, true}) : to;
}

size_t redact_goes_on_below(struct redact_scan *s, size_t from, size_t to)
{
    if (redact_in(redact_char(s, to), CLASS_DOUBLE | CLASS_SINGLE))
        return redact_literals(s, from, to);
    size_t line = redact_line_start(s, to, LINE_MOST), word = to;
    size_t begin = line > from ? line : from;
    if (!ends_there(s, to))
        return to;
    while (word > begin && redact_in(s->text[word - 1], CLASS_PIECE))
        word--;
    if (to - word < FIRST_LEAST)
        return to;
    size_t last = word == from ? token_goes_on(s, line, from, to) : to;
    if (last > to || !may_go_on(s, to, to - line >= EDGE_WORDS))
        return last;
    last = walk_indented(s, line, word, to);
    if (last > to)
        return last;
    struct piece first = {line, word, to, true};
    bool jwt = redact_char(s, from) == 'e' && redact_char(s, from + 1) == 'y';
    uint32_t set = set_of(s, word, to) | (jwt ? CLASS_DOT : 0);
    char before = word ? s->text[word - 1] : '\n';
    struct edge e = {.width = columns(s, line, to),
                     .cell = to - word,
                     .framed = redact_line_end(s, to) > to + 1 || redact_is_bar(s, line),
                     .quoted = before == '"' || before == '\'',
                     .hex = set == CLASS_HEX,
                     .base64 = memchr(s->text + word, '/', to - word) ||
                               memchr(s->text + word, '+', to - word)};
    if (!e.framed && !e.quoted && !is_widest(s, line, e.width))
        return to;
    return walk(s, &e, &first, set);
}

/* ---- cells ---- */

static bool is_in_cell_below(struct redact_scan *s, size_t from, size_t to,
                             struct redact_match *ret_match)
{
    size_t line = redact_line_start(s, from, LINE_MOST), end = redact_line_end(s, to);
    size_t below = end + 1, bar = s->text[line] == '|' ? 1 : 3;
    if (below >= s->len || end - line > LINE_MOST || !redact_is_bar(s, line) ||
        !redact_is_bar(s, below) || s->text[below] != s->text[line])
        return false; /* most */
    size_t first = redact_run(s, below + bar, CLASS_BLANK), at = below + (from - line);
    if (first == below + bar || first >= at || !redact_is_bar(s, first) ||
        redact_line_end(s, below) <= at || s->text[at - 1] != ' ')
        return false;
    size_t stop = redact_run(s, at, CLASS_PIECE), next = redact_run(s, stop, CLASS_BLANK);
    struct piece p = {below, at, stop, true};
    *ret_match = (struct redact_match){at, stop, "value"};
    return next > stop && next < s->len && redact_is_bar(s, next) &&
           is_rest(s, &p, is_hexadecimal(s, from, to), true);
}

/* ---- what a value becomes ---- */

bool redact_becomes_other(struct redact_scan *s, size_t from, size_t to,
                          struct redact_match *ret_match)
{
    char quote = s->text[to];
    if (quote == ' ')
        return redact_char(s, to + 1) != ' ' && is_in_cell_below(s, from, to, ret_match);
    size_t line = redact_run(s, redact_line_start(s, to, LINE_MOST), CLASS_BLANK);
    from = to + 6;
    if (!(redact_at(s, to + 1, " -> ") ||
          (redact_at(s, to + 1, " => ") && REDACT_ONE_OF(redact_char(s, line), "~-+"))) ||
        redact_char(s, to + 5) != quote)
        return false;
    size_t end = redact_line_end(s, from);
    const char *close = from < end ? memchr(s->text + from, quote, end - from) : NULL;
    size_t last = close ? (size_t)(close - s->text) : from;
    if (last < from + 4 || redact_is_placeholder(s, from, last))
        return false;
    *ret_match = (struct redact_match){from, last, "value"};
    return true;
}

/* ---- a token of which one line has only the beginning ---- */

/* The bar of the cell, or the pane, that ends behind `p`; 0 where none does. */
static size_t pane_end(struct redact_scan *s, const struct piece *p)
{
    size_t bar = p->to + (redact_char(s, p->to) == ' ');
    return bar < s->len && redact_is_bar(s, bar) ? bar : 0;
}

static bool is_behind_bar(const struct redact_scan *s, size_t at)
{
    return at && (s->text[at - 1] == '|' || (at > 2 && redact_is_bar(s, at - 3)));
}

/* Behind so many columns of the line; its end where it has less. */
static size_t skip_columns(const struct redact_scan *s, size_t at, size_t end, size_t count)
{
    while (at < end && (count || ((unsigned char)s->text[at] & 0xc0) == 0x80))
        count -= ((unsigned char)s->text[at++] & 0xc0) != 0x80;
    return at;
}

/* What goes on in the same pane of the next line, whatever stands in others beside it. */
static bool next_in_pane(struct redact_scan *s, const struct piece *p, struct piece *ret)
{
    size_t bar = pane_end(s, p), end = redact_line_end(s, p->to), left = p->from, line = end + 1;
    if (!bar || line >= s->len || end - p->line > LINE_MOST)
        return false;
    while (left > p->line && !is_behind_bar(s, left))
        left--;
    size_t stop = redact_line_end(s, line),
           most = stop - line > LINE_MOST ? line + LINE_MOST : stop;
    size_t from = skip_columns(s, line, most, columns(s, p->line, left));
    if (left > p->line && !is_behind_bar(s, from))
        return false;
    from += from < stop && s->text[from] == ' ';
    size_t to = run_of(s, from, stop, CLASS_PIECE), edge = redact_run(s, to, CLASS_BLANK);
    *ret = (struct piece){line, from, to, true};
    return to > from && edge < stop && redact_is_bar(s, edge) &&
           columns(s, line, edge) == columns(s, p->line, bar);
}

/* Where the word ends that begins at `at` and ends its line, its cell or its literal; 0 where it
 * does not: most do not. */
static size_t end_of_cut(struct redact_scan *s, size_t at)
{
    char before = at ? s->text[at - 1] : '\n';
    bool address = before == '/' && at > 2 && s->text[at - 3] == ':';
    if (at < s->cut_to || redact_in(before, CLASS_WORD) ||
        (REDACT_ONE_OF(before, "+/") && !address))
        return 0;
    size_t end = redact_line_end(s, at);
    bool near = end - at <= LINE_MOST;
    if (!near && !redact_in(before, CLASS_DOUBLE | CLASS_SINGLE))
        return 0;
    size_t to = run_of(s, at, near ? end : at + LINE_MOST, CLASS_PIECE);
    struct piece p = {at, at, to, true};
    if (to == at)
        return 0;
    bool is = redact_next_literal(s, at, to) || (near && end < s->len && s->text[to - 1] != '.' &&
                                                 (ends_there(s, to) || pane_end(s, &p)));
    return is ? to : 0;
}

/* Whether the line of `p` is as wide as the first one: else it is the last. */
static bool fills(const struct redact_scan *s, const struct piece *first, const struct piece *p)
{
    return columns(s, p->line, p->to) + EDGE_NEAR >= columns(s, first->line, first->to);
}

/* The place in the text of what is at `at` of the pieces put together. */
static size_t place_of(const struct piece *pieces, size_t at)
{
    for (; at > pieces->to - pieces->from; pieces++)
        at -= pieces->to - pieces->from;
    return pieces->from + at;
}

/* A digit, or a capital letter behind another character: what a sentence does not go on with. */
static bool is_no_word(struct redact_scan *s, size_t from, size_t to)
{
    bool upper = false, others = false;
    for (size_t i = from + 1; i < to; i++) {
        upper = upper || redact_in(s->text[i], CLASS_UPPER);
        others = others || !redact_in(s->text[i], CLASS_UPPER);
    }
    return (upper && others) || redact_has_digit(s, from, to);
}

/* The piece behind `p`: in the next literal, in the next line, or below it in a pane. */
static bool goes_on(struct redact_scan *s, const struct piece *first, const struct piece *p,
                    struct piece *ret)
{
    size_t next = redact_next_literal(s, first->from, p->to);
    if (next) {
        *ret = (struct piece){p->line, next, redact_run(s, next, CLASS_PIECE), false};
        return ret->to > next;
    }
    return p->whole &&
           (next_in_pane(s, p, ret) || (next_piece(s, p, CLASS_PIECE, ret) && fills(s, first, p) &&
                                        (ret->whole || is_no_word(s, ret->from, ret->to))));
}

static bool is_cut_token(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    struct piece p, pieces[PIECES_MOST];
    char room[TOKEN_MOST + 2 * REDACT_BESIDE], *text = room + REDACT_BESIDE;
    size_t len = 0, count = 0, to = end_of_cut(s, at);
    if (!to)
        return false;
    bool soft = s->text[to - 1] == '=' && REDACT_ONE_OF(redact_char(s, to), "\r\n");
    p = (struct piece){redact_line_start(s, at, LINE_MOST), at, to - soft, true};
    do {
        if (len + (p.to - p.from) > TOKEN_MOST)
            break;
        memcpy(text + len, s->text + p.from, p.to - p.from);
        len += p.to - p.from;
        pieces[count++] = p;
    } while (count < PIECES_MOST && goes_on(s, &pieces[0], &pieces[count - 1], &p));
    s->cut_to = pieces[count - 1].from;
    memset(room, '\n', REDACT_BESIDE);
    memset(text + len, '\n', REDACT_BESIDE);
    struct redact_scan joined = {.text = text, .len = len};
    struct redact_match match;
    if (count < 2 || !redact_token(&joined, 0, &match) || match.from)
        return false;
    size_t end = place_of(pieces, match.to);
    if (end <= pieces[0].to)
        return false; /* not across the line's end */
    *ret_match = (struct redact_match){at, end, match.type};
    return true;
}

bool redact_token_or_cut(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (!redact_token(s, at, ret_match))
        return !redact_in(s->text[at], CLASS_DIGIT) && is_cut_token(s, at, ret_match);
    struct piece first = {redact_line_start(s, at, LINE_MOST), ret_match->from, ret_match->to,
                          true};
    if (REDACT_ONE_OF(redact_char(s, first.to), "\r\n") && first.to >= first.from + FIRST_LEAST)
        ret_match->to = walk_token(s, &first); /* one that may be of any length */
    return true;
}
