/* What the daemon says on a viewer's socket. */
#include "ptyd/client/view_link_private.h"

#include <stdlib.h>

#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

/* A drawing of which the end did not come stands nowhere: all of it is to come again. */
static void show(struct view_link *l, const struct view_frame *f)
{
    l->came += f->len;
    l->drawn = l->drawn || f->kind == VIEW_DRAW;
    l->anew = l->anew && f->kind != VIEW_DRAW;
    if (f->kind == VIEW_DRAW && l->leads && !l->drawing && l->state == VIEW_LINK_STANDS)
        l->options->renewed(l->options->user);
    l->drawing = f->kind == VIEW_DRAW && f->len == LIMIT_VIEW_FRAME_BYTES;
    l->has_place = !l->drawing;
    l->place = l->drawing ? l->place : f->offset;
    l->options->show(l->options->user, f->data, f->len);
}

/* It types on, or output comes on: it is lent on. */
static void note_shown(struct view_link *l, const struct view_frame *f)
{
    l->has_place = true;
    l->place = f->offset;
    l->options->shown(l->options->user, f->data, f->len);
    if (lending_lasts(&l->lending, clock_monotonic_ms()))
        view_link_lend(l, l->lending.fd, l->lending.special);
}

void view_link_settle_found(struct view_link *l)
{
    struct bytes found = {0};
    if (l->lost_len)
        return;
    lending_take_found(&l->lending, &l->typed, &found);
    if (found.len)
        l->options->read(l->options->user, found.data, found.len);
    bytes_finish(&found);
}

static void take_read(struct view_link *l, const struct view_frame *f)
{
    struct view_keys keys;
    bool now = lending_over(&l->lending, f, &keys);
    l->doubtful += keys.doubt;
    if (!now)
        view_link_settle_found(l);
    else if (keys.len && l->leaves)
        l->given_up += keys.len;
    else if (keys.len)
        l->options->read(l->options->user, keys.data, keys.len);
    view_link_send_input(l);
}

/* The rest of an INPUT that was not typed whole never will be. */
static void take_typed(struct view_link *l, const struct view_frame *f)
{
    uint32_t typed;
    if (!l->asked_len || f->offset != l->token || view_typed_read(f, &typed) < 0)
        return;
    bytes_consume(&l->typed, typed < l->asked_len ? typed : l->asked_len);
    l->asked_len = 0;
    l->before = typed ? l->token : l->before;
    if (l->last || (l->state == VIEW_LINK_STANDS && !l->leaves))
        view_link_send_input(l);
}

/* What is typed from now on may be answers. What was before is given up. */
static void take_last(struct view_link *l)
{
    if (!l->leaves)
        return;
    l->last = true;
    l->given_up += l->typed.len;
    l->typed.len = 0;
}

static void take_cwd(struct view_link *l, const struct view_frame *f)
{
    char *cwd = text_format("%.*s", (int)f->len, f->data);
    l->options->moved(l->options->user, cwd);
    free(cwd);
}

static void take_block(struct view_link *l, const struct view_frame *f)
{
    json_t *block = json_loadb(f->data, f->len, 0, NULL);
    if (block)
        l->options->ended(l->options->user, (int64_t)f->offset, block);
    json_decref(block);
}

static void take_baton(struct view_link *l, const struct view_frame *f)
{
    json_t *baton = l->options->baton ? json_loadb(f->data, f->len, 0, NULL) : NULL;
    if (baton)
        l->options->baton(l->options->user, baton);
    json_decref(baton);
}

/* What was not TYPED by now never was. */
static void take_back(struct view_link *l)
{
    bytes_append(&l->returned, l->typed.data, l->typed.len);
    l->typed.len = l->asked_len = 0;
}

void view_link_take_frame(struct view_link *l, const struct view_frame *f)
{
    switch (f->kind) {
    case VIEW_OUTPUT:
    case VIEW_DRAW:
        show(l, f);
        break;
    case VIEW_SKIPPED:
        l->options->skipped(l->options->user, f->offset);
        break;
    case VIEW_CWD:
        take_cwd(l, f);
        break;
    case VIEW_BLOCK:
        take_block(l, f);
        break;
    case VIEW_BATON:
        take_baton(l, f);
        break;
    case VIEW_LED:
        l->leads = f->offset;
        break;
    case VIEW_TYPED:
        take_typed(l, f);
        break;
    case VIEW_SHOWN:
        note_shown(l, f);
        break;
    case VIEW_READ:
        take_read(l, f);
        break;
    case VIEW_END:
        l->status = f->offset == VIEW_STATUS_UNKNOWN ? 0 : (int)f->offset;
        l->state = VIEW_LINK_ENDED;
        take_back(l);
        break;
    case VIEW_LAST:
        take_last(l);
        break;
    case VIEW_RETURNED:
        bytes_append(&l->returned, f->data, f->len);
        break;
    case VIEW_DETACH:
        l->state = VIEW_LINK_DETACHED;
        break;
    default:
        break;
    }
}
