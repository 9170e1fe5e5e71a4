#include "ptyd/client/chosen.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/inside.h"
#include "ptyd/client/request.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define FEW  32 /* blocks that are asked for first */
#define MORE 16 /* times as many then */

/* ---- the newest ---- */

static bool is_worth(const json_t *block, bool inside_it)
{
    bool runs = !strcmp(json_text(block, "status", ""), "running");
    return !(runs && inside_it) && !json_flag(block, "forgotten") &&
           !deliver_is_ptyd(json_text(block, "cmd", ""));
}

/* At most `count` of them, oldest first. */
static json_t *select_newest(const json_t *blocks, bool inside_it, size_t count)
{
    json_t *chosen = json_array();
    for (size_t i = json_array_size(blocks); i-- && json_array_size(chosen) < count;)
        if (is_worth(json_array_get(blocks, i), inside_it))
            json_array_insert(chosen, 0, json_array_get(blocks, i));
    return chosen;
}

json_t *chosen_newest(const struct cli *cli, size_t count)
{
    bool inside_it = !strcmp(inside_session(), cli->session);
    for (size_t last = count + FEW;; last *= MORE) {
        last = last < LIMIT_ASKED ? last : LIMIT_ASKED;
        json_t *blocks =
            request_look("session.blocks",
                         json_pack("{s:s, s:I}", "name", cli->session, "last", (json_int_t)last));
        json_t *chosen = select_newest(blocks, inside_it, count);
        bool all = json_array_size(blocks) < last || last == LIMIT_ASKED;
        bool answered = blocks != NULL;
        json_decref(blocks);
        if (answered && (json_array_size(chosen) == count || (all && json_array_size(chosen))))
            return chosen;
        json_decref(chosen);
        if (answered && all)
            say("session %s has no command yet to show", cli->session);
        if (!answered || all)
            return NULL;
    }
}

json_t *chosen_block(const struct cli *cli, const char *id, bool bytes)
{
    json_t *newest = id ? NULL : chosen_newest(cli, 1);
    if (!id && !newest)
        return NULL;
    json_t *result = request_look(
        "session.block",
        json_pack("{s:s, s:s, s:b}", "name", cli->session, "block",
                  id ? id : json_text(json_array_get(newest, 0), "block_id", ""), "bytes", bytes));
    json_decref(newest);
    if (!json_flag(json_object_get(result, "block"), "forgotten"))
        return result;
    say("block %s of session %s is forgotten: nothing of it is kept", id, cli->session);
    json_decref(result);
    return NULL;
}

const char *chosen_id(struct cli *cli, const char *id)
{
    const char *colon = strchr(cli_text("ID", id), ':');
    char *name = colon ? text_format("%.*s", (int)(colon - id), id) : NULL;
    bool named = name && text_is_name(name), other = named && strcmp(name, cli->session) != 0;
    if (other && cli->session_given)
        cli_usage("'%s' is a block of session %s, and -s says %s", id, name, cli->session);
    if (other)
        cli->session = name; /* until the end */
    else
        free(name);
    return colon && !strchr(colon + 1, ':') ? colon + 1 : id;
}

/* ---- its output ---- */

char *chosen_path(const json_t *result)
{
    return text_format("%s/%s", json_text(result, "directory", ""),
                       json_text(json_object_get(result, "block"), "output_path", ""));
}

static void append_preview(const json_t *block, struct bytes *out)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_at(block, "preview", "lines"), i, line) {
        bytes_append(out, json_string_value(line), json_string_length(line));
        bytes_append_char(out, '\n');
    }
}

bool chosen_output(const json_t *result, struct bytes *out)
{
    const json_t *block = json_object_get(result, "block");
    char *path = chosen_path(result);
    bool read = file_read_regular(path, LIMIT_OUTPUT_FILE_BYTES + 1, out) == 0;
    if (!read && json_number(block, "output_bytes", 0))
        say("%s cannot be read any more; this is the end of the output", path);
    if (!read)
        append_preview(block, out);
    free(path);
    return read;
}
