/* log.h - what is to be forgotten, in output.raw: covered in place, so that every offset into the
 * log stays true. */
#ifndef PTYD_FORGET_LOG_H
#define PTYD_FORGET_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "envelope/redact/redact.h"
#include "vterm_snapshot/blot.h"

/* How a session's files are gone through. */
struct forget {
    const char *directory; /* .../agent_pty */
    const char *text;      /* or NULL */
    const json_t *seqs;    /* of its commands, or NULL */
    /* In place of both: secrets, as the finder finds them with these. */
    const struct blot_finder *finder;
    const struct redact_secrets *secrets;
    uint64_t from, until; /* then: the part of the log; 0: to its end */
    bool looks;           /* only: nothing is changed */
    /* Before the first change of all: what is made of these files goes. May be called again. */
    void (*before)(struct forget *forget);
    void (*moves)(void); /* called now and then, or NULL */
    bool changed;        /* it was called */
    size_t places;       /* where something is, or was, to be covered; a command is one */
    int error;           /* -errno of a file that could not be changed; and which one */
    char *error_path;    /* owned */
};

/* Notes that a file could not be changed, `result` being -errno; nothing for 0 and above. */
void forget_failed(struct forget *forget, const char *path, int result);

/* Something is about to be changed: calls `before` the first time. Returns false where nothing may
 * be. */
bool forget_begins(struct forget *forget);

/* Covers it in output.raw. Of a command all from where its prompt takes input to the mark that ends
 * it. */
void forget_in_log(struct forget *forget);

/* Where in it a command ended first at least so many bytes behind `from`, as the index has it; with
 * none (or UINT64_MAX bytes) the last: what lies before is over. 0 for nowhere. */
uint64_t forget_log_ended(struct forget *forget, uint64_t bytes);

/* A text in another log of a terminal, one that was set aside: how wide it was is not known. */
void forget_in_stream(struct forget *forget, const char *path);

#endif
