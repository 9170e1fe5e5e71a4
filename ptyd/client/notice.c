#include "ptyd/client/notice.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/command/show.h"
#include "ptyd/command/table.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

enum notice_form notice_form(void)
{
    const char *term = getenv("TERM");
    term = term ? term : "";
    if (is_set("TMUX"))
        return NOTICE_TMUX;
    if (!strcmp(term, "linux"))
        return NOTICE_BELL;
    if (is_set("VTE_VERSION") || !strncmp(term, "foot", 4) || !strncmp(term, "rxvt", 4))
        return NOTICE_OSC_777;
    return NOTICE_OSC_9;
}

static void append_outcome(const json_t *block, struct bytes *out)
{
    const char *signal = json_text(block, "signal", NULL);
    const json_t *code = json_object_get(block, "exit_code");
    if (signal)
        bytes_printf(out, "%s", signal);
    else if (json_is_integer(code))
        bytes_printf(out, "exit %lld", (long long)json_integer_value(code));
    else
        bytes_append_text(out, "ended");
}

/* A semicolon would end a field, a line feed the whole. */
static void flatten(char *text)
{
    for (; *text; text++)
        *text = *text == ';' ? ',' : *text == '\n' || *text == '\t' ? ' ' : *text;
}

static char *text_of(const char *session, int64_t duration_ms, const json_t *block)
{
    const char *cmd = json_text(block, "cmd", "a private command");
    struct bytes text = {0};
    bytes_printf(&text, "%s: ", session);
    append_outcome(block, &text);
    bytes_append_text(&text, " after ");
    table_duration(duration_ms, &text);
    bytes_append_text(&text, ": ");
    char *head = text_clean(cmd, strlen(cmd), LIMIT_NOTIFY_BYTES);
    flatten(head);
    show_clean(head, strlen(head), &text);
    char *whole = text_clean(text.data, text.len, LIMIT_NOTIFY_BYTES);
    free(head);
    bytes_finish(&text);
    return whole;
}

static void append_text(const char *text, enum notice_form form, struct bytes *out)
{
    switch (form) {
    case NOTICE_OSC_9:
        bytes_printf(out, "\x1b]9;%s\a", text);
        break;
    case NOTICE_OSC_777:
        bytes_printf(out, "\x1b]777;notify;ptyd;%s\a", text);
        break;
    case NOTICE_TMUX:
        bytes_printf(out, "\x1bPtmux;\x1b\x1b]9;%s\a\x1b\\", text);
        break;
    case NOTICE_BELL:
        bytes_append_char(out, '\a');
        break;
    }
}

void notice_append(const char *session, int64_t duration_ms, const json_t *block,
                   enum notice_form form, struct bytes *out)
{
    char *text = text_of(session, duration_ms, block);
    append_text(text, form, out);
    free(text);
}

void notice_append_baton(const char *session, const char *key, const json_t *baton,
                         enum notice_form form, struct bytes *out)
{
    const char *state = json_text(baton, "state", ""), *agent = json_text(baton, "agent", "");
    const char *purpose = json_text(baton, "purpose", "");
    struct bytes text = {0};
    if (!strcmp(state, "asks"))
        bytes_printf(&text, "%s: %s asks to type (%s): %s", session, agent,
                     key ? key : "ptyd grant", purpose);
    else if (!strcmp(state, "holds"))
        bytes_printf(&text, "%s: %s may type; any key of yours takes it back", session, agent);
    if (!text.len)
        return;
    char *clean = text_clean(text.data, text.len, LIMIT_NOTIFY_BYTES);
    struct bytes shown = {0};
    flatten(clean);
    show_clean(clean, strlen(clean), &shown);
    append_text(shown.data, form, out);
    free(clean);
    bytes_finish(&shown);
    bytes_finish(&text);
}
