/* steps.h - a file of steps (`ptyd script`), read. Pure.
 *
 * One step a line, words between blanks. '...' is a word as it stands; "..." knows \n \r \t \e \\
 * \" and \xHH; elsewhere a backslash is one. `#` in front of a word begins a comment.
 *
 *   send TEXT | paste TEXT | key NAME...
 *   expect [--regex] [--timeout S] TEXT        what is printed
 *   expect-screen [--regex] [--timeout S] TEXT what the screen shows
 *   wait --prompt | --exit | --idle MS | --change | --settled MS [--timeout S]
 *   set timeout S                              of the steps behind it
 */
#ifndef PTYD_CLIENT_STEPS_H
#define PTYD_CLIENT_STEPS_H

#include <stddef.h>

#include "ptyd/client/keystrokes.h"
#include "ptyd/client/waiting.h"

struct step {
    int line;
    char *source;            /* the line, without blanks and comment around it */
    struct keystrokes keys;  /* what is typed, if anything */
    struct waiting_for what; /* what is waited for, if anything */
    char *text;              /* of that; owned */
    double timeout;          /* seconds */
};

struct steps {
    struct step *steps;
    size_t count;
};

/* Reads a file's text. Returns 0; or the line at which it does not parse, with what was expected
 * there in *ret_error (new string) and `ret_steps` empty. */
int steps_parse(const char *text, struct steps *ret_steps, char **ret_error);
void steps_finish(struct steps *s);

#endif
