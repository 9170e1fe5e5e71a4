/* Marks of other terminals: OSC 133 and 633, the source of blocks in traces that others recorded,
 * and where the user wants them in shells without ours.
 */
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"

/* VS Code's escaping: `\\` and `\xHH`. */
static char *unescape_633(const char *text, size_t len)
{
    struct bytes out = {0};
    for (size_t i = 0; i < len && text[i] != ';'; i++) {
        char digits[3] = {0};
        if (text[i] == '\\' && i + 3 < len && text[i + 1] == 'x') {
            memcpy(digits, text + i + 2, 2);
            bytes_append_char(&out, (char)strtol(digits, NULL, 16));
            i += 3;
        } else if (text[i] == '\\' && i + 1 < len) {
            bytes_append_char(&out, text[++i]);
        } else {
            bytes_append_char(&out, text[i]);
        }
    }
    char *clean = text_clean(out.data ? out.data : "", out.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&out);
    return clean;
}

static bool foreign_done(struct tracker *t, const char *payload, size_t len, struct moment now)
{
    if (tracker_state(t) != TRACKER_RUNNING)
        return false;
    struct mark mark = {.kind = MARK_DONE, .seq = t->last_seq + 1};
    if (len > 2 && payload[1] == ';' && payload[2] >= '0' && payload[2] <= '9') {
        mark.has_status = true;
        mark.status = atoi(payload + 2);
    }
    return tracker_mark(t, &mark, now);
}

bool tracker_foreign(struct tracker *t, int number, const char *payload, size_t len,
                     struct moment now)
{
    struct mark mark = {.seq = t->last_seq + 1};
    switch (len ? payload[0] : 0) {
    case 'A':
    case 'B':
    case 'C':
        mark.kind = (enum mark_kind)payload[0];
        if (payload[0] == 'B' && t->stage == STAGE_INPUT)
            mark.seq = t->last_seq; /* the prompt is redrawn */
        return tracker_mark(t, &mark, now);
    case 'D':
        return foreign_done(t, payload, len, now);
    case 'E':
        if (number != 633 || len <= 2)
            return false;
        tracker_set_text(&t->announced, unescape_633(payload + 2, len - 2));
        return true;
    case 'P':
        if (number != 633 || len <= 6 || memcmp(payload, "P;Cwd=", 6) != 0)
            return false;
        tracker_set_text(&t->cwd, unescape_633(payload + 6, len - 6));
        return true;
    default:
        return false;
    }
}
