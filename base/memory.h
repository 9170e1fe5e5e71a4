/* memory.h - what is allocated, and what becomes of a process that gets nothing.
 *
 * The libraries return their errors and what they had stays usable. A program may answer before
 * that, once for all of its code: the worker ends, since its successor loses nothing, while one
 * that went on would have to forget in silence.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The exit status of memory_end(): EX_OSERR. */
#define MEMORY_STATUS 71

/* calloc() and realloc() that, without memory, ask the program's answer and return NULL. */
void *memory_try(size_t size);
void *memory_try_grow(void *memory, size_t size);

/* The same, ending the process without memory. */
void *memory_new(size_t size);
void *memory_grow(void *memory, size_t size);

/* Ends the process: "out of memory" on stderr, MEMORY_STATUS; nothing is flushed, no half line gets
 * anywhere. */
_Noreturn void memory_end(void);

/* What is to be done before that, once: `last` may leave the process itself; NULL for nothing. */
void memory_before_end(void (*last)(void));

/* Whether from now on any failed allocation of this program's code is answered with memory_end().
 */
void memory_end_always(bool on);

#endif
