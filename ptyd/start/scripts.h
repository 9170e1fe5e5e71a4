/* scripts.h - the integration scripts of shell/, as bytes in the program (made by the Makefile). */
#ifndef PTYD_START_SCRIPTS_H
#define PTYD_START_SCRIPTS_H

#include <stddef.h>

extern const char script_bash[];
extern const size_t script_bash_len;
extern const char script_zsh[];
extern const size_t script_zsh_len;
extern const char script_fish[];
extern const size_t script_fish_len;
extern const char script_posix[];
extern const size_t script_posix_len;

#endif
