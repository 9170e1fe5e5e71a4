/* foreign.h - the marks of other terminals' shell integrations, OSC 133, 633, 1337, 7, 9 and 2, in
 * one vocabulary. Whoever prints can send them. Pure.
 */
#ifndef PTYD_CORE_FOREIGN_H
#define PTYD_CORE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

enum foreign_kind {
    FOREIGN_NOTHING,
    FOREIGN_PROMPT,    /* a prompt is drawn from here on */
    FOREIGN_FURTHER,   /* so is the one of a command's further line, or of a prompt's own */
    FOREIGN_RIGHT,     /* so is a right prompt */
    FOREIGN_INPUT,     /* what was begun last is drawn: behind a prompt the input begins */
    FOREIGN_TEXT,      /* the text of the command that comes */
    FOREIGN_LATE,      /* the text of the one that runs; "": of none */
    FOREIGN_COMMAND,   /* a command runs; `text` where the mark says it */
    FOREIGN_DONE,      /* it is done */
    FOREIGN_DIRECTORY, /* `text` is the shell's directory */
    FOREIGN_WINDOWS,   /* the same, of a shell that has no C to tell: D with a status is of one */
    FOREIGN_TITLE,     /* `text` is a title: some make it of the command that comes */
};

struct foreign_mark {
    enum foreign_kind kind;
    bool has_text; /* also of an empty line: "" */
    bool has_status;
    int status;
    struct bytes text; /* decoded bytes, possibly not UTF-8 */
    bool is_bare; /* a text of VS Code's without a nonce behind it: the others have none, either */
};

/* Reads the payload of an OSC, what stands behind `number ;`. `bare`: who prints these says no
 * nonces. Whoever reads finishes it. */
void foreign_read(int number, const char *payload, size_t len, bool bare,
                  struct foreign_mark *ret_mark);
void foreign_mark_finish(struct foreign_mark *mark);

#endif
