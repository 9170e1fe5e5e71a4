/* Which operations ask. */
#include "vterm_snapshot/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "vterm_snapshot/op.h"

/* ---- what asks ---- */

/* Where the queries of one operation go. */
struct asking {
    query_found *found;
    void *user;
    int count;
};

static void ask(struct asking *a, enum query_kind kind, int number, int index, const char *name,
                size_t len)
{
    struct query query;
    if (a->count == LIMIT_QUERIES_AT_ONCE)
        return;
    memset(&query, 0, sizeof query); /* padding, too: they are compared */
    query.kind = kind;
    query.number = (uint16_t)(number < LIMIT_CSI_VALUE ? number : LIMIT_CSI_VALUE);
    query.index = (uint16_t)(index < LIMIT_CSI_VALUE ? index : LIMIT_CSI_VALUE);
    memcpy(query.name, name, len < QUERY_NAME_BYTES - 1 ? len : QUERY_NAME_BYTES - 1);
    a->count++;
    a->found(a->user, &query);
}

static void ask_plain(struct asking *a, enum query_kind kind, int number, int index)
{
    ask(a, kind, number, index, "", 0);
}

/* DSR. */
static void find_status(struct asking *a, const struct csi *csi)
{
    int number = csi_value(csi, 0, 0);
    if (!csi->leader && (number == 5 || number == 6)) {
        ask_plain(a, number == 5 ? QUERY_STATUS : QUERY_CURSOR, 0, 0);
        return;
    }
    if (csi->leader != '?')
        return;
    switch (number) {
    case 6:
        ask_plain(a, QUERY_CURSOR_DEC, 0, 0);
        break;
    case 15:
    case 25:
    case 26:
    case 53:
    case 55:
    case 56:
    case 75:
    case 85:
        ask_plain(a, QUERY_STATUS_DEC, number, 0);
        break;
    case 62:
        ask_plain(a, QUERY_MACROS, 0, 0);
        break;
    case 63:
        ask_plain(a, QUERY_MEMORY, csi_value(csi, 1, 0), 0);
        break;
    case 996:
        ask_plain(a, QUERY_SCHEME, 0, 0);
        break;
    default:
        break;
    }
}

/* XTWINOPS. Its answer begins with a number of its own. */
static void find_window(struct asking *a, const struct csi *csi)
{
    static const uint8_t answers[] = {[13] = 3, [14] = 4, [15] = 5, [16] = 6, [18] = 8, [19] = 9};
    int number = csi_value(csi, 0, 0);
    if (number == 11)
        ask_plain(a, QUERY_ICONIFIED, number, 0);
    else if (number == 20 || number == 21)
        ask_plain(a, number == 20 ? QUERY_ICON_LABEL : QUERY_TITLE, number, 0);
    else if (number < (int)sizeof answers && answers[number])
        ask_plain(a, QUERY_WINDOW, number, answers[number]);
}

/* Those without intermediates. */
static void find_plain_csi(struct asking *a, const struct csi *csi)
{
    int number = csi_value(csi, 0, 0);
    char leader = csi->leader;
    if (csi->final == 'c' && leader != '?' && leader != '<' && number == 0)
        ask_plain(a,
                  leader == '>'   ? QUERY_DEVICE_2
                  : leader == '=' ? QUERY_DEVICE_3
                                  : QUERY_DEVICE,
                  0, 0);
    else if (csi->final == 'n')
        find_status(a, csi);
    else if (csi->final == 'q' && leader == '>' && number == 0)
        ask_plain(a, QUERY_VERSION, 0, 0);
    else if (csi->final == 'u' && leader == '?')
        ask_plain(a, QUERY_KEYBOARD, 0, 0);
    else if (csi->final == 'm' && leader == '?')
        ask_plain(a, QUERY_KEY_MODIFIERS, number, 0);
    else if (csi->final == 'x' && !leader && number <= 1)
        ask_plain(a, QUERY_PARAMETERS, number, 0);
    else if (csi->final == 't' && !leader)
        find_window(a, csi);
    else if (csi->final == 'S' && leader == '?')
        ask_plain(a, QUERY_GRAPHICS_LIMIT, number, csi_value(csi, 1, 0));
}

/* DECRQCRA; its rectangle, as it stands there: `top;left;bottom;right`, a value left out is 0. */
static void find_checksum(struct asking *a, const struct csi *csi)
{
    char name[QUERY_NAME_BYTES];
    int len = snprintf(name, sizeof name, "%d;%d;%d;%d", csi_value(csi, 2, 0), csi_value(csi, 3, 0),
                       csi_value(csi, 4, 0), csi_value(csi, 5, 0));
    ask(a, QUERY_CHECKSUM, csi_value(csi, 0, 0), 0, name, (size_t)len);
}

static void find_csi(struct asking *a, const struct csi *csi)
{
    static const struct {
        char inter, final;
        enum query_kind kind;
    } kinds[] = {
        {'$', 'p', QUERY_MODE},           {'$', 'w', QUERY_PRESENTATION},
        {'$', 'u', QUERY_TERMINAL_STATE}, {'&', 'u', QUERY_CHARACTER_SET},
        {'"', 'v', QUERY_EXTENT},         {'\'', '|', QUERY_LOCATOR},
        {'#', '|', QUERY_ATTRIBUTES},     {'#', 'R', QUERY_COLOUR_STACK},
    };
    if (!csi->inter[0]) {
        find_plain_csi(a, csi);
        return;
    }
    if (csi->inter[0] == '*' && !csi->inter[1] && csi->final == 'y' && !csi->leader)
        find_checksum(a, csi);
    for (size_t i = 0; !csi->inter[1] && i < sizeof kinds / sizeof kinds[0]; i++) {
        bool dec = csi->leader == '?' && kinds[i].kind == QUERY_MODE;
        if (kinds[i].inter == csi->inter[0] && kinds[i].final == csi->final &&
            (!csi->leader || dec))
            ask_plain(a, dec ? QUERY_MODE_DEC : kinds[i].kind, csi_value(csi, 0, 0), 0);
    }
}

/* ---- strings ---- */

/* The next of the fields that `;` parts; false when there is none. */
static bool next_field(const char **at, const char **ret_field, size_t *ret_len)
{
    if (!*at)
        return false;
    *ret_field = *at;
    *ret_len = strcspn(*at, ";");
    *at = (*at)[*ret_len] ? *at + *ret_len + 1 : NULL;
    return true;
}

static bool is_mark(const char *field, size_t len)
{
    return len == 1 && *field == '?';
}

/* OSC 4 and 5: pairs of an index and what it is to be. */
static void find_palette(struct asking *a, int number, const char *at)
{
    const char *index, *value;
    size_t index_len, len;
    while (next_field(&at, &index, &index_len) && next_field(&at, &value, &len))
        if (is_mark(value, len) && index_len && *index >= '0' && *index <= '9') {
            long which = strtol(index, NULL, 10);
            ask_plain(a, number == 4 ? QUERY_PALETTE : QUERY_PALETTE_SPECIAL, number,
                      which < LIMIT_CSI_VALUE ? (int)which : LIMIT_CSI_VALUE);
        }
}

/* OSC 10 to 19: each further value is that of the next number. */
static void find_colours(struct asking *a, int number, const char *at)
{
    const char *value;
    size_t len;
    for (; number <= 19 && next_field(&at, &value, &len); number++)
        if (is_mark(value, len))
            ask_plain(a, QUERY_COLOUR, number, 0);
}

static void find_clipboard(struct asking *a, const char *at)
{
    const char *name, *value;
    size_t name_len, len;
    if (next_field(&at, &name, &name_len) && next_field(&at, &value, &len) && is_mark(value, len))
        ask(a, QUERY_CLIPBOARD, 52, 0, name, name_len);
}

/* iTerm's: what reports, its name as it stands in the answer. */
static void find_iterm(struct asking *a, const char *payload)
{
    static const char *const reports[] = {"ReportCellSize", "ReportVariable", "Capabilities"};
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        size_t len = strlen(reports[i]);
        if (!strncmp(payload, reports[i], len) && (!payload[len] || payload[len] == '='))
            ask(a, QUERY_OSC, 1337, 0, reports[i], len);
    }
}

/* kitty's notifications: a report comes when somebody does something. */
static void find_notification(struct asking *a, const char *payload)
{
    size_t len = strcspn(payload, ";");
    bool asks = false, reports = false;
    for (const char *at = payload; at < payload + len; at += strcspn(at, ":;") + 1) {
        asks = asks || !strncmp(at, "p=?", 3) || !strncmp(at, "p=alive", 7);
        reports =
            reports || !strncmp(at, "c=1", 3) ||
            (!strncmp(at, "a=", 2) && strstr(at, "report") && strstr(at, "report") < payload + len);
    }
    if (reports)
        ask_plain(a, QUERY_OSC_PROTOCOL, 99, 0);
    else if (asks)
        ask_plain(a, QUERY_OSC, 99, 0);
}

/* Any other: a field that begins with `?`, or a value that is one. A title may be a question. */
static void find_other(struct asking *a, int number, const char *at)
{
    const char *field;
    size_t len;
    if (number <= 2 || number == 7 || number == 8 || number == 9 || number == 133 ||
        number == 633 || number == 777)
        return;
    while (next_field(&at, &field, &len))
        if (len && (*field == '?' || (len > 1 && !strncmp(field + len - 2, "=?", 2)))) {
            ask_plain(a, QUERY_OSC, number, 0);
            return;
        }
}

static void find_osc(struct asking *a, const char *text)
{
    char *end;
    long number = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
    if (number < 0 || number > LIMIT_CSI_VALUE || (*end && *end != ';'))
        return;
    const char *payload = *end ? end + 1 : end;
    if (number == 4 || number == 5)
        find_palette(a, (int)number, payload);
    else if (number >= 10 && number <= 19)
        find_colours(a, (int)number, payload);
    else if (number == 52)
        find_clipboard(a, payload);
    else if (number == 99)
        find_notification(a, payload);
    else if (number == 1337)
        find_iterm(a, payload);
    else if (number == 5113 || number == 5522)
        ask_plain(a, QUERY_OSC_PROTOCOL, (int)number, 0);
    else if (number == 60 || number == 61)
        ask_plain(a, QUERY_OSC, (int)number, 0);
    else
        find_other(a, (int)number, payload);
}

static void find_dcs(struct asking *a, const char *text)
{
    const char *at = text + 2, *name;
    size_t len;
    if (!strncmp(text, "$q", 2))
        ask(a, QUERY_SETTING, 0, 0, at, strlen(at));
    else if (!strncmp(text, "@kitty-cmd", 10))
        ask_plain(a, QUERY_REMOTE, 0, 0);
    else if (!strncmp(text, "+q", 2))
        while (next_field(&at, &name, &len))
            if (len)
                ask(a, QUERY_CAPABILITY, 0, 0, name, len);
}

/* kitty's graphics answer what has an id, unless told to be quiet, whatever it does but deleting.
 */
static void find_apc(struct asking *a, const char *text)
{
    char action = 't', quiet = '0', more = '0';
    bool has_id = false;
    size_t len = strcspn(text, ";");
    if (*text != 'G')
        return;
    for (const char *at = text + 1; at < text + len; at += strcspn(at, ",;") + 1) {
        action = !strncmp(at, "a=", 2) ? at[2] : action;
        quiet = !strncmp(at, "q=", 2) ? at[2] : quiet;
        more = !strncmp(at, "m=", 2) ? at[2] : more;
        has_id =
            has_id || ((*at == 'i' || *at == 'I') && at[1] == '=' && at[2] > '0' && at[2] <= '9');
    }
    if (has_id && quiet != '2' && action != 'd')
        ask_plain(a, QUERY_GRAPHICS, 0, more == '1');
}

int query_find(const struct op *op, query_found *found, void *user)
{
    struct asking a = {.found = found, .user = user};
    if (op->kind == OP_CSI)
        find_csi(&a, &op->csi);
    else if (op->kind == OP_ESCAPE && op->csi.final == 'Z' && !op->csi.inter[0])
        ask_plain(&a, QUERY_DEVICE, 0, 0);
    else if (op->kind == OP_OSC)
        find_osc(&a, op->string);
    else if (op->kind == OP_DCS)
        find_dcs(&a, op->string);
    else if (op->kind == OP_APC)
        find_apc(&a, op->string);
    return a.count;
}

bool query_equal(const struct query *a, const struct query *b)
{
    return a->kind == b->kind && a->number == b->number && a->index == b->index &&
           !strcmp(a->name, b->name);
}

bool query_is_slow(const struct query *query)
{
    return query->kind == QUERY_CLIPBOARD || query->kind == QUERY_OSC_PROTOCOL ||
           query->kind == QUERY_REMOTE || (query->kind == QUERY_GRAPHICS && query->index);
}

bool query_goes_on(const struct query *query)
{
    return query->kind == QUERY_OSC_PROTOCOL;
}
