/* all.h - the handlers of `--tools all`, the names of the original agent PTY. */
#ifndef PTYD_MCP_ALL_H
#define PTYD_MCP_ALL_H

#include "ptyd/mcp/mcp.h"

/* ---- all_look.c: what a session shows ---- */

void all_ping(struct call *c);
void all_read_raw(struct call *c);
void all_read_screen(struct call *c);
void all_read_scrollback(struct call *c);
void all_get_size(struct call *c);
void all_read_screen_deltas(struct call *c);

/* ---- all_blocks.c: what commands printed ---- */

void all_status(struct call *c);
void all_screen_status(struct call *c);
void all_read_spool(struct call *c);
void all_blocks_since(struct call *c);
void all_blocks_get(struct call *c);
void all_blocks_read(struct call *c);
void all_blocks_search(struct call *c);

/* The newest block of the call's session as an agent is shown it: {seq, private} where it is
 * private, NULL where there is none. */
void all_newest(struct call *c, void (*then)(struct call *c, const json_t *newest));

/* ---- all_wait.c: waiting for text ---- */

void all_wait_for(struct call *c);
void all_wait_prompt(struct call *c);
void all_expect_send(struct call *c);

/* ---- all_type.c: typing ---- */

void all_exec(struct call *c);
void all_exec_interactive(struct call *c);
void all_end_session(struct call *c);
void all_send(struct call *c);
void all_ctrl_c(struct call *c);
void all_ctrl_d(struct call *c);
void all_enter(struct call *c);
void all_resize(struct call *c);
void all_close(struct call *c);

#endif
