/* echo.h - what a terminal that edits lines prints of a line's keys, found again in its output.
 *
 * Pure. Between an echo and its line feed nothing comes but by chance (the kernel prints in pieces
 * where much waits), so that its last few bytes are enough.
 */
#ifndef PTYD_CORE_ECHO_H
#define PTYD_CORE_ECHO_H

#include <stdbool.h>
#include <stddef.h>

#define ECHO_BYTES 22 /* the last of a line, and its line end */

/* How the echo of a line that ends in Enter ends: what stands behind its last control character,
 * and CR LF. `keys` are those before the Enter, at least the ones that were typed in one go with
 * it. Returns how many bytes of `ret_end` it has. */
size_t echo_end(const char *keys, size_t len, char ret_end[ECHO_BYTES]);

/* Looks for `end` in a stream that comes in pieces; *matched of its bytes were the last of the
 * piece before, and are those of this one afterwards. Returns how many bytes of `bytes` there are
 * up to the end of what is found, 0 when it is not. */
size_t echo_find(const char *end, size_t end_len, size_t *matched, const char *bytes, size_t len);

#endif
