/* scripts.h - the integration scripts of shell/, as bytes in the program (made by the Makefile). */
#ifndef PTYD_WORKER_SCRIPTS_H
#define PTYD_WORKER_SCRIPTS_H

#include <stddef.h>

extern const char script_bash[];
extern const size_t script_bash_len;

#endif
