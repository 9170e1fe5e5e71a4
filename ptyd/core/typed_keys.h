/* typed_keys.h - what was typed into a shell without C, for whoever goes on behind a death: keys
 * are in no log. */
#ifndef PTYD_CORE_TYPED_KEYS_H
#define PTYD_CORE_TYPED_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct typed_keys {
    uint8_t line, feed, trust; /* of a struct typed */
    bool in_doubt;
    size_t shared, len;
    const char *keys; /* borrowed */
};

#endif
