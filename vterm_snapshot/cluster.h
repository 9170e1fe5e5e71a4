/* cluster.h - interned combined characters: a base character with the marks on top of it. */
#ifndef VTERM_SNAPSHOT_CLUSTER_H
#define VTERM_SNAPSHOT_CLUSTER_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/pack.h"

/* Set in a cell's character when it is a cluster's number and no code point. */
#define CLUSTER_FLAG 0x80000000u
/* Code points in one cluster: a family of four in its colours has 11. */
#define CLUSTER_MAX 12

struct cluster_table;

struct cluster_table *cluster_table_create(void);
void cluster_table_destroy(struct cluster_table *table);

/* A cell character for `codes` (1 to CLUSTER_MAX): the code point itself when it is alone, or when
 * the table is full (LIMIT_CLUSTERS) or memory is out. */
uint32_t cluster_intern(struct cluster_table *table, const uint32_t *codes, size_t count);

/* A cell character for `character` with one more mark; the same when it has CLUSTER_MAX already. */
uint32_t cluster_join(struct cluster_table *table, uint32_t character, uint32_t mark);

/* Its code points, up to CLUSTER_MAX; returns how many. */
size_t cluster_codes(const struct cluster_table *table, uint32_t character,
                     uint32_t codes[CLUSTER_MAX]);

/* The cell character for what `character` is in another table. */
uint32_t cluster_copy(struct cluster_table *table, const struct cluster_table *from,
                      uint32_t character);

uint32_t cluster_table_count(const struct cluster_table *table);

/* All of it, and a new table with the same numbers; NULL when that fails. */
void cluster_table_save(const struct cluster_table *table, struct bytes *out);
struct cluster_table *cluster_table_load(struct unpack *in);

/* Writes the character as UTF-8 to `out` (room for 4 * CLUSTER_MAX bytes), returns the length. */
size_t cluster_encode(const struct cluster_table *table, uint32_t character, char *out);

#endif
