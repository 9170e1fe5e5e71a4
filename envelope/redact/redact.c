/* Texts without their secrets: as they are, and as they are seen. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "envelope/redact/known.h"
#include "envelope/redact/matches.h"
#include "envelope/redact/scan.h"
#include "envelope/redact/search.h"

/* ---- one text, as it is and as it is seen ---- */

/* Of what is folded only the known values are looked for as it is, and where it has marks the
 * user's own rules: all else is found in the folded text. */
struct finding {
    const struct redact_secrets *secrets;
    redact_found *found;
    void *user;
};

/* The text between line ends: a rule that looks a word's length beside it sees that there is
 * nothing.
 */
static char *with_line_ends(const char *text, size_t len)
{
    char *room = memory_grow(NULL, len + 2 * (size_t)REDACT_BESIDE);
    memset(room, '\n', REDACT_BESIDE);
    memcpy(room + REDACT_BESIDE, text, len);
    memset(room + REDACT_BESIDE + len, '\n', REDACT_BESIDE);
    return room;
}

static void find_in(const char *text, size_t len, const struct redact_fold *fold,
                    const struct finding *f)
{
    struct redact_own own = {.text = text};
    bool has = redact_own_begin(&own, len);
    char *room = with_line_ends(text, len);
    redact_search(room + REDACT_BESIDE, len, fold, f->secrets, has ? redact_own_found : f->found,
                  has ? (void *)&own : f->user);
    free(room);
    if (has)
        redact_own_tell(&own, len, f->found, f->user);
}

/* `marks`: those rules, too. */
static void find_known(const char *text, size_t len, bool marks, const struct finding *f)
{
    struct redact_own own = {.text = text};
    struct redact_match match, last = {0};
    bool has = redact_own_begin(&own, marks ? len : 0);
    redact_found *found = has ? redact_own_found : f->found;
    void *user = has ? (void *)&own : f->user;
    for (size_t at = 0; f->secrets && at < len; at++) {
        if (!redact_known(f->secrets, text, len, at, false, &match))
            continue;
        if (at >= last.to && last.to)
            found(user, last.from, last.to, last.type);
        if (at >= last.to)
            last = match;
        last.to = match.to > last.to ? match.to : last.to; /* one may begin in another */
    }
    if (last.to)
        found(user, last.from, last.to, last.type);
    if (has)
        redact_own_tell(&own, len, f->found, f->user);
}

static void found_folded(void *user, size_t from, size_t to, const char *type)
{
    struct redact_fold *fold = user;
    fold->found(fold->user, fold->places[from], redact_fold_end(fold, to), type);
}

/* In a text whose backspaces take nothing back. */
static void find_seen(const char *text, size_t len, const struct redact_secrets *secrets,
                      redact_found *found, void *user)
{
    struct finding f = {secrets, found, user};
    struct redact_matches both = {0};
    enum redact_folds has = redact_folds_of(text, len);
    struct redact_fold fold = {.from = text};
    if (!has || !redact_fold(&fold, len)) {
        find_in(text, len, NULL, &f);
        return;
    }
    bool twice = has == FOLDS_MARKS || secrets; /* what is folded depends on what is around it */
    fold.found = twice ? redact_matches_note : found;
    fold.user = twice ? &both : user;
    find_in(fold.text.data ? fold.text.data : "", fold.text.len, &fold,
            &(struct finding){secrets, found_folded, &fold});
    if (twice) {
        find_known(text, len, has == FOLDS_MARKS,
                   &(struct finding){secrets, redact_matches_note, &both});
        redact_matches_tell(&both, found, user);
    }
    redact_matches_finish(&both);
    redact_fold_finish(&fold);
}

/* What was written over stands in the text as well, and may be read there. */
static void find_struck(const char *text, size_t len, const struct redact_secrets *secrets,
                        redact_found *found, void *user)
{
    struct redact_matches both = {0};
    struct redact_struck struck = {.from = text, .found = redact_matches_note, .user = &both};
    redact_strike(&struck, len);
    find_seen(struck.text.data ? struck.text.data : "", struck.text.len, secrets,
              redact_struck_found, &struck);
    find_seen(text, len, secrets, redact_matches_note, &both);
    redact_matches_tell(&both, found, user);
    redact_matches_finish(&both);
    redact_struck_finish(&struck);
}

void redact_find(const char *text, size_t len, const struct redact_secrets *secrets,
                 redact_found *found, void *user)
{
    (memchr(text, '\b', len) ? find_struck : find_seen)(text, len, secrets, found, user);
}

/* ---- texts without them ---- */

struct replacing {
    const char *text;
    size_t at; /* up to here it is in `out` */
    int count;
    struct bytes *out;
};

static void replace(void *user, size_t from, size_t to, const char *type)
{
    struct replacing *r = user;
    bytes_append(r->out, r->text + r->at, from - r->at);
    bytes_append_text(r->out, "[redacted:");
    bytes_append_text(r->out, type);
    bytes_append_char(r->out, ']');
    r->at = to;
    r->count++;
}

int redact_text_over(const char *text, size_t len, const struct redact_ends *ends,
                     const struct redact_secrets *secrets, struct bytes *out)
{
    struct replacing r = {.text = text, .out = out};
    redact_find_over(text, len, ends, secrets, replace, &r);
    bytes_append(out, text + r.at, len - r.at);
    return r.count;
}

int redact_text(const char *text, size_t len, const struct redact_secrets *secrets,
                struct bytes *out)
{
    return redact_text_over(text, len, &(struct redact_ends){0}, secrets, out);
}
