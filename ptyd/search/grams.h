/* grams.h - by what a text is known: the one, two, three and five bytes in a row that it holds,
 * folded (fold.h), none of which is a control. A character of three bytes is one. What a text
 * holds, it has the grams of. Those of commands are others than those of outputs.
 *
 * Each gram sets one bit of a signature or more, and so may others: who has the bits may hold it.
 * Three bytes are words, too, which are exact.
 */
#ifndef PTYD_SEARCH_GRAMS_H
#define PTYD_SEARCH_GRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* Of a signature: a third of them is set where 14 KiB of usual output are known. */
#define GRAMS_BITS 49152
/* That are asked for. */
#define GRAMS_MOST 200

/* Sets the bits of a text that is folded already, of GRAMS_BITS. */
void grams_sign(const char *folded, size_t len, bool output, uint64_t *signature);
/* And those of a thing that is no text, known by a hash. */
void grams_sign_hash(uint64_t hash, uint64_t *signature);

/* The bits that texts have which hold the folded one, those that say most first; how many, at most
 * GRAMS_MOST. */
size_t grams_bits(const char *folded, size_t len, bool output, uint32_t *ret_bits);
size_t grams_bits_of_hash(uint64_t hash, uint32_t *ret_bits);

/* ---- words ---- */

/* Those of three bytes of many texts, each once. */
struct grams;

struct grams *grams_create(bool output);
void grams_destroy(struct grams *grams);

void grams_add(struct grams *grams, const char *folded, size_t len);

/* Appends them, three bytes each, and forgets them. */
void grams_take(struct grams *grams, struct bytes *out);

/* Appends what FTS5 has for them: hexadecimal digits, behind `c` those of commands, and a blank. */
void grams_write(const struct bytes *taken, bool output, struct bytes *out);

/* Appends what FTS5 is asked for texts that hold the folded one: words joined by AND. Returns
 * whether it has any. */
bool grams_query(const char *folded, size_t len, bool output, struct bytes *out);

#endif
