#include "ptyd/relay/letter.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/text.h"

static void told(char **text, const char *by)
{
    char *copy = text_copy(by);
    free(*text);
    *text = copy;
}

void letter_take_secrets_out(struct block *b)
{
    int before = b->redacted;
    told(&b->cmd, deliver_cmd(b));
    told(&b->preview, deliver_preview(b));
    bool is_same = !strcmp(b->cwd, b->cwd_after);
    told(&b->cwd, deliver_cwd(b));
    told(&b->cwd_after, b->told_cwd_after ? b->told_cwd_after : is_same ? b->cwd : b->cwd_after);
    block_untell(b);
    block_redact(b, NULL);
    told(&b->cmd, deliver_cmd(b));
    told(&b->preview, deliver_preview(b));
    told(&b->cwd, deliver_cwd(b));
    told(&b->cwd_after, b->told_cwd_after ? b->told_cwd_after : b->cwd_after);
    int all = before + b->redacted;
    block_untell(b);
    b->redacted = all;
    told(&b->output_path, "");
}

static json_t *block_json(struct block *b)
{
    size_t len = strlen(b->cmd);
    if (len > LIMIT_HEARD_COMMAND_BYTES) {
        b->cmd[utf8_floor(b->cmd, len, LIMIT_HEARD_COMMAND_BYTES)] = '\0';
        b->cmd_truncated = true;
    }
    json_t *json = block_to_json(b);
    json_object_set_new(json, "redacted", json_integer(b->redacted));
    return json;
}

/* ---- what does not fit ---- */

/* Bytes of it in JSON. */
static size_t weight(const char *text)
{
    size_t bytes = 0;
    for (; *text; text++)
        bytes += (unsigned char)*text < ' ' ? 6 : strchr("\"\\", *text) ? 2 : 1;
    return bytes;
}

static void keep_half(char *text)
{
    size_t len = strlen(text);
    text[utf8_floor(text, len, len / 2)] = '\0';
}

/* The newer one, in whole lines. */
static void keep_newer_half(char *lines)
{
    size_t len = strlen(lines);
    char *from = strchr(lines + len / 2, '\n');
    from = from ? from + 1 : lines + len;
    memmove(lines, from, strlen(from) + 1);
}

/* Returns whether there was something to cut. */
static bool cut(struct block *b)
{
    char *texts[] = {b->preview, b->cmd, b->cwd, b->cwd_after}, *largest = b->preview;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (weight(texts[i]) > weight(largest))
            largest = texts[i];
    if (!*largest)
        return false;
    b->truncated = b->truncated || largest == b->preview;
    b->cmd_truncated = b->cmd_truncated || largest == b->cmd;
    if (largest == b->preview)
        keep_newer_half(largest);
    else
        keep_half(largest);
    return true;
}

static char *whole_text(struct block *b, const struct setup *setup, const struct identity *own,
                        const char *session, uint64_t number, bool at_once)
{
    int64_t now = clock_wall_ms();
    json_t *json = json_pack("{s:i, s:s, s:s, s:s, s:I, s:o}", "v", 1, "host_id", own->host_id,
                             "host", setup->host, "session", session, "number", (json_int_t)number,
                             "block", block_json(b));
    if (at_once)
        json_object_set_new(json, "now_ms", json_integer(now));
    if (*setup->sealing.id)
        json_object_set_new(json, "sent_ms", json_integer(now));
    char *text = json_dumps(json, JSON_COMPACT); /* blocks are UTF-8 */
    json_decref(json);
    return text ? text : text_copy("");
}

static char *text_within(struct block *b, const struct setup *setup, const struct identity *own,
                         const char *session, uint64_t number, size_t most, bool at_once)
{
    char *text = whole_text(b, setup, own, session, number, at_once);
    while (sealing_size(&setup->sealing, strlen(text)) > most && cut(b)) {
        free(text);
        text = whole_text(b, setup, own, session, number, at_once);
    }
    return text;
}

char *letter_text_within(struct block *b, const struct setup *setup, const struct identity *own,
                         const char *session, uint64_t number, size_t most)
{
    return text_within(b, setup, own, session, number, most, true);
}

char *letter_text(struct block *b, const struct setup *setup, const struct identity *own,
                  const char *session, uint64_t number)
{
    return text_within(b, setup, own, session, number, LIMIT_RELAY_LETTER_BYTES, false);
}

void letter_id(const struct block *b, const struct setup *setup, const struct identity *own,
               uint64_t number, unsigned salt, char ret_id[KEYS_ID_SIZE])
{
    char *text =
        text_format("%s/%s/%llu/%llu/%lld/%u%s%s", own->host_id, b->shell_id,
                    (unsigned long long)number, (unsigned long long)b->seq, (long long)b->ts_begin,
                    salt, *setup->sealing.id ? "/" : "", setup->sealing.id);
    keys_mac(own->key, text, ret_id);
    free(text);
}
