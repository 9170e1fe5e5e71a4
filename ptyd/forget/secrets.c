#define _GNU_SOURCE
#include "ptyd/forget/secrets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/block.h"
#include "ptyd/core/edges.h"
#include "ptyd/core/file.h"
#include "ptyd/core/redacted.h"
#include "ptyd/core/say.h"
#include "ptyd/core/shown.h"
#include "ptyd/core/text.h"
#include "ptyd/forget/covering.h"
#include "ptyd/forget/log.h"
#include "ptyd/forget/overlay.h"
#include "ptyd/session/block_files.h"
#include "ptyd/session/block_lines.h"

#define PIECE (1 << 20)  /* of an output, looked at in one go, */
#define AHEAD (16 << 10) /* with so much of what follows */
#define STEP  (4 << 20)  /* of the log, or up to where a command ends behind it */
#define TRIES 20         /* what ends a worker from outside meanwhile counts, too */

/* ---- the finder ---- */

static bool gives_up(const struct secrets_finder *f)
{
    return f->gives_up && atomic_load(f->gives_up);
}

static void in_text(void *user, const char *text, size_t len, blot_place *place, void *place_user)
{
    const struct secrets_finder *f = user;
    if (!gives_up(f))
        redact_find(text, len, f->secrets, place, place_user);
}

static void in_shown(void *user, struct transcript *shown, size_t from, blot_place *place,
                     void *place_user)
{
    const struct secrets_finder *f = user;
    if (!gives_up(f))
        shown_secrets(shown, from, f->secrets, place, place_user);
}

static bool finder_gives_up(void *user)
{
    return gives_up(user);
}

void secrets_finder_init(struct secrets_finder *f, const struct redact_secrets *secrets,
                         const atomic_bool *gives_up_when)
{
    *f = (struct secrets_finder){.finder = {.in_text = in_text,
                                            .in_shown = in_shown,
                                            .gives_up = finder_gives_up,
                                            .user = f},
                                 .secrets = secrets,
                                 .gives_up = gives_up_when};
}

/* ---- an output ---- */

struct output {
    const struct secrets_finder *finder;
    struct covering covering;
    const char *text;
    size_t len;
    int widths[LIMIT_BLOCK_WIDTHS + 1];
};

/* Where a piece ends that begins at `at`: at a line's end, where there is one. */
static size_t piece_end(const struct output *o, size_t at)
{
    if (o->len - at <= PIECE)
        return o->len;
    const char *end = memrchr(o->text + at, '\n', PIECE);
    return end ? (size_t)(end - o->text) + 1 : at + PIECE;
}

/* Those that begin before `end`; returns where the last of them ends, or `end`. */
static size_t keep_begun(struct redact_matches *found, size_t end)
{
    size_t count = 0, last = end;
    for (; count < found->count && found->list[count].from < end; count++)
        last = found->list[count].to > last ? found->list[count].to : last;
    found->count = count;
    return last;
}

/* Covers them in the piece [*at, end) of it, or a little more. *at is where the next begins. */
static int take_piece(struct output *o, size_t *at, size_t end)
{
    const char *text = o->text + *at;
    size_t len = (o->len - end < AHEAD ? o->len : end + AHEAD) - *at;
    struct redact_ends ends = edges_find(text, len, o->widths);
    struct redact_matches found = {0};
    redact_find_over(text, len, &ends, o->finder->secrets, redact_matches_note, &found);
    size_t last = keep_begun(&found, end - *at);
    int result = covering_do(&o->covering, &found, *at);
    *at += last;
    redact_matches_finish(&found);
    redact_ends_finish(&ends);
    return result;
}

/* 0 or -errno. */
static int take_out_of_output(struct output *o, void (*moves)(void))
{
    int result = 0;
    o->text = mmap(NULL, o->len, PROT_READ, MAP_SHARED, o->covering.fd, 0);
    if (o->text == MAP_FAILED)
        return -errno;
    o->covering.text = o->text;
    for (size_t at = 0; at < o->len && result == 0 && !gives_up(o->finder);) {
        result = take_piece(o, &at, piece_end(o, at));
        if (moves)
            moves();
    }
    munmap((char *)o->text, o->len);
    return result;
}

/* ---- a session ---- */

struct work {
    const struct secrets_finder *finder;
    char *directory;
    json_t *widths; /* {seq: [...]} */
    void (*moves)(void);
    struct redacted done;
    bool changed;
    bool stuck; /* what is noted of an output is to be covered before another one is begun */
    int error;
};

static void note_widths(void *user, json_t *block)
{
    char seq[24];
    snprintf(seq, sizeof seq, "%lld", (long long)json_integer_value(json_object_get(block, "seq")));
    json_object_set(user, seq, json_object_get(block, "widths"));
}

/* Another try will do no better, and what comes behind it need not wait. */
static bool is_lasting(int result)
{
    return result == -EACCES || result == -EPERM || result == -EISDIR || result == -ELOOP ||
           result == -EFBIG;
}

/* For writing, too; only a regular file, which is not waited for. */
static int open_output(const char *path, size_t *ret_len)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    bool is = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    *ret_len = is ? (size_t)st.st_size : 0;
    return fd < 0 ? -errno : fd;
}

static void take_output(struct work *w, const char *name, uint64_t seq)
{
    char key[24], *path = text_format("%s/blocks/%s", w->directory, name);
    struct output o = {.finder = w->finder, .covering = {.directory = w->directory, .name = name}};
    int fd = open_output(path, &o.len), result = fd < 0 ? fd : 0;
    snprintf(key, sizeof key, "%llu", (unsigned long long)seq);
    json_t *block = json_pack("{s:O?}", "widths", json_object_get(w->widths, key));
    block_widths(block, o.widths);
    json_decref(block);
    o.covering.fd = fd;
    if (o.len)
        result = take_out_of_output(&o, w->moves);
    if (fd >= 0)
        close(fd);
    w->changed = w->changed || o.covering.changed;
    w->stuck = o.covering.left;
    if (result < 0 && is_lasting(result) && !w->stuck)
        say("secrets stay in %s: %s", path, strerror(-result));
    else if (result < 0 && result != -ENOENT && result != -EINVAL && result != -ENXIO)
        w->error = result;
    free(path);
}

static void take_outputs(struct work *w, uint64_t until)
{
    char *path = text_format("%s/blocks", w->directory);
    DIR *directory = opendir(path);
    struct dirent *entry;
    w->widths = json_object();
    if (directory)
        block_lines_behind(w->directory, w->done.seq, note_widths, w->widths);
    while (directory && !w->stuck && (entry = readdir(directory))) {
        size_t len = strlen(entry->d_name);
        uint64_t seq = strtoull(entry->d_name, NULL, 10);
        bool is_output = len > 4 && !strcmp(entry->d_name + len - 4, ".out");
        if (is_output && seq > w->done.seq && seq <= until)
            take_output(w, entry->d_name, seq);
    }
    if (directory)
        closedir(directory);
    json_decref(w->widths);
    free(path);
}

static uint64_t log_size(const char *directory)
{
    struct stat st;
    char *path = text_format("%s/output.raw", directory);
    uint64_t size = lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    free(path);
    return size;
}

static void nothing_is_made(struct forget *f)
{
    (void)f;
}

/* Covers the part of it in front of `until`. */
static void take_part(struct work *w, struct forget *f, uint64_t until)
{
    f->until = until;
    forget_in_log(f);
    w->changed = w->changed || f->changed;
    w->error = f->error < 0 ? f->error : w->error;
}

/* All of it may be done already. */
static bool is_done(const struct work *w, const struct secrets_part *part)
{
    return part->offset == SECRETS_ALL && w->done.offset &&
           w->done.offset >= log_size(w->directory);
}

/* ---- step by step ---- */

/* What ends a worker is known to the next one. */
static void begin(struct work *w, const struct secrets_part *part, uint64_t offset, uint64_t seq)
{
    if (!part->guarded)
        return;
    w->done.tries++;
    w->done.until = offset;
    w->done.until_seq = seq;
    redacted_save(w->directory, &w->done);
}

/* It is done up to there, or was tried as if never: an error kills nobody. */
static int end(struct work *w, const struct secrets_part *part, uint64_t offset, uint64_t seq)
{
    bool whole = w->error == 0 && !gives_up(w->finder);
    if (whole)
        w->done = (struct redacted){.offset = offset, .seq = seq, .lines = w->done.lines};
    else
        w->done.tries -= part->guarded;
    int saved = whole || part->guarded ? redacted_save(w->directory, &w->done) : 0;
    return whole ? saved : w->error < 0 ? w->error : -EINTR;
}

static int step_through_outputs(struct work *w, const struct secrets_part *part)
{
    uint64_t seq = part->seq == SECRETS_ALL ? block_files_named_seq(w->directory) : part->seq;
    if (seq <= w->done.seq)
        return 0;
    begin(w, part, w->done.offset, seq);
    take_outputs(w, seq);
    return end(w, part, w->done.offset, seq);
}

/* Not all at once: what was done stays done, whoever gives up or dies. */
static int step_through_log(struct work *w, const struct secrets_part *part)
{
    struct forget f = {.directory = w->directory,
                       .finder = &w->finder->finder,
                       .secrets = w->finder->secrets,
                       .before = nothing_is_made,
                       .moves = w->moves};
    uint64_t size = log_size(w->directory);
    uint64_t until =
        part->offset == SECRETS_ENDED ? forget_log_ended(&f, UINT64_MAX) : part->offset;
    int result = 0;
    until = until < size ? until : size;
    while (w->done.offset < until && result == 0) {
        f.from = w->done.offset;
        uint64_t to = forget_log_ended(&f, STEP);
        to = to > f.from && to < until ? to : until;
        begin(w, part, to, w->done.seq);
        take_part(w, &f, to);
        result = end(w, part, to, w->done.seq);
    }
    free(f.error_path);
    return result;
}

/* What so many died of stays as it is: what comes behind it need not. */
static void leave_alone(struct work *w)
{
    struct redacted *done = &w->done;
    if (done->tries < TRIES)
        return;
    say("secrets stay in %s: workers died of going through it, in output.raw up to %llu, in "
        "outputs up to %llu",
        w->directory, (unsigned long long)done->until, (unsigned long long)done->until_seq);
    *done = (struct redacted){.offset = done->until > done->offset ? done->until : done->offset,
                              .seq = done->until_seq > done->seq ? done->until_seq : done->seq,
                              .lines = done->lines};
}

static int work(struct work *w, const struct secrets_part *part)
{
    leave_alone(w);
    int result = step_through_outputs(w, part);
    result = result < 0 ? result : step_through_log(w, part);
    return result < 0 ? result : w->changed;
}

int secrets_take_out(const char *state, const char *name, const struct secrets_finder *finder,
                     const struct secrets_part *part, void (*moves)(void))
{
    struct work w = {.finder = finder, .moves = moves};
    w.directory = text_format("%s/conversations/%s/agent_pty", state, name);
    redacted_load(w.directory, &w.done);
    int left = covering_go_on(w.directory), log = overlay_go_on(w.directory), result;
    w.changed = left > 0 || log > 0;
    w.error = left < 0 ? left : 0;
    w.stuck = left < 0;
    if (log < 0)
        result = log; /* before anything else is noted */
    else
        result = left == 0 && is_done(&w, part) ? w.changed : work(&w, part);
    free(w.directory);
    return result;
}
