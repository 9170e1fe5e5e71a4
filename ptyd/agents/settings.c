#define _GNU_SOURCE
#include "ptyd/agents/settings.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/agents/plugin.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"

/* ---- the file ---- */

/* A settings file that is a link (dotfiles are) stays one: its target is replaced. */
static char *target_of(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : text_copy(path);
}

static char *kept_of(const char *path)
{
    return text_format("%s.before-ptyd", path);
}

/* What the file is before anything is in it. */
static json_t *empty_of(const struct agent *a)
{
    return a->versioned ? json_pack("{s:i}", "version", 1) : json_object();
}

/* An object; an empty one when there is no file. NULL with *ret_error when it is not to be parsed;
 * twice the same key is not either, one would get lost. */
static json_t *load(const struct agent *a, const char *path, int *ret_error)
{
    struct bytes text = {0};
    int result = file_read_regular(path, LIMIT_SETTINGS_BYTES, &text);
    json_t *json = NULL;
    if (result == -ENOENT)
        json = empty_of(a);
    else if (result == 0)
        json = json_loadb(text.data ? text.data : "", text.len, JSON_REJECT_DUPLICATES, NULL);
    bytes_finish(&text);
    *ret_error = result < 0 && result != -ENOENT ? result : -EBADMSG;
    if (json && !json_is_object(json)) {
        json_decref(json);
        json = NULL;
    }
    return json;
}

/* As these agents write it themselves, with the shortest numbers that come back the same. */
static char *dump(const json_t *json)
{
    for (size_t precision = 15; precision <= 17; precision++) {
        char *text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(precision));
        json_t *again = text ? json_loads(text, 0, NULL) : NULL;
        bool same = again && json_equal(again, json);
        json_decref(again);
        if (same)
            return text;
        free(text);
    }
    return NULL;
}

static int save(const char *path, const json_t *json)
{
    char *text = dump(json);
    char *line = text ? text_format("%s\n", text) : NULL;
    int result = line ? file_replace_kept(path, line, strlen(line)) : -EBADMSG;
    free(text);
    free(line);
    return result;
}

static int copy(const char *from, const char *to)
{
    struct bytes text = {0};
    int result = file_read_regular(from, LIMIT_SETTINGS_BYTES, &text);
    if (result == 0)
        result = file_replace_kept(to, text.data ? text.data : "", text.len);
    bytes_finish(&text);
    return result;
}

/* ---- the hook ---- */

static json_t *make_hook(const struct settings_hook *h)
{
    char *program = text_shell_quote(h->program);
    json_t *hook = json_pack("{s:s, s:o, s:i}", "type", "command", "command",
                             json_sprintf("%s hook %s", program, h->agent->name), "timeout",
                             h->agent->timeout);
    if (h->agent->hook_name)
        json_object_set_new(hook, "name", json_string(h->agent->hook_name));
    free(program);
    return json_pack("{s:[o]}", "hooks", hook);
}

/* What the shell makes of one word, quoted as text_shell_quote() does it. New string. */
static char *unquote(const char *word)
{
    struct bytes plain = {0};
    bool quoted = false;
    bytes_append_text(&plain, "");
    for (; *word; word++)
        if (*word == '\'')
            quoted = !quoted;
        else if (quoted || *word != '\\' || !word[1])
            bytes_append_char(&plain, *word);
        else
            bytes_append_char(&plain, *++word);
    if (plain.failed)
        memory_end();
    return plain.data;
}

/* One word, which names a ptyd, wherever that is: as settings_add() writes it. */
static bool names_ptyd(const struct settings_hook *h, const char *word)
{
    char *program = unquote(word), *again = text_shell_quote(program);
    const char *slash = strrchr(program, '/');
    bool names = !strcmp(again, word) && (!strcmp(slash ? slash + 1 : program, "ptyd") ||
                                          (h->program && !strcmp(program, h->program)));
    free(program);
    free(again);
    return names;
}

/* `PTYD hook AGENT`, and nothing else: what calls it by the way is its owner's. */
static bool is_ours(const struct settings_hook *h, const json_t *hook)
{
    const char *command = json_text(hook, "command", NULL);
    char *ending = text_format(" hook %s", h->agent->name);
    size_t len = command ? strlen(command) : 0, tail = strlen(ending);
    bool ours = len > tail && !strcmp(command + len - tail, ending);
    char *word = ours ? text_format("%.*s", (int)(len - tail), command) : NULL;
    ours = ours && names_ptyd(h, word);
    free(ending);
    free(word);
    return ours;
}

static bool is_there(const struct settings_hook *h, const json_t *groups)
{
    size_t i, k;
    json_t *group, *hook;
    json_array_foreach(groups, i, group)
        json_array_foreach(json_object_get(group, "hooks"), k, hook)
            if (is_ours(h, hook))
                return true;
    return false;
}

/* The events at which the agent runs the hook; behind the last, NULL. */
static const char *event_of(const struct agent *a, int i)
{
    const char *const events[] = {a->event, a->after, a->begins, NULL};
    return events[i];
}

/* Whether it is there for each of them. */
static bool is_complete(const struct settings_hook *h, const json_t *settings)
{
    const json_t *hooks = json_object_get(settings, "hooks");
    const char *event;
    for (int i = 0; (event = event_of(h->agent, i)); i++)
        if (!is_there(h, json_object_get(hooks, event)))
            return false;
    return true;
}

/* The array of an event's hooks, made where it is missing; NULL when something else is there. */
static json_t *groups_of(json_t *settings, const char *event)
{
    json_t *hooks = json_object_get(settings, "hooks");
    if (!hooks)
        json_object_set_new(settings, "hooks", hooks = json_object());
    json_t *groups = json_object_get(hooks, event);
    if (!groups && json_is_object(hooks))
        json_object_set_new(hooks, event, groups = json_array());
    return json_is_array(groups) ? groups : NULL;
}

/* Puts it where it is missing. Returns false when something else is in the way. */
static bool put_in(const struct settings_hook *h, json_t *settings)
{
    const char *event;
    for (int i = 0; (event = event_of(h->agent, i)); i++) {
        json_t *groups = groups_of(settings, event);
        if (!groups)
            return false;
        if (!is_there(h, groups))
            json_array_append_new(groups, make_hook(h));
    }
    return true;
}

char *settings_path(const struct agent *a)
{
    const char *given = a->variable ? getenv(a->variable) : NULL, *home = getenv("HOME");
    if (given && *given)
        return text_format("%s/%s", given, a->file);
    return text_format("%s/%s/%s", home ? home : "", a->directory, a->file);
}

bool settings_has(const struct settings_hook *h)
{
    int ignored;
    if (h->agent->plugin)
        return plugin_is_ours(h->path);
    char *path = target_of(h->path);
    json_t *settings = load(h->agent, path, &ignored);
    bool has = is_complete(h, settings);
    json_decref(settings);
    free(path);
    return has;
}

int settings_add(const struct settings_hook *h)
{
    int result;
    if (h->agent->plugin)
        return plugin_add(h->path, h->program, h->agent->name);
    char *path = target_of(h->path), *kept = kept_of(path), *directory = paths_parent(path);
    json_t *settings = load(h->agent, path, &result);
    if (is_complete(h, settings)) {
        result = 0;
    } else if (settings && put_in(h, settings)) {
        result = file_make_directory(directory);
        if (result == 0 && access(path, F_OK) == 0 && access(kept, F_OK) < 0)
            result = copy(path, kept);
        if (result == 0)
            result = save(path, settings);
        result = result == 0 ? 1 : result;
    }
    json_decref(settings);
    free(path);
    free(kept);
    free(directory);
    return result;
}

static bool take_out_of(const struct settings_hook *h, json_t *hooks, const char *event)
{
    json_t *groups = json_object_get(hooks, event);
    bool found = false;
    for (size_t i = json_array_size(groups); i > 0; i--) {
        json_t *list = json_object_get(json_array_get(groups, i - 1), "hooks");
        size_t before = json_array_size(list);
        for (size_t k = before; k > 0; k--)
            if (is_ours(h, json_array_get(list, k - 1)))
                json_array_remove(list, k - 1);
        found = found || json_array_size(list) < before;
        if (before && !json_array_size(list))
            json_array_remove(groups, i - 1);
    }
    if (found && !json_array_size(groups))
        json_object_del(hooks, event);
    return found;
}

/* Takes our hooks out, and what is empty then. */
static bool take_out(const struct settings_hook *h, json_t *settings)
{
    json_t *hooks = json_object_get(settings, "hooks");
    const char *event;
    bool found = false;
    for (int i = 0; (event = event_of(h->agent, i)); i++)
        found = take_out_of(h, hooks, event) || found;
    if (found && !json_object_size(hooks))
        json_object_del(settings, "hooks");
    return found;
}

/* Writes what is left: the kept file when it says the same, none when nothing is left. */
static int give_back(const struct agent *a, const char *path, const char *kept,
                     const json_t *settings)
{
    int ignored, result;
    json_t *before = access(kept, F_OK) == 0 ? load(a, kept, &ignored) : NULL;
    json_t *empty = empty_of(a);
    if (before && json_equal(before, settings))
        result = copy(kept, path);
    else if (!before && json_equal(settings, empty))
        result = unlink(path) < 0 ? -errno : 0;
    else
        result = save(path, settings);
    if (result == 0 && before)
        unlink(kept);
    json_decref(before);
    json_decref(empty);
    return result;
}

int settings_remove(const struct settings_hook *h)
{
    int result;
    if (h->agent->plugin)
        return plugin_remove(h->path);
    char *path = target_of(h->path), *kept = kept_of(path);
    json_t *settings = load(h->agent, path, &result);
    if (settings && !take_out(h, settings))
        result = 0;
    else if (settings && (result = give_back(h->agent, path, kept, settings)) == 0)
        result = 1;
    json_decref(settings);
    free(path);
    free(kept);
    return result;
}

char *settings_example(const struct settings_hook *h)
{
    if (h->agent->plugin)
        return plugin_text(h->program, h->agent->name);
    json_t *json = json_object();
    put_in(h, json);
    char *text = json_dumps(json, JSON_INDENT(2));
    json_decref(json);
    return text;
}
