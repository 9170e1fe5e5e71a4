/* width.h - how many columns libvterm gives a character, asked of libvterm itself.
 *
 * What goes around libvterm must come out as it would have put it, whichever version is there: the
 * first time a character appears a terminal of two cells is asked, then a table knows.
 */
#ifndef VTERM_SNAPSHOT_WIDTH_H
#define VTERM_SNAPSHOT_WIDTH_H

#include <stdint.h>

enum width {
    WIDTH_UNKNOWN,
    WIDTH_MARK, /* it joins the character before it */
    WIDTH_ONE,
    WIDTH_TWO,
};

struct width_table;

/* Returns NULL without memory. */
struct width_table *width_table_create(void);
void width_table_destroy(struct width_table *table);

/* Never WIDTH_UNKNOWN. `code` is no control. */
enum width width_of(struct width_table *table, uint32_t code);

#endif
