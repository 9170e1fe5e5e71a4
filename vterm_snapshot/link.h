/* link.h - interned hyperlinks (OSC 8): a pen names its link by a number. */
#ifndef VTERM_SNAPSHOT_LINK_H
#define VTERM_SNAPSHOT_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/pack.h"

struct link_table;

/* Number 0 is no link. Returns NULL without memory. */
struct link_table *link_table_create(void);
void link_table_destroy(struct link_table *table);

/* The number of the link that `OSC 8 ; parameters ; URI` begins: `text` is `parameters;URI`. 0
 * where it ends one, is longer than LIMIT_LINK_BYTES, or where LIMIT_LINKS others are in use. */
uint16_t link_intern(struct link_table *table, const char *text, size_t len);

/* Its number in a table, of one that is `number` in another. */
uint16_t link_copy(struct link_table *table, const struct link_table *from, uint16_t number);

uint32_t link_table_count(const struct link_table *table);

/* Appends the OSC 8 that begins it; for 0, that ends any. */
void link_append(const struct link_table *table, uint16_t number, struct bytes *out);

/* All of it, and a new table with the same numbers; NULL when that fails. */
void link_table_save(const struct link_table *table, struct bytes *out);
struct link_table *link_table_load(struct unpack *in);

#endif
