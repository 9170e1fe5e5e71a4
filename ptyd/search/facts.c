#include "ptyd/search/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"

void facts_finish(struct facts *f)
{
    bytes_finish(&f->cmd);
    bytes_finish(&f->cwd);
    bytes_finish(&f->status);
    bytes_finish(&f->output_path);
    bytes_finish(&f->preview);
}

void facts_clean(struct bytes *text)
{
    if (!text->len || (utf8_valid(text->data, text->len) && !memchr(text->data, 0, text->len)))
        return;
    char *cleaned = text_clean(text->data, text->len, 3 * text->len);
    bytes_finish(text);
    bytes_append_text(text, cleaned);
    free(cleaned);
}

/* Always ended by a NUL, also when it is empty. */
static bool take_text(struct bytes *to, struct json_piece value)
{
    to->len = 0;
    if (!bytes_reserve(to, 1))
        memory_end();
    to->data[0] = '\0';
    bool is = json_piece_text(value, to);
    facts_clean(to);
    if (to->failed)
        memory_end();
    return is;
}

static bool take_preview(struct facts *f, struct json_piece value)
{
    struct json_piece inside, key, lines, line;
    int found, item = 0;
    if (!json_walk_into(value, '{', &inside))
        return false;
    while ((found = json_walk_member(&inside, &key, &lines)) > 0) {
        if (!json_piece_is(key, "lines") || !json_walk_into(lines, '[', &lines))
            continue;
        while ((item = json_walk_item(&lines, &line)) > 0 && json_piece_text(line, &f->preview)) {
            bytes_append_char(&f->preview, '\n');
            f->previewed++;
        }
    }
    facts_clean(&f->preview);
    if (f->preview.failed)
        memory_end();
    return found == 0 && item == 0;
}

static bool take_exit_code(struct facts *f, struct json_piece value)
{
    long long code = json_piece_number(value, INT64_MIN);
    f->has_exit_code = code != INT64_MIN;
    f->exit_code = f->has_exit_code ? (int)code : 0;
    return true;
}

static bool take_member(struct facts *f, struct json_piece key, struct json_piece value)
{
    const struct {
        const char *name;
        int64_t *number;
        struct bytes *text;
    } members[] = {
        {"seq", &f->seq, NULL},
        {"ts_begin", &f->ts_begin, NULL},
        {"ts_end", &f->ts_end, NULL},
        {"duration_ms", &f->duration_ms, NULL},
        {"output_lines", &f->output_lines, NULL},
        {"output_bytes", &f->output_bytes, NULL},
        {"cmd", NULL, &f->cmd},
        {"cwd", NULL, &f->cwd},
        {"status", NULL, &f->status},
        {"output_path", NULL, &f->output_path},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (!json_piece_is(key, members[i].name))
            continue;
        if (members[i].text)
            return take_text(members[i].text, value);
        *members[i].number = json_piece_number(value, 0);
        return true;
    }
    if (json_piece_is(key, "exit_code"))
        return take_exit_code(f, value);
    return !json_piece_is(key, "preview") || take_preview(f, value);
}

static bool take_object(struct facts *f, struct json_piece text)
{
    struct bytes *texts[] = {&f->cmd, &f->cwd, &f->status, &f->output_path};
    struct json_piece inside, key, value;
    int found = -1;
    f->seq = f->ts_begin = f->ts_end = f->duration_ms = f->output_lines = f->output_bytes = 0;
    f->has_exit_code = f->runs = false;
    f->exit_code = 0;
    f->preview.len = f->previewed = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        take_text(texts[i], (struct json_piece){0});
    if (json_walk_into(text, '{', &inside))
        while ((found = json_walk_member(&inside, &key, &value)) > 0 && take_member(f, key, value))
            ;
    f->runs = !strcmp(f->status.data, "running");
    return found == 0;
}

bool facts_read(struct facts *f, struct json_piece line)
{
    return line.len && seal_is_whole(line.at, line.len) && take_object(f, line);
}

bool facts_take(struct facts *f, const json_t *block)
{
    char *text = json_dumps(block, JSON_COMPACT);
    bool is = text && take_object(f, (struct json_piece){text, strlen(text)});
    free(text);
    return is;
}
