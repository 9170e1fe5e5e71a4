#define _GNU_SOURCE
#include "ptyd/record/veil.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/shown.h"
#include "vterm_snapshot/passage.h"
#include "vterm_snapshot/transcript.h"

#define CONTEXT 4096 /* bytes of text in front of what is new that are looked at again */

enum item_kind { OUTPUT, SIZE, MARKER };

/* How a string begins that is for the clipboard: so much of it is an OSC of any kind, all of it
 * that one. */
static const char clipboard[] = "\033]52;";
enum { INTRODUCER = 2, CLIPBOARD = sizeof clipboard - 1, OTHER };

/* What came, in order. */
struct item {
    enum item_kind kind;
    int64_t ms;
    uint64_t end; /* of an OUTPUT, in the stream without marks */
    int cols, rows;
    const char *text;
};

struct veil {
    const struct redact_secrets *secrets;
    const struct veil_events *events;
    void *user;
    struct passage *passage;
    struct transcript *transcript;
    struct bytes unpassed; /* what the passage did not take yet */
    struct bytes unread;   /* what the transcript did not */
    struct bytes held;     /* the stream without marks, from `begin` on */
    uint64_t begin;
    int string; /* in front of that: how much of clipboard[], or OTHER within another string */
    struct bytes items;
    int64_t ms;
    size_t line;   /* of the text: the first byte whose line may still get a secret */
    bool open;     /* a key that goes on, perhaps, begins there */
    uint64_t done; /* all before it in the stream may come out */
};

/* ---- stars ---- */

/* As many bytes as were there, and a character all the same. */
static void cover(char *at, size_t len)
{
    static const char *const stars[] = {"", "*", "\xc2\xb7", "\xe2\x80\xa2", "\xf0\x9f\x94\x92"};
    memcpy(at, stars[len], len);
}

struct looking {
    struct veil *veil;
    const char *text;
    size_t len;
};

/* Of the text's character at `i` those bytes that it stands for, if they are here yet. */
static void cover_character(const struct looking *l, size_t i, size_t len)
{
    struct veil *v = l->veil;
    uint64_t end = transcript_place(v->transcript, i, i + len);
    if (end < v->begin + len || end > v->begin + v->held.len)
        return;
    char *at = v->held.data + (end - v->begin) - len;
    if ((unsigned char)*at > ' ' && !memcmp(at, l->text + i, len))
        cover(at, len);
}

static void on_secret(void *user, size_t from, size_t to, const char *type)
{
    const struct looking *l = user;
    for (size_t i = from, step; i < to; i += step) {
        uint32_t code;
        int n = utf8_decode(l->text + i, l->len - i, &code);
        step = n > 0 ? (size_t)n : 1;
        cover_character(l, i, step);
    }
    bool is_key = !strcmp(type, "private-key") || !strcmp(type, "pem");
    if (is_key && to + 1 >= l->len) {
        l->veil->open = true;
        l->veil->line = from;
    }
}

/* Of a line that is too long its end is kept, and what may still be overwritten. */
static void forget_long_line(struct veil *v, const char *text, size_t len)
{
    if (len < v->line || len - v->line <= LIMIT_VEIL_BYTES)
        return;
    size_t n = transcript_forget(v->transcript, utf8_ceil(text, len, len - CONTEXT));
    v->line -= n < v->line ? n : v->line;
}

/* All lines but the one at hand are as they will be, but for a key's. */
static void pass_lines(struct veil *v, const char *text, size_t len)
{
    const char *end = len > v->line ? memrchr(text + v->line, '\n', len - v->line) : NULL;
    if (!v->open && !end)
        forget_long_line(v, text, len);
    if (v->open || !end)
        return;
    size_t at = (size_t)(end - text);
    v->done = transcript_place(v->transcript, at, at + 1);
    v->line = at + 1;
    v->line -= transcript_forget(v->transcript, v->line);
}

static void look(struct veil *v)
{
    struct looking l = {.veil = v};
    size_t changed = transcript_changed_from(v->transcript);
    l.text = transcript_text(v->transcript, &l.len);
    size_t from = v->line;
    if (!v->open && changed > CONTEXT && changed - CONTEXT > from)
        from = utf8_ceil(l.text, l.len, changed - CONTEXT);
    v->open = false;
    if (from < l.len)
        shown_secrets(v->transcript, from, v->secrets, on_secret, &l);
    pass_lines(v, l.text, l.len);
}

/* ---- strings: titles, links, the clipboard ---- */

static void cover_all(char *at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)at[i] >= ' ')
            at[i] = '*';
}

static void on_string_secret(void *user, size_t from, size_t to, const char *type)
{
    (void)type;
    cover_all((char *)user + from, to - from);
}

/* Of the string that goes on at `at`. Returns its end. */
static char *veil_string(struct veil *v, char *at, const char *end)
{
    char *from = at, *to = at;
    while (to < end && *to != '\a' && *to != '\033')
        to++;
    for (; at < to && v->string < CLIPBOARD; at++)
        v->string = *at == clipboard[v->string] ? v->string + 1 : OTHER;
    if (v->string == CLIPBOARD)
        cover_all(at, (size_t)(to - at));
    else
        redact_find(from, (size_t)(to - from), v->secrets, on_string_secret, from);
    if (to < end)
        v->string = 0;
    return to;
}

/* Of what comes out next: it may begin and end anywhere. */
static void veil_strings(struct veil *v, size_t len)
{
    char *at = v->held.data, *end = at + len;
    while (at < end)
        if (v->string >= INTRODUCER)
            at = veil_string(v, at, end);
        else if (*at++ == clipboard[v->string])
            v->string++;
        else
            v->string = at[-1] == '\033';
}

/* ---- out ---- */

static void give(struct veil *v, const struct item *item, uint64_t to)
{
    if (item->kind == SIZE)
        v->events->size(v->user, item->ms, item->cols, item->rows);
    else if (item->kind == MARKER)
        v->events->marker(v->user, item->ms, item->text);
    else if (to > v->begin)
        v->events->output(v->user, item->ms, v->held.data, (size_t)(to - v->begin));
    if (item->kind == OUTPUT && to > v->begin) {
        bytes_consume(&v->held, (size_t)(to - v->begin));
        v->begin = to;
    }
}

/* Everything up to there in the stream, and what came before more of it did. */
static void release(struct veil *v, uint64_t to)
{
    const struct item *items = (const struct item *)(const void *)v->items.data;
    size_t n = v->items.len / sizeof *items, i = 0;
    if (to > v->begin)
        veil_strings(v, (size_t)(to - v->begin));
    for (; i < n; i++) {
        bool is_part = items[i].kind == OUTPUT && items[i].end > to;
        give(v, &items[i], is_part ? to : items[i].end);
        if (is_part)
            break;
    }
    bytes_consume(&v->items, i * sizeof *items);
}

static void add_item(struct veil *v, const struct item *item)
{
    bytes_append(&v->items, item, sizeof *item);
    if (v->items.failed || v->held.failed)
        memory_end();
}

/* ---- in ---- */

/* Whether text stays where it is behind what begins here: everything but colours may move. */
static bool moves(const char *at, size_t len)
{
    if ((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t')
        return *at == 0x7f;
    if (*at != '\033' || len < 3 || at[1] != '[')
        return true;
    size_t i = 2;
    while (i < len && (at[i] == ';' || at[i] == ':' || (at[i] >= '0' && at[i] <= '9')))
        i++;
    return i == len || at[i] != 'm';
}

static void read_text(struct veil *v, const char *bytes, size_t len)
{
    bytes_append(&v->unread, bytes, len);
    if (v->unread.failed)
        memory_end();
    size_t taken = transcript_write(v->transcript, v->unread.data, v->unread.len);
    bytes_consume(&v->unread, taken);
}

/* Before the cursor goes elsewhere the text is looked at: behind that it may be overwritten. */
static void on_display(void *user, const char *bytes, size_t len, uint64_t offset)
{
    struct veil *v = user;
    (void)offset;
    bytes_append(&v->held, bytes, len);
    add_item(v, &(struct item){.kind = OUTPUT, .ms = v->ms, .end = v->begin + v->held.len});
    for (size_t at = 0, end; at < len; at = end) {
        if (moves(bytes + at, len - at))
            look(v);
        end = at + 1;
        while (end < len && bytes[end - 1] != '\n' && !moves(bytes + end, len - end))
            end++;
        read_text(v, bytes + at, end - at);
        if (bytes[end - 1] == '\n')
            look(v);
    }
    if (v->done > v->begin)
        release(v, v->done);
    if (v->held.len > LIMIT_VEIL_BYTES) {
        veil_flush(v);
        v->open = false;
        look(v);
    }
}

void veil_output(struct veil *v, int64_t ms, const char *bytes, size_t len)
{
    v->ms = ms;
    bytes_append(&v->unpassed, bytes, len);
    if (v->unpassed.failed)
        memory_end();
    bytes_consume(&v->unpassed, passage_write(v->passage, v->unpassed.data, v->unpassed.len));
}

void veil_size(struct veil *v, int64_t ms, int cols, int rows)
{
    transcript_set_cols(v->transcript, cols);
    add_item(v, &(struct item){.kind = SIZE, .ms = ms, .cols = cols, .rows = rows});
}

void veil_marker(struct veil *v, int64_t ms, const char *text)
{
    add_item(v, &(struct item){.kind = MARKER, .ms = ms, .text = text});
}

void veil_flush(struct veil *v)
{
    look(v);
    release(v, v->begin + v->held.len);
}

/* ---- life ---- */

struct veil *veil_create(int cols, const struct redact_secrets *secrets,
                         const struct veil_events *events, void *user)
{
    static const struct passage_events passed = {.display = on_display};
    struct veil *v = memory_new(sizeof *v);
    *v = (struct veil){.secrets = secrets, .events = events, .user = user};
    v->passage = passage_create(0, &passed, v);
    v->transcript = transcript_create(0, cols, NULL, NULL);
    if (!v->passage || !v->transcript)
        memory_end();
    transcript_join_full(v->transcript);
    return v;
}

void veil_destroy(struct veil *v)
{
    if (!v)
        return;
    passage_destroy(v->passage);
    transcript_destroy(v->transcript);
    bytes_finish(&v->unpassed);
    bytes_finish(&v->unread);
    bytes_finish(&v->held);
    bytes_finish(&v->items);
    free(v);
}
