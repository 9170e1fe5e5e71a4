/* listing.h - replies that list much: made in pieces, while others have their turns. */
#ifndef PTYD_WORKER_LISTING_H
#define PTYD_WORKER_LISTING_H

#include "ptyd/session/session.h"
#include "ptyd/worker/server.h"

/* Answers with the newest `last` blocks (0: all), oldest first. */
void listing_blocks(struct client *client, const json_t *id, const struct session *s, size_t last);

/* The same of the files in `directory`, of a session that is closed. */
void listing_files(struct client *client, const json_t *id, const char *directory, size_t last);

enum listing_form {
    LISTING_PLAIN,
    LISTING_STYLED,   /* text and SGR */
    LISTING_REDACTED, /* without secrets, whose count is told */
};

/* What of it is asked for: its lines but for the newest `skip`, at most `limit` (0: all); or
 * (`numbered`) those of rows that left from number `from` on (one that lasts: lasting.h), at most
 * `limit` of the oldest and what more the last of these rows is at the present width. */
struct listing_part {
    size_t skip, limit;
    bool numbered;
    uint64_t from;
    enum listing_form form;
    bool screen; /* with the screen behind it, in its colours, and which rows go on */
};

/* Answers as screen_scrollback_json() has it, of the lines as they are now. */
void listing_scrollback(struct client *client, const json_t *id, const struct session *s,
                        const struct listing_part *part);

/* Where that is the session's running block: the same as it is now, with its preview. Steals
 * `block`, new reference. */
json_t *listing_refresh(const struct session *s, json_t *block);

#endif
