#include "vterm_snapshot/passage.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "vterm_snapshot/parser.h"
#include "vterm_snapshot/terminal.h"

struct passage {
    struct parser parser;
    const struct passage_events *events;
    void *user;
};

static void on_pass(void *user, const char *bytes, size_t len, uint64_t offset)
{
    struct passage *p = user;
    p->events->display(p->user, bytes, len, offset);
}

/* In a log only what was signed is zeros. */
static enum mark_record on_recorded(void *user, uint64_t offset)
{
    (void)user;
    (void)offset;
    return MARK_RECORDED;
}

struct passage *passage_create(uint64_t offset, const struct passage_events *events, void *user)
{
    struct passage *p = memory_try(sizeof *p);
    if (!p)
        return NULL;
    *p = (struct passage){.events = events, .user = user};
    p->parser.pass = on_pass;
    p->parser.recorded = on_recorded;
    p->parser.user = p;
    parser_set_offset(&p->parser, offset);
    return p;
}

void passage_destroy(struct passage *p)
{
    if (!p)
        return;
    parser_finish(&p->parser);
    free(p);
}

static void on_query(void *user, const struct query *query)
{
    struct passage *p = user;
    parser_pass(&p->parser);
    p->events->query(p->user, query, parser_offset(&p->parser));
}

/* What the terminal inserted there is not in the log. */
static void take_mark(struct passage *p, struct mark *mark)
{
    uint64_t offset = parser_offset(&p->parser);
    mark_finish(mark);
    if (p->events->left && p->events->left(p->user, offset))
        p->events->display(p->user, terminal_farewell, strlen(terminal_farewell), offset);
}

size_t passage_write(struct passage *p, char *bytes, size_t len)
{
    struct op op;
    parser_give(&p->parser, bytes, len);
    while (parser_next(&p->parser, &op))
        if (op.kind == OP_MARK)
            take_mark(p, op.mark);
        else if (p->events->query && op.kind != OP_TEXT)
            query_find(&op, on_query, p);
    parser_pass(&p->parser);
    return parser_taken(&p->parser);
}

uint64_t passage_offset(const struct passage *p)
{
    return parser_offset(&p->parser);
}

uint64_t passage_shown(const struct passage *p)
{
    return parser_passed(&p->parser);
}
