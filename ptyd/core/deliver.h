/* deliver.h - which blocks an agent is told, and what it is told of them. */
#ifndef PTYD_CORE_DELIVER_H
#define PTYD_CORE_DELIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "ptyd/core/block.h"

/* Whether agents may be told: it ended, is not private, and is not one of the tools through which
 * the agent itself is used (ptyd, codex, claude, gemini). */
bool deliver_wanted(const struct block *block);

/* What stands in the header besides the blocks. Borrowed. */
struct deliver_header {
    const char *conversation_id, *shell_id, *cwd;
    int64_t total, kept; /* dropped is the rest */
    bool mcp;
    const struct block *running; /* with its preview filled, or NULL */
};

/* Appends a block's value. `directory`: absolute path in front of its output_path, "" when the
 * output is in no file. */
void deliver_block(const struct block *block, const char *directory, const char *header_shell_id,
                   struct bytes *out);
void deliver_header(const struct deliver_header *header, struct bytes *out);

/* A block as text for people and for agents that read no JSON; ends in a newline. */
void deliver_block_text(const struct block *block, struct bytes *out);

#endif
