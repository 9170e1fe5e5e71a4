/* prompt_line.h - whether a line is half typed at a shell's prompt, as far as its keys tell.
 *
 * What nobody typed is not there. What was typed may be gone again (erased, given up, taken by
 * another key than Enter): only the screen tells, which looks as it did in front of the first key.
 * So that is remembered, as a number of the caller's, and where the screen looks otherwise, or
 * cannot tell (an ESC puts vi's modes into another one without a trace), the line counts as typed.
 *
 *   NONE -key-> HALF        -Enter-> ENDED     a prompt: NONE
 *   NONE -key, ahead of the prompt-> AHEAD     a prompt: HALF
 *
 * Pure. It stands in the memory that outlives a worker; zeroed, nothing was typed.
 */
#ifndef PTYD_CORE_PROMPT_LINE_H
#define PTYD_CORE_PROMPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum prompt_line_stands {
    PROMPT_LINE_NONE,
    PROMPT_LINE_HALF,  /* of the prompt that stands */
    PROMPT_LINE_ENDED, /* an Enter was typed there, and no prompt came since */
    PROMPT_LINE_AHEAD, /* of the next prompt */
};

struct prompt_line {
    uint32_t stands; /* enum prompt_line_stands */
    uint32_t unused;
    uint64_t bare; /* the screen without a line; 0: not known */
};

/* Where keys are typed. */
enum prompt_line_place {
    PROMPT_LINE_HERE,      /* at the prompt, and the shell reads them */
    PROMPT_LINE_ELSEWHERE, /* they wait for a prompt, or for a program that reads lines */
    PROMPT_LINE_NOWHERE,   /* a program reads each key */
};

/* Whether the next key at the prompt is the first: then `bare` is the caller's to set, before it is
 * typed. */
bool prompt_line_begins(const struct prompt_line *line);

/* These keys are about to be typed; `given_up`: an interrupt in front of them took what was there.
 */
void prompt_line_typed(struct prompt_line *line, enum prompt_line_place place, bool given_up,
                       const char *keys, size_t len);

/* A prompt stands. */
void prompt_line_prompted(struct prompt_line *line);

/* Whether nothing is typed there, for all the keys tell; or for what the screen shows, which is
 * `shown`: only where the shell has read them all, and done with them. */
bool prompt_line_is_none(const struct prompt_line *line);
bool prompt_line_is_bare(const struct prompt_line *line, uint64_t shown);

#endif
