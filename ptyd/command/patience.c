#include "ptyd/command/patience.h"

#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/command/daemon.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/paths.h"

/* A look says what happened since the one before: there are two until the first may count. */
#define LOOK_MS (LIMIT_RECONNECT_MS / 2)

void patience_begin(struct patience *p)
{
    int64_t now = clock_monotonic_ms();
    if (!p->since)
        *p = (struct patience){.since = now, .look_at = now + LOOK_MS};
}

void patience_end(struct patience *p)
{
    *p = (struct patience){0};
}

bool patience_waits(const struct patience *p)
{
    return p->since != 0;
}

int64_t patience_until(const struct patience *p)
{
    return p->look_at;
}

int patience_seconds(const struct patience *p)
{
    int64_t waited = clock_monotonic_ms() - p->since;
    return (int)(waited - waited % LIMIT_RECONNECT_MS) / 1000;
}

bool patience_look(struct patience *p, int64_t now_ms, bool gets_on)
{
    int64_t waited = now_ms - p->since;
    if (waited >= LIMIT_RECONNECT_MOST_MS || (waited >= LIMIT_RECONNECT_MS && !gets_on))
        return false;
    p->look_at = now_ms + LOOK_MS;
    return true;
}

bool patience_lasts(struct patience *p)
{
    int64_t now = clock_monotonic_ms();
    if (now < p->look_at)
        return true;
    char *socket = paths_socket();
    bool gets_on = daemon_comes(socket, &p->used);
    free(socket);
    return patience_look(p, now, gets_on);
}
