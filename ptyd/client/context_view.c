#define _GNU_SOURCE
#include "ptyd/client/context_view.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/command/show.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

static const char *plural(long long count)
{
    return count == 1 ? "" : "s";
}

static void append_clean(const char *text, struct bytes *out)
{
    show_clean(text, strlen(text), out);
}

/* ---- one command ---- */

/* The colon in front of an id's number: NAME:NUMBER:BEGUN, of another host's HOST:NAME:...; NULL
 * for none. */
static const char *number_of(const char *id)
{
    const char *at = strrchr(id, ':');
    while (at && at > id && *--at != ':')
        ;
    return at && *at == ':' ? at : NULL;
}

/* What an entry leaves out because it goes without saying, a row has. */
static json_t *row_of(const json_t *entry)
{
    const char *id = number_of(json_text(entry, "block_id", ""));
    char *end = NULL;
    long long seq = id ? strtoll(id + 1, &end, 10) : 0;
    long long begun = end && *end == ':' ? strtoll(end + 1, NULL, 10) : 0;
    json_t *code = json_object_get(entry, "exit_code");
    return json_pack("{s:I, s:I, s:s, s:O, s:I, s:s, s:s}", "seq", (json_int_t)seq, "ts_begin",
                     (json_int_t)begun, "status", json_text(entry, "status", "completed"),
                     "exit_code", code ? code : json_null(), "duration_ms",
                     (json_int_t)json_number(entry, "duration_ms", 0), "cwd",
                     json_text(entry, "cwd", ""), "cmd", json_text(entry, "cmd", ""));
}

static void append_preview(const json_t *preview, struct bytes *out)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(preview, "lines"), i, line) {
        bytes_append_text(out, "       | ");
        append_clean(json_string_value(line), out);
        bytes_append_char(out, '\n');
    }
}

/* What an entry leaves out of what the terminal showed. */
static void append_losses(const json_t *entry, struct bytes *out)
{
    long long omitted = json_number(entry, "omitted_lines", 0);
    long long redacted = json_number(entry, "redacted", 0);
    bool cut = json_flag(json_at(entry, "preview"), "truncated");
    if (omitted)
        bytes_printf(out, "       ^ cut: %lld earlier line%s stay%s in ", omitted, plural(omitted),
                     omitted == 1 ? "s" : "");
    else if (cut)
        bytes_append_text(out, "       ^ cut: the beginning of its output stays in ");
    if (omitted || cut) {
        append_clean(json_text(entry, "output_path", json_text(entry, "host", "")), out);
        bytes_append_char(out, '\n');
    }
    if (redacted)
        bytes_printf(out, "       ^ redacted: %lld secret%s\n", redacted, plural(redacted));
}

static void append_command(const json_t *entry, const struct table_look *look, struct bytes *out)
{
    json_t *row = row_of(entry);
    const char *host = json_text(entry, "host", NULL);
    long long missed = json_number(entry, "missed_before", 0);
    table_block(look, row, out);
    if (host) {
        bytes_append_text(out, "       @ ");
        append_clean(host, out);
        bytes_append_char(out, '\n');
    }
    if (missed > 0)
        bytes_printf(out, "       ^ lost: %lld command%s before it never came here\n", missed,
                     plural(missed));
    append_preview(json_object_get(entry, "preview"), out);
    append_losses(entry, out);
    json_decref(row);
}

/* A preview that is apart from the entry of that key is in another of the same number: it comes
 * back. */
static void join_preview(const json_t *map, const char *key, json_t *entry)
{
    const char *number = strrchr(key, '_');
    char *apart = text_format("terminal_output%s", number ? number : "");
    json_t *output = json_loads(json_text(json_object_get(map, apart), "value", ""), 0, NULL);
    json_t *preview = json_object_get(output, "preview"), *to = json_object_get(entry, "running");
    if (preview)
        json_object_set(to ? to : entry, "preview", preview);
    json_decref(output);
    free(apart);
}

/* ---- all of it ---- */

static void append_running(const json_t *running, const struct table_look *look, struct bytes *out)
{
    bytes_append_text(out, "Running in ");
    table_directory(json_text(running, "cwd", ""), look->home, out);
    bytes_append_text(out, ": ");
    append_clean(json_text(running, "cmd", ""), out);
    bytes_append_char(out, '\n');
    append_preview(json_object_get(running, "preview"), out);
}

static void append_head(const json_t *result, struct bytes *out)
{
    long long pending = json_number(result, "pending", 0), kept = json_number(result, "kept", 0);
    long long dropped = json_number(result, "dropped", 0);
    bool off = json_is_false(json_object_get(result, "injection"));
    if (!json_object_size(json_object_get(result, "additionalContext")) && off)
        bytes_printf(out, "%lld command%s pending, none is told:\n", pending, plural(pending));
    else if (!json_object_size(json_object_get(result, "additionalContext")))
        bytes_append_text(out, "Nothing is pending: the agent knows everything.\n");
    else
        bytes_printf(out, "%lld command%s pending, %lld kept:\n", pending, plural(pending), kept);
    if (dropped)
        bytes_printf(out, "(%lld older one%s %s not told: the newest are.)\n", dropped,
                     plural(dropped), dropped == 1 ? "is" : "are");
    if (off)
        bytes_append_text(out, "(Injection is off: it waits until `ptyd context on`.)\n");
}

void context_view(const json_t *result, const struct table_look *look, struct bytes *out)
{
    const char *key;
    json_t *value;
    bool heading = false;
    append_head(result, out);
    json_object_foreach(json_object_get(result, "additionalContext"), key, value) {
        json_t *entry = json_loads(json_text(value, "value", ""), 0, NULL);
        join_preview(json_object_get(result, "additionalContext"), key, entry);
        const json_t *running = json_object_get(entry, "running");
        if (json_object_get(entry, "cmd")) {
            if (!heading)
                table_heading(look, out);
            heading = true;
            append_command(entry, look, out);
        }
        if (running)
            append_running(running, look, out);
        json_decref(entry);
    }
}
