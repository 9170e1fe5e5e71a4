/* A class is called after what it sets: f or b (foreground, background), and the colour's number of
 * 256, or its six digits behind a dash; d is the page's own colour of the other kind, for what is
 * reversed. */
#include "ptyd/command/page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptyd/command/paint.h"
#include "ptyd/command/show.h"
#include "ptyd/core/text.h"

#define RGB_COUNT (1u << 24)

struct colours {
    bool indexed[256], other; /* that were used */
    uint8_t *rgb;             /* a bit for each; NULL for none */
};

struct page {
    char *title;
    struct bytes body;
    struct colours used[2]; /* as foreground, as background */
    unsigned attributes;
};

static const struct {
    unsigned attribute;
    const char *name, *rule;
} attributes[] = {
    {PAINT_BOLD, "bold", "font-weight:bold"},
    {PAINT_DIM, "dim", "opacity:.6"},
    {PAINT_ITALIC, "italic", "font-style:italic"},
    {PAINT_UNDERLINE, "underline", "text-decoration:underline"},
    {PAINT_STRIKE, "strike", "text-decoration:line-through"},
    {PAINT_OVERLINE, "overline", "text-decoration:overline"},
};
#define ATTRIBUTES (sizeof attributes / sizeof *attributes)

struct page *page_create(const char *title)
{
    struct page *page = memory_new(sizeof *page);
    page->title = text_copy(title);
    return page;
}

void page_destroy(struct page *page)
{
    if (!page)
        return;
    for (int i = 0; i < 2; i++)
        free(page->used[i].rgb);
    bytes_finish(&page->body);
    free(page->title);
    free(page);
}

void page_escape(const char *text, size_t len, struct bytes *out)
{
    for (size_t i = 0; i < len; i++)
        switch (text[i]) {
        case '&':
            bytes_append_text(out, "&amp;");
            break;
        case '<':
            bytes_append_text(out, "&lt;");
            break;
        case '>':
            bytes_append_text(out, "&gt;");
            break;
        case '"':
            bytes_append_text(out, "&quot;");
            break;
        default:
            bytes_append_char(out, text[i]);
        }
}

static void add_clean(struct page *page, const char *text, size_t len)
{
    struct bytes clean = {0};
    show_clean(text, len, &clean);
    page_escape(clean.data ? clean.data : "", clean.len, &page->body);
    bytes_finish(&clean);
}

/* ---- classes ---- */

static void add_class(struct bytes *names, const char *kind, struct colours *used, uint32_t colour)
{
    bytes_append_text(names, names->len ? " " : "");
    if (colour & PAINT_INDEXED) {
        bytes_printf(names, "%s%u", kind, colour & 0xff);
        used->indexed[colour & 0xff] = true;
    } else {
        uint32_t rgb = colour & 0xffffff;
        bytes_printf(names, "%s-%06x", kind, rgb);
        if (!used->rgb)
            used->rgb = memory_new(RGB_COUNT / 8);
        used->rgb[rgb / 8] |= (uint8_t)(1 << rgb % 8);
    }
}

static void add_colours(struct page *page, const struct paint *p, struct bytes *names)
{
    static const char *const kinds[] = {"f", "b"};
    bool reverse = p->attributes & PAINT_REVERSE;
    uint32_t colour[] = {reverse ? p->background : p->foreground,
                         reverse ? p->foreground : p->background};
    for (int i = 0; i < 2; i++)
        if (colour[i]) {
            add_class(names, kinds[i], &page->used[i], colour[i]);
        } else if (reverse) {
            bytes_printf(names, "%s%sd", names->len ? " " : "", kinds[i]);
            page->used[i].other = true;
        }
}

static void add_piece(void *user, const struct paint *p, const char *text, size_t len)
{
    struct page *page = user;
    struct bytes names = {0};
    add_colours(page, p, &names);
    for (size_t i = 0; i < ATTRIBUTES; i++)
        if (p->attributes & attributes[i].attribute)
            bytes_printf(&names, "%s%s", names.len ? " " : "", attributes[i].name);
    page->attributes |= p->attributes;
    if (names.len)
        bytes_printf(&page->body, "<span class=\"%s\">", names.data);
    add_clean(page, text, len);
    bytes_append_text(&page->body, names.len ? "</span>" : "");
    bytes_finish(&names);
}

void page_line(struct page *page, const char *text, size_t len)
{
    paint_each(text, len, add_piece, page);
    bytes_append_char(&page->body, '\n');
}

void page_heading(struct page *page, const char *text)
{
    bytes_append_text(&page->body, "<b>");
    add_clean(page, text, strlen(text));
    bytes_append_text(&page->body, "</b>\n");
}

/* ---- the page ---- */

/* Of 256: the first sixteen as most terminals have them on a dark ground, then xterm's cube of six
 * and its greys. */
static uint32_t rgb_of(unsigned index)
{
    static const uint32_t sixteen[] = {0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc,
                                       0x11a8cd, 0xe5e5e5, 0x666666, 0xf14c4c, 0x23d18b, 0xf5f543,
                                       0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff};
    static const uint32_t level[] = {0, 95, 135, 175, 215, 255};
    unsigned n = index - 16, grey = 8 + 10 * (index - 232);
    if (index < 16)
        return sixteen[index];
    if (index >= 232)
        return grey << 16 | grey << 8 | grey;
    return level[n / 36] << 16 | level[n / 6 % 6] << 8 | level[n % 6];
}

static void write_colours(const struct colours *used, const char *kind, const char *member,
                          const char *other, FILE *file)
{
    for (unsigned i = 0; i < 256; i++)
        if (used->indexed[i])
            fprintf(file, ".%s%u{%s:#%06x}\n", kind, i, member, rgb_of(i));
    for (uint32_t i = 0; used->rgb && i < RGB_COUNT; i++)
        if (used->rgb[i / 8] >> i % 8 & 1)
            fprintf(file, ".%s-%06x{%s:#%06x}\n", kind, i, member, i);
    if (used->other)
        fprintf(file, ".%sd{%s:%s}\n", kind, member, other);
}

void page_write(const struct page *page, FILE *file)
{
    struct bytes title = {0};
    page_escape(page->title, strlen(page->title), &title);
    fprintf(file,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<title>%s</title>\n<style>\nbody{background:#1e1e1e;color:#d4d4d4}\n"
            "pre{font-family:monospace;white-space:pre-wrap}\n",
            title.data ? title.data : "");
    write_colours(&page->used[0], "f", "color", "#1e1e1e", file);
    write_colours(&page->used[1], "b", "background", "#d4d4d4", file);
    for (size_t i = 0; i < ATTRIBUTES; i++)
        if (page->attributes & attributes[i].attribute)
            fprintf(file, ".%s{%s}\n", attributes[i].name, attributes[i].rule);
    fputs("</style>\n</head>\n<body>\n<pre>\n", file);
    fwrite(page->body.data ? page->body.data : "", 1, page->body.len, file);
    fputs("</pre>\n</body>\n</html>\n", file);
    bytes_finish(&title);
}
