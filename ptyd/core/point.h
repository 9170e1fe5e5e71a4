/* point.h - where a shell's prompt stands, for whoever goes on without the stream that led there.
 */
#ifndef PTYD_CORE_POINT_H
#define PTYD_CORE_POINT_H

#include <stdint.h>

struct tracker_point {
    uint64_t seq;                         /* of the last block */
    uint8_t state;                        /* enum tracker_state */
    uint8_t by_line, edits, ignore_space; /* what the last prompt's mark said, 0 or 1 */
};

#endif
