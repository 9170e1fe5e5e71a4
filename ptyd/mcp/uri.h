/* uri.h - the names of resources: ptyd:///sessions/NAME/screen and the like. Pure. */
#ifndef PTYD_MCP_URI_H
#define PTYD_MCP_URI_H

#include <stdbool.h>

enum resource_kind {
    RESOURCE_SCREEN,
    RESOURCE_SCROLLBACK,
    RESOURCE_BLOCKS,
    RESOURCE_BLOCK,  /* one command */
    RESOURCE_OUTPUT, /* and what it printed */
};
#define RESOURCE_LISTED 3 /* of each session these first ones are listed */

struct uri {
    enum resource_kind kind;
    char session[65];
    long long block; /* the number, of the last two */
};

/* False for what names no resource of ours. */
bool uri_read(const char *text, struct uri *ret_uri);
/* New string. */
char *uri_make(const struct uri *uri);

#endif
