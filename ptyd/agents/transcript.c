/* A prompt is a line {"type": "user", "promptId": ID, ...}; what the agent answers, and what its
 * tools do, are further lines of type assistant or user. A prompt that is taken back (Esc before
 * the first word of an answer) stays in the file, but nothing follows it: the next one is written
 * behind what came before. At the hook of a prompt that one's own line is not there yet. */
#define _GNU_SOURCE
#include "ptyd/agents/transcript.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"

/* The end of the file, from the begin of a line on; *ret_whole: that is all of it. */
static bool read_end(const char *path, size_t most, struct bytes *out, bool *ret_whole)
{
    struct stat st;
    int fd = file_open_regular(path);
    if (fd < 0)
        return false;
    ssize_t got = -1;
    if (fstat(fd, &st) == 0) {
        size_t size = (size_t)st.st_size < most ? (size_t)st.st_size : most;
        char *room = bytes_reserve(out, size + 1);
        got = room ? file_read_at(fd, room, size, st.st_size - (off_t)size) : -1;
        *ret_whole = (off_t)size == st.st_size;
    }
    close(fd);
    if (got < 0)
        return false;
    out->len = (size_t)got;
    const char *first = *ret_whole ? NULL : memchr(out->data, '\n', out->len);
    bytes_consume(out, first ? (size_t)(first + 1 - out->data) : *ret_whole ? 0 : out->len);
    return true;
}

/* The next line as JSON, a new reference; NULL for one that is none, and at the end. */
static json_t *next_line(const struct bytes *text, size_t *at)
{
    const char *line = text->data + *at, *end = memchr(line, '\n', text->len - *at);
    size_t len = end ? (size_t)(end - line) : text->len - *at;
    *at += len + 1;
    return json_loadb(line, len, JSON_ALLOW_NUL, NULL);
}

static bool is_of_type(const json_t *line, const char *type)
{
    return !strcmp(json_text(line, "type", ""), type) && !json_flag(line, "isSidechain");
}

bool transcript_goes_on(const char *path, const char *prompt_id)
{
    struct bytes text = {0};
    bool whole = false, found = false, on = false;
    if (!read_end(path, LIMIT_TRANSCRIPT_BYTES, &text, &whole))
        return false;
    for (size_t at = 0; at < text.len && !on;) {
        json_t *line = next_line(&text, &at);
        bool users = is_of_type(line, "user");
        if (found)
            on = users || is_of_type(line, "assistant");
        else
            found = users && !strcmp(json_text(line, "promptId", ""), prompt_id);
        json_decref(line);
    }
    bytes_finish(&text);
    return found ? on : !whole; /* so far back that much came behind it */
}

/* ---- what was taken back ---- */

/* The next line if it is one of a user's prompt, as JSON, a new reference; else NULL. */
static json_t *next_prompt(const struct bytes *text, size_t *at)
{
    static const char key[] = "\"promptId\"";
    const char *line = text->data + *at, *end = memchr(line, '\n', text->len - *at);
    size_t len = end ? (size_t)(end - line) : text->len - *at;
    json_t *json = NULL;
    if (memmem(line, len, key, strlen(key)))
        json = next_line(text, at);
    else
        *at += len + 1;
    if (is_of_type(json, "user") && json_text(json, "promptId", NULL))
        return json;
    json_decref(json);
    return NULL;
}

/* A prompt's own line: the first one that names it. */
struct prompt {
    size_t begin;
    json_t *line;
};

/* The prompt of that id and those in front of it, the newest; NULLs where it is not there. */
static void find_prompts(const struct bytes *text, const char *prompt_id,
                         struct prompt ret_prompts[LIMIT_PROMPTS_BEFORE])
{
    json_t *seen = json_object();
    size_t count = 0;
    for (size_t at = 0, begin = 0; at < text->len && !json_object_get(seen, prompt_id);
         begin = at) {
        json_t *line = next_prompt(text, &at);
        const char *id = json_text(line, "promptId", NULL);
        if (id && !json_object_get(seen, id)) {
            struct prompt *own = &ret_prompts[count++ % LIMIT_PROMPTS_BEFORE];
            json_decref(own->line);
            *own = (struct prompt){begin, json_incref(line)};
            json_object_set_new(seen, id, json_true());
        }
        json_decref(line);
    }
    for (size_t i = 0; i < LIMIT_PROMPTS_BEFORE && !json_object_get(seen, prompt_id); i++) {
        json_decref(ret_prompts[i].line);
        ret_prompts[i].line = NULL;
    }
    json_decref(seen);
}

/* Behind the line of that id; the text's end where it is not there. */
static size_t behind(const struct bytes *text, const char *uuid)
{
    char *key = text_format("\"uuid\":\"%s\"", uuid);
    const char *at = memmem(text->data, text->len, key, strlen(key));
    const char *end = at ? memchr(at, '\n', (size_t)(text->data + text->len - at)) : NULL;
    free(key);
    return end ? (size_t)(end + 1 - text->data) : text->len;
}

/* Behind what the prompt follows; null is the begin of all. */
static size_t branches_at(const struct bytes *text, bool whole, const json_t *prompt)
{
    const json_t *parent = json_object_get(prompt, "parentUuid");
    if (json_is_string(parent))
        return behind(text, json_string_value(parent));
    return json_is_null(parent) && whole ? 0 : text->len;
}

static void add(json_t *prompts, const char *id)
{
    if (json_object_size(prompts) < LIMIT_TAKEN_BACK)
        json_object_set_new(prompts, id, json_true());
}

static void leave_out(json_t *prompts, const char *id)
{
    json_object_del(prompts, id);
}

static void each_prompt(const struct bytes *text, size_t from, size_t to, json_t *prompts,
                        void (*what)(json_t *prompts, const char *id))
{
    while (from < to) {
        json_t *line = next_prompt(text, &from);
        if (line)
            what(prompts, json_text(line, "promptId", ""));
        json_decref(line);
    }
}

/* Prompts that begin between two places; a line there may be a late one of a turn from before. */
static void add_between(const struct bytes *text, size_t from, size_t to, json_t *prompts)
{
    json_t *between = json_object();
    each_prompt(text, from, to, between, add);
    if (json_object_size(between))
        each_prompt(text, 0, from, between, leave_out);
    json_object_update(prompts, between);
    json_decref(between);
}

/* Whether the prompt is there, and what it follows. */
static bool is_reached(const struct bytes *text, bool whole, const char *prompt_id,
                       const struct prompt own[LIMIT_PROMPTS_BEFORE])
{
    size_t i = 0;
    while (i < LIMIT_PROMPTS_BEFORE && strcmp(json_text(own[i].line, "promptId", ""), prompt_id))
        i++;
    return i < LIMIT_PROMPTS_BEFORE && branches_at(text, whole, own[i].line) < text->len;
}

/* Reads as much of the end as it takes to reach that; mostly the first piece does. */
static void read_prompts(const char *path, const char *prompt_id, struct bytes *text,
                         bool *ret_whole, struct prompt ret_prompts[LIMIT_PROMPTS_BEFORE])
{
    bool over = false;
    for (size_t most = LIMIT_TRANSCRIPT_BYTES; !over; most *= 2) {
        text->len = 0;
        for (size_t i = 0; i < LIMIT_PROMPTS_BEFORE; i++)
            json_decref(ret_prompts[i].line);
        memset(ret_prompts, 0, LIMIT_PROMPTS_BEFORE * sizeof *ret_prompts);
        over = !read_end(path, most, text, ret_whole);
        if (!over)
            find_prompts(text, prompt_id, ret_prompts);
        over = over || *ret_whole || most >= LIMIT_TRANSCRIPT_MOST ||
               is_reached(text, *ret_whole, prompt_id, ret_prompts);
    }
}

/* Of one whose turn was broken off nothing is heard; so those in front of it are looked at, too. */
json_t *transcript_taken_back(const char *path, const char *prompt_id)
{
    struct prompt own[LIMIT_PROMPTS_BEFORE] = {0};
    struct bytes text = {0};
    json_t *prompts = json_object(), *ids = json_array(), *value;
    const char *id;
    bool whole = false;
    read_prompts(path, prompt_id, &text, &whole, own);
    for (size_t i = 0; i < LIMIT_PROMPTS_BEFORE; i++) {
        if (own[i].line)
            add_between(&text, branches_at(&text, whole, own[i].line), own[i].begin, prompts);
        json_decref(own[i].line);
    }
    json_object_foreach(prompts, id, value)
        json_array_append_new(ids, json_string(id));
    json_decref(prompts);
    bytes_finish(&text);
    return ids;
}

/* ---- forks ---- */

/* What a conversation's last answer was like. */
struct answer {
    int64_t ms; /* since the epoch; 0 for none */
    json_int_t tokens;
};

static json_int_t tokens_of(const json_t *line)
{
    static const char *const kinds[] = {"input_tokens", "cache_creation_input_tokens",
                                        "cache_read_input_tokens", "output_tokens"};
    const json_t *usage = json_at(line, "message", "usage");
    json_int_t sum = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        sum += json_number(usage, kinds[i], 0);
    return sum;
}

static int64_t time_of(const json_t *line)
{
    return clock_rfc3339_ms(json_text(line, "timestamp", ""));
}

static struct answer last_answer(const char *path)
{
    struct answer last = {0};
    struct bytes text = {0};
    bool whole;
    if (read_end(path, LIMIT_TRANSCRIPT_END_BYTES, &text, &whole))
        for (size_t at = 0; at < text.len;) {
            json_t *line = next_line(&text, &at);
            if (is_of_type(line, "assistant"))
                last = (struct answer){time_of(line), tokens_of(line)};
            json_decref(line);
        }
    bytes_finish(&text);
    return last;
}

/* Whether it is the answer that the event speaks of: seconds are rounded, and the event took its
 * time to get here. */
static bool is_it(const struct answer *a, const json_t *start, int64_t now)
{
    json_int_t seconds = json_number(start, "seconds_since_last_response", -1);
    int64_t since = now - a->ms;
    return a->ms && seconds >= 0 && a->tokens == json_number(start, "context_tokens", -1) &&
           since > seconds * 1000 - 1000 && since < seconds * 1000 + LIMIT_FORK_MS;
}

/* The conversation that a file in that directory is of, where it is a transcript; else NULL. */
static char *id_of(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && !strcmp(end, ".jsonl") ? text_format("%.*s", (int)(end - name), name) : NULL;
}

char *transcript_parent(const json_t *start)
{
    char *directory = paths_parent(json_text(start, "transcript_path", ""));
    DIR *files = opendir(directory);
    const struct dirent *file;
    char *parent = NULL;
    int64_t now = clock_wall_ms();
    int found = 0;
    while (files && (file = readdir(files))) {
        char *id = id_of(file->d_name), *path = text_format("%s/%s", directory, file->d_name);
        struct answer last = {0};
        if (id && strcmp(id, json_text(start, "session_id", "")) != 0)
            last = last_answer(path);
        if (is_it(&last, start, now) && !found++)
            parent = text_copy(id);
        free(id);
        free(path);
    }
    if (files)
        closedir(files);
    free(directory);
    if (found == 1)
        return parent;
    free(parent);
    return NULL;
}
