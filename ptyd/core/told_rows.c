#include "ptyd/core/told_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "envelope/encode.h"
#include "ptyd/core/edges.h"

/* A byte of a row. */
enum { SHOWN, COVERED };

struct secret {
    size_t row, at; /* where it begins */
    char type[48];
};

struct look {
    const struct told_row *rows;
    size_t count;
    char **cover;   /* of each row, a byte for each of its text */
    size_t *starts; /* where each row stands in the text that is searched */
    struct secret *secrets;
    size_t secret_count;
};

/* The row that a place of the text is in. */
static size_t row_of(const struct look *l, size_t place)
{
    size_t low = 0, high = l->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (l->starts[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void on_found(void *user, size_t from, size_t to, const char *type)
{
    struct look *l = user;
    size_t first = row_of(l, from);
    if (!(l->secret_count & (l->secret_count - 1))) /* twice as many each time */
        l->secrets = memory_grow(l->secrets,
                                 (l->secret_count ? 2 * l->secret_count : 1) * sizeof *l->secrets);
    struct secret *s = &l->secrets[l->secret_count++];
    *s = (struct secret){.row = first, .at = from - l->starts[first]};
    strncpy(s->type, type, sizeof s->type - 1);
    for (size_t row = first; row < l->count && l->starts[row] < to; row++) {
        size_t begin = row == first ? s->at : 0, len = l->rows[row].text.len;
        size_t end = to - l->starts[row] < len ? to - l->starts[row] : len;
        if (begin < end)
            memset(l->cover[row] + begin, COVERED, end - begin);
    }
}

static void search(struct look *l, const struct redact_secrets *secrets)
{
    struct redact_ends wrapped = {0}, all = {0}; /* full rows, too */
    struct bytes text = {0};
    for (size_t i = 0; i < l->count; i++) {
        if (i > 0 && l->rows[i].goes_on)
            redact_ends_add(&wrapped, text.len);
        if (i > 0 && (l->rows[i].goes_on || l->rows[i - 1].full))
            redact_ends_add(&all, text.len);
        if (i > 0)
            bytes_append_char(&text, '\n');
        l->starts[i] = text.len;
        bytes_append(&text, l->rows[i].text.data ? l->rows[i].text.data : "", l->rows[i].text.len);
    }
    if (text.failed)
        memory_end();
    const char *data = text.data ? text.data : "";
    redact_find_over_both(data, text.len, &wrapped, &all, secrets, on_found, l);
    redact_ends_finish(&wrapped);
    redact_ends_finish(&all);
    bytes_finish(&text);
}

/* What the run of covered bytes [from, to) of a row is, where a secret begins in it. */
static const char *type_of(const struct look *l, size_t row, size_t from, size_t to)
{
    for (size_t i = 0; i < l->secret_count; i++)
        if (l->secrets[i].row == row && l->secrets[i].at >= from && l->secrets[i].at < to)
            return l->secrets[i].type;
    return NULL;
}

static void append(const char *text, size_t len, enum told_form form, struct bytes *out)
{
    if (form == TOLD_TO_AGENTS)
        encode_text(text, len, ENCODE_OPEN, out);
    else
        bytes_append(out, text, len);
}

static int clean(const struct look *l, size_t row, enum told_form form, struct bytes *out)
{
    const struct bytes *text = &l->rows[row].text;
    int found = 0;
    for (size_t i = 0, end; i < text->len && !l->rows[row].withheld; i = end) {
        for (end = i; end < text->len && l->cover[row][end] == l->cover[row][i];)
            end++;
        const char *type = l->cover[row][i] ? type_of(l, row, i, end) : NULL;
        if (!l->cover[row][i])
            append(text->data + i, end - i, form, out);
        else if (type)
            bytes_printf(out, "[redacted:%s]", type);
        found += type != NULL;
    }
    return found;
}

size_t told_rows_around(int cols)
{
    int rows = cols > 0 ? (LIMIT_TOLD_AROUND_COLUMNS + cols - 1) / cols : 1;
    return (size_t)LIMIT_TOLD_AROUND * (size_t)rows;
}

void told_row_measure(struct told_row *row, int cols)
{
    const char *text = row->text.data ? row->text.data : "";
    row->full = edges_columns(text, row->text.len) >= cols;
}

int told_rows_clean(const struct told_row *rows, size_t count, size_t from, size_t to,
                    const struct redact_secrets *secrets, enum told_form form, struct bytes *told)
{
    struct look look = {.rows = rows, .count = count};
    int found = 0;
    look.cover = memory_new((count + 1) * sizeof *look.cover);
    look.starts = memory_new((count + 1) * sizeof *look.starts);
    for (size_t i = 0; i < count; i++)
        look.cover[i] = memory_new(rows[i].text.len + 1);
    if (count)
        search(&look, secrets);
    for (size_t i = from; i < to; i++) {
        found += clean(&look, i, form, &told[i - from]);
        bytes_append_text(&told[i - from], "");
        if (told[i - from].failed)
            memory_end();
    }
    for (size_t i = 0; i < count; i++)
        free(look.cover[i]);
    free(look.cover);
    free(look.starts);
    free(look.secrets);
    return found;
}

int told_text(const char *text, const struct redact_secrets *secrets, struct bytes *out)
{
    struct told_row row = {0};
    bytes_append_text(&row.text, text);
    int found = told_rows_clean(&row, 1, 0, 1, secrets, TOLD_TO_AGENTS, out);
    bytes_finish(&row.text);
    return found;
}

void told_rows_finish(struct told_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_finish(&rows[i].text);
    free(rows);
}
