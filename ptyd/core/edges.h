/* edges.h - lines that reach the edge of their terminal: a program that breaks its lines by itself
 * may have gone on in the next one, and a secret with it.
 */
#ifndef PTYD_CORE_EDGES_H
#define PTYD_CORE_EDGES_H

#include <stdbool.h>
#include <stddef.h>

#include "envelope/redact/redact.h"

/* The columns that a line takes where there are enough. */
int edges_columns(const char *line, size_t len);

/* Whether a line, wrapped where it is longer, ends at the edge of a terminal of one of these widths
 * (0 ends them). */
bool edges_reached(const char *line, size_t len, const int *widths);

/* The ends of such lines in a text of many; the caller frees them. */
struct redact_ends edges_find(const char *text, size_t len, const int *widths);

#endif
