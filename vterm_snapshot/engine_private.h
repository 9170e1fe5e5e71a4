/* engine_private.h - libvterm from inside: engine.c gives it operations, engine_callbacks.c is what
 * it calls. */
#ifndef VTERM_SNAPSHOT_ENGINE_PRIVATE_H
#define VTERM_SNAPSHOT_ENGINE_PRIVATE_H

#include <vterm.h>

#include "vterm_snapshot/engine.h"
#include "vterm_snapshot/screen_private.h"

struct engine {
    VTerm *vterm;
    VTermState *state;
    struct place resized; /* where the cursor is after on_resize() */
    bool muted;           /* it is told what the screen knows: its callbacks change nothing */
};

/* For libvterm; the user of the callbacks is the screen. */
extern const VTermAllocatorFunctions engine_allocator;
extern const VTermStateCallbacks engine_callbacks;

#endif
