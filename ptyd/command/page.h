/* page.h - text with colours as a page of HTML that needs nothing else: every character that HTML
 * reads is escaped, colours are classes, and its style sheet has those that it uses. */
#ifndef PTYD_COMMAND_PAGE_H
#define PTYD_COMMAND_PAGE_H

#include <stdio.h>

#include "base/bytes.h"

struct page;

struct page *page_create(const char *title);
void page_destroy(struct page *page);

/* Adds a line, as paint.h has it, and a heading: clean text in a line of its own. */
void page_line(struct page *page, const char *text, size_t len);
void page_heading(struct page *page, const char *text);

/* Writes the whole of it. */
void page_write(const struct page *page, FILE *file);

/* Appends the text with & < > and " escaped. */
void page_escape(const char *text, size_t len, struct bytes *out);

#endif
