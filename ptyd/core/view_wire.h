/* view_wire.h - frames between a viewer and the worker.
 *
 * `session.attach` is answered with JSON and one end of a stream socket beside its bytes. On it go
 * frames, both ways: a head of 16 bytes (kind u32, length u32, offset u64; little-endian), then
 * `length` bytes. What `offset` means depends on the kind. Whoever gets a frame that is too long or
 * of a kind the other side never sends closes the socket. Daemon and client may be of different
 * versions: kinds and what they hold do not change, further ones are passed over.
 */
#ifndef PTYD_CORE_VIEW_WIRE_H
#define PTYD_CORE_VIEW_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/limits.h"

#define VIEW_HEAD_BYTES 16

enum view_kind {
    /* to the viewer */
    VIEW_OUTPUT = 1, /* what the program wrote; offset: in its stream, behind these bytes */
    VIEW_DRAW,       /* what draws; offset: in the stream, up to which the screen drawn stands */
    VIEW_SKIPPED,    /* offset: so many lines are not shown; a drawing follows */
    VIEW_CWD,        /* the session's directory */
    VIEW_END,        /* the shell is gone; offset: its status, or VIEW_STATUS_UNKNOWN */
    VIEW_LED,        /* offset: 1 from now on this viewer leads; 0: it leads no more */
    VIEW_TYPED,      /* offset: token of an INPUT; view_typed: what came of it */
    VIEW_DETACH,     /* somebody asked elsewhere that this viewer leaves */
    VIEW_LAST, /* its terminal was asked a last time: what that says is INPUT, also behind LEAVE,
                  until END comes or the socket closes */
    VIEW_RETURNED, /* came so behind the end of the shell and is no answer: for whoever reads next
                    */
    VIEW_BLOCK,    /* a command ended while nobody looked at this viewer; offset: ms that it ran, at
                      least VIEW_BLOCK_MS; JSON: {cmd (null where it is private), exit_code,
                      signal} */
    VIEW_BATON,    /* an agent asks to type, may, or may no more; JSON: {conversation_id, agent,
                      purpose, state, scope}, state asks, holds, or what it ended by */
    VIEW_SHOWN,    /* as OUTPUT, and its terminal, which is lent, was shown it: not acknowledged */
    VIEW_READ, /* the terminal is lent no more, and view_keys: what was read there and is for the
                  viewer; offset: of how many reads that is the last; 0 where nothing is for it. The
                  first frame of one that may lend */
    /* from the viewer */
    VIEW_INPUT = 64, /* to be typed; offset: its token, 0 for none */
    VIEW_ACK,        /* offset: so many bytes of OUTPUT and DRAW in all its terminal took */
    VIEW_RESIZE,     /* view_size: of its terminal */
    VIEW_LEAVE,      /* the user goes, the session stays */
    VIEW_GRANT,      /* the user grants what an agent asks for, once */
    VIEW_LEND,       /* view_loan: its terminal is lent, until offset */
    VIEW_ANEW,       /* others wrote to its terminal: all of it is to be drawn, behind what comes */
};

/* A viewer whose `session.attach` had `lends`, a number that it makes up, and the answer too, lends
 * its terminal while somebody types: a description of it of its own, which does not block, comes
 * beside the first VIEW_LEND's bytes. Until a moment at most VIEW_LOAN_MS away (monotonic ms, as
 * `offset`) the worker reads keys there, and the viewer none, and shows there what is short. A loan
 * that is not renewed ends by itself: no hanging worker keeps keys from a viewer, no hanging viewer
 * keys from whoever has the terminal then. The viewer begins VIEW_LOAN_SPARE_MS later. */
#define VIEW_LOAN_MS       500
#define VIEW_LOAN_SPARE_MS 20

#define VIEW_STATUS_UNKNOWN UINT64_MAX

/* A viewer acknowledges at the latest when its terminal took so many bytes more, and each drawing.
 * It sends a further INPUT when the last one is TYPED. */
#define VIEW_ACK_BYTES (16 << 10)

/* Commands that run shorter are none of which a viewer hears. */
#define VIEW_BLOCK_MS 1000

struct view_frame {
    uint32_t kind;
    uint64_t offset;
    const char *data; /* borrowed: good until more is read */
    size_t len;
};

/* Appends a frame of at most LIMIT_VIEW_FRAME_BYTES. */
void view_frame_append(struct bytes *out, enum view_kind kind, uint64_t offset, const void *data,
                       size_t len);
/* The same of any length, cut into frames of which only the last has `offset`: those before it have
 * `before`, where the viewer stands until all of it has come. */
void view_frames_append(struct bytes *out, enum view_kind kind, uint64_t before, uint64_t offset,
                        const char *data, size_t len);

/* ---- what some frames hold ---- */

struct view_size {
    uint16_t cols, rows, x_pixels, y_pixels; /* pixels of all of it; 0 where they are not known */
};
void view_size_append(struct bytes *out, struct view_size size);
/* Returns 0, or -EPROTO when the frame holds none. */
int view_size_read(const struct view_frame *frame, struct view_size *ret_size);

/* How much of an INPUT was typed; less than it had: the rest never will be. */
void view_typed_append(struct bytes *out, uint64_t token, uint32_t typed);
int view_typed_read(const struct view_frame *frame, uint32_t *ret_typed);

/* A loan; `ended` is how many READ came on this socket: one that was made before the last is none.
 * `special` is a byte that is the viewer's alone (lent.h). */
struct view_loan {
    uint64_t until;
    uint32_t ended;
    char special;
};
void view_loan_append(struct bytes *out, const struct view_loan *loan);
int view_loan_read(const struct view_frame *frame, struct view_loan *ret_loan);

/* Keys that the session does not have, behind some of which that is not known. */
struct view_keys {
    uint32_t doubt;
    const char *data; /* borrowed */
    size_t len;
};
void view_keys_append(struct bytes *out, uint64_t reads, const struct view_keys *keys);
int view_keys_read(const struct view_frame *frame, struct view_keys *ret_keys);

/* ---- reading ---- */

/* Bytes in, whole frames out. A zeroed struct is ready. */
struct view_reader {
    struct bytes buffer; /* what is not handed out yet */
    size_t at;           /* bytes of it that have been handed out */
};

void view_reader_finish(struct view_reader *reader);

/* Where to read to: at least VIEW_READ_BYTES; and so many came. */
#define VIEW_READ_BYTES (1 << 16)
char *view_reader_room(struct view_reader *reader);
void view_reader_came(struct view_reader *reader, size_t len);

/* Takes the next whole frame. Returns 1; 0 when there is none yet; -EPROTO for one that is too
 * long, and ever after. */
int view_reader_next(struct view_reader *reader, struct view_frame *ret_frame);

#endif
