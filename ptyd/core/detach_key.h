/* detach_key.h - which keys leave a session, as people write it. */
#ifndef PTYD_CORE_DETACH_KEY_H
#define PTYD_CORE_DETACH_KEY_H

#include <stdbool.h>

#define DETACH_KEY_USUAL "C-\\ d"

/* Reads `C-\ d`: Ctrl and a character, then a character; letters of the first are small ones then.
 * Both are 0 for `none`. False, with nothing set, for anything else. */
bool detach_key_parse(const char *text, char *ret_prefix, char *ret_leave);

#endif
