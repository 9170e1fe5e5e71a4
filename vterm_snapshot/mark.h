/* mark.h - one shell mark, `ESC ] 7711 ; nonce ; seq ; kind [; key=value ...] BEL`, as a struct.
 *
 * The parser finds a mark's ends and checks its nonce; this module reads what is between.
 */
#ifndef VTERM_SNAPSHOT_MARK_H
#define VTERM_SNAPSHOT_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define MARK_NONCE_LEN 32           /* lowercase hex digits */
#define MARK_HEAD      "\033]7711;" /* the bytes that each begins with */

/* What the parser could say about the nonce. */
enum mark_signature {
    MARK_FORGED, /* not our nonce: whoever sent it is not our shell */
    MARK_SIGNED, /* our nonce */
    MARK_ZEROED, /* all zeros, as our own log keeps it; genuine only where the index says so */
};

/* What is known of a mark of zeros that comes from a log. */
enum mark_record {
    MARK_UNKNOWN,  /* it was not accepted: whoever printed it is not our shell */
    MARK_RECORDED, /* it was genuine, and its end is in the log */
    MARK_OPEN,     /* it is genuine; its end comes behind the log, with our nonce */
};

enum mark_kind {
    MARK_PROMPT = 'A',
    MARK_INPUT = 'B',
    MARK_COMMAND = 'C',
    MARK_OUTPUT_END = 'O',
    MARK_DONE = 'D',
    MARK_PROPERTY = 'P',
};

struct mark {
    enum mark_signature signature;
    enum mark_kind kind;
    uint64_t seq;      /* rises within one shell instance */
    uint64_t offset;   /* of the mark's ESC in the stream, bytes since its start */
    bool truncated;    /* the text was longer than LIMIT_STRING_BYTES */
    bool has_status;   /* st= was there */
    int status;        /* st=: the shell's $? */
    bool has_cwd;      /* cwd= was there */
    bool has_cmd;      /* cmd= was there */
    bool has_raw;      /* raw= was there */
    bool has_lost;     /* lost= was there */
    bool unrecorded;   /* hist=0: the line did not enter the shell's history */
    bool by_line;      /* line=: no C will come; a line feed behind B starts the command */
    bool edits;        /* line=2: and the shell, not the terminal, echoes what is typed */
    bool more;         /* more=1: the command line goes on */
    bool ignore_space; /* ign=1: the shell keeps lines that begin with a space out of its history */
    struct bytes cwd;  /* decoded bytes, possibly not UTF-8 */
    struct bytes cmd;  /* decoded bytes, possibly not UTF-8 */
    struct bytes lost; /* what the shell cannot tell, for people; "" when all is well again */
    struct bytes raw;  /* raw= (of D: history, of P: the directory) as it came from the terminal: CR
                          LF ends a line */
};

/* Reads `payload`, what follows `nonce ;`. A payload cut at LIMIT_STRING_BYTES is valid. Returns
 * 0 and fills *ret_mark (finish it with mark_finish), or -EINVAL for what is no mark, -ENOMEM. */
int mark_parse(const char *payload, size_t len, struct mark *ret_mark);
void mark_finish(struct mark *mark);

/* The command in the output of bash's `history 1` that raw= carries: number and star removed, and
 * before them what the tty echoed in between; CR LF turned into LF, trailing newlines dropped.
 * Appends to `out`. */
void mark_history_text(const char *raw, size_t len, struct bytes *out);

#endif
