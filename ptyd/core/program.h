/* program.h - which file a program is, and which build. */
#ifndef PTYD_CORE_PROGRAM_H
#define PTYD_CORE_PROGRAM_H

/* The path of an open file, or of this program with -1; where it has been replaced since, of what
 * stands there now. New string, "" when it is not known. */
char *program_path(int fd);

/* What the linker calls this build, in hexadecimal; "" when it gave it no name. */
const char *program_build(void);

#endif
