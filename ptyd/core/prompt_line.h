/* prompt_line.h - whether a line is half typed at a shell's prompt, as far as its keys tell.
 *
 * What nobody typed is not there. What was typed may be gone again (erased, given up, taken by a
 * program): that the screen tells, where it looks as it did in front of the first key, or where the
 * prompt ended. Where that is not known, since keys came before the prompt was drawn, half a line
 * is one that the screen shows.
 *
 * Pure. It stands in memory that outlives a worker; zeroed, nothing was typed.
 */
#ifndef PTYD_CORE_PROMPT_LINE_H
#define PTYD_CORE_PROMPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

struct prompt_line {
    uint32_t flags;                     /* PROMPT_LINE_* */
    char tail[LIMIT_PROMPT_TAIL_BYTES]; /* the last keys of it that are plain text; NULs behind */
    uint64_t bare;  /* what the prompt looked like in front of the first key; 0: not known */
    uint64_t drawn; /* the same where it ended; a shell draws it so again, whatever was printed */
};

#define PROMPT_LINE_TYPED         1u /* at the prompt that stands */
#define PROMPT_LINE_AHEAD         2u /* for the next one */
#define PROMPT_LINE_ESCAPED       4u /* an ESC was: vi's modes leave no trace on the screen */
#define PROMPT_LINE_GOES_ON       8u /* an Enter was, and no prompt came: it may go on behind PS2 */
#define PROMPT_LINE_ESCAPED_AHEAD 16u /* an ESC was typed for the next one */

/* Where keys are typed. */
enum prompt_line_place {
    PROMPT_LINE_HERE,      /* at the prompt, and the shell reads them */
    PROMPT_LINE_ELSEWHERE, /* they wait for a prompt, or for a program that reads lines */
    PROMPT_LINE_NOWHERE,   /* a program reads each key */
};

/* Keys are about to be typed. Where they are the first at the prompt the caller has set `bare`. */
void prompt_line_typed(struct prompt_line *line, enum prompt_line_place place, const char *keys,
                       size_t len);

/* A prompt stands, and looks like that; 0: not known. `more`: lines that were typed ahead may be
 * read at it, and what came behind them is of a later one. */
void prompt_line_prompted(struct prompt_line *line, uint64_t look, bool more);

/* What was typed at the prompt that stands is gone: the next key is the first. What is typed ahead
 * stays so. */
void prompt_line_forget(struct prompt_line *line);

/* Whether one is half typed: `look` is what the prompt looks like now, `text` what stands there.
 * Only where the shell has read all keys and is done with them. */
bool prompt_line_is_half(const struct prompt_line *line, uint64_t look, const char *text);

#endif
