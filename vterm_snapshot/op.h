/* op.h - what a stream of bytes says, one operation at a time.
 *
 * The parser makes operations of bytes (parser.h); everything behind it reads those and no byte:
 * the screen draws them, the modes take note of them, libvterm is given them printed anew.
 */
#ifndef VTERM_SNAPSHOT_OP_H
#define VTERM_SNAPSHOT_OP_H

#include <stddef.h>
#include <stdint.h>

#include "vterm_snapshot/csi.h"
#include "vterm_snapshot/mark.h"

enum op_kind {
    OP_TEXT,      /* printable ASCII: `raw` */
    OP_CHARACTER, /* one that is not ASCII: `code`; U+FFFD for what is no UTF-8 */
    OP_CONTROL,   /* `code`: a C0 control or DEL */
    OP_ESCAPE,    /* `csi`: intermediates and final alone */
    OP_CSI,       /* `csi` */
    OP_OSC,       /* `string` */
    OP_DCS,       /* `string`: nothing is drawn, but it may ask */
    OP_APC,       /* the same */
    OP_MARK,      /* `mark` */
    OP_MALFORMED, /* something on the marks' number that is none */
};

struct op {
    enum op_kind kind;
    uint32_t code;
    /* Text and controls, borrowed until the next operation: the bytes as they came, or what stands
     * for them. A sequence has its bytes for who counts or shows them; of one with more values than
     * a struct csi holds, the first operation has all. Strings have none. */
    const char *raw;
    size_t raw_len;
    /* A string's payload without introducer and terminator, C0 removed, the first
     * LIMIT_STRING_BYTES; NUL follows it; borrowed. Never a mark. */
    const char *string;
    size_t string_len;
    struct mark *mark; /* signed or forged; whoever takes the operation finishes it */
    struct csi csi;
};

#endif
