/* tracker_point.h - where a shell's prompt stands, for whoever goes on without the stream that led
 * there.
 */
#ifndef PTYD_CORE_TRACKER_POINT_H
#define PTYD_CORE_TRACKER_POINT_H

#include <stdint.h>

struct tracker_point {
    uint64_t seq;         /* of the last block */
    uint8_t state;        /* enum tracker_state */
    uint8_t editor;       /* enum typed_editor, as the last prompt's mark said */
    uint8_t ignore_space; /* 0 or 1; it said so, too */
    uint8_t inside;       /* 0 or 1: the bytes end inside a sequence; not the tracker's to say */
};

#endif
