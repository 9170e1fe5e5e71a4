#include "ptyd/search/grams.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

#define GRAMS (1u << 24) /* that there can be */

struct grams {
    uint64_t *seen; /* a bit each */
    uint32_t *list; /* those seen */
    size_t count, room;
};

struct grams *grams_create(void)
{
    struct grams *g = memory_new(sizeof *g);
    g->seen = memory_new(GRAMS / 8);
    return g;
}

void grams_destroy(struct grams *g)
{
    if (!g)
        return;
    free(g->seen);
    free(g->list);
    free(g);
}

static void add(struct grams *g, uint32_t gram)
{
    uint64_t bit = UINT64_C(1) << (gram & 63);
    if (g->seen[gram >> 6] & bit)
        return;
    g->seen[gram >> 6] |= bit;
    if (g->count == g->room) {
        g->room = g->room ? 2 * g->room : 4096;
        g->list = memory_grow(g->list, g->room * sizeof *g->list);
    }
    g->list[g->count++] = gram;
}

void grams_add(struct grams *g, const char *text, size_t len)
{
    uint32_t gram = 0;
    int run = 0; /* bytes in a row that count */
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text[i];
        gram = (gram << 8 | byte) & (GRAMS - 1);
        run = byte > ' ' ? run + 1 : 0;
        if (run >= 3)
            add(g, gram);
    }
}

static void write_gram(uint32_t gram, const char *prefix, struct bytes *out)
{
    static const char digits[] = "0123456789abcdef";
    char word[6];
    for (int i = 0; i < 6; i++)
        word[i] = digits[gram >> (20 - 4 * i) & 15];
    bytes_append_text(out, prefix);
    bytes_append(out, word, sizeof word);
}

void grams_write(struct grams *g, const char *prefix, struct bytes *out)
{
    for (size_t i = 0; i < g->count; i++) {
        write_gram(g->list[i], prefix, out);
        bytes_append_char(out, ' ');
        g->seen[g->list[i] >> 6] = 0;
    }
    g->count = 0;
}

bool grams_query(const char *folded, size_t len, const char *prefix, struct bytes *out)
{
    struct grams *g = grams_create();
    grams_add(g, folded, len);
    size_t count = g->count;
    for (size_t i = 0; i < count; i++) {
        bytes_append_text(out, i ? " AND " : "");
        write_gram(g->list[i], prefix, out);
    }
    grams_destroy(g);
    return count > 0;
}
