/* Pens, links and combined characters are interned for as long as a terminal lives. Once many are,
 * those that no cell and no line of scrollback names any more are forgotten. */
#include "vterm_snapshot/screen_private.h"

#include "base/limits.h"

/* A sweep looks at every cell and line: not while so many more have room, nor within so many bytes
 * of the last. */
#define SWEEP_ROOM  10000
#define SWEEP_LINKS 2000
#define SWEEP_BYTES (1u << 20)

/* What the tables are and what they become. */
struct sweep {
    const struct pen_table *old_pens;
    const struct link_table *old_links;
    struct pen_table *pens;
    struct link_table *links;
};

static uint16_t keep_pen(const struct sweep *sweep, uint16_t number)
{
    struct pen pen = *pen_lookup(sweep->old_pens, number);
    pen.link = link_copy(sweep->links, sweep->old_links, pen.link);
    return pen_intern(sweep->pens, &pen);
}

static void keep_pens_of_grid(struct grid *grid, const struct sweep *sweep)
{
    for (int i = 0; i < grid->rows; i++) {
        struct row *row = grid->row[i];
        for (int col = 0; col < row->extent; col++)
            row->cells[col].pen = keep_pen(sweep, row->cells[col].pen);
    }
}

/* The newest lines first: where half a table is full, older ones lose their colours. */
static void keep_pens_of_lines(struct scrollback *s, const struct sweep *sweep)
{
    for (size_t i = scrollback_pieces(s); i--;) {
        size_t runs;
        struct row_run *run = scrollback_runs(s, i, &runs);
        bool room = pen_table_count(sweep->pens) < LIMIT_PENS / 2 &&
                    link_table_count(sweep->links) < LIMIT_LINKS / 2;
        for (size_t k = 0; k < runs; k++)
            run[k].pen = room ? keep_pen(sweep, run[k].pen) : 0;
    }
}

static void sweep_pens(struct screen *s)
{
    struct sweep sweep = {.old_pens = s->pens,
                          .old_links = s->links,
                          .pens = pen_table_create(),
                          .links = link_table_create()};
    if (!sweep.pens || !sweep.links || !scrollback_own(s->scrollback)) {
        pen_table_destroy(sweep.pens);
        link_table_destroy(sweep.links);
        return;
    }
    s->pen.link = link_copy(sweep.links, s->links, s->pen.link);
    keep_pens_of_grid(&s->primary, &sweep);
    keep_pens_of_grid(&s->alternate, &sweep);
    keep_pens_of_lines(s->scrollback, &sweep);
    pen_table_destroy(s->pens);
    link_table_destroy(s->links);
    s->pens = sweep.pens;
    s->links = sweep.links;
    s->pen_known = false;
}

static void keep_clusters(struct grid *grid, const struct cluster_table *old,
                          struct cluster_table *new)
{
    for (int i = 0; i < grid->rows; i++) {
        struct row *row = grid->row[i];
        for (int col = 0; col < row->extent; col++)
            row->cells[col].character = cluster_copy(new, old, row->cells[col].character);
    }
}

static void sweep_clusters(struct screen *s)
{
    struct cluster_table *kept = cluster_table_create();
    if (!kept)
        return;
    keep_clusters(&s->primary, s->clusters, kept);
    keep_clusters(&s->alternate, s->clusters, kept);
    s->last_character = cluster_copy(kept, s->clusters, s->last_character);
    cluster_table_destroy(s->clusters);
    s->clusters = kept;
}

void screen_sweep(struct screen *s)
{
    if (s->unswept < SWEEP_BYTES)
        return;
    s->unswept = 0;
    if (pen_table_count(s->pens) > LIMIT_PENS - SWEEP_ROOM ||
        link_table_count(s->links) > LIMIT_LINKS - SWEEP_LINKS)
        sweep_pens(s);
    if (cluster_table_count(s->clusters) > LIMIT_CLUSTERS - SWEEP_ROOM)
        sweep_clusters(s);
}
