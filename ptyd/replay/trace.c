#include "ptyd/replay/trace.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

struct reader {
    const char *data;
    size_t len;
    const char *timing;
    size_t timing_len;
    const struct trace_events *events;
    void *user;
    char *error;
};

static int fail(struct reader *r, char *message)
{
    r->error = message;
    return -EINVAL;
}

bool trace_parse_format(const char *name, enum trace_format *ret_format)
{
    static const char *const names[] = {"auto", "asciicast", "script", "ttyrec", "raw", "vscode"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (!strcmp(name, names[i])) {
            *ret_format = (enum trace_format)i;
            return true;
        }
    return false;
}

static int64_t to_ms(double seconds)
{
    return seconds > 0 && seconds < 1e12 ? (int64_t)(seconds * 1000 + 0.5) : 0;
}

/* One line without its end, LF or CR LF; false when there is no further one. */
static bool next_line(const char **at, const char *end, const char **ret_line, size_t *ret_len)
{
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    *ret_line = *at;
    *ret_len = (size_t)((newline ? newline : end) - *at);
    if (*ret_len && (*ret_line)[*ret_len - 1] == '\r')
        --*ret_len;
    *at = newline ? newline + 1 : end;
    return true;
}

/* ---- asciicast ---- */

static void give_size(struct reader *r, int64_t ms, json_int_t cols, json_int_t rows)
{
    if (cols > 0 && rows > 0)
        r->events->size(r->user, ms, cols > LIMIT_SIZE_TRACE ? LIMIT_SIZE_TRACE : (int)cols,
                        rows > LIMIT_SIZE_TRACE ? LIMIT_SIZE_TRACE : (int)rows);
}

/* A number; some recorders wrote it as a string. */
static json_int_t number_said(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    long value = 0;
    if (text)
        return text_parse_number(text, 1, LIMIT_SIZE_TRACE, &value) ? value : 0;
    return json_number(object, key, 0);
}

static void give_start(struct reader *r, const json_t *timestamp)
{
    if (json_is_number(timestamp) && r->events->start)
        r->events->start(r->user, to_ms(json_number_value(timestamp)));
}

static void give_input(struct reader *r, int64_t ms, const char *bytes, size_t len)
{
    if (r->events->input)
        r->events->input(r->user, ms, bytes, len);
}

static int read_cast_v1(struct reader *r)
{
    json_error_t error;
    json_t *root = json_loadb(r->data, r->len, JSON_ALLOW_NUL, &error);
    if (!root)
        return fail(r, text_format("line %d: not a whole asciicast v1 object (%s)", error.line,
                                   error.text));
    give_size(r, 0, number_said(root, "width"), number_said(root, "height"));
    double at = 0;
    size_t i;
    json_t *frame;
    int result = 0;
    json_array_foreach(json_object_get(root, "stdout"), i, frame) {
        const json_t *data = json_array_get(frame, 1);
        if (!json_is_number(json_array_get(frame, 0)) || !json_is_string(data)) {
            result = fail(r, text_format("frame %zu: not [delay, \"text\"]", i + 1));
            break;
        }
        at += json_number_value(json_array_get(frame, 0));
        r->events->output(r->user, to_ms(at), json_string_value(data), json_string_length(data));
    }
    json_decref(root);
    return result;
}

static int give_cast_event(struct reader *r, const json_t *event, double *at, bool relative,
                           size_t line)
{
    const json_t *time = json_array_get(event, 0);
    const json_t *code = json_array_get(event, 1);
    const json_t *data = json_array_get(event, 2);
    if (!json_is_number(time) || !json_is_string(code) || !json_is_string(data))
        return fail(r, text_format("line %zu: not [time, \"code\", \"data\"]", line));
    *at = json_number_value(time) + (relative ? *at : 0);
    const char *kind = json_string_value(code);
    int cols, rows;
    if (!strcmp(kind, "o"))
        r->events->output(r->user, to_ms(*at), json_string_value(data), json_string_length(data));
    else if (!strcmp(kind, "i"))
        give_input(r, to_ms(*at), json_string_value(data), json_string_length(data));
    else if (!strcmp(kind, "r") && text_parse_size(json_string_value(data), &cols, &rows))
        give_size(r, to_ms(*at), cols, rows);
    return 0;
}

static int read_cast_events(struct reader *r, const char *at, bool relative)
{
    const char *line;
    size_t len, number = 1;
    double time = 0;
    while (next_line(&at, r->data + r->len, &line, &len)) {
        number++;
        if (strspn(line, " \t\r") >= len || line[0] == '#')
            continue;
        json_error_t error;
        json_t *event = json_loadb(line, len, JSON_ALLOW_NUL, &error);
        if (!json_is_array(event)) {
            json_decref(event);
            return fail(r, text_format("line %zu: not an event", number));
        }
        int result = give_cast_event(r, event, &time, relative, number);
        json_decref(event);
        if (result < 0)
            return result;
    }
    return 0;
}

static int read_asciicast(struct reader *r)
{
    const char *at = r->data, *line = r->data;
    size_t len = 0;
    next_line(&at, r->data + r->len, &line, &len);
    json_t *header = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
    json_int_t version = json_number(header, "version", 0);
    if (!header || version == 1) {
        json_decref(header);
        return read_cast_v1(r);
    }
    const json_t *term = version == 3 ? json_object_get(header, "term") : header;
    give_start(r, json_object_get(header, "timestamp"));
    give_size(r, 0, number_said(term, version == 3 ? "cols" : "width"),
              number_said(term, version == 3 ? "rows" : "height"));
    json_decref(header);
    if (version != 2 && version != 3)
        return fail(r, text_format("line 1: asciicast version %lld is not known (1, 2 and 3 are)",
                                   (long long)version));
    return read_cast_events(r, at, version == 3);
}

/* ---- util-linux script ---- */

/* The size in the first line: COLUMNS="80" LINES="24". */
static void script_header(struct reader *r, const char *line, size_t len)
{
    char copy[LIMIT_SCRIPT_HEADER_BYTES] = {0};
    memcpy(copy, line, len < sizeof copy - 1 ? len : sizeof copy - 1);
    const char *cols = strstr(copy, "COLUMNS=\"");
    const char *rows = strstr(copy, "LINES=\"");
    if (cols && rows)
        give_size(r, 0, atoi(cols + 9), atoi(rows + 7));
}

/* Without timing all of it is one write; the trailer is cut where script(1) puts it. */
static int script_untimed(struct reader *r, const char *at, const char *end)
{
    static const char trailer[] = "\nScript done on ";
    const char *stop = end;
    for (const char *p = at; p + sizeof trailer - 1 <= end; p++)
        if (!memcmp(p, trailer, sizeof trailer - 1))
            stop = p;
    if (stop < end && stop > at && stop[-1] == '\r')
        stop--;
    r->events->output(r->user, 0, at, (size_t)(stop - at));
    return 0;
}

struct script_times {
    const char *at, *end; /* what is left of the typescript */
    double time;
    size_t number; /* of the timing line */
};

static int script_data(struct reader *r, struct script_times *s, char kind, const char *text)
{
    double delta;
    unsigned long long count;
    if (sscanf(text, "%lf %llu", &delta, &count) != 2 || delta < 0)
        return fail(r, text_format("timing line %zu: not SECONDS BYTES", s->number));
    s->time += delta;
    size_t left = (size_t)(s->end - s->at);
    size_t len = count < left ? (size_t)count : left;
    if (kind == 'O')
        r->events->output(r->user, to_ms(s->time), s->at, len);
    else
        give_input(r, to_ms(s->time), s->at, len);
    s->at += len;
    if (len < count)
        return fail(r, text_format("timing line %zu: the typescript ends %llu bytes early",
                                   s->number, count - len));
    return 0;
}

static int script_signal(struct reader *r, struct script_times *s, const char *text)
{
    double delta;
    char name[16];
    int rows, cols;
    int found = sscanf(text, "%lf %15s ROWS=%d COLS=%d", &delta, name, &rows, &cols);
    if (found < 1 || delta < 0)
        return fail(r, text_format("timing line %zu: not a signal", s->number));
    s->time += delta;
    if (found == 4 && !strcmp(name, "SIGWINCH"))
        give_size(r, to_ms(s->time), cols, rows);
    return 0;
}

static void script_info(struct reader *r, const char *text, int *cols, int *rows)
{
    sscanf(text, "%*f COLUMNS %d", cols);
    sscanf(text, "%*f LINES %d", rows);
    if (*cols && *rows) {
        give_size(r, 0, *cols, *rows);
        *cols = *rows = 0;
    }
}

static int script_timed(struct reader *r, const char *at)
{
    struct script_times s = {.at = at, .end = r->data + r->len};
    const char *timing = r->timing, *line;
    size_t len;
    int cols = 0, rows = 0;
    while (next_line(&timing, r->timing + r->timing_len, &line, &len)) {
        char copy[LIMIT_TIMING_LINE_BYTES] = {0};
        s.number++;
        memcpy(copy, line, len < sizeof copy - 1 ? len : sizeof copy - 1);
        int result = 0;
        if (copy[0] == 'O' || copy[0] == 'I')
            result = script_data(r, &s, copy[0], copy + 1);
        else if (copy[0] == 'S')
            result = script_signal(r, &s, copy + 1);
        else if (copy[0] == 'H')
            script_info(r, copy + 1, &cols, &rows);
        else if (copy[0])
            result = script_data(r, &s, 'O', copy);
        if (result < 0)
            return result;
    }
    return 0;
}

static int read_script(struct reader *r)
{
    const char *at = r->data, *line;
    size_t len;
    if (r->len >= 14 && !memcmp(r->data, "Script started", 14) &&
        next_line(&at, r->data + r->len, &line, &len))
        script_header(r, line, len);
    return r->timing ? script_timed(r, at) : script_untimed(r, at, r->data + r->len);
}

/* ---- ttyrec ---- */

static uint32_t little_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int read_ttyrec(struct reader *r)
{
    int64_t first = -1;
    for (size_t at = 0; at < r->len;) {
        if (r->len - at < 12)
            return fail(r, text_format("offset %zu: half a frame header", at));
        int64_t ms =
            (int64_t)little_endian(r->data + at) * 1000 + little_endian(r->data + at + 4) / 1000;
        size_t len = little_endian(r->data + at + 8);
        size_t left = r->len - at - 12;
        if (first < 0) {
            first = ms;
            if (r->events->start)
                r->events->start(r->user, ms);
        }
        r->events->output(r->user, ms - first, r->data + at + 12, len < left ? len : left);
        if (len > left)
            return fail(
                r, text_format("offset %zu: the frame has %zu of its %zu bytes", at, left, len));
        at += 12 + len;
    }
    return 0;
}

static bool looks_like_ttyrec(const struct reader *r)
{
    size_t at = 0;
    int frames = 0;
    for (; at + 12 <= r->len && frames < 3; frames++) {
        uint32_t len = little_endian(r->data + at + 8);
        if (little_endian(r->data + at + 4) >= 1000000 || len == 0 ||
            len > LIMIT_TTYREC_FRAME_BYTES)
            return false;
        at += 12 + len;
    }
    return frames > 0 && (at <= r->len || frames > 1);
}

/* ---- VS Code ---- */

/* As it stands in a file of its tests: behind a comment and this. */
static const char vscode_head[] = "export const events =";

static size_t skip_blanks(const char *data, size_t len, size_t at)
{
    while (at < len && data[at] && strchr(" \t\r\n", data[at]))
        at++;
    return at;
}

/* Where its array begins, the first of whose objects begins with its type; NULL for none. */
static const char *find_vscode(const char *data, size_t len)
{
    static const char *const parts[] = {"[", "{", "\"type\""};
    const size_t head = sizeof vscode_head - 1;
    size_t start = skip_blanks(data, len, 0);
    for (size_t i = start; i + head <= len && i < LIMIT_TRACE_LOOK_BYTES; i++)
        if (!memcmp(data + i, vscode_head, head))
            start = skip_blanks(data, len, i + head);
    for (size_t i = 0, at = start; i < sizeof parts / sizeof *parts; i++) {
        size_t part = strlen(parts[i]);
        if (len - at < part || memcmp(data + at, parts[i], part) != 0)
            return NULL;
        at = skip_blanks(data, len, at + part);
    }
    return data + start;
}

/* One that says nothing to a terminal and is not typed (promptInputChange, command …) is passed
 * over. */
static bool give_vscode_event(struct reader *r, const json_t *event)
{
    const char *type = json_string_value(json_object_get(event, "type"));
    const json_t *data = json_object_get(event, "data");
    if (type && !strcmp(type, "resize"))
        give_size(r, 0, json_number(event, "cols", 0), json_number(event, "rows", 0));
    else if (type && !strcmp(type, "output") && json_is_string(data))
        r->events->output(r->user, 0, json_string_value(data), json_string_length(data));
    else if (type && !strcmp(type, "input") && json_is_string(data))
        give_input(r, 0, json_string_value(data), json_string_length(data));
    else
        return type && strcmp(type, "output") != 0;
    return true;
}

static int read_vscode(struct reader *r)
{
    const char *start = find_vscode(r->data, r->len);
    json_error_t error;
    json_t *events = start ? json_loadb(start, r->len - (size_t)(start - r->data),
                                        JSON_ALLOW_NUL | JSON_DISABLE_EOF_CHECK, &error)
                           : NULL;
    if (!events)
        return fail(r, text_format("not a whole array of a terminal's events (%s)",
                                   start ? error.text : "none begins"));
    size_t i;
    json_t *event;
    int result = 0;
    json_array_foreach(events, i, event) {
        if (!give_vscode_event(r, event)) {
            result = fail(r, text_format("event %zu: not {\"type\", \"data\"}", i + 1));
            break;
        }
    }
    json_decref(events);
    return result;
}

/* ---- all ---- */

static int read_raw(struct reader *r)
{
    r->events->output(r->user, 0, r->data, r->len);
    return 0;
}

static enum trace_format detect(const struct reader *r)
{
    if (r->len >= 14 && !memcmp(r->data, "Script started", 14))
        return TRACE_SCRIPT;
    if (r->timing)
        return TRACE_SCRIPT;
    size_t head = r->len < LIMIT_TRACE_LOOK_BYTES ? r->len : LIMIT_TRACE_LOOK_BYTES;
    if (r->len && r->data[0] == '{') {
        char copy[LIMIT_TRACE_LOOK_BYTES + 1] = {0};
        memcpy(copy, r->data, head);
        if (strstr(copy, "\"version\""))
            return TRACE_ASCIICAST;
    }
    if (find_vscode(r->data, r->len))
        return TRACE_VSCODE;
    return looks_like_ttyrec(r) ? TRACE_TTYREC : TRACE_RAW;
}

int trace_read(const char *data, size_t len, enum trace_format format, const char *timing,
               size_t timing_len, const struct trace_events *events, void *user, char **ret_error)
{
    static int (*const readers[])(struct reader *) = {
        [TRACE_ASCIICAST] = read_asciicast, [TRACE_SCRIPT] = read_script,
        [TRACE_TTYREC] = read_ttyrec,       [TRACE_RAW] = read_raw,
        [TRACE_VSCODE] = read_vscode,
    };
    struct reader r = {.data = data,
                       .len = len,
                       .timing = timing,
                       .timing_len = timing_len,
                       .events = events,
                       .user = user};
    if (format != TRACE_RAW && len > 3 && !memcmp(data, "\xef\xbb\xbf{", 4)) {
        r.data += 3; /* the byte order mark of an editor on Windows */
        r.len -= 3;
    }
    if (format == TRACE_AUTO)
        format = detect(&r);
    int result = readers[format](&r);
    if (result < 0)
        *ret_error = r.error;
    return result;
}
