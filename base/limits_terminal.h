/* limits_terminal.h - the part of limits.h that a terminal's bytes meet: its size, its escape
 * sequences, and what its user waits for who leaves.
 *
 * Included by limits.h, which says how an entry reads.
 */
#ifndef BASE_LIMITS_TERMINAL_H
#define BASE_LIMITS_TERMINAL_H

/* ---- terminal size, in cells ---- */

/* Anything else is clamped to this range. */
#define LIMIT_SIZE_MIN 2
#define LIMIT_SIZE_MAX 1000
/* Where nothing is said. */
#define LIMIT_COLS_DEFAULT 80
#define LIMIT_ROWS_DEFAULT 24
/* What a client may ask for before it is clamped; more is refused. */
#define LIMIT_SIZE_ASKED 100000
/* What a trace may say before it is clamped; more counts as this. */
#define LIMIT_SIZE_TRACE 1000000

static inline int limit_size(int value)
{
    return value < LIMIT_SIZE_MIN   ? LIMIT_SIZE_MIN
           : value > LIMIT_SIZE_MAX ? LIMIT_SIZE_MAX
                                    : value;
}

/* ---- escape sequences ---- */

/* Bytes of our own notices for a terminal that wait for the end of the sequence or string that it
 * is shown; further ones are left out. */
#define LIMIT_SAID_BYTES 4096

/* Bytes of a CSI; a longer one is swallowed to its final byte. */
#define LIMIT_CSI_BYTES 256
/* Its parameters, which libvterm survives; longer SGR and modes are split, others are cut. */
#define LIMIT_CSI_PARAMS 16
/* A parameter; a larger one counts as this. */
#define LIMIT_CSI_VALUE 9999
/* Bytes of an OSC or a mark; the rest is skipped to the terminator. */
#define LIMIT_STRING_BYTES (24 << 10)
/* Bytes of a mark's raw= field; then the mark is dropped. */
#define LIMIT_RAW_BYTES (1 << 20)
/* Threads of a shell's and of what it started that are asked whether they are at work; the others
 * are not. */
#define LIMIT_FAMILY 64
/* Keys that no shell has read that are kept. More: what those lines are is not known by them. */
#define LIMIT_KEYED_BYTES (64 << 10)
/* Parts (T) that a text of a mark's comes in. More: none of it is known. */
#define LIMIT_MARK_PARTS 1024
/* So many numbers of a shell's marks may be lost before one that says no length. */
#define LIMIT_MARKS_LOST 16
/* Bytes of a title; a longer one loses its end. */
#define LIMIT_TITLE_BYTES 1024
/* Titles that programs put aside; of more the oldest goes. */
#define LIMIT_TITLES_ASIDE 10
/* Of a colour's name that a program set; a longer one is not drawn for who joins. */
#define LIMIT_COLOUR_WORDS_BYTES 47
/* Distinct pens in use; more draw as the default. */
#define LIMIT_PENS 60000
/* Distinct hyperlinks in use, and bytes of one with its parameters; more, and longer ones, are
 * none.
 */
#define LIMIT_LINKS      10000
#define LIMIT_LINK_BYTES 4096
/* Distinct combined characters in use; more lose their marks. */
#define LIMIT_CLUSTERS 60000
/* Entries on a stack of kitty's keyboard flags; the oldest goes. */
#define LIMIT_KEYBOARD_STACK 8
/* Modes of a terminal that are known by their number alone and kept; more are not. */
#define LIMIT_OTHER_MODES 16
/* Bytes written to libvterm at once; the rest follows. */
#define LIMIT_FEED_BYTES 4096
/* Queries in one sequence; further ones are nobody's. */
#define LIMIT_QUERIES_AT_ONCE 512
/* Queries of a session that its viewers have yet to answer; further ones are not noted, and their
 * answers count as typed. */
#define LIMIT_QUERIES 1024
/* Milliseconds for such an answer, and for one that waits for a person or for data; what comes
 * later counts as typed. */
#define LIMIT_QUERY_MS      10000
#define LIMIT_QUERY_SLOW_MS 60000
/* Places of a session's output where its terminal left the alternate screen by itself, remembered
 * for viewers that are fed from the log; of more the older half goes. */
#define LIMIT_LEFTS 1024
/* Bytes of answers to a program's queries in a second; further ones are not given. */
#define LIMIT_REPLY_BYTES_PER_S 4096

/* ---- whoever attaches, and leaves ---- */

/* Milliseconds that who leaves waits for what was typed before to be typed, the rest is counted;
 * and for a terminal that takes nothing to take some of what was shown, the rest is forgotten. */
#define LIMIT_LEAVE_MS      1000
#define LIMIT_OUTER_REST_MS 1000
/* Milliseconds that one who is stopped (TSTP) waits for the end of a string that its terminal is
 * shown; then that is broken off. */
#define LIMIT_STOP_MS 1000
/* Milliseconds that who leaves with queries open waits for its terminal's answer to a last one,
 * behind which no other is on its way; answers that come later are for whoever reads next. */
#define LIMIT_LAST_ANSWER_MS 200

#endif
