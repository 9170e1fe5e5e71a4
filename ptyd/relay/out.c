#define _GNU_SOURCE
#include "ptyd/relay/out.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/ask.h"
#include "ptyd/relay/letter.h"
#include "ptyd/relay/subject.h"

/* What is under way of a session. */
struct flight {
    struct block *block;
    uint64_t number;
    uint64_t send;    /* of the last time that it was sent */
    int64_t sent_ms;  /* monotonic; 0: it is to be sent again */
    int64_t first_ms; /* when it was sent first (wall clock) */
    unsigned times;   /* that it was sent */
    size_t most;      /* bytes that it may have */
    unsigned salt;    /* of its id: another one where that was somebody's already */
};

static char *format_text(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

static char *format_text(const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        memory_end();
    return text;
}

/* Takes the text. */
static void fail(struct out *o, char *text)
{
    if (!o->error || strcmp(o->error, text) != 0)
        say("relay: %s", text);
    free(o->error);
    o->error = text;
    o->error_ms = clock_wall_ms();
}

void out_fail(struct out *o, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(o, format_text(format, args));
    va_end(args);
}

/* Nothing that is sent is kept, since the hub last kept something or `flight` was sent first. */
static void be_stuck(struct out *o, const struct flight *f, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void be_stuck(struct out *o, const struct flight *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = format_text(format, args);
    va_end(args);
    o->stuck_ms = o->stuck ? o->stuck_ms : f->first_ms;
    free(o->stuck);
    o->stuck = text_copy(text);
    fail(o, text);
}

static void be_free(struct out *o)
{
    free(o->stuck);
    o->stuck = NULL;
    o->stuck_ms = 0;
}

/* ---- one block ---- */

/* Returns NULL, or why it was not sent. */
static const char *send_block(struct out *o, struct spool_session *session, struct flight *f)
{
    char id[KEYS_ID_SIZE], *answer = text_format("p.%llu", (unsigned long long)++o->sends);
    char *subject = subject_block(o->user, o->identity->host_id, session->name);
    char *text =
        letter_text_within(f->block, o->settings, o->identity, session->name, f->number, f->most);
    letter_id(f->block, o->settings, o->identity, f->number, f->salt, id);
    char *sealed = sealing_close(&o->settings->sealing, subject, id, text);
    const char *why = hub_publish(o->hub, subject, answer, id, sealed, strlen(sealed));
    f->send = o->sends;
    f->sent_ms = clock_monotonic_ms();
    f->first_ms = f->first_ms ? f->first_ms : clock_wall_ms();
    f->times += !why;
    free(sealed);
    free(text);
    free(subject);
    free(answer);
    return why;
}

static void land(struct out *o, struct spool_session *session)
{
    struct flight *f = session->user;
    block_unref(f->block);
    free(f);
    session->user = NULL;
    o->unacked--;
}

/* What the hub does not take is half of that, or else passed over: nothing behind it waits for
 * ever. Returns whether it is to be sent again. */
static bool shrink(struct out *o, struct spool_session *session, struct flight *f)
{
    f->most /= 2;
    f->sent_ms = 0;
    f->times = 0; /* nothing of it is there */
    if (f->most >= LIMIT_RELAY_LETTER_LEAST)
        return true;
    o->oversize++;
    out_fail(o, "the hub takes no message of %d bytes: a command of session %s is passed over",
             LIMIT_RELAY_LETTER_LEAST, session->name);
    spool_sent(o->spool, session, f->block, f->number);
    land(o, session);
    return false;
}

/* ---- which is sent ---- */

static struct flight *take_off(struct out *o, struct spool_session *session)
{
    uint64_t number;
    struct block *block = o->unacked < LIMIT_RELAY_UNACKED && session->due
                              ? spool_next(o->spool, session, conf_now(o->conf), &number)
                              : NULL;
    if (!block)
        return NULL;
    struct flight *f = memory_new(sizeof *f);
    *f = (struct flight){.block = block, .number = number, .most = LIMIT_RELAY_LETTER_BYTES};
    session->user = f;
    o->unacked++;
    return f;
}

/* What is sent again was forgotten meanwhile, say: the hub may have it under this number. */
static struct flight *look_again(struct out *o, struct spool_session *session, struct flight *f)
{
    struct block *block = spool_again(o->spool, session, f->block, conf_now(o->conf));
    if (!block) {
        if (f->times)
            spool_sent(o->spool, session, f->block, f->number);
        land(o, session);
        return take_off(o, session);
    }
    block_unref(f->block);
    f->block = block;
    return f;
}

/* Returns whether the hub takes more. */
static bool step_session(struct out *o, struct spool_session *session, int64_t now)
{
    bool again = session->user;
    struct flight *f = again ? session->user : take_off(o, session);
    if (!f || (f->sent_ms && now - f->sent_ms < LIMIT_RELAY_ACK_MS))
        return true;
    if (f->sent_ms && f->times)
        be_stuck(o, f,
                 "the hub has not acknowledged a command within %d s: it stands still, its disk is "
                 "full (ptyd-relay(7), WHEN THE HUB'S DISK IS FULL), or its owner has yet to make "
                 "the stream (`ptyd relay hub --init`)",
                 LIMIT_RELAY_ACK_MS / 1000);
    f = again ? look_again(o, session, f) : f;
    if (!f)
        return true;
    const char *why = send_block(o, session, f);
    while (why == hub_too_large && shrink(o, session, f))
        why = send_block(o, session, f);
    if (!why || why == hub_too_large)
        return true;
    f->sent_ms = 0;
    out_fail(o, "cannot send: %s", why);
    return false;
}

int64_t out_step(struct out *o)
{
    int64_t now = clock_monotonic_ms(), next = -1;
    struct spool_session *session;
    if (!hub_is_connected(o->hub))
        return -1;
    if (now < o->hold_until)
        return o->hold_until;
    uint64_t passed = o->oversize;
    size_t count = 0;
    while (spool_session(o->spool, count))
        count++;
    for (size_t i = 0; i < count; i++) {
        session = spool_session(o->spool, (o->next + i) % count);
        if (!step_session(o, session, now)) {
            o->hold_until = now + LIMIT_RELAY_AGAIN_MS;
            return o->hold_until;
        }
        const struct flight *f = session->user;
        next = clock_sooner(next, f ? f->sent_ms + LIMIT_RELAY_ACK_MS : -1);
    }
    o->next = count ? (o->next + 1) % count : 0;
    return passed == o->oversize ? next : now; /* what comes behind those */
}

/* ---- what becomes of it ---- */

static struct spool_session *find(const struct out *o, uint64_t send)
{
    struct spool_session *session;
    for (size_t i = 0; (session = spool_session(o->spool, i)); i++)
        if (session->user && ((struct flight *)session->user)->send == send)
            return session;
    return NULL;
}

/* Whether this is the only process that can have sent it before: it was sent once, ended since this
 * one began, or the one before left nothing in doubt. */
static bool is_first(const struct out *o, const struct flight *f)
{
    return f->times == 1 && (f->block->ts_end > o->began_ms || spool_was_clean(o->spool));
}

static void refuse(struct out *o, struct flight *f, const char *why)
{
    be_stuck(o, f, "the hub refuses a command: %s", why);
    f->sent_ms = 0;
    o->hold_until = clock_monotonic_ms() + LIMIT_RELAY_AGAIN_MS;
}

void out_answer(struct out *o, const struct hub_message *m)
{
    struct spool_session *session = find(o, strtoull(m->subject + 2, NULL, 10));
    if (!session)
        return; /* of a time before: it is sent again */
    struct flight *f = session->user;
    json_t *answer = json_loadb(m->data, m->len, 0, NULL);
    const char *error = json_text(json_at(answer, "error"), "description", NULL);
    if (m->status == 503)
        refuse(o, f, "it has no stream for it; its owner makes it with `ptyd relay hub --init`");
    else if (ask_is_too_large(answer))
        shrink(o, session, f);
    else if (m->status || error || !json_number(answer, "seq", 0))
        refuse(o, f, error ? error : "its answer is none");
    else if (json_flag(answer, "duplicate") && is_first(o, f)) {
        o->suppressed++;
        out_fail(o, "the hub took a command that was never sent for one that it has: somebody uses "
                    "this host's ids; it is sent under another one");
        f->salt++;
        f->times = 0;
        f->sent_ms = 0;
    } else {
        spool_sent(o->spool, session, f->block, f->number);
        o->sent++;
        be_free(o);
        land(o, session);
    }
    json_decref(answer);
}

void out_lost(struct out *o)
{
    struct spool_session *session;
    for (size_t i = 0; (session = spool_session(o->spool, i)); i++)
        if (session->user)
            ((struct flight *)session->user)->sent_ms = 0;
}

void out_finish(struct out *o)
{
    struct spool_session *session;
    for (size_t i = 0; (session = spool_session(o->spool, i)); i++)
        if (session->user)
            land(o, session);
    free(o->error);
    free(o->stuck);
}
