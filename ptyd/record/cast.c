#include "ptyd/record/cast.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"

#define SECOND_MS 1000

/* ---- JSON ---- */

static void append_escaped(struct bytes *out, uint32_t code)
{
    char form[4];
    if (code == '"' || code == '\\')
        bytes_printf(out, "\\%c", (char)code);
    else if (code == '\n')
        bytes_append_text(out, "\\n");
    else if (code == '\r')
        bytes_append_text(out, "\\r");
    else if (code < 0x20 || code == 0x7f)
        bytes_printf(out, "\\u%04x", (unsigned)code);
    else
        bytes_append(out, form, utf8_encode(code, form));
}

/* As a JSON string. Returns how many bytes that took; the rest is the first part of a character,
 * and is taken only with `over`. */
static size_t append_string(struct bytes *out, const char *bytes, size_t len, bool over)
{
    size_t at = 0;
    bytes_append_char(out, '"');
    while (at < len) {
        uint32_t code;
        int step = utf8_decode(bytes + at, len - at, &code);
        if (step == 0 && !over)
            break;
        append_escaped(out, step > 0 ? code : 0xfffd);
        at += step > 0 ? (size_t)step : utf8_bad_length(bytes + at, len - at);
    }
    bytes_append_char(out, '"');
    return at;
}

/* ---- events ---- */

static void begin_event(struct cast *c, int64_t ms, char code)
{
    int64_t at = ms + c->lead_ms;
    int64_t said = c->version == 3 ? at - c->written_ms : at;
    c->written_ms = at;
    bytes_printf(&c->lines, "[%lld.%03d, \"%c\", ", (long long)(said / SECOND_MS),
                 (int)(said % SECOND_MS), code);
}

static void end_event(struct cast *c)
{
    bytes_append_text(&c->lines, "]\n");
    if (c->lines.failed || c->waiting.failed)
        memory_end();
}

static void add_event(struct cast *c, int64_t ms, char code, const char *text)
{
    cast_flush(c, false);
    c->ms = ms; /* also of the first part of a character, which comes out behind this */
    begin_event(c, ms, code);
    append_string(&c->lines, text, strlen(text), true);
    end_event(c);
}

void cast_flush(struct cast *c, bool over)
{
    struct bytes *w = &c->waiting;
    size_t part = over ? 0 : utf8_incomplete_tail(w->data ? w->data : "", w->len);
    if (w->len == part)
        return;
    begin_event(c, c->ms, 'o');
    size_t taken = append_string(&c->lines, w->data, w->len, over);
    end_event(c);
    bytes_consume(w, taken);
}

void cast_output(struct cast *c, int64_t ms, const char *bytes, size_t len)
{
    if (ms != c->ms)
        cast_flush(c, false);
    c->ms = ms;
    while (len) {
        size_t room = LIMIT_RECORD_EVENT_BYTES - c->waiting.len;
        size_t some = len < room ? len : room;
        bytes_append(&c->waiting, bytes, some);
        bytes += some;
        len -= some;
        if (c->waiting.len == LIMIT_RECORD_EVENT_BYTES)
            cast_flush(c, false);
    }
}

void cast_size(struct cast *c, int64_t ms, int cols, int rows)
{
    struct bytes text = {0};
    bytes_printf(&text, "%dx%d", cols, rows);
    add_event(c, ms, 'r', text.data);
    bytes_finish(&text);
}

void cast_marker(struct cast *c, int64_t ms, const char *text)
{
    add_event(c, ms, 'm', text);
}

void cast_exit(struct cast *c, int64_t ms, int status)
{
    struct bytes text = {0};
    bytes_printf(&text, "%d", status);
    cast_flush(c, true);
    if (c->version == 3)
        add_event(c, ms, 'x', text.data);
    bytes_finish(&text);
}

/* ---- the header ---- */

static json_t *header_json(const struct cast_header *h)
{
    json_t *head = h->version == 3 ? json_pack("{s:i, s:{s:i, s:i}}", "version", 3, "term", "cols",
                                               h->cols, "rows", h->rows)
                                   : json_pack("{s:i, s:i, s:i}", "version", 2, "width", h->cols,
                                               "height", h->rows);
    json_object_set_new(head, "timestamp", json_integer(h->wall_ms / SECOND_MS));
    if (h->idle_limit > 0)
        json_object_set_new(head, "idle_time_limit", json_real(h->idle_limit));
    if (h->title)
        json_object_set_new(head, "title", json_string(h->title));
    return head;
}

void cast_begin(struct cast *c, const struct cast_header *h)
{
    *c = (struct cast){.version = h->version, .lead_ms = h->wall_ms % SECOND_MS};
    json_t *head = header_json(h);
    char *text = json_dumps(head, 0);
    bytes_append_text(&c->lines, text ? text : "{}");
    bytes_append_char(&c->lines, '\n');
    if (!text || c->lines.failed)
        memory_end();
    free(text);
    json_decref(head);
}

void cast_finish(struct cast *c)
{
    bytes_finish(&c->waiting);
    bytes_finish(&c->lines);
}
