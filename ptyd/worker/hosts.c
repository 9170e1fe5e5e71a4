/* What is known of a shell is how far it was heard: `seq`, the number of its last block, and
 * `number`, by which its host counts what it sends: what is left out there fell out of the hub's
 * retention. It stands in the lines of blocks.jsonl, and for those that are gone with the file
 * before in known.json, which is written whenever that one goes. Of shells that had to make room
 * the host keeps the latest time at which one of their blocks was sent: `dropped`. */
#include "ptyd/worker/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/aside.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/heard.h"
#include "ptyd/core/json.h"
#include "ptyd/core/pair.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/ledger.h"

struct hosts {
    struct worker *worker;
    char *directory;
    struct aside aside;
    struct pair known_file, ledger_file;
    struct heard heard; /* open while blocks are taken */
    json_t *shells;     /* HOSTID/SHELLID: {seq, number, ts, sent, heard} */
    json_t *hosts;      /* HOSTID: {host, blocks, missing, clashes, heard, dropped} */
    json_t *offered;    /* while it is opened: the newest blocks that have a key */
    bool opened;        /* the ledger has its part */
    bool unsettled;     /* and has changed since it was written */
};

/* ---- how far it was heard ---- */

/* What its host sent until then is known of no more than that. */
static void note_dropped(const struct hosts *h, const char *key, const json_t *shell)
{
    char *host_id = text_format("%.*s", (int)strcspn(key, "/"), key);
    json_t *host = json_object_get(h->hosts, host_id);
    long long sent = json_number(shell, "sent", 0), before = json_number(host, "dropped", 0);
    if (host)
        json_object_set_new(host, "dropped", json_integer(sent > before ? sent : before));
    free(host_id);
}

/* Of `most` members whose names begin so, the one heard longest ago goes. */
static void make_room(const struct hosts *h, json_t *table, const char *prefix, size_t most)
{
    const char *key, *oldest = NULL;
    json_t *value;
    size_t count = 0, len = strlen(prefix);
    long long least = 0;
    if (json_object_size(table) < most)
        return;
    json_object_foreach(table, key, value) {
        if (strncmp(key, prefix, len) != 0)
            continue;
        count++;
        if (!oldest || json_number(value, "heard", 0) < least) {
            oldest = key;
            least = json_number(value, "heard", 0);
        }
    }
    if (count < most)
        return;
    if (table == h->shells)
        note_dropped(h, oldest, json_object_get(table, oldest));
    json_object_del(table, oldest);
}

/* A member of a table, made where it is not there. */
static json_t *member(const struct hosts *h, json_t *table, const char *name, size_t most)
{
    json_t *found = json_object_get(table, name);
    if (found)
        return found;
    make_room(h, table, "", most);
    json_object_set_new(table, name, json_object());
    return json_object_get(table, name);
}

/* A host with ever new shells, as `ptyd exec` makes one each, does away with its own first. */
static json_t *shell_of(struct hosts *h, const json_t *line, const char *key)
{
    char *own = text_format("%s/", json_text(line, "host_id", ""));
    if (!json_object_get(h->shells, key))
        make_room(h, h->shells, own, LIMIT_HOST_SHELLS_EACH);
    free(own);
    return member(h, h->shells, key, LIMIT_HOST_SHELLS);
}

static void add(json_t *object, const char *name, long long more)
{
    json_object_set_new(object, name, json_integer(json_number(object, name, 0) + more));
}

static char *shell_key(const json_t *line)
{
    return text_format("%s/%s", json_text(line, "host_id", ""), json_text(line, "shell_id", ""));
}

static const json_t *find_shell(const struct hosts *h, const json_t *line)
{
    char *key = shell_key(line);
    const json_t *shell = json_object_get(h->shells, key);
    free(key);
    return shell;
}

static const json_t *find_host(const struct hosts *h, const json_t *line)
{
    return json_object_get(h->hosts, json_text(line, "host_id", ""));
}

/* One of a shell that is not known any more, or of which nothing came before what has gone: given
 * out again, as far as can be told. Who does not seal says no time: a hub could say another. */
static bool is_old(const struct hosts *h, const json_t *line)
{
    long long sent = json_number(line, "sent_ms", 0);
    return sent > 0 && !find_shell(h, line) &&
           sent <= json_number(find_host(h, line), "dropped", 0);
}

static bool is_known(const struct hosts *h, const json_t *line)
{
    return json_number(line, "seq", 0) <= json_number(find_shell(h, line), "seq", 0) ||
           is_old(h, line);
}

/* Another block of that number: two machines send as one. */
static bool clashes(const struct hosts *h, const json_t *line)
{
    const json_t *shell = find_shell(h, line);
    return json_number(line, "seq", 0) == json_number(shell, "seq", 0) &&
           json_number(line, "ts_begin", 0) != json_number(shell, "ts", 0);
}

/* So many were sent before it, and never came. A shell that was not heard before began with them
 * where its host was, and none of its shells was forgotten, which this may be. */
static long long missing_before(const struct hosts *h, const json_t *line)
{
    const json_t *shell = find_shell(h, line);
    const json_t *host = find_host(h, line);
    bool counts = shell || (host && !json_object_get(host, "dropped"));
    long long expected = json_number(shell, "number", 0) + 1;
    long long number = json_number(line, "number", 0);
    return counts && number > expected ? number - expected : 0;
}

/* It is kept: what comes next goes on behind it. */
static void note(struct hosts *h, const json_t *line)
{
    char *key = shell_key(line);
    long long missing = missing_before(h, line);
    json_t *shell = shell_of(h, line, key);
    long long sent = json_number(line, "sent_ms", 0), before = json_number(shell, "sent", 0);
    json_t *host = member(h, h->hosts, json_text(line, "host_id", ""), LIMIT_HOSTS);
    json_int_t heard = json_number(line, "heard_ms", 0);
    json_object_set_new(shell, "seq", json_integer(json_number(line, "seq", 0)));
    json_object_set_new(shell, "number", json_integer(json_number(line, "number", 0)));
    json_object_set_new(shell, "ts", json_integer(json_number(line, "ts_begin", 0)));
    json_object_set_new(shell, "sent", json_integer(sent > before ? sent : before));
    json_object_set_new(shell, "heard", json_integer(heard));
    json_object_set(host, "host", json_object_get(line, "host"));
    json_object_set_new(host, "heard", json_integer(heard));
    add(host, "blocks", 1);
    add(host, "missing", missing);
    free(key);
}

/* ---- files ---- */

static void keep_known(struct hosts *h)
{
    json_t *known = json_pack("{s:O, s:O}", "shells", h->shells, "hosts", h->hosts);
    pair_write(&h->known_file, known);
    json_decref(known);
}

void hosts_keep(struct hosts *h)
{
    json_t *part = h->opened ? ledger_saved(h->worker->ledger, LEDGER_HOSTS) : NULL;
    if (part)
        pair_write(&h->ledger_file, part);
    json_decref(part);
}

/* Those of the file are heard before those of a line that is read. */
static void take_line(void *user, json_t *line)
{
    struct hosts *h = user;
    if (!is_known(h, line))
        note(h, line);
    if (!json_number(line, "key", 0))
        return;
    json_array_append(h->offered, line);
    if (json_array_size(h->offered) > LIMIT_CONTEXT_MEMORY / 2)
        json_array_remove(h->offered, 0);
}

static json_t *take_object(json_t *known, const char *name)
{
    json_t *object = json_incref(json_object_get(known, name));
    if (json_is_object(object))
        return object;
    json_decref(object);
    return json_object();
}

static void open_pair(struct pair *pair, const char *directory, const char *name)
{
    char *path = text_format("%s/%s", directory, name);
    pair_init(pair, path);
    free(path);
}

static void offer_kept(struct hosts *h, const json_t *part)
{
    h->opened = true;
    ledger_add_session(h->worker->ledger, LEDGER_HOSTS, "", json_object_size(part) ? part : NULL,
                       h->offered, clock_now());
}

struct hosts *hosts_open(struct worker *w)
{
    bool lost;
    struct hosts *h = memory_new(sizeof *h);
    *h = (struct hosts){
        .worker = w, .directory = heard_directory(w->options->state), .offered = json_array()};
    open_pair(&h->known_file, h->directory, "known.json");
    open_pair(&h->ledger_file, h->directory, "ledger.json");
    json_t *known = pair_open(&h->known_file, LIMIT_META_BYTES, &h->aside, &lost);
    json_t *part = pair_open(&h->ledger_file, LIMIT_META_BYTES, &h->aside, &lost);
    h->shells = take_object(known, "shells");
    h->hosts = take_object(known, "hosts");
    heard_each(h->directory, take_line, h);
    if (json_object_size(part) || json_object_size(h->hosts))
        offer_kept(h, part);
    json_array_clear(h->offered);
    json_decref(known);
    json_decref(part);
    return h;
}

void hosts_close(struct hosts *h)
{
    if (!h)
        return;
    heard_close(&h->heard);
    if (h->opened) {
        keep_known(h);
        hosts_keep(h);
    }
    pair_finish(&h->known_file);
    pair_finish(&h->ledger_file);
    aside_finish(&h->aside);
    json_decref(h->shells);
    json_decref(h->hosts);
    json_decref(h->offered);
    free(h->directory);
    free(h);
}

void hosts_add_warnings(const struct hosts *h, json_t *warnings)
{
    aside_tell(&h->aside, "other hosts", warnings);
}

/* ---- a block of another host ---- */

static void clean(char **text, size_t most)
{
    char *cleaned = text_clean(*text, strlen(*text), most);
    free(*text);
    *text = cleaned;
}

/* The tail of what was printed, in the bounds of our own previews. */
static void bound_preview(struct block *b)
{
    size_t lines = 0, len = strlen(b->preview), from = 0;
    for (const char *at = b->preview; (at = strchr(at, '\n')); at++)
        lines++;
    for (; lines > 1 && (lines > LIMIT_PREVIEW_LINES || len - from > LIMIT_PREVIEW_BYTES);
         lines--) {
        from += strcspn(b->preview + from, "\n") + 1;
        b->omitted_lines++;
        b->truncated = true;
    }
    if (len - from > LIMIT_PREVIEW_BYTES) { /* of a line, at a character's begin */
        from = len - LIMIT_PREVIEW_BYTES;
        while (((unsigned char)b->preview[from] & 0xc0) == 0x80)
            from++;
        b->truncated = true;
    }
    memmove(b->preview, b->preview + from, len - from + 1);
}

/* When that was by the clock here, where the other's is known to be off: before it was heard of,
 * and since there are such times. What a hub or a host says that leads elsewhere counts for
 * nothing. */
static int64_t end_here(int64_t ts_end, json_int_t ahead, int64_t heard_ms)
{
    bool is_off = (ahead > LIMIT_CLOCK_APART_MS && ahead < LIMIT_HOST_NUMBER) ||
                  (ahead < -LIMIT_CLOCK_APART_MS && ahead > -LIMIT_HOST_NUMBER);
    bool is_time = ts_end > 0 && ts_end < LIMIT_HOST_NUMBER;
    int64_t here = is_off && is_time ? ts_end - ahead : 0;
    return here <= 0 ? ts_end : here < heard_ms ? here : heard_ms;
}

/* What another host says is taken for nothing but text and numbers: no file, no key, no secret of
 * ours. */
static void settle(struct block *b, const json_t *params)
{
    block_untell(b);
    free(b->output_path);
    b->output_path = text_copy("");
    b->key = 0;
    b->missed_before = 0;
    b->unrecorded = b->spaced = b->private = false;
    b->type = b->type == BLOCK_USER_KILL ? BLOCK_USER_KILL : BLOCK_USER_CMD;
    b->omitted_lines = b->omitted_lines < 0 ? 0 : b->omitted_lines;
    clean(&b->cmd, LIMIT_HEARD_COMMAND_BYTES);
    clean(&b->cwd, LIMIT_CWD_BYTES);
    clean(&b->cwd_after, LIMIT_CWD_BYTES);
    bound_preview(b);
    free(b->host);
    free(b->host_id);
    free(b->conversation_id);
    const char *host = json_text(params, "host", "");
    b->host = text_clean(host, strlen(host), LIMIT_HOST_BYTES);
    b->host_id = text_copy(json_text(params, "host_id", NULL));
    b->conversation_id = text_copy(json_text(params, "session", NULL));
    b->heard_ms = clock_wall_ms();
    b->ts_end = end_here(b->ts_end, json_number(params, "ahead_ms", 0), b->heard_ms);
}

/* New reference; NULL for what is no block that ended. */
static struct block *read_block(const json_t *params)
{
    const json_t *json = json_object_get(params, "block");
    const char *id = json_text(params, "host_id", ""), *session = json_text(params, "session", "");
    if (!text_is_name(id) || !text_is_name(session) || !*json_text(params, "host", "") ||
        !text_is_name(json_text(json, "shell_id", "")) || json_number(params, "number", 0) < 1 ||
        json_number(params, "number", 0) > LIMIT_HOST_NUMBER)
        return NULL;
    struct block *b = block_from_json(json);
    if (b && b->status == BLOCK_RUNNING) {
        block_unref(b);
        return NULL;
    }
    if (b)
        settle(b, params);
    return b;
}

/* Every form that it may be told in is made once before it is kept: what no worker survives is in
 * no file then, and whoever brings it sees who dies of it. */
static void try_forms(const struct block *b)
{
    static const struct entry_shape whole = {.room = LIMIT_ENTRY_BYTES};
    const struct block *blocks[] = {b};
    const char *directories[] = {""};
    struct bytes out = {0};
    deliver_block(b, "", "", &whole, &out, NULL);
    deliver_text(&(struct deliver_text){.blocks = blocks, .count = 1, .directories = directories},
                 LIMIT_HOOK_BYTES, &out);
    deliver_envelope(blocks, 1, &(struct deliver_header){.conversation_id = "", .shell_id = ""},
                     &out);
    bytes_finish(&out);
}

static json_int_t sent_ms(const json_t *params)
{
    json_int_t sent = json_number(params, "sent_ms", 0);
    return sent < LIMIT_HOST_NUMBER ? sent : 0;
}

/* What of it says whether it is known, and what is missing before it. */
static json_t *mark_of(const struct block *b, const json_t *params)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "host_id", b->host_id, "shell_id",
                     b->shell_id, "seq", (json_int_t)b->seq, "ts_begin", (json_int_t)b->ts_begin,
                     "number", (json_int_t)json_number(params, "number", 0), "sent_ms",
                     sent_ms(params));
}

static json_t *line_of(const struct block *b, const json_t *params)
{
    json_t *line = block_to_json(b);
    block_add_internal(b, line);
    json_object_set(line, "number", json_object_get(params, "number"));
    json_object_set_new(line, "sent_ms", json_integer(sent_ms(params)));
    return line;
}

/* Returns 0 or -errno: then it is as if it had never come. */
static int keep(struct hosts *h, struct block *b, const json_t *params)
{
    struct worker *w = h->worker;
    bool full;
    if (!h->opened)
        offer_kept(h, NULL);
    bool offered = ledger_offer(w->ledger, LEDGER_HOSTS, "", b);
    json_t *line = line_of(b, params);
    if (w->host.redacts)
        block_redact_json(line, NULL);
    int result = heard_append(&h->heard, h->directory, line, &full);
    if (result < 0 && offered)
        ledger_withdraw(w->ledger, b->key);
    if (result == 0)
        note(h, line);
    if (result == 0 && full) {
        keep_known(h);
        heard_rotate(&h->heard, h->directory);
    }
    json_decref(line);
    h->unsettled = h->unsettled || (offered && result == 0);
    return result;
}

void hosts_settle(struct hosts *h)
{
    heard_close(&h->heard);
    if (h->unsettled)
        hosts_keep(h);
    h->unsettled = false;
}

static json_t *refuse(struct hosts *h, const json_t *line)
{
    bool clash = clashes(h, line);
    if (clash)
        add(json_object_get(h->hosts, json_text(line, "host_id", "")), "clashes", 1);
    return json_pack("{s:b, s:s}", "taken", 0, "why", clash ? "clash" : "known");
}

int hosts_take(struct hosts *h, const json_t *params, const struct conf *conf, json_t **ret_answer,
               struct block **ret_offered)
{
    struct block *b = read_block(params);
    if (!b)
        return -EINVAL;
    json_t *mark = mark_of(b, params);
    bool known = is_known(h, mark);
    b->missed_before = missing_before(h, mark);
    int result = 0;
    if (known)
        *ret_answer = refuse(h, mark);
    json_decref(mark);
    if (!known) {
        json_int_t redacted = json_number(json_object_get(params, "block"), "redacted", 0);
        block_redact(b, NULL);
        b->redacted += redacted > 0 && redacted < LIMIT_HEARD_COMMAND_BYTES ? (int)redacted : 0;
        b->private = conf_keeps_private(conf, b->cmd);
        try_forms(b);
        ledger_set_conf(h->worker->ledger, conf);
        result = keep(h, b, params);
        if (result == 0)
            *ret_answer = json_pack("{s:b}", "taken", 1);
    }
    *ret_offered = result == 0 && !known && b->key ? block_ref(b) : NULL;
    block_unref(b);
    return result;
}

json_t *hosts_json(const struct hosts *h)
{
    json_t *list = json_array(), *host;
    const char *host_id;
    json_object_foreach(h->hosts, host_id, host)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "host_id", host_id,
                                        "host", json_text(host, "host", ""), "heard_ms",
                                        (json_int_t)json_number(host, "heard", 0), "blocks",
                                        (json_int_t)json_number(host, "blocks", 0), "missing",
                                        (json_int_t)json_number(host, "missing", 0), "clashes",
                                        (json_int_t)json_number(host, "clashes", 0)));
    return list;
}
