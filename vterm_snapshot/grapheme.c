#include "vterm_snapshot/grapheme.h"

#include "vterm_snapshot/width.h"

#define EMOJI_SELECTOR 0xfe0f

/* As tools/unicode.js has them. */
enum kind {
    OTHER,
    CR,
    LF,
    CONTROL,
    EXTEND,
    EXTEND_CONJUNCT, /* the same, and a conjunct goes on */
    LINKER,          /* the same: a virama that joins two consonants */
    ZWJ,
    REGIONAL,
    PREPEND,
    SPACING,
    HANGUL_L,
    HANGUL_V,
    HANGUL_T,
    HANGUL_LV,
    HANGUL_LVT,
    PICTOGRAPH,
    CONSONANT,
};

static enum kind kind_of(uint32_t code)
{
    return (enum kind)(width_entry(code) >> 3);
}

static bool is_extending(enum kind kind)
{
    return kind >= EXTEND && kind <= LINKER;
}

static bool is_control(enum kind kind)
{
    return kind >= CR && kind <= CONTROL;
}

/* GB6 to GB8. */
static bool joins_hangul(enum kind before, enum kind kind)
{
    if (before == HANGUL_L)
        return kind == HANGUL_L || kind == HANGUL_V || kind == HANGUL_LV || kind == HANGUL_LVT;
    if (before == HANGUL_LV || before == HANGUL_V)
        return kind == HANGUL_V || kind == HANGUL_T;
    return (before == HANGUL_LVT || before == HANGUL_T) && kind == HANGUL_T;
}

/* GB3 to GB13, in that order. */
static bool joins(const struct grapheme *text, enum kind kind)
{
    enum kind before = (enum kind)text->kind;
    if (before == CR && kind == LF)
        return true;
    if (is_control(before) || is_control(kind))
        return false;
    if (joins_hangul(before, kind) || is_extending(kind) || kind == ZWJ || kind == SPACING ||
        before == PREPEND)
        return true;
    return (text->conjunct == 2 && kind == CONSONANT) || (text->emoji == 2 && kind == PICTOGRAPH) ||
           (text->flag && kind == REGIONAL);
}

static void follow(struct grapheme *text, enum kind kind)
{
    bool goes_on = kind == EXTEND_CONJUNCT || kind == ZWJ;
    if (kind == CONSONANT)
        text->conjunct = 1;
    else if (kind == LINKER && text->conjunct)
        text->conjunct = 2;
    else if (!goes_on)
        text->conjunct = 0;
    if (kind == PICTOGRAPH)
        text->emoji = 1;
    else if (kind == ZWJ && text->emoji == 1)
        text->emoji = 2;
    else if (!is_extending(kind) || text->emoji == 2)
        text->emoji = 0;
}

bool grapheme_add(struct grapheme *text, uint32_t code)
{
    enum kind kind = kind_of(code);
    bool joined = text->begun && joins(text, kind);
    bool emoji = joined && code == EMOJI_SELECTOR && width_entry(text->last) & 4;
    bool flag = joined && text->flag && kind == REGIONAL;
    int width = emoji || flag ? 2 : (int)(width_entry(code) & 3);
    text->width = joined && text->width > width ? text->width : width;
    text->flag = kind == REGIONAL && !flag;
    follow(text, kind);
    text->kind = (uint8_t)kind;
    text->last = code;
    text->begun = true;
    return joined;
}
