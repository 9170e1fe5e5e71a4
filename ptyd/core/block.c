#include "ptyd/core/block.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ptyd/core/text.h"

static const char *const status_names[] = {"running", "completed", "killed", "stopped",
                                           "abandoned"};
static const char *const type_names[] = {"user_cmd", "user_kill", "agent_cmd"};
static const char *const source_names[] = {"echo", "shell", "history"};

struct block *block_create(void)
{
    struct block *b = memory_new(sizeof *b);
    b->references = 1;
    char **strings[] = {&b->conversation_id, &b->shell_id,    &b->cmd,    &b->cwd,
                        &b->cwd_after,       &b->output_path, &b->preview};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        *strings[i] = text_copy("");
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
    free(b->conversation_id);
    free(b->shell_id);
    free(b->cmd);
    free(b->cwd);
    free(b->cwd_after);
    free(b->output_path);
    free(b->preview);
    free(b->told_cmd);
    free(b->told_preview);
    free(b);
}

char *block_id(const struct block *b)
{
    return text_format("%s:%llu:%lld", b->conversation_id, (unsigned long long)b->seq,
                       (long long)b->ts_begin);
}

static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},       {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
        {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
        {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},     {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
        {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},     {SIGTERM, "SIGTERM"}, {SIGSTOP, "SIGSTOP"},
        {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},     {SIGTTOU, "SIGTTOU"}, {SIGXCPU, "SIGXCPU"},
        {SIGXFSZ, "SIGXFSZ"}, {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGSYS, "SIGSYS"},
        {SIGPOLL, "SIGPOLL"}, {SIGPWR, "SIGPWR"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number)
            return names[i].name;
    return NULL;
}

const char *block_signal(const struct block *b)
{
    return b->has_exit_code && b->exit_code > 128 ? signal_name(b->exit_code - 128) : NULL;
}

void block_set_exit(struct block *b, int status)
{
    b->has_exit_code = true;
    b->exit_code = status;
    b->status = BLOCK_COMPLETED;
    if (!block_signal(b))
        return;
    int number = status - 128;
    bool stops = number == SIGTSTP || number == SIGSTOP || number == SIGTTIN || number == SIGTTOU;
    b->status = stops ? BLOCK_STOPPED : BLOCK_KILLED;
}

/* ---- what agents are told ---- */

static int redact(const char *text, const struct redact_secrets *secrets, char **told)
{
    struct bytes out = {0};
    int count = redact_text(text, strlen(text), secrets, NULL, NULL, &out);
    free(*told);
    *told = count ? text_copy(out.data) : NULL;
    if (out.failed)
        abort();
    bytes_finish(&out);
    return count;
}

void block_redact(struct block *b, const struct redact_secrets *secrets)
{
    b->redacted = redact(b->cmd, secrets, &b->told_cmd);
    b->redacted += redact(b->preview, secrets, &b->told_preview);
}

/* ---- nested shells ---- */

static bool is_word(const char *word, size_t len, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == len && !memcmp(word, *list, len))
            return true;
    return false;
}

static const char *next_word(const char *at, size_t *ret_len)
{
    at += strspn(at, " \t");
    *ret_len = strcspn(at, " \t\n;|&");
    return at;
}

static const char *base_name(const char *word, size_t *len)
{
    for (size_t i = *len; i > 0; i--)
        if (word[i - 1] == '/') {
            *len -= i;
            return word + i;
        }
    return word;
}

/* A shell nests when it reads its commands from the terminal: no script, no -c. */
static bool shell_is_interactive(const char *arguments)
{
    size_t len;
    for (const char *at = next_word(arguments, &len); len; at = next_word(at + len, &len)) {
        if (at[0] != '-' || (at[1] != '-' && memchr(at, 'c', len)))
            return false;
    }
    return true;
}

bool block_command_nests(const char *cmd)
{
    static const char *const shells[] = {"bash", "zsh", "fish", "sh",    "dash", "ksh", "mksh",
                                         "tcsh", "csh", "nu",   "xonsh", "pwsh", NULL};
    static const char *const always[] = {"ssh",        "mosh",      "telnet",  "su",
                                         "tmux",       "screen",    "zellij",  "login",
                                         "machinectl", "distrobox", "toolbox", NULL};
    static const char *const prefixes[] = {"sudo", "doas", "env", "command", "exec", "time", NULL};
    static const char *const containers[] = {"docker", "podman", "kubectl", "lxc", NULL};
    static const char *const enters[] = {"run", "exec", "attach", "shell", NULL};
    size_t len;
    const char *word = next_word(cmd, &len);
    bool elevated = false;
    while (len && is_word(word, len, prefixes)) {
        elevated = elevated || (len == 4 && (!memcmp(word, "sudo", 4) || !memcmp(word, "doas", 4)));
        word = next_word(word + len, &len);
        if (elevated && len == 2 && (!memcmp(word, "-i", 2) || !memcmp(word, "-s", 2)))
            return true;
    }
    const char *rest = word + len;
    word = base_name(word, &len);
    if (is_word(word, len, always))
        return true;
    if (is_word(word, len, shells))
        return shell_is_interactive(rest);
    if (!is_word(word, len, containers))
        return false;
    word = next_word(rest, &len);
    return is_word(word, len, enters);
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

static void set_string(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_string(text));
}

static void set_integer(json_t *object, const char *key, int64_t number)
{
    json_object_set_new(object, key, json_integer(number));
}

static void set_boolean(json_t *object, const char *key, bool value)
{
    json_object_set_new(object, key, json_boolean(value));
}

json_t *block_to_json(const struct block *b)
{
    json_t *o = json_object();
    char *id = block_id(b);
    const char *signal = block_signal(b);
    set_string(o, "block_id", id);
    free(id);
    set_string(o, "conversation_id", b->conversation_id);
    set_string(o, "shell_id", b->shell_id);
    set_integer(o, "seq", (int64_t)b->seq);
    set_string(o, "cmd", b->cmd);
    set_boolean(o, "cmd_truncated", b->cmd_truncated);
    set_string(o, "cmd_source", source_names[b->cmd_source]);
    set_string(o, "cwd", b->cwd);
    set_string(o, "cwd_after", b->cwd_after);
    json_object_set_new(o, "exit_code",
                        b->has_exit_code ? json_integer(b->exit_code) : json_null());
    json_object_set_new(o, "signal", signal ? json_string(signal) : json_null());
    set_string(o, "status", status_names[b->status]);
    set_string(o, "type", type_names[b->type]);
    set_integer(o, "ts_begin", b->ts_begin);
    json_object_set_new(o, "ts_end",
                        b->status == BLOCK_RUNNING ? json_null() : json_integer(b->ts_end));
    set_integer(o, "duration_ms", b->duration_ms);
    set_integer(o, "output_lines", b->output_lines);
    set_integer(o, "output_bytes", b->output_bytes);
    set_string(o, "output_path", b->output_path);
    set_boolean(o, "alt_screen", b->alt_screen);
    set_boolean(o, "nested", b->nested);
    set_boolean(o, "private", b->private);
    json_object_set_new(o, "preview", block_preview_json(b->preview, b->truncated));
    set_integer(o, "omitted_lines", b->omitted_lines);
    return o;
}

static char *get_string(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text_copy(text);
}

static int64_t get_integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static int index_of(const json_t *value, const char *const *names, int count)
{
    const char *text = json_string_value(value);
    for (int i = 0; text && i < count; i++)
        if (!strcmp(text, names[i]))
            return i;
    return 0;
}

static char *preview_from_json(const json_t *preview)
{
    struct bytes text = {0};
    size_t i;
    json_t *line;
    bytes_append_text(&text, "");
    json_array_foreach(json_object_get(preview, "lines"), i, line)
    {
        bytes_append_text(&text, json_string_value(line) ? json_string_value(line) : "");
        bytes_append_char(&text, '\n');
    }
    if (text.failed)
        abort();
    return text.data;
}

void block_add_internal(const struct block *b, json_t *json)
{
    set_integer(json, "key", (int64_t)b->key);
    if (b->redacted)
        json_object_set_new(json, "told",
                            json_pack("{s:s*, s:s*, s:i}", "cmd", b->told_cmd, "preview",
                                      b->told_preview, "redacted", b->redacted));
}

void block_remove_internal(json_t *json)
{
    json_object_del(json, "key");
    json_object_del(json, "told");
}

static char *told_text(const json_t *told, const char *key)
{
    const char *text = json_string_value(json_object_get(told, key));
    return text ? text_copy(text) : NULL;
}

struct block *block_from_json(const json_t *o)
{
    if (get_integer(o, "seq") < 1)
        return NULL;
    struct block *b = memory_new(sizeof *b);
    const json_t *exit_code = json_object_get(o, "exit_code");
    const json_t *preview = json_object_get(o, "preview"), *told = json_object_get(o, "told");
    *b = (struct block){
        .references = 1,
        .conversation_id = get_string(o, "conversation_id"),
        .shell_id = get_string(o, "shell_id"),
        .seq = (uint64_t)get_integer(o, "seq"),
        .key = (uint64_t)get_integer(o, "key"),
        .cmd = get_string(o, "cmd"),
        .cmd_truncated = json_is_true(json_object_get(o, "cmd_truncated")),
        .cmd_source =
            (enum block_source)index_of(json_object_get(o, "cmd_source"), source_names, 3),
        .cwd = get_string(o, "cwd"),
        .cwd_after = get_string(o, "cwd_after"),
        .has_exit_code = json_is_integer(exit_code),
        .exit_code = (int)json_integer_value(exit_code),
        .status = (enum block_status)index_of(json_object_get(o, "status"), status_names, 5),
        .type = (enum block_type)index_of(json_object_get(o, "type"), type_names, 3),
        .ts_begin = get_integer(o, "ts_begin"),
        .ts_end = get_integer(o, "ts_end"),
        .duration_ms = get_integer(o, "duration_ms"),
        .output_lines = get_integer(o, "output_lines"),
        .output_bytes = get_integer(o, "output_bytes"),
        .output_path = get_string(o, "output_path"),
        .alt_screen = json_is_true(json_object_get(o, "alt_screen")),
        .nested = json_is_true(json_object_get(o, "nested")),
        .private = json_is_true(json_object_get(o, "private")),
        .preview = preview_from_json(preview),
        .truncated = json_is_true(json_object_get(preview, "truncated")),
        .omitted_lines = get_integer(o, "omitted_lines"),
        .told_cmd = told_text(told, "cmd"),
        .told_preview = told_text(told, "preview"),
        .redacted = (int)get_integer(told, "redacted"),
    };
    return b;
}
