/* intake.h - bytes from a terminal, read straight into memory that outlives the reader.
 *
 * One memfd per session, made by the keeper and mapped by the worker. A read(2) into private
 * memory loses its bytes when the reader is killed before it has stored them; here they are where
 * the next worker finds them. It is a ring with one reader and one consumer, which may be two
 * threads.
 *
 * Invariant: all of the ring that no byte waits in is zero, before a read may reach it. A successor
 * therefore finds bytes that were read but not counted yet by looking for the last one that is not
 * zero. (NULs at the very end of such a read are lost; terminals ignore them.)
 */
#ifndef PTYD_CORE_INTAKE_H
#define PTYD_CORE_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"
#include "ptyd/core/prompt_line.h"
#include "ptyd/core/run_table.h"
#include "ptyd/core/tracker_point.h"
#include "ptyd/core/typed_keys.h"
#include "vterm_snapshot/mark.h"

/* Of a request to type: see ptyd/session/typing.h. */
struct intake_typing {
    uint64_t token;       /* its caller's; 0 for none */
    uint32_t typed, most; /* bytes that the terminal has, at least and at most */
};

/* Of the terminal that a viewer has lent: see lent.h. */
struct intake_lent {
    uint64_t viewer;             /* by the number that it gave itself; 0: none has */
    uint64_t shown, showing;     /* in the stream: up to there it was shown that; it is being */
    uint64_t reads;              /* so many of it were begun */
    struct intake_typing typing; /* of what the last one brought; token: 0 before it is typed */
    char keys[LIMIT_LENT_BYTES]; /* that one brought */
};

/* Whose session it is. */
enum intake_owner {
    INTAKE_NOBODYS,  /* it was opened by its name */
    INTAKE_TERMINAL, /* a terminal's: it ends with it */
    INTAKE_LEFT,     /* it was a terminal's that its user left */
};

/* What the keeper keeps for a worker to come, besides the bytes. That worker may be of an older or
 * a newer version (keeper/upgrade.h): nothing here moves or changes its size or meaning, what is
 * new goes to the end, and zero there means that it was never said. */
struct intake_facts {
    char name[72]; /* of the session */
    char shell_id[32];
    char shell[64];                 /* `bash`; what list shows */
    char nonce[MARK_NONCE_LEN + 1]; /* "" when the shell has no integration */
    int32_t cols, rows;
    int32_t adopted;  /* a worker has begun with it */
    uint64_t process; /* fingerprint of the shell at its first mark; 0 before */
    struct {
        uint64_t offset;
        struct tracker_point point;
    } points[2];                   /* intake_set_place() */
    uint32_t typing_keys;          /* keys are being written that nobody has noted yet */
    char ahead[LIMIT_AHEAD_BYTES]; /* a ring: what was typed ahead of a shell without C, of both
                                      `points` */
    uint64_t typing_count; /* requests to type that were begun; the next is `typings` at that */
    struct intake_typing typings[LIMIT_TYPINGS_KEPT];
    /* Of `points`: the offset of the mark it stands in, and 1; 0 for none. */
    uint64_t open_marks[2];
    /* Of `points`, in `ahead`. */
    struct {
        uint64_t generation; /* of two for the same offset the later counts */
        uint16_t from, len, shared;
        uint8_t line, feed, trust, in_doubt;
    } keys[2];
    uint64_t key; /* the highest number of an entry that was given out when the session's part of
                     the ledger was kept last, or could not be */
    struct intake_deadly { /* a worker died there too often (board.h): the session is quarantined */
        uint32_t step;     /* 0: it is not */
        uint64_t at;
        struct tracker_point point; /* when it began; zeros where that is not known */
    } deadly;
    uint64_t first_seq;    /* of the last block before this shell */
    struct run_table runs; /* commands that were typed for somebody */
    int32_t shell_pid;     /* also when it was reaped */
    uint32_t owner;        /* enum intake_owner */
    struct {
        uint16_t echoed, matched, piece, doubt_from, doubted, doubt_matched;
    } echoes[2]; /* of `keys`; see struct typed */
    /* What is being typed where `typing_keys` is 2: in `ahead`. */
    uint16_t doubt_from, doubt_len;
    int32_t x_pixels, y_pixels; /* of the terminal that shows the session; 0 where not known */
    uint32_t led;               /* a viewer leads, and gets every byte: it will come back */
    uint64_t led_from; /* where in the stream, and 1, viewers began to lead: what programs asked
                          since then was left to them; 0 while none does */
    /* Of what is left to viewers the first that is not answered: its end, since when (monotonic),
     * and from where on whoever reads the stream finds it. 0: all is. */
    uint64_t asked;
    int64_t asked_ms;
    uint64_t asked_from;
    struct prompt_line prompt_line; /* what was typed at the prompt, or ahead of it */
    uint64_t blocks_same; /* what the files of its blocks were when they last held the same lines
                             (session/block_files.h); 0 where that is not known */
    struct intake_lent lent;
};

struct intake;

/* Makes a memfd of the right size with `facts` in it. Returns the descriptor, the caller's, or
 * -errno. */
int intake_create_fd(const struct intake_facts *facts);

/* How the memory is laid out, 0 when it is no intake; and whether intake_map() understands it. */
uint64_t intake_layout(int fd);
bool intake_knows(uint64_t layout);

/* Whose it is, as its facts say, without a look at the rest; "" when it is no intake. */
void intake_read_shell_id(int fd, char ret_id[32]);

/* Maps it and counts bytes that a killed reader left uncounted. Takes the descriptor over. NULL
 * when it is not one of ours or memory is out. */
struct intake *intake_map(int fd);
void intake_unmap(struct intake *in);

/* In the shared memory: what is written there the next worker reads. */
struct intake_facts *intake_facts(struct intake *in);

/* One read(2) from `fd`: what the terminal has, or a part. Returns as intake_read() does. */
ssize_t intake_read_piece(struct intake *in, int fd);

/* Reads from `fd` until it would block, the ring is full, or it ends. Returns the bytes read, or
 * -errno: -EAGAIN when there was nothing, -EIO or 0 at the end, -ENOBUFS when there is no room.
 * These two and intake_waiting() are what another thread than the consumer's may call, one at a
 * time. */
ssize_t intake_read(struct intake *in, int fd);
/* The same until `most` bytes wait, or a few more: one read's worth. */
ssize_t intake_read_most(struct intake *in, int fd, size_t most);

/* The stream offset of the first byte not consumed yet, and how many wait. */
uint64_t intake_start(const struct intake *in);
size_t intake_waiting(const struct intake *in);

/* The bytes of its ring: as many may wait. */
size_t intake_size(const struct intake *in);

/* Copies the first of those that wait, at most `most`; returns how many. */
size_t intake_copy(const struct intake *in, char *out, size_t most);

/* Says at which stream offset the first byte stands; before anything is read. */
void intake_set_start(struct intake *in, uint64_t start);

/* Where a session stands, as far as no log says it. */
struct intake_place {
    struct tracker_point point;
    struct typed_keys keys; /* borrowed; told ones are good until the next are */
    bool in_mark;           /* within a genuine mark, whose nonce is in no log */
    uint64_t mark;          /* it began here */
};

/* Where it will stand when the stream is consumed up to `offset`, or stands there by now; and where
 * it stands now, for a worker to come: false when that was never said. More keys than there is room
 * for are kept as being in doubt. */
void intake_set_place(struct intake *in, uint64_t offset, const struct intake_place *place);
bool intake_place(struct intake *in, struct intake_place *ret_place);

/* From here until intake_end_typing() it is in doubt whether these keys were typed. `known`: who
 * goes on can tell by their echo; they are kept for it where there is room. */
void intake_begin_typing(struct intake *in, const char *keys, size_t len, bool known);
void intake_end_typing(struct intake *in);

/* Lets go of the first `len` waiting bytes, which are stored elsewhere by now: they become zeros.
 */
void intake_consume(struct intake *in, size_t len);

#endif
