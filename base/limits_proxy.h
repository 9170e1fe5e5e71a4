/* limits_proxy.h - the part of limits.h between an agent and its server: the proxy, hooks, `ptyd
 * notify`.
 *
 * Included by limits.h, which says how an entry reads.
 */
#ifndef BASE_LIMITS_PROXY_H
#define BASE_LIMITS_PROXY_H

/* Bytes unsent to one side; then the other is not read. */
#define LIMIT_PROXY_QUEUE (1 << 20)
/* Bytes of a WebSocket message received; longer: closed, 1009. */
#define LIMIT_WEBSOCKET_BYTES (16 << 20)
/* Bytes of a request's or answer's head; longer: closed, to a client with 431. */
#define LIMIT_HTTP_HEAD_KIB   16
#define LIMIT_HTTP_HEAD_BYTES (LIMIT_HTTP_HEAD_KIB << 10)
/* Bytes of the body of a server's refusal; a longer one is passed on without. */
#define LIMIT_HTTP_BODY_BYTES (64 << 10)
/* Milliseconds for a head to be whole; then the connection is closed. */
#define LIMIT_HTTP_WAIT_MS 10000
/* Requests of a client whose answers are waited for; further ones are not watched. */
#define LIMIT_PROXY_REQUESTS 4096
/* Threads that a connection remembers; then they are asked for again. */
#define LIMIT_THREADS 1024
/* Connections that one proxy serves; further ones wait. */
#define LIMIT_CONNECTIONS 64
/* Connections whose head is not whole; a further one takes the place of the oldest. */
#define LIMIT_HEADS 64
/* Bytes of a message in which its method and id are looked for; behind them it is held whole. */
#define LIMIT_PROXY_HEAD_BYTES 4096
/* Bytes of a line held whole; a longer one passes unread. */
#define LIMIT_PROXY_LINE (160 << 20)
/* Objects and arrays in one another in a message that is edited; a deeper one passes unedited. */
#define LIMIT_JSON_DEPTH 2047
/* Milliseconds for the daemon's answer; then the turn goes without. The most that --wait takes, in
 * seconds. */
#define LIMIT_PROXY_WAIT_MS 50
#define LIMIT_PROXY_WAIT_S  60
/* Milliseconds for its answer to a commit, which matters more than a moment of the user's time;
 * then it is said that the context may be sent again. */
#define LIMIT_PROXY_COMMIT_MS 2000
/* Milliseconds for the server's answer to a question of our own; then the turn goes without. */
#define LIMIT_PROXY_ASK_MS 1000
/* Milliseconds for an app-server to listen; then it is ended. */
#define LIMIT_SERVER_START_MS 15000
/* Processes above a hook that are looked at for a proxy; one that is farther is none. */
#define LIMIT_ANCESTORS 64
/* Seconds for which what a hook took is kept for the agent's next word of it; then it is as if
 * that had never come. */
#define LIMIT_HELD_S 86400
/* Bytes at the end of an agent's transcript in which a prompt is looked for, and the most where a
 * turn is larger; of each conversation in which the answer is looked for that a fork went out from;
 * and milliseconds by which that one may be older than the agent says. */
#define LIMIT_TRANSCRIPT_BYTES     (8 << 20)
#define LIMIT_TRANSCRIPT_MOST      (64 << 20)
#define LIMIT_TRANSCRIPT_END_BYTES (256 << 10)
#define LIMIT_FORK_MS              3000
/* Prompts there that were taken back for another; of further ones that is not seen. */
#define LIMIT_TAKEN_BACK (16 << 10)
/* Prompts of which that is looked for; what was taken back for older ones has been heard. */
#define LIMIT_PROMPTS_BEFORE 8
/* Milliseconds for `codex app-server daemon` to start or stop one; then it is given up. */
#define LIMIT_CODEX_COMMAND_MS 60000
/* Milliseconds for an app-server's answer to `ptyd notify`; for a turn that was put into its queue
 * to begin where none runs; and between two looks at that. */
#define LIMIT_APP_SERVER_MS 10000
#define LIMIT_QUEUED_MS     2000
#define LIMIT_QUEUE_LOOK_MS 20
/* Milliseconds between two looks at what a command has printed, for `ptyd notify --on /PATTERN/`.
 */
#define LIMIT_EVENT_LOOK_MS 100
/* Milliseconds until the line that `ptyd notify` is on is known to run. */
#define LIMIT_NOTIFY_LINE_MS 2000
/* Bytes of /proc/net/unix that are looked at for other clients of a server. */
#define LIMIT_NET_UNIX_BYTES (4 << 20)
/* Milliseconds for a server's answers when its client is gone; then what is open is released. */
#define LIMIT_PROXY_ANSWERS_MS 2000
/* Milliseconds for what a server that has ended left in its pipe, or for a close frame, and for a
 * client to hang up after our last words; then the connection is closed. */
#define LIMIT_PROXY_DRAIN_MS  200
#define LIMIT_PROXY_LINGER_MS 1000

#endif
