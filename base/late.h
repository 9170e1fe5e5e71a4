/* late.h - libraries that are loaded where they are first used.
 *
 * What the loader does for a library, a fifth of a millisecond, every command would pay at its
 * start, `ptyd inside` and a new terminal's shell, too, which use none. So ptyd is linked with few.
 * The others' headers are found in the build's folder `late` first, which tools/late makes: there
 * each of their functions that ptyd names is a macro for LATE(), which calls it where it stands. To
 * their callers nothing is different.
 *
 * Where a library is not there or lacks a function, the process ends: exit(LATE_STATUS), after a
 * word on stderr. A process that must not end later loads before (late_load()).
 */
#ifndef BASE_LATE_H
#define BASE_LATE_H

#include <stddef.h>

#define LATE_STATUS 1

/* tools/late defines one for each library. */
struct late_library {
    const char *file;         /* what is loaded, found as a linked library would be */
    const char *const *names; /* of its functions that are used; NULL behind the last */
    void **functions;         /* where they stand; NULL while it is not loaded */
};

/* Loads it and finds all its functions; nothing where that was done. Any thread may. */
void late_load(struct late_library *library);

/* Where a function stands, by its index in `names`. */
static inline void *late_function(struct late_library *library, size_t index)
{
    void *function = __atomic_load_n(&library->functions[index], __ATOMIC_ACQUIRE);
    if (!function) {
        late_load(library);
        function = __atomic_load_n(&library->functions[index], __ATOMIC_ACQUIRE);
    }
    return function;
}

#define LATE(library, index, function) (*(__typeof__(function) *)late_function(&(library), index))

#endif
