/* show.h - JSON results as text for a person. Output of programs is shown without its controls. */
#ifndef PTYD_COMMAND_SHOW_H
#define PTYD_COMMAND_SHOW_H

#include <jansson.h>
#include <stddef.h>

#include "base/bytes.h"

/* Text that reached us from a terminal: hidden characters appear as \u{...}. The second appends it
 * instead of printing it. */
void show_text(const char *text);
void show_clean(const char *text, size_t len, struct bytes *out);

/* What show_sessions() needs to know of a session, as `members` of session.list and status: new
 * reference. */
json_t *show_session_members(void);

/* A table of sessions: of those, or of whole ones, as closed sessions are and an older daemon's. */
void show_sessions(const json_t *sessions);

/* What `ptyd replay` found: blocks, each with its command, outcome, and the lines of its preview
 * behind `| `; then the screen, without blank rows at its end. */
void show_replay(const json_t *result);

#endif
