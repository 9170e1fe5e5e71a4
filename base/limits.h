/* limits.h - every bound on what comes from outside, in one table.
 *
 * Each entry says what happens past it. Nothing else in the tree invents a number for input.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/* Terminal size, in cells. Anything else is clamped to this range. */
#define LIMIT_SIZE_MIN     2
#define LIMIT_SIZE_MAX     1000
#define LIMIT_COLS_DEFAULT 80
#define LIMIT_ROWS_DEFAULT 24

static inline int limit_size(int value)
{
    return value < LIMIT_SIZE_MIN   ? LIMIT_SIZE_MIN
           : value > LIMIT_SIZE_MAX ? LIMIT_SIZE_MAX
                                    : value;
}

/* Escape sequences. */
#define LIMIT_CSI_BYTES    256        /* a longer CSI is swallowed to its final byte */
#define LIMIT_CSI_PARAMS   16         /* what libvterm survives; longer SGR and modes are split */
#define LIMIT_CSI_VALUE    9999       /* a larger number counts as this one */
#define LIMIT_STRING_BYTES (24 << 10) /* of an OSC; the rest is skipped to the terminator */
#define LIMIT_RAW_BYTES    (1 << 20)  /* of a mark's raw= field; then the mark is dropped */
#define LIMIT_TITLE_BYTES  1024       /* longer titles lose their end */
#define LIMIT_PENS         60000      /* distinct pens in use; more draw as the default */
#define LIMIT_CLUSTERS     60000 /* distinct combined characters in use; more lose their marks */
#define LIMIT_FEED_BYTES   4096  /* written to libvterm at once */

/* Blocks and previews. */
#define LIMIT_SCROLLBACK_LINES 10000   /* per session; the oldest go first */
#define LIMIT_SCROLLBACK_MAX   1000000 /* the most that --scrollback takes */
#define LIMIT_PREVIEW_LINES    20
#define LIMIT_PREVIEW_BYTES    3000 /* UTF-8, one byte per line end */
#define LIMIT_RUNNING_LINES    5    /* preview of a command that still runs */
#define LIMIT_RUNNING_BYTES    600
#define LIMIT_COMMAND_BYTES                                                                        \
    (128 << 10) /* a longer command keeps its head, cmd_truncated says so                          \
                 */
#define LIMIT_CWD_BYTES 4096
#define LIMIT_OUTPUT_FILE_BYTES                                                                    \
    (64 << 20) /* of blocks/N.out; the tail keeps counting, not writing */

/* Context for an agent. */
#define LIMIT_CONTEXT_BLOCKS 10
#define LIMIT_CONTEXT_MEMORY 256   /* deliverable blocks held in memory over all sessions */
#define LIMIT_ENTRY_BYTES    4000  /* of one encoded value; the app-server cuts longer ones */
#define LIMIT_CONTEXT_BYTES  44000 /* of all encoded values together */
#define LIMIT_HOOK_BYTES     9500 /* of the text for agents without an app-server; they cut 10,000 */
#define LIMIT_ENVELOPE_BYTES (32 << 10) /* of the legacy envelope's object */
#define LIMIT_CONSUMERS      256        /* the one unused longest is forgotten */
#define LIMIT_TURNS          64    /* of a consumer, remembered for forks; then the oldest goes */
#define LIMIT_LEASES         64    /* per daemon; a further take is refused */
#define LIMIT_LEASE_CLI_MS   60000 /* a lease taken from the command line is released after this */
#define LIMIT_SECRETS        64 /* values of an environment that are looked for; later ones pass */

/* Sessions and files. */
#define LIMIT_SESSIONS          1000
#define LIMIT_NAME_BYTES        64
#define LIMIT_ENVIRONMENT_BYTES (512 << 10)
#define LIMIT_INPUT_BYTES                                                                          \
    (1 << 20) /* typed and not taken by the terminal; what does not fit is refused whole */
#define LIMIT_RAW_LOG_BYTES    (64LL << 20) /* of output.raw; the oldest is given back */
#define LIMIT_CHECKPOINT_BYTES (16 << 20)   /* of output between two checkpoints */
#define LIMIT_CHECKPOINT_FILE_BYTES                                                                \
    (256 << 20)                         /* a larger one is not read: the log is gone through */
#define LIMIT_JSONL_BYTES    (16 << 20) /* of events.jsonl and its like; rotates to .1 */
#define LIMIT_BLOCK_LINE     (4 << 20)  /* of a line in blocks.jsonl; a longer one is passed over */
#define LIMIT_BLOCK_FILES    500        /* in blocks/; the oldest are removed */
#define LIMIT_SETTINGS_BYTES (4 << 20)  /* of an agent's settings; a larger file is left alone */
#define LIMIT_REPLAY_BYTES   (1LL << 30) /* of a trace; a larger one is refused */

/* The control socket and the proxy. */
#define LIMIT_REQUEST_BYTES                                                                        \
    (1 << 20)                   /* of one request line; a longer one is answered with an error */
#define LIMIT_CLIENTS      2048 /* connections, and a quarter of all descriptors; others wait */
#define LIMIT_BACKLOG      4096 /* connections that wait; then connect() does, or is refused */
#define LIMIT_CLIENT_QUEUE (1 << 20) /* bytes unsent to a client before it is sent less */
#define LIMIT_PROXY_QUEUE                                                                          \
    (1 << 20) /* bytes unsent before the proxy stops reading the other side                        \
               */
#define LIMIT_WEBSOCKET_BYTES                                                                      \
    (16 << 20) /* of a WebSocket message received; longer: closed, 1009                            \
                */
#define LIMIT_HTTP_HEAD_BYTES                                                                      \
    (16 << 10)                        /* of a request's or answer's head; longer: closed, 431      \
                                       */
#define LIMIT_HTTP_WAIT_MS      10000 /* for a head to be whole; then the connection is closed */
#define LIMIT_PROXY_REQUESTS    4096 /* of a client, whose answers are waited for; then unwatched */
#define LIMIT_THREADS           1024 /* that a connection remembers; then they are asked for again */
#define LIMIT_SERVER_START_MS   15000       /* for an app-server to listen; then it is ended */
#define LIMIT_CONNECTIONS       64          /* that one proxy serves; further ones wait */
#define LIMIT_PROXY_LINE        (160 << 20) /* of a line held whole; a longer one passes unread */
#define LIMIT_PROXY_WAIT_MS     50   /* for the daemon's answer, then the turn goes without */
#define LIMIT_REPLY_BYTES_PER_S 4096 /* answers to a program's terminal queries */

#endif
