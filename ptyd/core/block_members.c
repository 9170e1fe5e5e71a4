/* A block's members stand in one table, from which it is made and freed, written and read, saved
 * and told. A further one is a field of struct block and a row here; one that agents are told of
 * has a field of struct entry_block and a row of envelope/entry.c, too. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "envelope/entry.h"
#include "ptyd/core/block.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

enum kind {
    TEXT,      /* char *, owned: a string */
    NUMBER,    /* int64_t or uint64_t: an integer */
    FLAG,      /* bool */
    WORD,      /* an enum: the string of `words` */
    EXIT_CODE, /* an integer; null when nobody knows it */
    SIGNAL,    /* made of it: a string or null */
    END,       /* int64_t: an integer; null while the command runs */
    WIDTHS,    /* int[], 0 behind the last: an array of integers */
    LINES,     /* the preview: {"lines": [...], "truncated": ...} */
    SECRETS,   /* what agents are told once there are any: {"cmd", "preview", "cwd",
                  "cwd_after", "redacted"} */
};

/* Whose JSON has the member. */
enum readers { EVERYBODY, OUR_FILES, CHECKPOINT };

static const char *const status_words[] = {"running", "completed", "killed",
                                           "stopped", "abandoned", NULL};
static const char *const type_words[] = {"user_cmd", "user_kill", "agent_cmd", NULL};
static const char *const source_words[] = {"echo", "shell", "history", "unknown", NULL};

#define AT(member)   .at = offsetof(struct block, member)
#define TOLD(member) .told = true, .entry = offsetof(struct entry_block, member)

/* In the order of the JSON, behind block_id, which is made of three of them. A member whose value
 * an agent is told as it is says where struct entry_block has it; the order and the defaults there
 * are envelope/entry.c's. */
static const struct field {
    const char *name;
    enum kind kind;
    enum readers readers;
    size_t at;                /* in struct block */
    const char *const *words; /* of a WORD, in the enum's order; NULL behind them */
    bool told;
    size_t entry; /* in struct entry_block */
    bool seldom;  /* left out where it is "" or 0 */
} fields[] = {
    {"conversation_id", TEXT, AT(conversation_id)},
    {"shell_id", TEXT, AT(shell_id), TOLD(shell_id)},
    {"seq", NUMBER, AT(seq)},
    {"cmd", TEXT, AT(cmd)},
    {"cmd_truncated", FLAG, AT(cmd_truncated)},
    {"cmd_source", WORD, AT(cmd_source), .words = source_words},
    {"cwd", TEXT, AT(cwd), TOLD(cwd)},
    {"cwd_after", TEXT, AT(cwd_after), TOLD(cwd_after)},
    {"exit_code", EXIT_CODE, AT(exit_code)},
    {"signal", SIGNAL, AT(exit_code)},
    {"status", WORD, AT(status), .words = status_words, TOLD(status)},
    {"type", WORD, AT(type), .words = type_words, TOLD(type)},
    {"ts_begin", NUMBER, AT(ts_begin)},
    {"ts_end", END, AT(ts_end), TOLD(ts_end)},
    {"duration_ms", NUMBER, AT(duration_ms), TOLD(duration_ms)},
    {"widths", WIDTHS, AT(widths)},
    {"output_lines", NUMBER, AT(output_lines)},
    {"output_bytes", NUMBER, AT(output_bytes)},
    {"output_path", TEXT, AT(output_path)},
    {"alt_screen", FLAG, AT(alt_screen)},
    {"nested", FLAG, AT(nested), TOLD(nested)},
    {"private", FLAG, AT(private)},
    {"unsigned", FLAG, AT(is_unsigned), TOLD(is_unsigned)},
    {"preview", LINES, AT(preview)},
    {"omitted_lines", NUMBER, AT(omitted_lines), TOLD(omitted_lines)},
    {"key", NUMBER, OUR_FILES, AT(key)},
    {"told", SECRETS, OUR_FILES, AT(redacted)},
    {"place", TEXT, OUR_FILES, AT(place), .seldom = true},
    {"unrecorded", FLAG, CHECKPOINT, AT(unrecorded)},
    {"host", TEXT, AT(host), TOLD(host), .seldom = true},
    {"host_id", TEXT, AT(host_id), .seldom = true},
    {"heard_ms", NUMBER, OUR_FILES, AT(heard_ms), .seldom = true},
    {"missed_before", NUMBER, AT(missed_before), TOLD(missed_before), .seldom = true},
    {.name = NULL},
};

/* ---- life ---- */

/* Where an owned string of a block is; NULL when the member is none. */
static char **string_of(struct block *b, const struct field *f)
{
    return f->kind == TEXT || f->kind == LINES ? (char **)((char *)b + f->at) : NULL;
}

struct block *block_create(void)
{
    struct block *b = memory_new(sizeof *b);
    b->references = 1;
    for (const struct field *f = fields; f->name; f++)
        if (string_of(b, f))
            *string_of(b, f) = text_copy("");
    return b;
}

struct block *block_ref(struct block *block)
{
    block->references++;
    return block;
}

void block_unref(struct block *b)
{
    if (!b || --b->references)
        return;
    for (const struct field *f = fields; f->name; f++)
        if (string_of(b, f))
            free(*string_of(b, f));
    block_untell(b);
    free(b);
}

/* ---- JSON ---- */

json_t *block_preview_json(const char *text, bool truncated)
{
    json_t *lines = json_array();
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, "\n");
        json_array_append_new(lines, json_stringn(at, len));
        at += len + (at[len] == '\n');
    }
    return json_pack("{s:o, s:b}", "lines", lines, "truncated", truncated);
}

static json_t *widths_json(const int *widths)
{
    json_t *array = json_array();
    for (; *widths; widths++)
        json_array_append_new(array, json_integer(*widths));
    return array;
}

/* New reference; NULL for a member that is left out. */
static json_t *member_json(const struct block *b, const struct field *f)
{
    const void *at = (const char *)b + f->at;
    switch (f->kind) {
    case TEXT:
        return f->seldom && !**(char *const *)at ? NULL : json_string(*(char *const *)at);
    case NUMBER:
        return f->seldom && !*(const int64_t *)at ? NULL : json_integer(*(const int64_t *)at);
    case FLAG:
        return json_boolean(*(const bool *)at);
    case WORD:
        return json_string(f->words[*(const unsigned *)at]);
    case EXIT_CODE:
        return b->has_exit_code ? json_integer(b->exit_code) : json_null();
    case SIGNAL:
        return json_pack("s?", block_signal(b));
    case END:
        return b->status == BLOCK_RUNNING ? json_null() : json_integer(*(const int64_t *)at);
    case WIDTHS:
        return widths_json(at);
    case LINES:
        return block_preview_json(b->preview, b->truncated);
    case SECRETS:
        return b->redacted ? json_pack("{s:s*, s:s*, s:s*, s:s*, s:i}", "cmd", b->told_cmd,
                                       "preview", b->told_preview, "cwd", b->told_cwd, "cwd_after",
                                       b->told_cwd_after, "redacted", b->redacted)
                           : NULL;
    }
    return NULL;
}

static void add_members(const struct block *b, enum readers readers, json_t *json)
{
    for (const struct field *f = fields; f->name; f++) {
        json_t *value = f->readers == readers ? member_json(b, f) : NULL;
        if (value)
            json_object_set_new(json, f->name, value);
    }
}

json_t *block_to_json(const struct block *b)
{
    char *id = block_id(b);
    json_t *json = json_pack("{s:s}", "block_id", id);
    free(id);
    add_members(b, EVERYBODY, json);
    return json;
}

void block_add_internal(const struct block *b, json_t *json)
{
    add_members(b, OUR_FILES, json);
}

void block_remove_internal(json_t *json)
{
    for (const struct field *f = fields; f->name; f++)
        if (f->readers == OUR_FILES)
            json_object_del(json, f->name);
}

static void replace(char **text, char *by)
{
    free(*text);
    *text = by;
}

static unsigned index_of(const json_t *value, const char *const *words)
{
    const char *text = json_string_value(value);
    for (unsigned i = 0; text && words[i]; i++)
        if (!strcmp(text, words[i]))
            return i;
    return 0;
}

static char *lines_of(const json_t *preview)
{
    struct bytes text = {0};
    size_t i;
    json_t *line;
    bytes_append_text(&text, "");
    json_array_foreach(json_object_get(preview, "lines"), i, line) {
        bytes_append_text(&text, json_string_value(line) ? json_string_value(line) : "");
        bytes_append_char(&text, '\n');
    }
    if (text.failed)
        memory_end();
    return text.data;
}

static char *told_text(const json_t *told, const char *key)
{
    const char *text = json_text(told, key, NULL);
    return text ? text_copy(text) : NULL;
}

void block_widths(const json_t *json, int ret_widths[LIMIT_BLOCK_WIDTHS + 1])
{
    const json_t *array = json_object_get(json, "widths"), *value;
    size_t i, count = 0;
    json_array_foreach(array, i, value) {
        json_int_t cols = json_integer_value(value);
        if (count < LIMIT_BLOCK_WIDTHS && cols > 0 && cols <= LIMIT_SIZE_MAX)
            ret_widths[count++] = (int)cols;
    }
    ret_widths[count] = 0;
}

static void set_member(struct block *b, const struct field *f, const json_t *value)
{
    void *at = (char *)b + f->at;
    switch (f->kind) {
    case TEXT:
        replace(at, text_copy(json_string_value(value)));
        break;
    case NUMBER:
    case END:
        *(int64_t *)at = json_integer_value(value);
        break;
    case FLAG:
        *(bool *)at = json_is_true(value);
        break;
    case WORD:
        *(unsigned *)at = index_of(value, f->words);
        break;
    case EXIT_CODE:
        b->has_exit_code = json_is_integer(value);
        b->exit_code = (int)json_integer_value(value);
        break;
    case WIDTHS: /* block_from_json() has read them */
        break;
    case LINES:
        replace(at, lines_of(value));
        b->truncated = json_flag(value, "truncated");
        break;
    case SECRETS:
        b->told_cmd = told_text(value, "cmd");
        b->told_preview = told_text(value, "preview");
        b->told_cwd = told_text(value, "cwd");
        b->told_cwd_after = told_text(value, "cwd_after");
        b->redacted = (int)json_number(value, "redacted", 0);
        break;
    case SIGNAL: /* made of the exit code */
        break;
    }
}

struct block *block_from_json(const json_t *json)
{
    if (json_number(json, "seq", 0) < 1)
        return NULL;
    struct block *b = block_create();
    for (const struct field *f = fields; f->name; f++)
        set_member(b, f, json_object_get(json, f->name));
    block_widths(json, b->widths);
    return b;
}

/* ---- the checkpoint ---- */

void block_save(const struct block *b, struct bytes *out)
{
    json_t *json = b ? block_to_json(b) : NULL;
    if (b)
        add_members(b, CHECKPOINT, json);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    pack_run(out, text ? text : "", text ? strlen(text) : 0);
    free(text);
    json_decref(json);
}

struct block *block_load(struct unpack *in)
{
    size_t len;
    const char *text = unpack_run(in, &len);
    json_t *json = text && len ? json_loadb(text, len, 0, NULL) : NULL;
    struct block *block = json ? block_from_json(json) : NULL;
    json_decref(json);
    return block;
}

/* ---- for an agent ---- */

static void tell_member(const struct block *b, const struct field *f, struct entry_block *entry)
{
    static const size_t sizes[] = {[TEXT] = sizeof(char *),
                                   [NUMBER] = sizeof(int64_t),
                                   [FLAG] = sizeof(bool),
                                   [END] = sizeof(int64_t)};
    const void *at = (const char *)b + f->at;
    void *to = (char *)entry + f->entry;
    if (f->kind == WORD)
        *(const char **)to = f->words[*(const unsigned *)at];
    else
        memcpy(to, at, sizes[f->kind]);
}

void block_tell(const struct block *b, struct entry_block *entry)
{
    for (const struct field *f = fields; f->name; f++)
        if (f->told)
            tell_member(b, f, entry);
}
