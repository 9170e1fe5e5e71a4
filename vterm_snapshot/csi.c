#include "vterm_snapshot/csi.h"

#include <string.h>

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Where the final of `body` is; `len` where a control, or the end, comes first. */
static size_t find_final(const char *body, size_t len)
{
    size_t at = 0;
    while (at < len && body[at] >= 0x20 && body[at] < 0x40)
        at++;
    return at < len && body[at] >= 0x40 && body[at] < 0x7f ? at : len;
}

/* The values from `at` on, `from` the place of each; returns where they end, which may be for want
 * of room. */
static size_t read_values(const char *body, size_t at, struct csi *csi, size_t *from)
{
    for (;;) {
        uint32_t value = is_digit(body[at]) ? 0 : CSI_ABSENT;
        from[csi->count] = at;
        for (; is_digit(body[at]); at++) {
            value = value * 10 + (uint32_t)(body[at] - '0');
            value = value > LIMIT_CSI_VALUE ? LIMIT_CSI_VALUE : value;
        }
        csi->value[csi->count++] = (uint16_t)value;
        if (body[at] == ':')
            csi->sub |= 1u << csi->count;
        else if (body[at] != ';')
            return at;
        if (csi->count == LIMIT_CSI_PARAMS)
            return at;
        at++;
    }
}

/* There are more values than have room: it ends behind its last whole group. Returns where the next
 * one begins, 0 where none does; a group that has no room at all is left out. */
static size_t cut(const char *body, size_t at, struct csi *csi, const size_t *from)
{
    int whole = 0;
    bool missing = false;
    while (whole < csi->count) {
        int group = csi_group(csi, whole, &missing);
        if (missing || whole + group > csi->count)
            break;
        whole += group;
    }
    bool full = whole == csi->count;
    csi->count = (uint8_t)whole;
    if (whole && !full)
        return from[whole];
    while (is_digit(body[at]) || body[at] == ':')
        at++;
    return body[at] == ';' ? at + 1 : 0;
}

/* The intermediates from `at` to the final; false where something else stands there. */
static bool read_intermediates(const char *body, size_t at, size_t end, struct csi *csi)
{
    if (end - at > sizeof csi->inter)
        return false;
    for (size_t i = 0; at + i < end; i++) {
        if (body[at + i] > 0x2f)
            return false;
        csi->inter[i] = body[at + i];
    }
    return true;
}

static size_t end_of_values(const char *body, size_t at)
{
    while (is_digit(body[at]) || body[at] == ';' || body[at] == ':')
        at++;
    return at;
}

size_t csi_read_long(const char *body, size_t len, size_t at, struct csi *ret_csi)
{
    size_t end = find_final(body, len), from[LIMIT_CSI_PARAMS];
    if (end == len)
        return 0;
    struct csi *csi = ret_csi;
    *csi = (struct csi){.leader = *body >= '<' && *body <= '?' ? *body : 0, .final = body[end]};
    at = at ? at : csi->leader != 0;
    if (!read_intermediates(body, end_of_values(body, at), end, csi)) {
        csi->final = 0;
        return end + 1;
    }
    at = read_values(body, at, csi, from);
    if (body[at] == ';' || body[at] == ':') {
        bool splits = csi_is_sgr(csi) || ((csi->final | 4) == 'l' && !csi->inter[0]);
        at = cut(body, at, csi, from);
        csi->more = splits ? (uint16_t)at : 0;
    }
    return end + 1;
}

/* A value with those that are joined to it. */
static int joined(const struct csi *csi, int at)
{
    int values = 1;
    while (csi->sub >> (at + values) & 1)
        values++;
    return values;
}

static bool is_colour(int value)
{
    return value == 38 || value == 48 || value == 58;
}

int csi_group(const struct csi *csi, int at, bool *ret_missing)
{
    int values = joined(csi, at);
    *ret_missing = false;
    if (!csi_is_sgr(csi) || !is_colour(csi->value[at]) || values > 1)
        return values;
    int kind = csi_value(csi, at + 1, 0), parts = kind == 5 ? 3 : kind == 2 ? 5 : 2, found = 1;
    for (; found < parts && at + values < csi->count; found++)
        values += joined(csi, at + values);
    *ret_missing = found < parts;
    return values;
}

static size_t print_value(unsigned value, char *out)
{
    size_t len = 1 + (value > 9) + (value > 99) + (value > 999);
    for (size_t i = len; i--; value /= 10)
        out[i] = (char)('0' + value % 10);
    return len;
}

size_t csi_print(const struct csi *csi, char *out)
{
    size_t len = 0;
    if (csi->final == 'm' || !csi->count)
        return 0;
    out[len++] = '\x1b';
    out[len++] = '[';
    if (csi->leader)
        out[len++] = csi->leader;
    for (int i = 0; i < csi->count; i++) {
        if (i)
            out[len++] = csi->sub >> i & 1 ? ':' : ';';
        if (csi->value[i] != CSI_ABSENT)
            len += print_value(csi->value[i], out + len);
    }
    for (int i = 0; i < 2 && csi->inter[i]; i++)
        out[len++] = csi->inter[i];
    out[len++] = csi->final;
    return len;
}
