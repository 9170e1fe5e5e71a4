#include "vterm_snapshot/titles.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

#define ICON   1
#define WINDOW 2

static void drop(struct titles *t, int i)
{
    free(t->aside[i].text);
    t->count--;
    memmove(t->aside + i, t->aside + i + 1, (size_t)(t->count - i) * sizeof *t->aside);
}

void titles_finish(struct titles *t)
{
    while (t->count)
        drop(t, t->count - 1);
}

void titles_set(struct titles *t, const char *text, size_t len)
{
    size_t used = 0;
    for (size_t i = 0; i < len;) {
        uint32_t code;
        int step = utf8_decode(text + i, len - i, &code);
        bool shown = step > 0 && (!utf8_hidden(code) || utf8_modifies(code));
        if (shown && used + 4 <= LIMIT_TITLE_BYTES)
            used += utf8_encode(code, t->now + used);
        i += step > 0 ? (size_t)step : 1;
    }
    t->now[used] = '\0';
}

/* ---- the stack ---- */

/* Without memory the title is taken for an empty one. */
static char *copy(const char *text)
{
    char *copied = *text ? memory_try(strlen(text) + 1) : NULL;
    return copied ? strcpy(copied, text) : NULL;
}

static void put_aside(struct titles *t, int parts)
{
    if (t->count == LIMIT_TITLES_ASIDE)
        drop(t, 0);
    char *text = parts & WINDOW ? copy(t->now) : NULL;
    t->aside[t->count++] = (struct title_aside){.parts = parts, .text = text};
}

/* The last that was put aside of that part. Icon and window may have been put aside one by one. */
static void take_back(struct titles *t, int part)
{
    int i = t->count - 1;
    while (i >= 0 && !(t->aside[i].parts & part))
        i--;
    if (i < 0)
        return;
    if (part == WINDOW) {
        strcpy(t->now, t->aside[i].text ? t->aside[i].text : "");
        free(t->aside[i].text);
        t->aside[i].text = NULL;
    }
    t->aside[i].parts &= ~part;
    if (!t->aside[i].parts)
        drop(t, i);
}

void titles_apply(struct titles *t, const struct csi *csi)
{
    int what = csi_plain(csi) == 't' ? csi_value(csi, 0, 0) : 0, which = csi_value(csi, 1, 0);
    int parts = which == 0 ? ICON | WINDOW : which == 1 ? ICON : which == 2 ? WINDOW : 0;
    if (what == 22 && parts)
        put_aside(t, parts);
    if (what == 23 && parts & ICON)
        take_back(t, ICON);
    if (what == 23 && parts & WINDOW)
        take_back(t, WINDOW);
}

/* ---- drawing ---- */

static void append_title(const char *text, struct bytes *out)
{
    if (text && *text)
        bytes_printf(out, "\x1b]2;%s\x1b\\", text);
}

static void append_move(int what, int parts, struct bytes *out)
{
    bytes_printf(out, "\x1b[%d;%dt", what, parts == (ICON | WINDOW) ? 0 : parts);
}

void titles_append(const struct titles *t, bool whole, struct bytes *out)
{
    for (int i = 0; whole && i < t->count; i++) {
        append_title(t->aside[i].text, out);
        append_move(22, t->aside[i].parts, out);
    }
    append_title(t->now, out);
}

void titles_append_end(const struct titles *t, struct bytes *out)
{
    for (int i = t->count - 1; i >= 0; i--)
        append_move(23, t->aside[i].parts, out);
}

/* ---- saving ---- */

void titles_save(const struct titles *t, struct bytes *out)
{
    pack_run(out, t->now, strlen(t->now));
    bytes_append(out, &t->count, sizeof t->count);
    for (int i = 0; i < t->count; i++) {
        const char *text = t->aside[i].text ? t->aside[i].text : "";
        bytes_append(out, &t->aside[i].parts, sizeof t->aside[i].parts);
        pack_run(out, text, strlen(text));
    }
}

static bool load_title(char title[LIMIT_TITLE_BYTES + 1], struct unpack *in)
{
    size_t len;
    const char *text = unpack_run(in, &len);
    if (!text || len > LIMIT_TITLE_BYTES || memchr(text, '\0', len))
        return false;
    memcpy(title, text, len);
    title[len] = '\0';
    return true;
}

bool titles_load(struct titles *t, struct unpack *in)
{
    char now[LIMIT_TITLE_BYTES + 1];
    int count, parts;
    if (!load_title(now, in) || !unpack_value(in, &count, sizeof count) || count < 0 ||
        count > LIMIT_TITLES_ASIDE)
        return false;
    for (int i = 0; i < count; i++) {
        if (!unpack_value(in, &parts, sizeof parts) || parts < ICON || parts > (ICON | WINDOW) ||
            !load_title(t->now, in))
            return false;
        put_aside(t, parts);
    }
    strcpy(t->now, now);
    return true;
}
