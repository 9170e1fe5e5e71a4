/* rules.h - what is secret at a place of a text: rules that look from a name, a sign or a line's
 * beginning to the value that it gives away. Those whose value is not next to the name are in
 * places.h.
 */
#ifndef ENVELOPE_REDACT_RULES_H
#define ENVELOPE_REDACT_RULES_H

#include "envelope/redact/tokens.h"
#include "envelope/redact/value.h"

/* url.c: from the colon at `at` on. */
bool redact_url(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* Whether `thin` or `oci` may stand in front of the colon at `t`. */
static inline bool redact_is_behind_oracle(const char *t)
{
    return (t[-1] == 'n' || t[-1] == 'i') && ((t[-2] | 0x20) == 'i' || (t[-2] | 0x20) == 'c');
}

/* The same of `.pgpass`, as grep tells its lines. */
static inline bool redact_is_behind_pgpass(const char *t)
{
    return t[-1] == 's' && t[-4] == 'p' && t[-5] == 'g';
}

/* The same of a map of mail's relays: `[mx.corp.lan]:587 kim:X`, without brackets of these ports.
 */
static inline bool redact_may_be_relay(const char *t)
{
    return t[-1] == ']' ? redact_in(t[1], CLASS_DIGIT)
                        : REDACT_ONE_OF(t[1], "45") && t[4] == ' ' &&
                              (!memcmp(t + 1, "587", 3) || !memcmp(t + 1, "465", 3));
}

/* Those that begin with a name, of which [at, end) is all. */
bool redact_header(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* Of letters, digits and brackets that do not match, which no program has (header.c). */
bool redact_is_torn(const struct redact_scan *s, size_t from, size_t to);
bool redact_near(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
bool redact_assignment(struct redact_scan *s, size_t at, size_t end,
                       struct redact_match *ret_match);
/* Whether the line up to the name is one of the words that give a variable its value, a blank
 * being the sign: `set -x NAME value`, `setenv NAME value` (front.c). */
bool redact_is_set_by_blank(struct redact_scan *s, size_t name);
/* `option NAME 'value'`, as OpenWrt has it; and whether `key` there is a wireless network's, or
 * behind `wireless.@wifi-iface[0].`. */
bool redact_is_option(const struct redact_scan *s, size_t name);
bool redact_is_network(const struct redact_scan *s, size_t name);
/* SQLCipher's `PRAGMA key`, and `ATTACH ... KEY`. */
bool redact_is_pragma(const struct redact_scan *s, size_t name);
/* Or one of the words of a program that define a text: `#define NAME "value"`. */
bool redact_is_defined(struct redact_scan *s, size_t name);
/* `env` prints a value with its blanks, and nothing behind it: the lines around it are the same. */
bool redact_is_dump(const struct redact_scan *s, size_t name, size_t line_end);
/* Whether the assignment is a shell's or a file's own line. */
bool redact_is_statement(struct redact_scan *s, size_t name);
/* Whether the quote at `at` ends what began in front of the name on its line. */
bool redact_closes(const struct redact_scan *s, size_t name, size_t at);
/* Whether an architecture is behind the colon: `libsecret-1-0:amd64`. */
bool redact_is_package(const struct redact_scan *s, size_t colon);
/* Whether PWD, behind which `at` is, is set to a password: in files of settings it may be one. */
bool redact_is_password(const struct redact_scan *s, size_t at);
/* Whether the name is a part of what names a resource: `arn:aws:...:secret:prod/db-x`. */
bool redact_is_in_resource(struct redact_scan *s, size_t at);
/* Whether the value is what a cluster calls its object: `describe secret default-token-x7k2p`. */
bool redact_is_called_so(const struct redact_scan *s, size_t at, size_t end,
                         const struct redact_match *match);
/* What a telling name is said to be, whatever stands in between, or on the line below: the last
 * that is asked (reach.c). */
bool redact_far(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* On the line below (below.c); what the name says. */
bool redact_below(struct redact_scan *s, size_t at, size_t end, enum redact_telling tells,
                  struct redact_match *ret_match);
/* Tables (table.c): a name that may head a column, no other word beside it, or several in
 * front in a list's place; and a row. */
void redact_table_heading(struct redact_scan *s, size_t at, size_t end);
int redact_table_row(struct redact_scan *s, size_t at,
                     struct redact_match ret_match[REDACT_COLUMNS]);
/* Its value in the next column of a table. */
bool redact_column(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `[host]:587 user:X`, as Postfix keeps it, Bundler's `BUNDLE_HOST: "user:X"` and curl's
 * `user = "kim:X"`, where a line begins. */
bool redact_login(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* `>>> secrets.token_hex(16)` at a line's beginning: the text below (made.c). */
bool redact_made_at_prompt(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* Of a map of mail's relays: the colon in front of the port is at `at`. */
bool redact_relay(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* A line of .pgpass, where a line begins. */
bool redact_pgpass(struct redact_scan *s, size_t at, struct redact_match *ret_match);
bool redact_file(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
bool redact_wifi(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* Told in prose: `Your API key is X`, `password X (generated)`, `(default "X")`, a line below
 * `password:` (prose.c). */
bool redact_prose(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `setPassword("X")`, a comment's value, `passphrase for the drive = "X"` (given.c). */
bool redact_given(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* An argument of a call: `getConnection(url, "user", "X")`; what stands below `"github-oauth"`; a
 * private JSON Web Key's members (call.c). */
bool redact_call(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* Letters, and what holds the words of a program together; whether digits are among them. */
bool redact_is_identifier(const struct redact_scan *s, size_t from, size_t to, bool *ret_digits);
/* PowerShell's `ConvertTo-SecureString "X"`: of two words with capitals, and more behind. */
bool redact_is_cmdlet(struct redact_scan *s, const struct redact_value *v);
/* Tells of the last two letters of the names in front of its bracket or blank. */
void redact_call_ends(void (*end)(const char *two));
bool redact_jwk(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* From a sign in its midst: `user:X@tcp(host)`, and two dashes of a key of Mailgun's. */
bool redact_dsn(struct redact_scan *s, size_t at, struct redact_match *ret_match);
bool redact_dashes(struct redact_scan *s, size_t at, struct redact_match *ret_match);

#endif
