/* limits.h - every bound on what comes from outside and every wait for it, in one table.
 *
 * Each entry says what it counts and what happens past it. Nothing else in the tree invents a
 * number for input. How often something is looked at or told is no limit and stands where it is
 * done; so do the sizes of the pieces in which files and sockets are read. What a terminal and what
 * an agent's server send stand in files of their own, which come with this one.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include "base/limits_proxy.h"
#include "base/limits_terminal.h"

/* ---- a session ---- */

/* Sessions that run; a further one is refused. */
#define LIMIT_SESSIONS 1000
/* Bytes of a name; a longer one is refused. */
#define LIMIT_NAME_BYTES 64
/* Names given to sessions later; one more is refused. */
#define LIMIT_NAMES 4096
/* Bytes of the environment a shell is started with; a larger one is refused. One that has grown
 * to twice as much is not searched for secrets. */
#define LIMIT_ENVIRONMENT_BYTES (512 << 10)
/* Bytes to be typed and not taken by the terminal, and requests with them; a request that does not
 * fit is refused whole. */
#define LIMIT_INPUT_BYTES (1 << 20)
#define LIMIT_TYPINGS     256
/* Bytes written to a terminal at once; of as many a worker's death may leave in doubt whether they
 * were typed. */
#define LIMIT_TYPED_PIECE 4096
/* Requests to type whose callers can be told behind a worker's death how much was; the oldest goes.
 */
#define LIMIT_TYPINGS_KEPT 16
/* Bytes of all that a shell is started with; more is refused. */
#define LIMIT_PLAN_BYTES (8 << 20)
/* Bytes of an integration script, which has to fit into a pipe; a larger one is refused. */
#define LIMIT_SCRIPT_BYTES (60 << 10)
/* Bytes of output that wait for the worker; then the program waits. With the session's facts they
 * stay under 128 KiB of shared memory. */
#define LIMIT_INTAKE_BYTES (124 << 10)
/* Bytes of that memory as another version made it; a larger one is not served. */
#define LIMIT_INTAKE_FILE_BYTES (1 << 20)
/* Bytes of a line in a file, half of which a writer that died may have left. */
#define LIMIT_HALF_LINE_BYTES (1 << 20)
/* Of what is typed at a prompt the last bytes that are remembered, to be found on the screen. */
#define LIMIT_PROMPT_TAIL_BYTES 12
/* Bytes typed ahead of a shell without C, those included that are just being typed, as many as
 * outlive a worker; of more the texts are unknown then. */
#define LIMIT_AHEAD_BYTES 2048
/* Milliseconds of quiet after which a shell that exited has said everything, and the most that
 * they are waited for; what comes later is nowhere. */
#define LIMIT_EXIT_QUIET_MS 50
#define LIMIT_EXIT_MS       1000
/* Milliseconds between HUP and KILL. */
#define LIMIT_HANGUP_MS 3000
/* Milliseconds that `open` waits for the first prompt; then it answers without. */
#define LIMIT_FIRST_PROMPT_MS 2000
/* Commands of a session that somebody waits for with `run`, or may come back to within the
 * milliseconds after a worker's death; a further one is refused. */
#define LIMIT_RUNS_KEPT   16
#define LIMIT_RUN_KEPT_MS 15000
/* Milliseconds beyond its own time-out that `run` and `send` wait for the daemon to say how it
 * stands. */
#define LIMIT_RUN_GRACE_MS 250
/* Seconds that a --timeout takes; as many and more are refused. */
#define LIMIT_RUN_S 1e9

/* ---- blocks and previews ---- */

/* Lines of a session's scrollback; the oldest go first. */
#define LIMIT_SCROLLBACK_LINES 10000
/* The most that --scrollback takes; more is refused. */
#define LIMIT_SCROLLBACK_MAX 1000000
/* Rows that a resize takes back from scrollback, for a screen that has room or a line that goes on
 * there. */
#define LIMIT_REFLOW_ROWS 1000
/* Resizes that took rows back, for numbers of rows that last; of more the oldest two become one. */
#define LIMIT_LASTING_SHIFTS 64
/* Blocks or lines that a command asks for; more is refused. */
#define LIMIT_ASKED 1000000
/* Scrollback lines that an agent reads at once: where it does not say, and the most; more count
 * as this. */
#define LIMIT_MCP_LINES_DEFAULT 200
#define LIMIT_MCP_LINES         2000
/* Runs of rows that are withheld from agents; of more the oldest two become one, with what lies
 * between. */
#define LIMIT_WITHHELD 256
/* Rows of so many columns in front of and behind those asked for in which a secret may begin or end
 * that is in both; of narrower ones as many as those take (core/told_rows.h). */
#define LIMIT_TOLD_AROUND         128
#define LIMIT_TOLD_AROUND_COLUMNS 80
/* Widths of the terminal that are known of a command. */
#define LIMIT_BLOCK_WIDTHS 8
/* Rows looked through for secrets in one go. */
#define LIMIT_TOLD_ROWS 256
/* Requests of an MCP client that are under way, and messages of a batch; a further one is refused.
 */
#define LIMIT_MCP_REQUESTS 2048
/* Questions of theirs that are at the daemon at once; further ones wait. */
#define LIMIT_MCP_ASKED 64
/* Bytes that an MCP client has not read yet; then nothing more is read of it. */
#define LIMIT_MCP_UNSENT_BYTES (8 << 20)
/* Milliseconds between two words on how far a wait is, and between two on what changed. */
#define LIMIT_MCP_PROGRESS_MS 1000
#define LIMIT_MCP_UPDATE_MS   250
/* Milliseconds that an agent waits for a command: where it does not say, and the most. */
#define LIMIT_MCP_WAIT_MS      60000
#define LIMIT_MCP_WAIT_MOST_MS (60 * 60 * 1000)
/* Resources that an MCP client subscribes to; a further one is refused. */
#define LIMIT_MCP_SUBSCRIPTIONS 1024
/* Sessions whose resources are listed at once; a cursor goes on. */
#define LIMIT_MCP_PAGE 100
/* In ms: how long pty_exec waits for the command's end, who waits for a text where it does not say,
 * the least between two looks for that, how long pty_status follows a program that prints without
 * end, and how long the daemon waits for a call before it is asked again. Of so many lines `ptyd
 * mcp` keeps where in a text they begin, for who reads on there. */
#define LIMIT_MCP_EXEC_MS   3000
#define LIMIT_MCP_EXPECT_MS 30000
#define LIMIT_MCP_LOOK_MS   50
#define LIMIT_MCP_STATUS_MS 2000
#define LIMIT_MCP_ASK_MS    10000
#define LIMIT_MCP_PLACES    64
/* Searches of an MCP client at once, and bytes that one of them finds; more is refused. */
#define LIMIT_MCP_HELPERS      8
#define LIMIT_MCP_HELPER_BYTES (16 << 20)
/* Bytes of a command line in a list for agents; the block itself has all of it. */
#define LIMIT_MCP_COMMAND_BYTES 400
/* Bytes of a command's output that session.output tells at once (of more it says where to go on),
 * of one of its lines (of a longer one the head is told, without the last bytes, in which a secret
 * may begin that goes on behind them), and that are read at once. */
#define LIMIT_OUTPUT_TOLD_BYTES (256 << 10)
/* Places in outputs from where pages are read on, and bytes of a shell's id with one. */
#define LIMIT_PLACES             32
#define LIMIT_PLACE_SHELL_BYTES  32
#define LIMIT_OUTPUT_LINE_BYTES  (256 << 10)
#define LIMIT_OUTPUT_EDGE_BYTES  (4 << 10)
#define LIMIT_OUTPUT_PIECE_BYTES (64 << 10)
/* Blocks that an agent is shown at once; it asks for what is before them. */
#define LIMIT_AGENT_BLOCKS 200
/* Lines and bytes (UTF-8, one for a line's end) of a preview; the oldest go first. */
#define LIMIT_PREVIEW_LINES 20
#define LIMIT_PREVIEW_BYTES 3000
/* The same of a command that still runs. */
#define LIMIT_RUNNING_LINES 5
#define LIMIT_RUNNING_BYTES 600
/* Bytes of a command; a longer one keeps its head, cmd_truncated says so. */
#define LIMIT_COMMAND_BYTES (128 << 10)
/* Bytes printed behind the prompt of a shell without C that are certain to be a command's that was
 * typed ahead; and that are held until then, with what is said where that cuts. */
#define LIMIT_OVERDUE_BYTES (128 << 10)
#define LIMIT_HELD_BYTES    (1 << 20)
/* Bytes of a directory; a longer one keeps its head. A client whose own is longer says /. */
#define LIMIT_CWD_BYTES 4096
/* Bytes of blocks/N.out; what comes behind is counted and not written. */
#define LIMIT_OUTPUT_FILE_BYTES (64 << 20)

/* Bytes that are sent to a terminal's clipboard; of more the end. As base64 they are the 100,000
 * that the most careful terminals take. */
#define LIMIT_COPY_BYTES 74994

/* ---- patterns and waits ---- */

/* Bytes of a pattern; a longer one is refused. And of one search: steps from one place of the text,
 * how deep they nest, bytes of memory, and milliseconds of the processor in all; then it ends
 * without an answer, which is said. */
#define LIMIT_REGEX_BYTES      (16 << 10)
#define LIMIT_REGEX_STEPS      1000000
#define LIMIT_REGEX_DEPTH      100000
#define LIMIT_REGEX_HEAP_BYTES (32 << 20)
#define LIMIT_REGEX_MS         2000
/* The same of a rule of the user's that says what is secret: steps from one place, and milliseconds
 * of the processor for one line, and for each 64 KiB of a text. A line on which one is met is taken
 * out whole, which is said, and so is all of a text that would take longer. */
#define LIMIT_RULE_STEPS 20000
#define LIMIT_RULE_MS    10
#define LIMIT_RULES_MS   50
/* Bytes of a rule's name; a longer one is refused. */
#define LIMIT_RULE_NAME_BYTES 32
/* Bytes of a match in front of a line's end that a pattern asks for; a longer one may be missed
 * where its last line comes in pieces. */
#define LIMIT_REGEX_AGAIN_BYTES 4096
/* Bytes of a session's output in one answer to who waits for it; it asks again for more. */
#define LIMIT_WAIT_BYTES (192 << 10)
/* Bytes of output in front of a cursor that are gone through to know where in a line it stands. */
#define LIMIT_BEFORE_CURSOR_BYTES 4096
/* Bytes of text in which one match is looked for; of more the older half is forgotten. */
#define LIMIT_MATCH_BYTES (1 << 20)
/* Milliseconds between two looks at a screen that is waited for. */
#define LIMIT_SCREEN_LOOK_MS 50
/* The most milliseconds of silence that are waited for; more is refused. */
#define LIMIT_WAIT_MS 1000000000
/* Seconds for a step of a script where it does not say; bytes of a script, and of its steps; a
 * larger one is refused. */
#define LIMIT_STEP_S      10
#define LIMIT_STEPS_BYTES (1 << 20)
/* Columns of a line whose text is searched; what is further left of a longer one is not changed any
 * more. */
#define LIMIT_TRANSCRIPT_CELLS (16 << 10)

/* ---- search ---- */

/* Bytes of what is looked for; more is refused. */
#define LIMIT_SEARCH_PATTERN_BYTES 4096
/* Bytes of text that the index keeps together, which longer texts have several of; and how many of
 * these it knows together what they hold. As many, and one less, are always looked through. */
#define LIMIT_SEARCH_SHEET_BYTES (14 << 10)
#define LIMIT_SEARCH_GROUP       512
/* Commands that are shown, the newest, where nothing is said; and lines of one, the first, and
 * bytes of a line around its match: the rest is counted, or cut and marked so. */
#define LIMIT_SEARCH_RESULTS    20
#define LIMIT_SEARCH_LINES      5
#define LIMIT_SEARCH_LINE_BYTES 400
/* Milliseconds that another who brings the index up to date is waited for; then what is there is
 * searched, and how much is missing is said. */
#define LIMIT_SEARCH_WAIT_MS 1000
/* In one search, for outputs from which secrets are taken out just now. */
#define LIMIT_SEARCH_REDACTED_MS 2000
/* Milliseconds for who makes the index to have begun it, and for SQLite to get a lock; then the
 * search fails. */
#define LIMIT_SEARCH_BUSY_MS 5000

/* ---- other hosts ---- */

/* Bytes of a host's name, and of a command that ran there; longer ones keep their heads. */
#define LIMIT_HOST_BYTES          64
#define LIMIT_HEARD_COMMAND_BYTES (8 << 10)
/* Hosts that are known, and shells of theirs, of all and of each; the one heard longest ago is
 * forgotten. */
#define LIMIT_HOSTS            2000
#define LIMIT_HOST_SHELLS      4096
#define LIMIT_HOST_SHELLS_EACH 256
/* By which a host counts what it sends of a shell; a higher number is none. */
#define LIMIT_HOST_NUMBER (1LL << 53)
/* Bytes of the file of what ran there; then it becomes .1. */
#define LIMIT_HEARD_BYTES (4 << 20)
/* What `ptyd relay` has sent and the hub has not acknowledged, one of a session at most: the others
 * wait in their files. And milliseconds for that: then it is sent again. */
#define LIMIT_RELAY_UNACKED 64
#define LIMIT_RELAY_ACK_MS  10000
/* Bytes of blocks.jsonl that it reads at once of a session. */
#define LIMIT_RELAY_PAGE_BYTES (256 << 10)
/* Milliseconds for a connection to the hub, and the most between two tries. */
#define LIMIT_RELAY_CONNECT_MS 5000
#define LIMIT_RELAY_AGAIN_MS   5000
/* Milliseconds from which on another host's clock is off, and that is said. */
#define LIMIT_CLOCK_APART_MS 60000
/* Milliseconds that the daemon has to say which hosts it heard of, before ssh is asked anyway. */
#define LIMIT_HOSTS_MS 500
/* Milliseconds that the hub holds a question for what is new, and that the daemon has for a block
 * of another host; then it is asked again. */
#define LIMIT_RELAY_PULL_MS 10000
#define LIMIT_RELAY_HAND_MS 5000
/* Commands of other hosts that the hub gives out to a host before it has acknowledged them: with
 * fewer it waits for the hub's turn once too often. Of those, and bytes of those, that are handed
 * to its daemon at once, unless one alone is larger. And bytes of all of them: a hub that gives out
 * more is none. */
#define LIMIT_RELAY_TAKEN       1024
#define LIMIT_RELAY_AT_ONCE     128
#define LIMIT_RELAY_TAKEN_BYTES (192 << 20)
#define LIMIT_RELAY_HAND_BYTES  (512 << 10)
/* Milliseconds from one of those to the next, unless so many wait: each costs the daemon what four
 * commands do. */
#define LIMIT_RELAY_TOGETHER_MS 20
/* Milliseconds until the hub has given out again what was given to somebody who is gone, at most.
 */
#define LIMIT_RELAY_GATHER_MS 20000
/* Milliseconds in which a relay that runs has taken on what `ptyd relay enable` says: it may be
 * trying to connect. */
#define LIMIT_RELAY_ANEW_MS 25000
/* Bytes of a message that the hub keeps, with its header; of what stands in one, which is cut until
 * it is no larger as it is sent; and what is not cut further where a hub refuses it. */
#define LIMIT_RELAY_STREAM_BYTES (64 << 10)
#define LIMIT_RELAY_LETTER_BYTES (63 << 10)
#define LIMIT_RELAY_LETTER_LEAST (2 << 10)
/* Messages of the hub that wait to be read, with LIMIT_RELAY_TAKEN_BYTES: four times as many are
 * more than was asked for, and end the connection; requests of other hosts beyond them are dropped.
 * Bytes of one; a larger one is dropped. */
#define LIMIT_RELAY_HELD          1024
#define LIMIT_RELAY_MESSAGE_BYTES (1 << 20)
/* Bytes of what a command of `ptyd exec` printed that are kept, the newest: all of these are looked
 * through for secrets, of more than that at least the newer half. */
#define LIMIT_EXEC_BYTES (256 << 10)
/* Of commands that `ptyd exec` could not tell the hub of so many wait for the next one,
 * and bytes of their file. */
#define LIMIT_EXEC_KEPT       64
#define LIMIT_EXEC_KEPT_BYTES (8 << 20)
/* A relay looks that often, in milliseconds, whether there are some. */
#define LIMIT_EXEC_LOOK_MS 30000
/* Sessions of a host that others are shown, and bytes of why it refuses something; the rest is left
 * out. */
#define LIMIT_RELAY_SESSIONS    32
#define LIMIT_RELAY_WORDS_BYTES 400
/* Bytes of its settings and other small files; a larger one is damaged. */
#define LIMIT_RELAY_FILE_BYTES (64 << 10)

/* ---- context for an agent ---- */

/* Blocks told at once, the newest. */
#define LIMIT_CONTEXT_BLOCKS 10
/* Deliverable blocks held in memory over all sessions; the oldest is forgotten. */
#define LIMIT_CONTEXT_MEMORY 256
/* Bytes of one encoded value, because the app-server cuts longer ones: previews, then the command,
 * then the directory lose parts. */
#define LIMIT_ENTRY_BYTES 4000
/* Bytes of all encoded values together: where nothing else is said, which is the most, for as many
 * as there may be never exceed it; and the least, in which the header and a block have room. */
#define LIMIT_CONTEXT_BYTES       44000
#define LIMIT_CONTEXT_BYTES_LEAST 8000
/* Encoded bytes of a command in the header or as text; a longer one keeps its head. */
#define LIMIT_TOLD_COMMAND_BYTES 1000
/* Encoded bytes of a word in a block's value, as its id or status; a longer one keeps its head. */
#define LIMIT_WORD_BYTES 200
/* Encoded bytes of a host's name in the header and in a text; a longer one keeps its head. */
#define LIMIT_HOST_TOLD_BYTES 100
/* Encoded bytes of the header's directory and of what runs; longer ones keep their ends. */
#define LIMIT_HEADER_CWD_BYTES  800
#define LIMIT_RUNNING_CWD_BYTES 400
/* Bytes of the text for agents without an app-server, which cut 10,000: the longest previews lose
 * their oldest lines. */
#define LIMIT_HOOK_BYTES 9500
/* Bytes of the legacy envelope's object: the oldest previews go, then the oldest commands. */
#define LIMIT_ENVELOPE_BYTES (32 << 10)
/* Consumers; the one unused longest is forgotten. */
#define LIMIT_CONSUMERS 256
/* Threads switched off one by one; a further one is refused. */
#define LIMIT_THREADS_OFF 256
/* Milliseconds for which what others were told is told to a new consumer, too. Where nothing else
 * is said, and the most. */
#define LIMIT_LOOKBACK_MS      (15 * 60 * 1000)
#define LIMIT_LOOKBACK_MOST_MS (31 * 24 * 60 * 60 * 1000LL)
/* Turns of a consumer, remembered for forks; the oldest goes. */
#define LIMIT_TURNS 64
/* Leases of all consumers; a further take is refused where none gives way. */
#define LIMIT_LEASES 64
/* Milliseconds until a lease that was taken from the command line is released, and one that waits
 * for an agent's word (LIMIT_HELD_S) gives way. */
#define LIMIT_LEASE_CLI_MS 60000
/* Bytes of receipts.jsonl; then it becomes .1. Bytes of a line of it: one that would be longer is
 * lost, and counted. Receipts that wait for room on the disk; then the oldest is. Blocks that a
 * receipt names as dropped, the newest; all are counted. Receipts in an answer, the newest. */
#define LIMIT_RECEIPTS_BYTES  (8 << 20)
#define LIMIT_RECEIPT_BYTES   (32 << 10)
#define LIMIT_RECEIPTS_OWED   256
#define LIMIT_RECEIPT_DROPPED 20
#define LIMIT_RECEIPTS_ASKED  1000
/* Values of an environment that are looked for; later ones pass. And those of a session's earlier
 * shells, of which digests are kept; then the oldest is forgotten. */
#define LIMIT_SECRETS        64
#define LIMIT_FORMER_SECRETS 128

/* ---- files ---- */

/* Bytes of output.raw; the oldest quarter is given back. */
#define LIMIT_RAW_LOG_BYTES (64LL << 20)
/* Bytes of output.idx; then old times go, and with them the bytes of the oldest marks. */
#define LIMIT_INDEX_BYTES (4 << 20)
/* Bytes of output between two checkpoints. */
#define LIMIT_CHECKPOINT_BYTES (16 << 20)
/* Bytes of a checkpoint; a larger one is not read: the log is gone through. */
#define LIMIT_CHECKPOINT_FILE_BYTES (256 << 20)
/* Bytes of events.jsonl and its like; then it becomes .1. */
#define LIMIT_JSONL_BYTES (16 << 20)
/* Bytes of lines that a session could not write yet, with what is noted of each; then the ends of
 * outputs go, then the oldest lines, and are counted. */
#define LIMIT_OWED_BYTES (1 << 20)
/* Bytes of the memory in which they outlive a worker, with what replaces a file, and as many again
 * while it is written anew; and of what replaces a file: of a larger one the file's old content is
 * what outlives a worker. */
#define LIMIT_SLATE_BYTES       (3 << 20)
#define LIMIT_SLATE_WHOLE_BYTES (256 << 10)
/* Bytes of a command's output that could not be written yet; of more the newest stay, and the file
 * says how many are missing. */
#define LIMIT_OWED_OUTPUT_BYTES (64 << 10)
/* Bytes of a line of blocks.jsonl; a longer one is passed over. */
#define LIMIT_JSONL_LINE_BYTES (4 << 20)
/* Bytes of the lines whose blocks are answered at once, where a client asks for one part after the
 * other; it asks again for what follows. */
#define LIMIT_BLOCKS_PAGE_BYTES (64 << 10)
/* Bytes of a delta event; of twice as many only so many stay, the newest. */
#define LIMIT_DELTA_BYTES 8192
/* Lines of scrollback.snapshot.json; the newest stay. */
#define LIMIT_SNAPSHOT_LINES 500
/* Files in blocks/; the oldest are removed, at every 100th block. */
#define LIMIT_BLOCK_FILES 500
/* What was set aside because it was damaged, of a directory: so many files, and so many bytes of
 * them; the oldest are removed when the session is taken over, but for the last. */
#define LIMIT_ASIDE_FILES 32
#define LIMIT_ASIDE_BYTES (256LL << 20)
/* Days that a closed session is kept, and bytes of all closed ones together; the ones used longest
 * ago are removed. Where nothing else is said, and the most. */
#define LIMIT_KEEP_DAYS       90
#define LIMIT_KEEP_DAYS_MOST  36500
#define LIMIT_KEEP_BYTES      (4LL << 30)
#define LIMIT_KEEP_BYTES_MOST (1LL << 50)
/* Directories in one another below a session's; what lies deeper is not counted, and stays. */
#define LIMIT_KEPT_DEPTH 8
/* Bytes in which it stands what was removed; the older half goes. */
#define LIMIT_GONE_BYTES (1 << 20)
/* Bytes of meta.json and context.json; a larger one counts as empty. */
#define LIMIT_META_BYTES (16 << 20)
/* Bytes of keys.json; a larger one counts as none. */
#define LIMIT_KEYS_BYTES 4096
/* The most that notify_after takes, in milliseconds; more is refused. And bytes of a notification's
 * text; a longer command keeps its head. */
#define LIMIT_NOTIFY_MOST_MS (31 * 24 * 60 * 60 * 1000LL)
#define LIMIT_NOTIFY_BYTES   200
/* Agents that ask to type in a session, or may; a further one is refused. Bytes of what one says of
 * itself and of what it wants: the rest is left out. */
#define LIMIT_BATONS           16
#define LIMIT_BATON_TEXT_BYTES 200
/* MiB of room for state files, with fewer of which `ptyd doctor` has something to say. */
#define LIMIT_DOCTOR_DISK_MIB 100
/* Bytes of ptyd.conf; of a larger one nothing is read, which is said. Of a list in it the values,
 * and of the lines that are wrong those that are said; further ones are wrong, and counted. */
#define LIMIT_CONF_BYTES (64 << 10)
#define LIMIT_CONF_LIST  256
#define LIMIT_CONF_WRONG 20
/* Bytes of an agent's settings; a larger file is left alone. */
#define LIMIT_SETTINGS_BYTES (4 << 20)
/* Bytes of a trace; a larger one is refused. */
#define LIMIT_REPLAY_BYTES (1LL << 30)
/* Bytes of a trace in which an asciicast names its version; behind them it is not looked for. */
#define LIMIT_TRACE_LOOK_BYTES 4096
/* Bytes of the first line of a typescript and of a line of its timing; the rest is not read. */
#define LIMIT_SCRIPT_HEADER_BYTES 1024
#define LIMIT_TIMING_LINE_BYTES   512
/* Bytes of a frame by which a ttyrec is known; a file with a larger one has to be named as one. */
#define LIMIT_TTYREC_FRAME_BYTES (1 << 20)
/* Bytes of a golden; a larger one is not compared, which fails. */
#define LIMIT_GOLDEN_BYTES (64 << 20)
/* Bytes of a piece of random length in which a trace is replayed. */
#define LIMIT_REPLAY_PIECE_BYTES 64
/* Bytes of a log of which the screen is made that a recording begins with; what was drawn before
 * them is not on it. */
#define LIMIT_RECORD_PICTURE_BYTES (4 << 20)
/* Bytes in one event of a recording; more become a further one. */
#define LIMIT_RECORD_EVENT_BYTES (64 << 10)
/* Bytes of output that wait until it is known whether a secret is in them (a line without an end, a
 * key); of more the older ones are shown as they are. */
#define LIMIT_VEIL_BYTES (64 << 10)
/* ms between two looks for more to record: what comes meanwhile is taken at once. */
#define LIMIT_RECORD_PAUSE_MS 20
/* ms that the log may be behind what the daemon says came; then only more makes a recording look.
 */
#define LIMIT_RECORD_LAG_MS 2000
/* ms for what doctor asks another program; then it is ended, and has said nothing. */
#define LIMIT_DOCTOR_MS 3000

/* Bytes of a text that is forgotten, and the least: of fewer too much would go. Bytes of the
 * file that says what is to be forgotten: more than a request has, which is refused before. */
#define LIMIT_FORGET_TEXT_LEAST 3
#define LIMIT_FORGET_TEXT_BYTES 4096
#define LIMIT_FORGET_BYTES      (2 << 20)
/* Milliseconds that `ptyd forget` waits; what was begun is finished without it. */
#define LIMIT_FORGET_WAIT_MS 600000
/* Milliseconds until secrets that could not be taken out of a session's files are tried again;
 * twice as many each time, up to so many. */
#define LIMIT_REDACT_AGAIN_MS      1000
#define LIMIT_REDACT_AGAIN_MOST_MS 600000
/* Milliseconds until another worker tries it again with lines of a session that is served. */
#define LIMIT_REDACT_ROOM_MS 60000
/* Milliseconds until what had no thread is tried again. */
#define LIMIT_CHORE_AGAIN_MS 1000
/* Milliseconds after which the keeper is asked again for the worker that forgets. */
#define LIMIT_FORGET_ASK_MS 1000

/* ---- the daemon and its control socket ---- */

/* Connections, or a quarter of the descriptors where that is less, or what sessions leave of them;
 * further ones are brief. */
#define LIMIT_CLIENTS 2048
/* Brief connections: each gets one request answered that does not stay; further ones wait in the
 * backlog. */
#define LIMIT_BRIEF_CLIENTS 8
/* Milliseconds for a brief connection to ask, and to read its answer; then it is closed. */
#define LIMIT_BRIEF_ASK_MS  2000
#define LIMIT_BRIEF_READ_MS 10000
/* Descriptors that neither sessions nor connections get: for those that are brief, and for files
 * that are open for a moment. */
#define LIMIT_RESERVE_FILES (LIMIT_BRIEF_CLIENTS + 8)
/* Connections that wait; then connect() does, or is refused. */
#define LIMIT_BACKLOG 4096
/* Bytes of a request's line; a longer one is answered with an error. */
#define LIMIT_REQUEST_BYTES (1 << 20)
/* Bytes of an error's message; a longer one loses its end. */
#define LIMIT_MESSAGE_BYTES 1024
/* Bytes unsent to a client; then requests wait, views are redrawn later, events are left out and
 * counted, output is no longer streamed. */
#define LIMIT_CLIENT_QUEUE (1 << 20)
/* Bytes that all connections hold together (crowd.h): from half of them on who holds more than a
 * share is not read, and nothing is made for it; beyond them no request is begun. As much as a
 * share is read at once, and no more while there are requests in it to be done. */
#define LIMIT_CROWD_BYTES  (32 << 20)
#define LIMIT_CLIENT_SHARE (4 << 10)
/* Milliseconds after which one that holds more than its share then, and does not get on, is closed;
 * and that it may be so for before others are, too. */
#define LIMIT_CROWD_STILL_MS 250
#define LIMIT_CROWD_FULL_MS  2000
/* Bytes of what a connection waits for, each counted for its request and so many more; beyond them,
 * or beyond its share where all together wait for as much as that, what may have to wait is
 * refused.
 */
#define LIMIT_CLIENT_WAIT_BYTES (4 << 20)
#define LIMIT_CROWD_WAIT_BYTES  (8 << 20)
#define LIMIT_ERRAND_BYTES      1024
/* Bytes of a frame between a viewer and the worker; a longer one closes the viewer's socket. */
#define LIMIT_VIEW_FRAME_BYTES (256 << 10)
/* Bytes of one of them that are to be typed; a larger one, too, or a further one before it is
 * answered. */
#define LIMIT_VIEW_INPUT_BYTES (64 << 10)
/* Bytes read at once by the worker from a terminal that is lent to it; as many are no hand's, and
 * its viewer's to read. And bytes of output that it writes there itself. */
#define LIMIT_LENT_BYTES       64
#define LIMIT_LENT_SHOWN_BYTES 4096
/* Bytes of a session's output that the terminal of its leading viewer did not take yet; then the
 * programs wait. As many as it takes in LIMIT_VIEW_WINDOW_MS, within these two. */
#define LIMIT_VIEW_WINDOW_BYTES      (128 << 10)
#define LIMIT_VIEW_WINDOW_MOST_BYTES (512 << 10)
#define LIMIT_VIEW_WINDOW_MS         50
/* Part of them that there must be room for, before more is taken in: what can be understood only
 * whole, 16 KiB, fits into it. */
#define LIMIT_VIEW_ROOM_PART 8
/* Milliseconds that they wait for a terminal that takes nothing, or for a viewer to come back
 * behind a worker's death; then they go on without it. */
#define LIMIT_VIEW_STALL_MS 2000
/* Bytes that such a viewer missed and gets when it reads again; of more it is told how many lines
 * they were. */
#define LIMIT_VIEW_BEHIND_BYTES (4 << 20)
/* Bytes of the daemon's answer, for a command and for the proxy; a longer one is passed over. */
#define LIMIT_ANSWER_BYTES       (256 << 20)
#define LIMIT_PROXY_ANSWER_BYTES (64 << 20)
/* Milliseconds for a daemon to answer a connection; then the command fails. */
#define LIMIT_START_MS 5000
/* Milliseconds for the daemon to answer a short request; then the command fails and says so. */
#define LIMIT_ANSWER_MS 15000
/* Milliseconds for a connection that a worker's death cut to be made and answered again; then the
 * command says what it knows and ends. */
#define LIMIT_RECONNECT_MS 5000
/* Milliseconds of that in all, for who follows a session, while the daemon gets on. */
#define LIMIT_RECONNECT_MOST_MS 60000
/* Milliseconds that a session which was closed is shown to viewers who are behind; then they are
 * told of its end without the rest. */
#define LIMIT_LEAVING_MS 60000
/* Milliseconds that one is waited for which was started by somebody else at the same time, when
 * ours has ended. */
#define LIMIT_OTHER_START_MS 300
/* Milliseconds in which the answer to what only looks has to come, all of it; then the command says
 * that the daemon does not answer, or that it is busy where it works, and waits on. */
#define LIMIT_LOOK_MS 1000
/* Milliseconds that a shell waits for what it may complete, and how many of a session's newest
 * blocks are among it; what comes later, or is older, is not offered. */
#define LIMIT_COMPLETION_MS     300
#define LIMIT_COMPLETION_BLOCKS 50
/* Milliseconds in which bare `ptyd` gets its session; then the terminal has a plain shell. */
#define LIMIT_BARE_MS 1000
/* Block events that a follower is told again after a worker's death, of each session, the newest;
 * earlier ones are counted as lost. */
#define LIMIT_EVENTS_AGAIN 20000
/* How often a request that only reads is asked again of a worker's successor; then it fails. */
#define LIMIT_REPEATS 3
/* Milliseconds for the daemon to answer a hook; then the prompt goes without. */
#define LIMIT_HOOK_WAIT_MS 2000
/* Milliseconds that an auto-started daemon stays without session and client. */
#define LIMIT_IDLE_MS 30000
/* Milliseconds for a worker's last words; then it is killed. */
#define LIMIT_WORKER_STOP_MS 3000
/* Milliseconds before a worker is started again the second time in a row, doubling to the most;
 * one that lived as long as the last is replaced at once. */
#define LIMIT_BACKOFF_FIRST_MS  50
#define LIMIT_BACKOFF_MS        1000
#define LIMIT_WORKER_HEALTHY_MS 1000
/* Bytes of the table that one keeper hands to the next; a larger one is not read. */
#define LIMIT_TABLE_BYTES (4 << 20)
/* Milliseconds for a program that is to take the keeper's place to answer when it is tried, and for
 * a worker of it to be ready then; otherwise the old one stays, or comes back. */
#define LIMIT_UPGRADE_TRY_MS   5000
#define LIMIT_UPGRADE_READY_MS 5000
/* The same as long as that worker gets on, rebuilding sessions, say; a multiple of that. */
#define LIMIT_UPGRADE_MOST_MS 60000
/* Milliseconds that a worker that is to end has for what it is in the midst of typing; then it ends
 * there, and whoever typed that is in doubt. */
#define LIMIT_BOARD_HELD_MS 500
/* Milliseconds that `ptyd upgrade` waits for all of that; then it says that it does not know. */
#define LIMIT_UPGRADE_WAIT_MS 70000
/* Milliseconds of its processor's time that a worker may use without getting on; then it is ended
 * and replaced. */
#define LIMIT_SPIN_MS 5000
/* Deaths of the worker, of its own doing, at one place of a session; then the session is
 * quarantined. And the places of a session that are counted, the latest. */
#define LIMIT_DEATHS       3
#define LIMIT_TALLY_PLACES 4
/* Workers of an upgraded daemon that may end before one is ready; then the old program comes back.
 * One more than it takes to quarantine a session that its predecessor had quarantined, too. */
#define LIMIT_UPGRADE_WORKERS (LIMIT_DEATHS + 1)

#endif
