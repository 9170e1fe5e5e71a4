#include "ptyd/search/grams.h"

#include <stdlib.h>

#include "base/memory.h"

#define GRAMS (1u << 24) /* of three bytes that there can be */

/* ---- bits ---- */

#define FIVE ((UINT64_C(1) << 40) - 1)

/* Bits are few beside grams: each has its own by chance. */
static uint32_t bit_of(uint64_t value)
{
    uint64_t hash = value * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return (uint32_t)(hash * GRAMS_BITS >> 32);
}

static uint64_t value_of(uint64_t gram, unsigned len, bool output, unsigned which)
{
    return gram | (uint64_t)(len | (unsigned)output << 3 | which << 4) << 40;
}

static void set(uint64_t *signature, uint32_t bit)
{
    signature[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

/* One and two bytes are known by three bits: a signature has few of these, and they are often all
 * that is asked for. */
#define SHORT_BITS 3

static void set_short(uint64_t *signature, uint32_t gram, unsigned len, bool output)
{
    for (unsigned which = 0; which < SHORT_BITS; which++)
        set(signature, bit_of(value_of(gram, len, output, which)));
}

static void set_all_short(const uint64_t *alone, const uint64_t *pairs, bool output,
                          uint64_t *signature)
{
    for (uint32_t i = 0; i < 256 / 64; i++)
        for (uint64_t left = alone[i]; left; left &= left - 1)
            set_short(signature, i << 6 | (uint32_t)__builtin_ctzll(left), 1, output);
    for (uint32_t i = 0; i < (1 << 16) / 64; i++)
        for (uint64_t left = pairs[i]; left; left &= left - 1)
            set_short(signature, i << 6 | (uint32_t)__builtin_ctzll(left), 2, output);
}

void grams_sign(const char *text, size_t len, bool output, uint64_t *signature)
{
    uint64_t alone[256 / 64] = {0}, pairs[(1 << 16) / 64] = {0}, gram = 0;
    int run = 0; /* bytes in a row that count */
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text[i];
        gram = (gram << 8 | byte) & FIVE;
        run = byte >= ' ' ? run + 1 : 0;
        if (!run)
            continue;
        set(alone, byte);
        if (run >= 2)
            set(pairs, gram & 0xffff);
        if (run >= 3)
            set(signature, bit_of(value_of(gram & (GRAMS - 1), 3, output, 0)));
        if (run >= 5)
            set(signature, bit_of(value_of(gram, 5, output, 0)));
    }
    set_all_short(alone, pairs, output, signature);
}

size_t grams_bits_of_hash(uint64_t hash, uint32_t *bits)
{
    bits[0] = bit_of(hash);
    bits[1] = bit_of(hash << 17 | hash >> 47);
    return 2;
}

void grams_sign_hash(uint64_t hash, uint64_t *signature)
{
    uint32_t bits[2];
    for (size_t i = grams_bits_of_hash(hash, bits); i-- > 0;)
        set(signature, bits[i]);
}

/* Those of `len` bytes of a run of bytes that count, after `count` others. */
static size_t add_run(const char *text, size_t run, unsigned len, bool output, uint32_t *bits,
                      size_t count)
{
    uint64_t gram = 0, mask = (UINT64_C(1) << 8 * len) - 1;
    for (size_t i = 0; i < run && count + SHORT_BITS <= GRAMS_MOST; i++) {
        gram = (gram << 8 | (unsigned char)text[i]) & mask;
        for (unsigned which = 0; i + 1 >= len && which < (len < 3 ? SHORT_BITS : 1); which++)
            bits[count++] = bit_of(value_of(gram, len, output, which));
    }
    return count;
}

/* Five bytes say most; of a longer run three and fewer are in these. */
size_t grams_bits(const char *text, size_t len, bool output, uint32_t *bits)
{
    static const struct {
        unsigned len;
        size_t least, most; /* of a run of which they are asked */
    } steps[] = {{5, 5, SIZE_MAX}, {3, 3, SIZE_MAX}, {2, 2, 4}, {1, 1, 1}};
    size_t count = 0;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (size_t at = 0, end; at < len; at = end + 1) {
            for (end = at; end < len && (unsigned char)text[end] >= ' '; end++)
                ;
            if (end - at >= steps[k].least && end - at <= steps[k].most)
                count = add_run(text + at, end - at, steps[k].len, output, bits, count);
        }
    return count;
}

/* ---- words ---- */

struct grams {
    bool output;
    uint64_t *seen; /* a bit each */
    struct bytes list;
};

struct grams *grams_create(bool output)
{
    struct grams *g = memory_new(sizeof *g);
    g->output = output;
    g->seen = memory_new(GRAMS / 8);
    return g;
}

void grams_destroy(struct grams *g)
{
    if (!g)
        return;
    free(g->seen);
    bytes_finish(&g->list);
    free(g);
}

static void add(struct grams *g, uint32_t gram)
{
    uint64_t bit = UINT64_C(1) << (gram & 63);
    const char three[] = {(char)(gram >> 16), (char)(gram >> 8), (char)gram};
    if (g->seen[gram >> 6] & bit)
        return;
    g->seen[gram >> 6] |= bit;
    bytes_append(&g->list, three, sizeof three);
}

void grams_add(struct grams *g, const char *text, size_t len)
{
    uint32_t gram = 0;
    int run = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text[i];
        gram = (gram << 8 | byte) & (GRAMS - 1);
        run = byte >= ' ' ? run + 1 : 0;
        if (run >= 3)
            add(g, gram);
    }
}

static uint32_t gram_at(const struct bytes *list, size_t at)
{
    const unsigned char *three = (const unsigned char *)list->data + at;
    return (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];
}

void grams_take(struct grams *g, struct bytes *out)
{
    for (size_t at = 0; at < g->list.len; at += 3)
        g->seen[gram_at(&g->list, at) >> 6] = 0;
    if (g->list.len)
        bytes_append(out, g->list.data, g->list.len);
    g->list.len = 0;
}

static void write_gram(uint32_t gram, bool output, struct bytes *out)
{
    static const char digits[] = "0123456789abcdef";
    char word[8] = "c";
    for (int i = 0; i < 6; i++)
        word[i + 1] = digits[gram >> (20 - 4 * i) & 15];
    bytes_append(out, word + output, 7 - (size_t)output);
}

void grams_write(const struct bytes *taken, bool output, struct bytes *out)
{
    /* A damaged index may have a part of one. */
    for (size_t at = 0; at + 3 <= taken->len; at += 3) {
        write_gram(gram_at(taken, at), output, out);
        bytes_append_char(out, ' ');
    }
}

bool grams_query(const char *folded, size_t len, bool output, struct bytes *out)
{
    struct grams *g = grams_create(output);
    grams_add(g, folded, len);
    size_t count = g->list.len / 3;
    for (size_t i = 0; i < count; i++) {
        bytes_append_text(out, i ? " AND " : "");
        write_gram(gram_at(&g->list, 3 * i), output, out);
    }
    grams_destroy(g);
    return count > 0;
}
