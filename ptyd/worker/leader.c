#include "ptyd/worker/leader.h"

struct leading *leader_of(const struct leaders *all, const void *session)
{
    struct leading *l = all->first;
    while (l && !(l->leads && l->session == session))
        l = l->next;
    return l;
}

static void take_out(struct leaders *all, struct leading *viewer)
{
    for (struct leading **at = &all->first; *at; at = &(*at)->next)
        if (*at == viewer) {
            *at = viewer->next;
            return;
        }
}

static void put_first(struct leaders *all, struct leading *viewer)
{
    viewer->next = all->first;
    all->first = viewer;
}

static bool make_leader(struct leading *viewer, struct leading *before)
{
    if (before == viewer)
        return false;
    if (before)
        before->leads = false;
    viewer->leads = true;
    return true;
}

bool leader_joins(struct leaders *all, struct leading *viewer, struct leading **ret_before)
{
    struct leading *before = leader_of(all, viewer->session);
    *ret_before = before;
    put_first(all, viewer);
    return !before && !viewer->looks && make_leader(viewer, NULL);
}

bool leader_typed(struct leaders *all, struct leading *viewer, struct leading **ret_before)
{
    struct leading *before = leader_of(all, viewer->session);
    *ret_before = before;
    if (viewer->looks)
        return false;
    if (all->first != viewer) {
        take_out(all, viewer);
        put_first(all, viewer);
    }
    return make_leader(viewer, before);
}

bool leader_leaves(struct leaders *all, struct leading *viewer)
{
    bool led = viewer->leads;
    take_out(all, viewer);
    viewer->leads = false;
    for (struct leading *l = led ? all->first : NULL; l; l = l->next)
        if (l->session == viewer->session && !l->looks)
            return make_leader(l, NULL);
    return led;
}
