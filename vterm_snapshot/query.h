/* query.h - what programs ask a terminal.
 *
 * A query that was displayed is answered by the terminal that displays it; where nobody does, by
 * terminal_answer(). What asks several things at once (OSC 4 with several colours, XTGETTCAP with
 * several names, OSC 10 with several `?`) is as many queries. Answers come in the order of their
 * queries, but for those that wait for a person or for data (query_is_slow()).
 *
 * Not among them, for its answer has no shape (query_input.h): ENQ.
 */
#ifndef VTERM_SNAPSHOT_QUERY_H
#define VTERM_SNAPSHOT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op;

enum query_kind {
    QUERY_DEVICE,         /* DA1: CSI c, ESC Z */
    QUERY_DEVICE_2,       /* DA2: CSI > c */
    QUERY_DEVICE_3,       /* DA3: CSI = c */
    QUERY_VERSION,        /* XTVERSION: CSI > q */
    QUERY_STATUS,         /* CSI 5 n */
    QUERY_CURSOR,         /* CSI 6 n */
    QUERY_CURSOR_DEC,     /* CSI ? 6 n */
    QUERY_STATUS_DEC,     /* CSI ? number n: printer, keys, locator ... */
    QUERY_MACROS,         /* CSI ? 62 n */
    QUERY_MEMORY,         /* CSI ? 63 n; `number`: its id */
    QUERY_SCHEME,         /* CSI ? 996 n: dark or light */
    QUERY_KEYBOARD,       /* kitty's flags: CSI ? u */
    QUERY_KEY_MODIFIERS,  /* XTQMODKEYS: CSI ? number m */
    QUERY_MODE,           /* DECRQM: CSI number $ p */
    QUERY_MODE_DEC,       /* CSI ? number $ p */
    QUERY_PARAMETERS,     /* DECREQTPARM: CSI number x */
    QUERY_ICONIFIED,      /* CSI 11 t */
    QUERY_WINDOW,         /* CSI number t: 13 to 16, 18, 19; `index`: what its answer begins with */
    QUERY_ICON_LABEL,     /* CSI 20 t */
    QUERY_TITLE,          /* CSI 21 t */
    QUERY_CHECKSUM,       /* DECRQCRA: CSI number ; page ; name * y */
    QUERY_GRAPHICS_LIMIT, /* XTSMGRAPHICS: CSI ? number ; ... S */
    QUERY_PRESENTATION,   /* DECRQPSR: CSI number $ w */
    QUERY_TERMINAL_STATE, /* DECRQTSR: CSI number $ u */
    QUERY_CHARACTER_SET,  /* DECRQUPSS: CSI & u */
    QUERY_EXTENT,         /* DECRQDE: CSI " v */
    QUERY_LOCATOR,        /* DECRQLP: CSI ' | */
    QUERY_ATTRIBUTES,     /* XTREPORTSGR: CSI ... # | */
    QUERY_COLOUR_STACK,   /* XTREPORTCOLORS: CSI # R */
    QUERY_COLOUR,         /* OSC number ; ?: 10 to 19 */
    QUERY_PALETTE,        /* OSC 4 ; index ; ? */
    QUERY_PALETTE_SPECIAL, /* OSC 5 ; index ; ? */
    QUERY_CLIPBOARD,       /* OSC 52 ; name ; ?: slow */
    QUERY_OSC,             /* OSC number that holds `?`, or reports by itself (99, 1337 ...) */
    QUERY_OSC_PROTOCOL,    /* OSC number of which any number of answers come (5113, 5522): slow */
    QUERY_CAPABILITY,      /* XTGETTCAP: DCS + q name, in hexadecimal digits */
    QUERY_SETTING,         /* DECRQSS: DCS $ q name */
    QUERY_REMOTE,          /* kitty's remote control: DCS @kitty-cmd: slow */
    QUERY_GRAPHICS,        /* kitty's: APC G that answers; `index`: 1 when data follows: slow */
};

#define QUERY_NAME_BYTES 40

/* One query: a plain value. Two are the same when all of it is. */
struct query {
    enum query_kind kind;
    uint16_t number;             /* as above */
    uint16_t index;              /* as above; of a palette */
    char name[QUERY_NAME_BYTES]; /* what else is asked for; a longer one loses its end */
};

/* Gives each query that the operation is to `found`, in order; returns how many. At most
 * LIMIT_QUERIES_AT_ONCE, further ones are nobody's. */
typedef void query_found(void *user, const struct query *query);
int query_find(const struct op *op, query_found *found, void *user);

bool query_equal(const struct query *a, const struct query *b);
/* Its answer may come behind those of later queries. */
bool query_is_slow(const struct query *query);
/* An answer does not close it: more may come. */
bool query_goes_on(const struct query *query);

#endif
