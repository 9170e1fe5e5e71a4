/* mark.h - one shell mark, `ESC ] 7711 ; nonce ; seq ; kind [; key=value ...] ; length ; nonce
 * BEL`, as a struct.
 *
 * The parser finds a mark's ends and checks its nonces; this module reads what is between. The
 * length is a digit that says what is counted (1: characters, 2: bytes) and four of how many stand
 * between the first nonce and the length itself; in front of raw=, of how many there are in all.
 * Who prints in the middle of a mark can only add to it: then the length is not true. One that says
 * nothing but its number (`bare`) needs none: then that is longer than the one before.
 */
#ifndef VTERM_SNAPSHOT_MARK_H
#define VTERM_SNAPSHOT_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define MARK_NONCE_LEN 32           /* lowercase hex digits */
#define MARK_HEAD      "\033]7711;" /* the bytes that each begins with */
/* The number of a sealed mark whose shell could not count: no other length than of one that can. */
#define MARK_UNCOUNTED 100000000

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

/* How a mark ends. */
enum mark_seal {
    MARK_UNSEALED, /* as marks did before they had a length: what is in it may be anybody's */
    MARK_SEALED,   /* its length is true: it is what the shell wrote */
    MARK_FOREIGN,  /* made of another terminal's, which have none */
};

enum mark_kind {
    MARK_PROMPT = 'A',
    MARK_INPUT = 'B',
    MARK_COMMAND = 'C',
    MARK_OUTPUT_END = 'O',
    MARK_DONE = 'D',
    MARK_PROPERTY = 'P',
    MARK_TEXT = 'T', /* a part of a text that is too long for one write; the next mark has it */
};

struct mark {
    enum mark_signature signature;
    enum mark_seal seal;
    enum mark_kind kind;
    uint64_t seq;      /* rises within one shell instance */
    uint64_t offset;   /* of the mark's ESC in the stream, bytes since its start */
    bool bare;         /* it says nothing but its kind and number */
    bool truncated;    /* the text was longer than LIMIT_STRING_BYTES */
    bool has_status;   /* st= was there */
    int status;        /* st=: the shell's $? */
    bool has_cwd;      /* cwd= was there */
    bool has_cmd;      /* cmd=, or text=, the same not encoded, as the last field, was there */
    bool has_raw;      /* raw= was there */
    bool has_lost;     /* lost= was there */
    bool unrecorded;   /* hist=0: the line did not enter the shell's history */
    uint64_t entries;  /* hist=: how many it has since the last prompt; 0 where it is not said */
    uint64_t ran;      /* ran=: commands that ran since then; 0: one */
    bool refused;      /* ran=0: none did, the shell could not parse the line */
    bool by_line;      /* line=: no C will come; a line feed behind B starts the command */
    bool edits;        /* line=2: and the shell, not the terminal, echoes what is typed */
    bool more;         /* more=1: the command line goes on */
    bool has_habits;   /* ign= was there, and keep= where the shell knows that */
    bool ignore_space; /* ign=1: the shell keeps lines that begin with a space out of its history */
    bool cut;          /* cut=1: the shell told no more of the text */
    enum mark_keeps {  /* keep=: of lines that do not enter the shell's history is known */
                      MARK_KEEPS_ANY,     /* nothing */
                      MARK_KEEPS_REPEATS, /* that they are the same as the last that did */
                      MARK_KEEPS_BLANKS,  /* that they are, or begin with a blank */
    } keeps;
    uint64_t index;      /* i=: of T, which part it is: 0, 1, ... */
    uint64_t cmds, cwds; /* cmds=, cwds=: the number of the last part that told the text, the
                            directory; 0: none did */
    struct bytes cwd;    /* decoded bytes, possibly not UTF-8; of T as they came */
    struct bytes cmd;    /* decoded bytes, possibly not UTF-8; of T as they came */
    struct bytes lost;   /* what the shell cannot tell, for people; "" when all is well again */
    struct bytes raw;    /* raw= (of P, and of D with line=, the directory; of D else history) as it
                            came from the terminal: CR LF ends a line */
};

/* Whether raw= is a directory. */
static inline bool mark_has_raw_directory(const struct mark *mark)
{
    return mark->has_raw && (mark->kind == MARK_PROPERTY || mark->by_line);
}

/* Reads `payload`, what follows `nonce ;`, up to the second nonce where one `closed` it. A payload
 * cut at LIMIT_STRING_BYTES is valid. Returns 0 and fills *ret_mark (finish it with mark_finish),
 * or -EINVAL for what is no mark or has another length than it says, -ENOMEM. */
int mark_parse(const char *payload, size_t len, bool closed, struct mark *ret_mark);
void mark_finish(struct mark *mark);

/* Appends percent-encoded text, decoded. */
void mark_decode(const char *text, size_t len, struct bytes *out);

/* The commands in what bash's `history` printed of its last entries: without numbers, stars and
 * trailing newlines; CR LF turned into LF. Returns how many entries there are, at most `entries`; 0
 * where no number is in front, then it appends nothing, or where it is not certain which lines of
 * it begin one. */
size_t mark_history_text(const char *text, size_t len, uint64_t entries, struct bytes *out);

#endif
