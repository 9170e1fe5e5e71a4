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
    uint64_t left; /* up to here whoever is fed knows where the terminal went back */
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
    *p = (struct passage){.events = events, .user = user, .left = offset};
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

static size_t take(struct passage *p, char *bytes, size_t len)
{
    struct op op;
    parser_give(&p->parser, bytes, len);
    while (parser_next(&p->parser, &op))
        if (op.kind == OP_MARK)
            mark_finish(op.mark);
        else if (p->events->query && op.kind != OP_TEXT)
            query_find(&op, on_query, p);
    parser_pass(&p->parser);
    return parser_taken(&p->parser);
}

static uint64_t next_left(const struct passage *p)
{
    return p->events->left ? p->events->left(p->user, p->left) : UINT64_MAX;
}

/* What the terminal inserted up to here is not in the log. Returns where it did so next. */
static uint64_t show_lefts(struct passage *p)
{
    uint64_t next;
    while ((next = next_left(p)) <= parser_offset(&p->parser)) {
        p->left = next;
        p->events->display(p->user, terminal_farewell, strlen(terminal_farewell), next);
    }
    return next;
}

/* The terminal had taken all up to where it went back: so does whoever is given no more. */
size_t passage_write(struct passage *p, char *bytes, size_t len)
{
    size_t done = 0, taken;
    uint64_t left = show_lefts(p);
    do {
        uint64_t to = left - parser_offset(&p->parser);
        taken = take(p, bytes + done, to < len - done ? (size_t)to : len - done);
        done += taken;
        left = show_lefts(p);
    } while (taken && done < len);
    return done;
}

uint64_t passage_offset(const struct passage *p)
{
    return parser_offset(&p->parser);
}

uint64_t passage_shown(const struct passage *p)
{
    return parser_passed(&p->parser);
}
