/* plain.h - whether text may take the short way around libvterm.
 *
 * Printable ASCII lines do the same in every terminal as long as no mode changes what a character
 * or a line end means. This keeps account of those modes from the sequences that go by.
 */
#ifndef VTERM_SNAPSHOT_PLAIN_H
#define VTERM_SNAPSHOT_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

struct plain {
    unsigned exotic; /* reasons why not; 0 when plain */
};

/* Looks at a run on its way to libvterm: whole sequences or text. */
void plain_observe(struct plain *plain, const char *bytes, size_t len);

/* Whether a character that is on the screen would come out the same when it was given again in its
 * place: ASCII is ASCII, and rows and columns count from the screen's corner. */
bool plain_repeats(const struct plain *plain);

#endif
