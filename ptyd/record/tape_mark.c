/* The mark that a recording begins with. The directory stands in a mark further back, or in parts
 * of one (MARK_TEXT), which are gathered from the last to the first. */
#define _GNU_SOURCE
#include "ptyd/record/tape_private.h"

#include <string.h>

#include "base/memory.h"
#include "ptyd/core/file.h"
#include "vterm_snapshot/terminal.h"

/* Appends what a mark says of it, as the value of cwd=: a shell that cannot encode it says it raw.
 * Whether it does. */
static bool add_directory(const struct mark *mark, struct bytes *out)
{
    const struct bytes *said = mark->has_cwd ? &mark->cwd : &mark->raw;
    size_t len = said->len;
    bool is = mark->has_cwd || mark_has_raw_directory(mark);
    while (is && !mark->has_cwd && len && strchr("\r\n", said->data[len - 1]))
        len--;
    for (size_t i = 0; is && i < len; i++) {
        unsigned char c = (unsigned char)said->data[i];
        bytes_printf(out, c <= ' ' || c == ';' || c == '%' || c == 0x7f ? "%%%02X" : "%c", c);
    }
    return is;
}

/* Going back from mark to mark. */
struct directory {
    struct bytes *out;
    struct bytes parts; /* the marks whose parts it is, if it came so */
    bool in_parts;
    uint64_t last;     /* the number of the last part, if that is known and to come */
    uint64_t index;    /* of the part that came */
    struct bytes here; /* the mark that is read */
    bool found;
};

static void prepend(struct bytes *out, const struct bytes *text)
{
    struct bytes all = {0};
    bytes_append(&all, text->data ? text->data : "", text->len);
    bytes_append(&all, out->data ? out->data : "", out->len);
    bytes_finish(out);
    *out = all;
}

/* The part in front of those that came; where one is missing nothing is known. */
static void add_part(struct directory *d, const struct mark *mark)
{
    bool is_next = !d->in_parts || (d->last ? mark->seq == d->last : mark->index + 1 == d->index);
    d->in_parts = true;
    d->last = 0;
    d->index = mark->index;
    d->found = !is_next || mark->index == 0;
    if (is_next) {
        prepend(d->out, &mark->cwd);
        prepend(&d->parts, &d->here);
    } else {
        d->out->len = d->parts.len = 0;
    }
}

static void on_mark(void *user, const struct mark *mark)
{
    struct directory *d = user;
    if (mark->kind == MARK_TEXT) {
        if (mark->has_cwd)
            add_part(d, mark);
    } else if (!d->in_parts) {
        d->last = mark->cwds;
        d->in_parts = mark->cwds;
        d->found = !d->in_parts && add_directory(mark, d->out);
    }
}

static enum mark_record on_recorded(void *user, uint64_t offset)
{
    (void)user;
    (void)offset;
    return MARK_RECORDED;
}

/* What the mark there says of it. */
static void read_mark(struct tape *t, uint64_t offset, struct directory *d)
{
    static const struct terminal_events events = {.mark = on_mark, .recorded = on_recorded};
    ssize_t n = file_read_at(t->raw, t->piece, TAPE_MARK_BYTES, (off_t)offset);
    char *end = n > 0 ? memchr(t->piece, '\a', (size_t)n) : NULL;
    d->here = (struct bytes){.data = t->piece, .len = end ? (size_t)(end + 1 - t->piece) : 0};
    if (!end ||
        !(memmem(t->piece, d->here.len, ";cwd", 4) || memmem(t->piece, d->here.len, ";raw=", 5)))
        return;
    struct terminal *terminal =
        terminal_create(&(struct terminal_options){.events = &events, .user = d});
    if (!terminal)
        memory_end();
    terminal_write(terminal, d->here.data, d->here.len);
    terminal_destroy(terminal);
}

static void find_directory(struct tape *t, uint64_t offset, struct directory *d)
{
    for (size_t i = tape_count(t); i-- > 0 && !d->found;) {
        const struct rawlog_record *r = tape_record(t, i);
        if (r->offset >= offset)
            continue;
        if (r->kind == RAWLOG_SHELL)
            break;
        if (r->kind == RAWLOG_MARK)
            read_mark(t, r->offset, d);
    }
    if (!d->found)
        d->out->len = d->parts.len = 0;
}

/* Numbers of marks begin with 1. Behind it come the parts that later ones may speak of. */
void tape_first_mark(struct tape *t, const struct tape_place *place, struct bytes *out)
{
    struct bytes directory = {0};
    struct directory d = {.out = &directory};
    find_directory(t, place->offset, &d);
    bytes_printf(out, MARK_HEAD "%0*d;0;A%s%s\a", MARK_NONCE_LEN, 0, directory.len ? ";cwd=" : "",
                 directory.len ? directory.data : "");
    bytes_append(out, d.parts.data ? d.parts.data : "", d.parts.len);
    bytes_finish(&d.parts);
    bytes_finish(&directory);
}
