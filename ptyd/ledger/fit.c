/* How much of each block is told where all of them together would be too much.
 *
 * A block that was told before, and came back, is told as it was: its bytes count, and stay. */
#include <string.h>

#include "ptyd/ledger/private.h"

/* Less is not worth being told: words, numbers and the head of a command. */
#define LEAST_BYTES 600
/* Digits by which the header may grow when fewer are kept. */
#define HEADER_SPARE 24

struct fitting {
    const struct found *found;
    struct entry_shape *shapes; /* of those kept */
    size_t sizes[LIMIT_CONTEXT_BLOCKS];
    size_t total, most; /* bytes */
};

static const struct offer *kept_offer(const struct fitting *fit, size_t i)
{
    return fit->found->due[fit->found->count - fit->found->kept + i];
}

static size_t size_in(const struct fitting *fit, size_t i, const struct entry_shape *shape)
{
    struct bytes out = {0}, output = {0};
    ledger_render_block(kept_offer(fit, i), fit->found, shape, &out, &output);
    size_t size = out.len + output.len;
    bytes_finish(&out);
    bytes_finish(&output);
    return size;
}

static void measure(struct fitting *fit, size_t i)
{
    fit->total -= fit->sizes[i];
    fit->sizes[i] = size_in(fit, i, &fit->shapes[i]);
    fit->total += fit->sizes[i];
}

/* Gives up what is too much, down to `least` bytes. */
static void shrink(struct fitting *fit, size_t i, size_t least)
{
    size_t excess = fit->total > fit->most ? fit->total - fit->most : 0, size = fit->sizes[i];
    if (!excess || size <= least || kept_offer(fit, i)->shape.room)
        return;
    fit->shapes[i].room = size > excess + least ? size - excess : least;
    measure(fit, i);
}

static bool succeeded(const struct block *b)
{
    return b->has_exit_code && b->exit_code == 0;
}

/* The previews of those that succeeded, or of the others, oldest first. */
static void shrink_previews(struct fitting *fit, bool of_success)
{
    for (size_t i = 0; i < fit->found->kept && fit->total > fit->most; i++) {
        struct entry_shape bare = fit->shapes[i];
        bare.bare = true;
        if (succeeded(kept_offer(fit, i)->block) == of_success)
            shrink(fit, i, size_in(fit, i, &bare));
    }
}

static void shrink_all(struct fitting *fit)
{
    shrink_previews(fit, true);
    shrink_previews(fit, false);
    for (size_t i = 0; i < fit->found->kept; i++)
        shrink(fit, i, LEAST_BYTES);
}

static size_t header_size(const struct ledger *l, const struct ledger_request *q,
                          const struct found *f)
{
    struct bytes out = {0}, output = {0};
    ledger_render_header(l, q, f, &out, &output);
    size_t size = out.len + output.len + HEADER_SPARE;
    bytes_finish(&out);
    bytes_finish(&output);
    return size;
}

void ledger_fit(const struct ledger *l, const struct ledger_request *q, struct found *f)
{
    struct fitting fit = {
        .found = f, .shapes = f->shapes, .most = (size_t)l->conf->context_max_bytes};
    bool apart = l->conf->preview_kind == PREVIEW_UNTRUSTED; /* from the header, too */
    for (size_t i = 0; i < f->kept; i++) {
        const struct offer *o = kept_offer(&fit, i);
        f->shapes[i] = o->shape.room
                           ? o->shape
                           : (struct entry_shape){.room = LIMIT_ENTRY_BYTES,
                                                  .apart = apart,
                                                  .tool = ledger_is_served(l, o->session)};
    }
    if ((f->kept + 1) * LIMIT_ENTRY_BYTES <= fit.most && !(f->running && apart))
        return;
    fit.total = header_size(l, q, f);
    for (size_t i = 0; i < f->kept; i++)
        measure(&fit, i);
    shrink_all(&fit);
    size_t gone = 0;
    while (f->kept - gone > 1 && fit.total > fit.most)
        fit.total -= fit.sizes[gone++];
    f->kept -= gone;
    memmove(f->shapes, f->shapes + gone, f->kept * sizeof *f->shapes);
}
