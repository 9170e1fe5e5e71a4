/* scan.h - what a session's commands printed, as agents are shown it, read on from a cursor.
 *
 * A cursor is a place in that text: the command's number and how many bytes of its output are in
 * front. Cursors grow as the text does, over all commands; 0 is in front of everything, also of
 * what is kept no more. Where a command runs its last line may change yet, and become shorter: no
 * cursor is given out within it but one behind a match. */
#ifndef PTYD_MCP_SCAN_H
#define PTYD_MCP_SCAN_H

#include "base/bytes.h"
#include "ptyd/mcp/mcp.h"

/* The first member of its tool's state. */
struct scan {
    long long seq, byte;          /* the cursor: scan_take() moves it */
    bool one;                     /* that command's output alone */
    void (*text)(struct call *c); /* some was read: scan_text(); it ends the call, or scan_next() */
    void (*over)(struct call *c); /* all that there is was read */
    char *block;                  /* the one at hand, as it is asked for. Owned */
    char *id;                     /* its id, once that is known. Owned */
    json_t *blocks;               /* the list at hand */
    size_t at;                    /* and where in it */
    struct bytes read;            /* whole lines; the last of a command that runs without its end */
    json_t *numbers;              /* of those lines */
    long long line, base;         /* lines and bytes in front of them */
    long long next;               /* the line to go on with; -1 at the end */
    bool runs;
};

long long cursor_of(long long seq, long long byte);

/* Reads on from a cursor; or one command's output, `block` as the user or a list names it, from a
 * byte on. Both answer by `text` and `over`, and may be called again. */
void scan_begin(struct call *c, long long cursor);
void scan_block(struct call *c, const char *block, long long byte);

/* What was read, and how much of it is in front of the cursor, at most all. Whether more of this
 * command's may follow, now or later. */
const char *scan_text(const struct scan *s, size_t *ret_len, size_t *ret_from);
bool scan_goes_on(const struct scan *s);

/* The cursor stands behind so many bytes of it. */
void scan_take(struct scan *s, size_t len);
/* How much of it changes no more: all, but of a command that runs not its last line. */
size_t scan_settled(const struct scan *s);
/* Reads on, the lines from the one of byte `keep` on once more. */
void scan_next(struct call *c, size_t keep);

void scan_finish(struct scan *s);

#endif
