#include "vterm_snapshot/csi.h"

#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "vterm_snapshot/csi_short.h"

/* A sequence's body in its three parts (ECMA-48 5.4). */
struct parts {
    char leader; /* one of <=>? or 0 */
    const char *params;
    size_t params_len;
    const char *intermediates;
    size_t intermediates_len;
};

static bool is_param(char c)
{
    return (c >= '0' && c <= '9') || c == ';' || c == ':';
}

static bool split(const char *body, size_t len, struct parts *ret_parts)
{
    size_t at = 0;
    char leader = 0;
    if (at < len && body[at] >= '<' && body[at] <= '?')
        leader = body[at++];
    size_t params = at;
    while (at < len && is_param(body[at]))
        at++;
    size_t intermediates = at;
    while (at < len && body[at] >= 0x20 && body[at] <= 0x2f)
        at++;
    if (at != len || at - intermediates > 2)
        return false;
    *ret_parts = (struct parts){
        .leader = leader,
        .params = body + params,
        .params_len = intermediates - params,
        .intermediates = body + intermediates,
        .intermediates_len = at - intermediates,
    };
    return true;
}

/* One `;`-separated parameter with its `:` sub-parameters. */
struct token {
    const char *text;
    size_t len;
    int values; /* 1 + sub-parameters: what it takes of libvterm's array */
};

static bool next_token(const char **at, const char *end, struct token *ret_token)
{
    if (*at > end)
        return false;
    const char *stop = memchr(*at, ';', (size_t)(end - *at));
    stop = stop ? stop : end;
    struct token token = {.text = *at, .len = (size_t)(stop - *at), .values = 1};
    for (const char *p = token.text; p < stop; p++)
        token.values += *p == ':';
    *at = stop + 1;
    *ret_token = token;
    return true;
}

static bool token_is(const struct token *token, const char *text)
{
    return token->len == strlen(text) && !memcmp(token->text, text, token->len);
}

static void append_clamped(const struct token *token, struct bytes *out)
{
    long value = 0;
    bool digits = false;
    for (size_t i = 0; i <= token->len; i++) {
        char c = i < token->len ? token->text[i] : ':';
        if (c != ':') {
            digits = true;
            value = value * 10 + (c - '0');
            value = value > LIMIT_CSI_VALUE ? LIMIT_CSI_VALUE : value;
            continue;
        }
        if (digits)
            bytes_printf(out, "%ld", value);
        if (i < token->len)
            bytes_append_char(out, ':');
        value = 0;
        digits = false;
    }
}

/* An output sequence under construction. */
struct emitter {
    const struct parts *parts;
    char final;
    struct bytes *out;
    int values; /* in the sequence so far */
    bool open;  /* a sequence was begun */
};

static void emitter_close(struct emitter *e)
{
    if (!e->open)
        return;
    bytes_append(e->out, e->parts->intermediates, e->parts->intermediates_len);
    bytes_append_char(e->out, e->final);
    e->open = false;
    e->values = 0;
}

static void emitter_open(struct emitter *e)
{
    bytes_append(e->out, "\x1b[", 2);
    if (e->parts->leader)
        bytes_append_char(e->out, e->parts->leader);
    e->open = true;
}

static void emit_group(struct emitter *e, const struct token *tokens, int count)
{
    int values = 0;
    for (int i = 0; i < count; i++)
        values += tokens[i].values;
    if (values > LIMIT_CSI_PARAMS)
        return;
    if (e->values + values > LIMIT_CSI_PARAMS)
        emitter_close(e);
    if (!e->open)
        emitter_open(e);
    for (int i = 0; i < count; i++) {
        if (e->values)
            bytes_append_char(e->out, ';');
        append_clamped(&tokens[i], e->out);
        e->values += tokens[i].values;
    }
}

/* Extended colours (38, 48, 58) own the parameters behind them: ITU-T T.416 as xterm reads it. */
static int colour_group_length(const struct token *tokens, int available)
{
    if (!token_is(&tokens[0], "38") && !token_is(&tokens[0], "48") && !token_is(&tokens[0], "58"))
        return 1;
    int want = available < 2               ? 1
               : token_is(&tokens[1], "5") ? 3
               : token_is(&tokens[1], "2") ? 5
                                           : 2;
    return want < available ? want : available;
}

/* libvterm knows no underline colour and would take its values for attributes. */
static bool is_underline_colour(const struct token *token)
{
    return token->len >= 2 && !memcmp(token->text, "58", 2) &&
           (token->len == 2 || token->text[2] == ':');
}

/* A colour without all of its values: libvterm would read what an earlier sequence left there. */
static bool is_cut_colour(const struct token *tokens, int group)
{
    const char *text = tokens[0].text;
    if (tokens[0].len < 2 || (memcmp(text, "38", 2) && memcmp(text, "48", 2)))
        return false;
    if (tokens[0].len == 2)
        return group < 3 || (token_is(&tokens[1], "2") && group < 5);
    return text[2] == ':' && tokens[0].values < (text[3] == '2' ? 5 : 3);
}

static void rewrite_groups(struct emitter *e, bool sgr)
{
    struct token tokens[LIMIT_CSI_BYTES];
    int count = 0;
    const char *at = e->parts->params, *end = at + e->parts->params_len;
    while (count < LIMIT_CSI_BYTES && next_token(&at, end, &tokens[count]))
        count++;
    for (int i = 0; i < count;) {
        int group = sgr ? colour_group_length(tokens + i, count - i) : 1;
        if (!sgr || (!is_underline_colour(&tokens[i]) && !is_cut_colour(tokens + i, group)))
            emit_group(e, tokens + i, group);
        i += group;
    }
    emitter_close(e);
}

static void rewrite_cut(struct emitter *e)
{
    struct token token;
    const char *at = e->parts->params, *end = at + e->parts->params_len;
    emitter_open(e);
    for (bool first = true; next_token(&at, end, &token); first = false) {
        if (e->values + token.values > LIMIT_CSI_PARAMS)
            break;
        if (!first)
            bytes_append_char(e->out, ';');
        append_clamped(&token, e->out);
        e->values += token.values;
    }
    emitter_close(e);
}

/* The values that an extended colour at `values` needs with its own; 1 for anything else. */
static int colour_values(const int *values, int left)
{
    if (values[0] != 38 && values[0] != 48)
        return 1;
    return left > 1 && values[1] == 5 ? 3 : left > 1 && values[1] == 2 ? 5 : LIMIT_CSI_PARAMS + 1;
}

/* Whether no colour is cut off or of a kind that is dropped. */
static bool has_whole_colours(const int *values, int count)
{
    for (int i = 0; i < count;) {
        int used = colour_values(values + i, count - i);
        if (used > count - i || values[i] == 58)
            return false;
        i += used;
    }
    return true;
}

bool csi_is_plain(const char *body, size_t len, char final)
{
    int values[LIMIT_CSI_PARAMS] = {0}, count = 0, digits = 0;
    for (size_t i = 0; i < len; i++) {
        char c = body[i];
        if (c >= '0' && c <= '9') {
            values[count] = values[count] * 10 + (c - '0');
            if (++digits > 4)
                return false;
        } else if (c == ';' && count + 1 < LIMIT_CSI_PARAMS) {
            count++;
            digits = 0;
        } else {
            return false;
        }
    }
    return final != 'm' || has_whole_colours(values, count + 1);
}

/* The parameters of a sequence that is not short; 0 for what is not plain. */
static size_t long_params(const char *bytes, size_t len)
{
    size_t at = 2, from = 2; /* of the parameter at hand */
    int count = 1;
    for (; at < len; at++) {
        if ((unsigned)bytes[at] - '0' < 10)
            continue;
        if (at - from > 4)
            return 0;
        if (bytes[at] != ';')
            break;
        from = at + 1;
        if (++count > LIMIT_CSI_PARAMS)
            return 0;
    }
    return at;
}

static bool is_plain_final(unsigned char final)
{
    return final >= 0x40 && final <= 0x7e && final != 'b' && final != 'u' && final != 'l';
}

size_t csi_plain_length(const char *bytes, size_t len)
{
    if (len < 3 || bytes[1] != '[')
        return 0;
    struct csi_short s;
    if (len >= 2 + CSI_SHORT && csi_short_read(bytes + 2, &s) && csi_short_is_plain(&s))
        return is_plain_final(csi_short_final(&s)) ? 2 + s.len + 1 : 0;
    size_t at = long_params(bytes, len);
    if (!at || at == len || !is_plain_final((unsigned char)bytes[at]))
        return 0;
    return bytes[at] != 'm' || csi_is_plain(bytes + 2, at - 2, 'm') ? at + 1 : 0;
}

void csi_rewrite(const char *body, size_t len, char final, struct bytes *out)
{
    struct parts parts;
    if (len > LIMIT_CSI_BYTES || !split(body, len, &parts))
        return;
    struct emitter e = {.parts = &parts, .final = final, .out = out};
    bool sgr = final == 'm' && !parts.leader && !parts.intermediates_len;
    bool modes = (final == 'h' || final == 'l') && !parts.intermediates_len;
    if (final == 'm' && !sgr)
        return; /* xterm's modifyOtherKeys and its kind: libvterm would take them for SGR */
    if (sgr || modes)
        rewrite_groups(&e, sgr);
    else
        rewrite_cut(&e);
}

int csi_first_param(const char *body, size_t len, int fallback)
{
    struct parts parts;
    if (!split(body, len, &parts))
        return fallback;
    int value = 0;
    for (size_t i = 0; i < parts.params_len; i++) {
        char c = parts.params[i];
        if (c < '0' || c > '9')
            break;
        value = value * 10 + (c - '0');
        value = value > LIMIT_CSI_VALUE ? LIMIT_CSI_VALUE : value;
    }
    return value ? value : fallback;
}

bool csi_restores_cursor(const char *body, size_t len, char final)
{
    if (final == 'u' && len == 0)
        return true;
    struct parts parts;
    if (final != 'l' || !split(body, len, &parts) || parts.leader != '?')
        return false;
    struct token token;
    const char *at = parts.params, *end = at + parts.params_len;
    while (next_token(&at, end, &token))
        if (token_is(&token, "1048") || token_is(&token, "1049"))
            return true;
    return false;
}

bool csi_is_query(const char *body, size_t len, char final)
{
    struct parts parts;
    if (!split(body, len, &parts))
        return true;
    bool dollar = parts.intermediates_len && parts.intermediates[0] == '$';
    return strchr("cntx", final) || (final == 'p' && dollar) || (final == 'w' && dollar) ||
           (final == 'q' && parts.leader == '>') || (final == 'u' && parts.leader == '?') ||
           (final == 'y' && parts.intermediates_len) || (final == 'S' && parts.leader == '?') ||
           (final == 'm' && parts.leader == '?');
}
