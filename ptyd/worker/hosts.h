/* hosts.h - what the user ran on other hosts, as a `ptyd relay` hands it over (ptyd-rpc(7)).
 *
 * A block is on disk (core/heard.h) before it is answered; one that is known already, by its host,
 * shell and number, is refused. Those that agents may be told are offers like any other
 * (LEDGER_HOSTS), with the host's name. Where nothing was ever handed over there is no file.
 */
#ifndef PTYD_WORKER_HOSTS_H
#define PTYD_WORKER_HOSTS_H

#include "ptyd/core/conf.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/worker.h"

struct hosts;

/* Reads what is kept, and offers what agents were not told of it; the ledger is there. */
struct hosts *hosts_open(struct worker *w);
/* Keeps what is known of shells and the ledger's part, and frees it. NULL is none. */
void hosts_close(struct hosts *hosts);

/* Takes what host.block was given. Returns 0 with the answer (a new reference) and, where agents
 * will be told of it, the block (a new reference), -EINVAL for what is no such block, or another
 * -errno: it cannot be kept, and is as if it had never come. hosts_settle() comes behind the last
 * of several: until then the ledger's part is not written, and a death has them told again rather
 * than never. */
int hosts_take(struct hosts *hosts, const json_t *params, const struct conf *conf,
               json_t **ret_answer, struct block **ret_offered);

void hosts_settle(struct hosts *hosts);

/* What came of each host, as host.list has it; new reference. */
json_t *hosts_json(const struct hosts *hosts);

/* Keeps its part of the ledger, which has changed. */
void hosts_keep(struct hosts *hosts);

/* Appends what people should know of its files. */
void hosts_add_warnings(const struct hosts *hosts, json_t *warnings);

/* The methods `host.*` (hosts_call.c). */
void hosts_block_call(struct client *client, const json_t *id, const json_t *params);
void hosts_blocks_call(struct client *client, const json_t *id, const json_t *params);
void hosts_list_call(struct client *client, const json_t *id, const json_t *params);

#endif
