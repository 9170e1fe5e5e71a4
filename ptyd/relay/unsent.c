#include "ptyd/relay/unsent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/ask.h"

/* The file, while nobody else changes it. */
struct store {
    char *path;
    int lock;
    json_t *letters;
};

static int store_open(const char *state, struct store *s)
{
    char *directory = identity_directory(state), *lock = text_format("%s/unsent.lock", directory);
    struct bytes text = {0};
    *s = (struct store){.path = text_format("%s/unsent.json", directory)};
    int result = file_make_private_directory(directory); /* what root made is nobody else's */
    s->lock = result == 0 ? open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (result == 0 && (s->lock < 0 || flock(s->lock, LOCK_EX) < 0))
        result = -errno;
    if (result == 0 && file_read_regular(s->path, LIMIT_EXEC_KEPT_BYTES, &text) == 0 && text.data)
        s->letters = json_loadb(text.data, text.len, 0, NULL);
    if (!json_is_array(s->letters)) { /* nobody else's file stands there: what is damaged is none */
        json_decref(s->letters);
        s->letters = json_array();
    }
    bytes_finish(&text);
    free(lock);
    free(directory);
    return result;
}

static void store_close(struct store *s)
{
    if (s->lock >= 0)
        close(s->lock);
    json_decref(s->letters);
    free(s->path);
}

static int store_write(struct store *s)
{
    if (json_array_size(s->letters))
        return json_replace_file(s->path, s->letters);
    return unlink(s->path) == 0 || errno == ENOENT ? 0 : -errno;
}

char *unsent_path(const char *state)
{
    char *directory = identity_directory(state), *path = text_format("%s/unsent.json", directory);
    free(directory);
    return path;
}

size_t unsent_count(const char *state)
{
    struct bytes text = {0};
    char *path = unsent_path(state);
    json_t *letters = file_read_regular(path, LIMIT_EXEC_KEPT_BYTES, &text) == 0 && text.data
                          ? json_loadb(text.data, text.len, 0, NULL)
                          : NULL;
    size_t count = json_array_size(letters);
    json_decref(letters);
    bytes_finish(&text);
    free(path);
    return count;
}

/* Of the file: one that is larger is read as none. */
static size_t bytes_of(const json_t *letters)
{
    return json_dumpb(letters, NULL, 0, JSON_COMPACT);
}

int unsent_keep(const char *state, const struct unsent *u, size_t *ret_given_up)
{
    struct store s;
    int result = store_open(state, &s);
    *ret_given_up = 0;
    if (result == 0) {
        json_array_append_new(s.letters, json_pack("{s:s, s:s, s:s, s:s, s:s}", "url", u->url,
                                                   "host_id", u->host_id, "subject", u->subject,
                                                   "id", u->id, "text", u->text));
        for (; json_array_size(s.letters) > LIMIT_EXEC_KEPT ||
               bytes_of(s.letters) > LIMIT_EXEC_KEPT_BYTES;
             ++*ret_given_up)
            json_array_remove(s.letters, 0);
        result = store_write(&s);
    }
    store_close(&s);
    return result;
}

/* The oldest that is that hub's and host's, a new reference; NULL for none. */
static json_t *first_of(const char *state, const char *url, const char *host_id)
{
    struct store s;
    json_t *found = NULL;
    const json_t *letter;
    size_t i;
    if (!unsent_count(state))
        return NULL;
    if (store_open(state, &s) == 0)
        json_array_foreach(s.letters, i, letter)
            if (!found && !strcmp(json_text(letter, "url", ""), url) &&
                !strcmp(json_text(letter, "host_id", ""), host_id))
                found = json_incref((json_t *)letter);
    store_close(&s);
    return found;
}

static int take_out(struct store *s, const char *id)
{
    for (size_t i = 0; i < json_array_size(s->letters); i++)
        if (!strcmp(json_text(json_array_get(s->letters, i), "id", ""), id)) {
            json_array_remove(s->letters, i);
            return store_write(s);
        }
    return 0; /* somebody else sent it, too */
}

/* It came, or never will. Returns whether it is out of the file: else it would be sent for ever. */
static bool done(const char *state, const char *id, bool is_too_large)
{
    struct store s;
    if (is_too_large)
        say("a command kept here is not sent: it is larger than the hub takes");
    bool is_out = store_open(state, &s) == 0 && take_out(&s, id) == 0;
    store_close(&s);
    return is_out;
}

void unsent_send(const char *state, struct visit *v)
{
    json_t *letter;
    bool goes_on = true;
    while (goes_on && (letter = first_of(state, v->setup.url, v->own.host_id))) {
        const char *id = json_text(letter, "id", "");
        json_t *answer = ask_hub_text(v->hub, json_text(letter, "subject", ""),
                                      json_text(letter, "text", ""), id, LIMIT_RELAY_ACK_MS);
        bool large = ask_is_too_large(answer);
        goes_on = (!ask_error(answer) || large) && done(state, id, large);
        json_decref(answer);
        json_decref(letter);
    }
}

/* ---- a relay ---- */

static void forget(struct unsent_way *w, int64_t at)
{
    free(w->id);
    w->id = NULL;
    w->at = at;
}

int64_t unsent_step(struct unsent_way *w)
{
    int64_t now = clock_monotonic_ms();
    if (now < w->at)
        return w->at;
    forget(w, now + LIMIT_EXEC_LOOK_MS);
    json_t *letter = first_of(w->state, w->url, w->host_id);
    if (!letter)
        return w->at;
    char *name = text_format("u.%llu", (unsigned long long)++w->sends);
    const char *id = json_text(letter, "id", ""), *text = json_text(letter, "text", "");
    const char *why =
        hub_publish(w->hub, json_text(letter, "subject", ""), name, id, text, strlen(text));
    if (!why)
        w->id = text_copy(id);
    else if (why == hub_too_large && done(w->state, id, true))
        w->at = now;
    free(name);
    json_decref(letter);
    return w->at;
}

void unsent_answer(struct unsent_way *w, const struct hub_message *m)
{
    if (!w->id || strtoull(m->subject + 2, NULL, 10) != w->sends)
        return;
    json_t *answer = json_loadb(m->data, m->len, 0, NULL);
    bool large = ask_is_too_large(answer);
    bool came = !m->status && !ask_error(answer) && json_number(answer, "seq", 0) > 0;
    if ((came || large) && done(w->state, w->id, large))
        forget(w, 0);
    json_decref(answer);
}

void unsent_lost(struct unsent_way *w)
{
    forget(w, 0);
}
