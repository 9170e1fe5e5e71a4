#include "ptyd/relay/unsent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/limits.h"
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
    int result = file_make_directory(directory);
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

int unsent_keep(const char *state, const struct unsent *u)
{
    struct store s;
    int result = store_open(state, &s);
    if (result == 0) {
        json_array_append_new(s.letters, json_pack("{s:s, s:s, s:s, s:s, s:s}", "url", u->url,
                                                   "host_id", u->host_id, "subject", u->subject,
                                                   "id", u->id, "text", u->text));
        while (json_array_size(s.letters) > LIMIT_EXEC_KEPT)
            json_array_remove(s.letters, 0);
        result = store_write(&s);
    }
    store_close(&s);
    return result;
}

static bool is_for(const json_t *letter, const struct visit *v)
{
    return !strcmp(json_text(letter, "url", ""), v->setup.url) &&
           !strcmp(json_text(letter, "host_id", ""), v->own.host_id);
}

void unsent_send(const char *state, struct visit *v)
{
    struct store s;
    bool goes_on = store_open(state, &s) == 0, changed = false;
    for (size_t i = 0; goes_on && i < json_array_size(s.letters);) {
        const json_t *letter = json_array_get(s.letters, i);
        if (!is_for(letter, v)) {
            i++;
            continue;
        }
        json_t *answer =
            ask_hub_text(v->hub, json_text(letter, "subject", ""), json_text(letter, "text", ""),
                         json_text(letter, "id", ""), LIMIT_RELAY_ACK_MS);
        if (ask_is_too_large(answer))
            say("a command kept here is not sent: it is larger than the hub takes");
        goes_on = !ask_error(answer) || ask_is_too_large(answer);
        json_decref(answer);
        if (goes_on)
            json_array_remove(s.letters, i);
        changed = changed || goes_on;
    }
    if (changed)
        store_write(&s);
    store_close(&s);
}
