/* What the outer terminal makes of the bytes it is sent: a screen, modes, and answers as kitty
 * gives them, each to the query at its place. It is written from the specifications (xterm's
 * ctlseqs, kitty's protocols) and shares nothing with what ptyd makes of the same bytes. */
#ifndef OUTER_TERMINAL_H
#define OUTER_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "tests/outer/screen.h"

struct outer_size {
    int cols, rows;
    int cell_width, cell_height; /* pixels */
};

struct outer_terminal;

/* `dark` is the colour of its ground; without a screen nothing is drawn (a flood goes faster), and
 * the cursor is told to stand at home. Never NULL. */
struct outer_terminal *outer_terminal_create(struct outer_size size, bool dark, bool screen);

void outer_terminal_destroy(struct outer_terminal *terminal);

/* Takes what it was sent; what it answers is appended to `answers`. */
void outer_terminal_write(struct outer_terminal *terminal, const char *data, size_t len,
                          struct bytes *answers);

void outer_terminal_resize(struct outer_terminal *terminal, struct outer_size size);

/* NULL when it has none. */
struct outer_screen *outer_terminal_screen(struct outer_terminal *terminal);

/* How many queries it has answered. */
unsigned long outer_terminal_answered(const struct outer_terminal *terminal);

/* What is not as it was at the start, as JSON: {"set":[DEC modes],"kitty":flags,"other_keys":n,
 * "cursor_shape":n,"keypad":bool,"region":bool}. ?25 and ?7, set at the start, are told as -25 and
 * -7 when they are reset. */
void outer_terminal_print_modes(const struct outer_terminal *terminal, FILE *to);

#endif
