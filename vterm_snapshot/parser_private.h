/* parser_private.h - the parser from inside: parser.c reads text and sequences, parser_string.c
 * strings and the marks among them. */
#ifndef VTERM_SNAPSHOT_PARSER_PRIVATE_H
#define VTERM_SNAPSHOT_PARSER_PRIVATE_H

#include "vterm_snapshot/parser.h"

/* What a state made of the bytes at `at`, of which there is one at least. */
enum step {
    STEP_ON,   /* it took some, or handed on to another state */
    STEP_OP,   /* an operation */
    STEP_HOLD, /* more of them are needed */
};

/* The ESC at `offset` begins a sequence. */
void parser_begin_escape(struct parser *p, uint64_t offset);

/* The states inside strings and marks. */
enum step parser_osc_start(struct parser *p, struct op *op);
enum step parser_string(struct parser *p, struct op *op);
enum step parser_string_escape(struct parser *p, struct op *op);
enum step parser_mark(struct parser *p, struct op *op);
enum step parser_mark_escape(struct parser *p, struct op *op);
enum step parser_mark_raw(struct parser *p, struct op *op);

#endif
