/* lines.h - what is to be forgotten, in files of JSON and of text. */
#ifndef PTYD_FORGET_LINES_H
#define PTYD_FORGET_LINES_H

#include "ptyd/forget/log.h"

/* A file of JSON lines, sealed or not: the text is covered in every string that is no name and no
 * id. Of a forgotten command a block keeps its number, its times and that it is `forgotten`; what
 * tells of its output goes. The file is replaced where that changes anything. */
void forget_in_lines(struct forget *forget, const char *path);

/* The same of meta.json and its like, one object. What waits for agents is made anew by whoever
 * serves the session: it goes with a command. */
void forget_in_object(struct forget *forget, const char *path);

/* Any other file: the text is covered where it stands, as it is and as JSON has it. */
void forget_in_bytes(struct forget *forget, const char *path);

#endif
