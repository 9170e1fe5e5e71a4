/* wish.h - what is to be forgotten: commands, or a text.
 *
 * Until it is done it stands in `<state>/forget.json`, so that whoever follows a worker that dies
 * meanwhile finishes it. The text is written there in hexadecimal digits: what looks for it in the
 * state directory does not find the wish. */
#ifndef PTYD_FORGET_WISH_H
#define PTYD_FORGET_WISH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wish {
    uint64_t token; /* of the request */
    bool again;     /* the command that names the text runs yet: once more when it has ended */
    char *text;     /* NULL: commands alone */
    char *session;  /* in which the text is; NULL: in all */
    json_t *blocks; /* {session: [seq, ...]}, in order; never NULL */
};

/* Reads `{token, blocks: {session: [seq, ...]}, text, session, again}`, the last ones where they
 * are: texts as they are or, `in_file`, as the file has them. Returns whether it is a wish: it has
 * a token and wants something. */
bool wish_read(const json_t *params, bool in_file, struct wish *ret_wish);
void wish_finish(struct wish *wish);

/* The one that is not done yet; false for none. Keeps one, in place of any other: 0 or -errno, with
 * the other as it was. It is done, and goes. */
bool wish_load(const char *state, struct wish *ret_wish);
int wish_save(const char *state, const struct wish *wish);
void wish_done(const char *state);

/* Whether a text can be asked for: valid UTF-8 of one line, within LIMIT_FORGET_TEXT_BYTES, and not
 * what it would be covered with. */
bool wish_is_text(const char *text);

/* What it wants of a session, or of one of that name that was set aside: its text or NULL, and its
 * commands' numbers, an array or NULL; borrowed. Returns whether that is anything. */
bool wish_of(const struct wish *wish, const char *session, const char **ret_text,
             const json_t **ret_seqs);

/* Where an array of numbers in order, as a wish has them, or NULL, has this one; negative: nowhere.
 * Whether it has it. */
ptrdiff_t wish_place(const json_t *seqs, uint64_t seq);
bool wish_has(const json_t *seqs, uint64_t seq);

#endif
