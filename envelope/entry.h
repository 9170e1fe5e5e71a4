/* entry.h - one command block, or the header of several, as the value an agent reads.
 *
 * Values are one JSON object on one line, at most LIMIT_ENTRY_BYTES, encoded by encode.h.
 */
#ifndef ENVELOPE_ENTRY_H
#define ENVELOPE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* The tool of `ptyd mcp` that gives a whole output. */
#define ENTRY_REST_TOOL "block_output"

/* A block as the agent is told of it; names, order and what is left out are in entry.c's table.
 * Strings are UTF-8, never NULL, borrowed. */
struct entry_block {
    const char *block_id;
    const char *shell_id;
    const char *cmd;
    const char *cwd;
    const char *cwd_after;
    const char *status;
    const char *type;
    const char *signal;      /* "" for none */
    const char *output_path; /* absolute; told only when the preview is truncated; "" for none */
    const char *rest;        /* the tool that has all of the output, by the block_id; the same */
    const char *preview;     /* lines, each ended by \n */
    bool has_exit_code;      /* false: null */
    int exit_code;
    int64_t duration_ms;
    int64_t ts_end; /* ms since the epoch */
    int64_t omitted_lines;
    int64_t redacted; /* secrets replaced in the text */
    bool truncated;
    bool nested;
    const char *cmd_source; /* "unknown": the command may be another; "" else */
    bool is_unsigned;       /* by the word of whoever printed the marks */
    const char *host;       /* the name of another host where it ran; "" or NULL for this one */
    int64_t missed_before;  /* so many commands there, right before it, never came here */
};

/* Appends the value. `header_shell_id`: the shell the header names; another one is told. */
void entry_render_block(const struct entry_block *block, const char *header_shell_id,
                        struct bytes *out);

/* How much of a block is told, and where. */
struct entry_shape {
    size_t room; /* bytes of it all, LIMIT_ENTRY_BYTES at most: with fewer the preview goes first,
                  * then parts of the command; the words that are left may be more */
    bool apart;  /* the preview has a value of its own */
    bool bare;   /* the preview is left out, and nothing else */
    bool tool;   /* a tool that has the rest is named (ENTRY_REST_TOOL) */
};

/* The same in that shape. `output`: where the preview's value goes when it is apart,
 * {"block_id", "preview"}; nothing where there is none. */
void entry_render_shaped(const struct entry_block *block, const char *header_shell_id,
                         const struct entry_shape *shape, struct bytes *out, struct bytes *output);

/* The command still running, told in the header. */
struct entry_running {
    const char *cmd;
    const char *cwd;
    int64_t ts; /* ms since the epoch, when it began */
    const char *preview;
    bool truncated;
    bool apart;             /* the preview has a value of its own */
    const char *cmd_source; /* as of a block */
};

/* Appends the value of its preview, where that is apart. */
void entry_render_running(const struct entry_running *running, struct bytes *out);

struct entry_header {
    const char *conversation_id;
    const char *shell_id;
    const char *cwd;
    int64_t total_commands_run, kept, dropped;
    bool mcp;                            /* a `ptyd mcp` serves this conversation */
    const struct entry_running *running; /* NULL for none */
    const char *const *hosts;            /* the names of other hosts on which some of it ran */
    size_t host_count;                   /* LIMIT_CONTEXT_BLOCKS at most */
};

void entry_render_header(const struct entry_header *header, struct bytes *out);

/* Appends the key of a block, of a preview that is apart from it (or from the header), or of a
 * header: fixed prefix, nine digits. */
void entry_block_key(uint64_t number, struct bytes *out);
void entry_output_key(uint64_t number, struct bytes *out);
void entry_header_key(uint64_t number, struct bytes *out);

#endif
