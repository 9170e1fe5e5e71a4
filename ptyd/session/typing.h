/* typing.h - what was asked to be typed, until the terminal has it.
 *
 * Requests wait in a queue, one behind the other; the first is written a piece at a time, as much
 * as the terminal takes. How much of one with a token is written stands in the session's shared
 * memory before anybody is told: behind a worker's death its caller can be told, too. Only of the
 * piece that was being written then nobody knows.
 *
 * An agent types by a number, that of the baton it was handed, and only while nobody took that
 * back: whoever else types takes it, and what the agent's requests have not written yet is not
 * written.
 *
 * Pure: it knows a descriptor and that memory.
 */
#ifndef PTYD_SESSION_TYPING_H
#define PTYD_SESSION_TYPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "ptyd/core/intake.h"
#include "ptyd/session/paste.h"

/* What becomes of a piece of a request. */
enum typing_kind {
    TYPING_KEYS,
    TYPING_REPLY,   /* written, and nobody's keys */
    TYPING_DROPPED, /* counted as typed, and not written */
};
struct typing_part {
    size_t end; /* in the request's bytes */
    enum typing_kind kind;
};

/* A piece of it that came shorter. */
struct typing_grown {
    size_t end, len; /* in the request's bytes */
    size_t more;     /* so many of them did not come */
};

/* One request. Embedded in its owner, which stays until `done`, or typing_remove(). */
struct typing {
    struct typing *next; /* in the queue */
    struct bytes bytes;  /* the owner's to free */
    struct bytes grown;  /* of struct typing_grown, in order; the owner's to free */
    size_t typed;        /* so many of them the terminal has */
    uint64_t token;      /* by which it is asked for later; 0 for none */
    uint64_t agent;      /* the baton by which an agent types it; 0: it is no agent's */
    const void *of;      /* whoever types, by one request behind the other; NULL: by this alone */
    bool is_reply;       /* a terminal's answer to a query, or report: nobody's keys */
    bool has_room;       /* whoever asks waits for it with everything else: it is never refused */
    struct bytes parts;  /* of struct typing_part, where they differ: freed behind `done` */
    size_t part;         /* of them, the one at hand */
    struct intake_typing *kept;
    /* The terminal has all, or will not get more: `typed` says which. It is in no queue then. */
    void (*done)(struct typing *typing);
};

/* A zeroed struct is an empty one. */
struct typing_queue {
    struct typing *first;
    size_t len; /* bytes of all that the terminal does not have */
    int count;
    size_t piece;   /* at most so many bytes are written at once, whole lines where there are some;
                       0: LIMIT_TYPED_PIECE of whatever */
    uint64_t baton; /* by which an agent may type; 0: none may */
    struct paste paste;
    bool cut; /* who pasted that went before its end, which is to be typed yet */
};

/* One that nobody waits for, `done` with by typing_destroy(). */
struct typing *typing_create(const char *bytes, size_t len);
void typing_destroy(struct typing *typing);

/* How many bytes a further request may have. */
size_t typing_room(const struct typing_queue *queue);

/* Nobody's agent types any more: the baton is nobody's, and requests of agents are done with. */
void typing_take_baton(struct typing_queue *queue);

/* Whether somebody's keys are in it, and no agent's. */
bool typing_is_persons(const struct typing *typing);

/* Puts it at the end. False when there is no room, or it is of an agent without the baton: it is
 * refused whole. Keys of others take the baton. */
bool typing_add(struct typing_queue *queue, struct typing *typing);

/* Says what the next `len` bytes of a request are that was not added yet; none said, all are as
 * `is_reply` says. */
void typing_add_part(struct typing *typing, size_t len, enum typing_kind kind);
/* Adds `len` bytes, which came with `more` fewer. */
void typing_append(struct typing *typing, const char *bytes, size_t len, size_t more);
/* The first `typed` bytes of a request, counted as they came: so they are told to whoever sent it,
 * and kept. Of a piece that grew and is not whole the last one is not among them: what is sent
 * again ends it. */
size_t typing_came(const struct typing *typing, size_t typed);
/* How many bytes are written next, all of one kind; of a queue with one request at least. */
size_t typing_piece(const struct typing_queue *queue, enum typing_kind *ret_kind);

/* Whether one of them keeps there how far it is. */
bool typing_keeps(const struct typing_queue *queue, const struct intake_typing *kept);

/* Takes back what the terminal does not have of a request; `done` is not called. */
void typing_remove(struct typing_queue *queue, struct typing *typing);

/* Whoever `of` was types no more. And adds what ends a paste that is cut: as soon as may be. */
void typing_leave(struct typing_queue *queue, const void *of);
void typing_end_paste(struct typing_queue *queue, struct typing *typing);

/* Writes a piece of the first request, of which there is one, to `fd`, and notes it in `facts`: of
 * one kind. Returns how many bytes, or -errno. Who has looked at what was written calls
 * typing_settle(). */
ssize_t typing_write(struct typing_queue *queue, struct intake_facts *facts, int fd);

/* Is done with the first request if the terminal has all of it. */
void typing_settle(struct typing_queue *queue);

/* Nothing more is typed: is done with all of them. */
void typing_end(struct typing_queue *queue);

/* Notes a token as that of a request of which nothing was to be written, unless it is known. */
void typing_note(struct intake_facts *facts, uint64_t token);

/* Whether nothing was written of the request with that token, which came behind the one with
 * `before`. False also when that is not known any more. */
bool typing_never(const struct intake_facts *facts, uint64_t token, uint64_t before);

/* What a worker, this one or one before it, wrote of the request with that token: at least
 * *ret_typed bytes, and perhaps *ret_doubt more. False when none of it was written, or
 * LIMIT_TYPINGS_KEPT others were begun since. */
bool typing_find(const struct intake_facts *facts, uint64_t token, size_t *ret_typed,
                 size_t *ret_doubt);

#endif
