/* block.h - one submitted command line and what came of it. */
#ifndef PTYD_CORE_BLOCK_H
#define PTYD_CORE_BLOCK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/pack.h"
#include "envelope/redact/redact.h"

struct entry_block;

enum block_status {
    BLOCK_RUNNING,
    BLOCK_COMPLETED,
    BLOCK_KILLED,    /* by a signal, as its status says */
    BLOCK_STOPPED,   /* Ctrl-Z */
    BLOCK_ABANDONED, /* its end was never seen */
};

enum block_type {
    BLOCK_USER_CMD,
    BLOCK_USER_KILL, /* the user's Ctrl-C or Ctrl-\ ended it */
    BLOCK_AGENT_CMD, /* an agent ran it */
};

/* Where the command text comes from. */
enum block_source {
    BLOCK_FROM_ECHO,    /* what stood between prompt and Enter on the screen */
    BLOCK_FROM_SHELL,   /* the shell said it when it started the command */
    BLOCK_FROM_HISTORY, /* the shell's history said it afterwards */
    BLOCK_FROM_UNKNOWN, /* it may be another: what was typed is not known */
};

/* Strings are owned UTF-8, never NULL. Shared by reference count. What is in the JSON, in our
 * files, and told to agents as it is has a row in block_members.c. */
struct block {
    int references;
    char *conversation_id;
    char *shell_id;
    uint64_t seq; /* 1, 2, 3 ... per conversation */
    uint64_t key; /* of the agent's entry; 0 until it is deliverable */
    char *cmd;
    bool cmd_truncated;
    enum block_source cmd_source;
    char *cwd;
    char *cwd_after;
    char *place; /* the kernel's name of cwd_after, where that is another and known; "" */
    bool has_exit_code;
    int exit_code;
    enum block_status status;
    enum block_type type;
    int64_t ts_begin, ts_end; /* ms since the epoch; ts_end 0 while it runs */
    int64_t duration_ms;      /* monotonic */
    /* The terminal's columns while it ran, in order, 0 behind the last: of more than there is room
     * for the first ones and the newest. */
    int widths[LIMIT_BLOCK_WIDTHS + 1];
    int64_t output_lines;
    int64_t output_bytes;
    char *output_path; /* relative to agent_pty/, "" when none is written */
    bool alt_screen;
    bool nested;
    bool private;
    bool is_unsigned; /* from marks that anybody may print (foreign_marks) */
    char *preview;    /* lines, each ended by \n */
    bool truncated;
    int64_t omitted_lines;

    /* What agents are told in place of `cmd`, `preview`, `cwd` and `cwd_after` once secrets are
     * out; NULL for the same. */
    char *told_cmd, *told_preview, *told_cwd, *told_cwd_after;
    int redacted;    /* secrets taken out of them */
    bool unrecorded; /* capture was paused while it ran */
    bool spaced;     /* its line begins with a space, as somebody saw who was there */

    /* Of another host's block alone, "" and 0 for our own: the host's name and its id, which stands
     * in front of block_id; when it reached this host (wall clock); and how many of its shell
     * never did that were sent right before it. */
    char *host, *host_id;
    int64_t heard_ms;
    int64_t missed_before;
};

/* The terminal has so many columns now. */
void block_add_width(struct block *block, int cols);
/* Those of a block's JSON. */
void block_widths(const json_t *json, int ret_widths[LIMIT_BLOCK_WIDTHS + 1]);

/* Takes secrets out of what agents will be told. `secrets` may be NULL. And nothing is taken out,
 * nor told in place of anything. */
void block_redact(struct block *block, const struct redact_secrets *secrets);
void block_untell(struct block *block);

/* Takes secrets out of command, directories and preview of a block's JSON; out of one string of an
 * object. Returns how many. */
int block_redact_json(json_t *block, const struct redact_secrets *secrets);
int block_redact_member(json_t *object, const char *key, const struct redact_secrets *secrets);

/* A running block with one reference and every string "". */
struct block *block_create(void);
struct block *block_ref(struct block *block);
void block_unref(struct block *block);

/* `<conversation_id>:<seq>:<ts_begin>`, of another host's block behind `<host_id>:`; new string. */
char *block_id(const struct block *block);

/* Sets exit code and with it status and signal; `status` as the shell's $?. */
void block_set_exit(struct block *block, int status);

/* `SIGINT` for 130 and so on, NULL when the exit code names no signal. */
const char *block_signal(const struct block *block);

/* Whether the command starts another shell, a remote one, a container or a multiplexer. */
bool block_command_nests(const char *cmd);

/* Every member of the contract; new reference. */
json_t *block_to_json(const struct block *block);

/* The reverse; NULL when it is no block. */
struct block *block_from_json(const json_t *json);

/* What is added to block_to_json() for our own files alone: the agent's key, and the told text. */
void block_add_internal(const struct block *block, json_t *json);
/* And taken away again before others see it. */
void block_remove_internal(json_t *json);

/* Into a checkpoint and back, with `unrecorded`; NULL is saved as none and comes back so. */
void block_save(const struct block *block, struct bytes *out);
struct block *block_load(struct unpack *in);

/* Fills in what an agent is told as it stands in the block; block_id, cmd, signal, exit code, path
 * and preview are the caller's (deliver.h). The strings are the block's. */
void block_tell(const struct block *block, struct entry_block *entry);

/* {"lines":[...],"truncated":...} of a text whose lines each end in \n; new reference. */
json_t *block_preview_json(const char *lines, bool truncated);

#endif
