/* titles.h - a terminal's title, and those that programs put aside for when they end (XTWINOPS 22
 * and 23).
 */
#ifndef VTERM_SNAPSHOT_TITLES_H
#define VTERM_SNAPSHOT_TITLES_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/pack.h"
#include "vterm_snapshot/csi.h"

/* A zeroed struct has none. */
struct titles {
    char now[LIMIT_TITLE_BYTES + 1];
    struct title_aside {
        int parts;  /* 1: the icon's, which is not kept; 2: the window's; 3: both */
        char *text; /* the window's, NULL where it was empty */
    } aside[LIMIT_TITLES_ASIDE];
    int count;
};

void titles_finish(struct titles *titles);

/* OSC 0 or 2: without what nobody sees, LIMIT_TITLE_BYTES at most. */
void titles_set(struct titles *titles, const char *text, size_t len);

/* Puts a title aside, or takes one back; any other sequence does nothing. */
void titles_apply(struct titles *titles, const struct csi *csi);

/* Appends what gives a terminal the title; or (whole) those that were put aside, too. */
void titles_append(const struct titles *titles, bool whole, struct bytes *out);
/* Appends what takes all of those back. */
void titles_append_end(const struct titles *titles, struct bytes *out);

void titles_save(const struct titles *titles, struct bytes *out);
/* False for what is none. */
bool titles_load(struct titles *ret_titles, struct unpack *in);

#endif
