/* redact.h - secrets taken out of text before it leaves the machine.
 *
 * Four sources: values the caller knows (a shell's environment), PEM blocks, shapes that give a
 * secret away (a table of token prefixes, passwords in URLs, assignments to telling names), and
 * rules of the user's own. Each is replaced by `[redacted:TYPE]`. What merely looks random (a git
 * hash, a UUID) stays: taking out too much would make the text useless.
 */
#ifndef ENVELOPE_REDACT_REDACT_H
#define ENVELOPE_REDACT_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/limits.h"

/* Values that are secret wherever they appear. NULL is an empty set. */
struct redact_secrets;

/* The values of an environment (`NAME=value`, each ended by a NUL) whose names say that they are
 * secret; NULL when there are none. Returns 0, or -ENOMEM with none of them. */
int redact_secrets_create(const char *environ, size_t len, struct redact_secrets **ret_secrets);
/* Each reference is destroyed by itself; NULL for NULL. For one thread, others may read meanwhile.
 */
struct redact_secrets *redact_secrets_ref(struct redact_secrets *secrets);
void redact_secrets_destroy(struct redact_secrets *secrets);

/* ---- of shells that have ended ---- */

#define REDACT_KEY_BYTES    16
#define REDACT_DIGEST_BYTES 32

/* A value that was secret: enough to find it again in a text, nothing that says it. */
struct redact_former {
    char name[LIMIT_NAME_BYTES + 1];           /* of its variable */
    size_t len;                                /* of the value, bytes */
    uint16_t begin, end;                       /* hashes of its first and last bytes, */
    unsigned char digest[REDACT_DIGEST_BYTES]; /* and one of up to 256 of it; all by a key */
};

/* What is to be kept of the set's values, of those that have accents two; up to `most`. `key`:
 * random, the same for all that is kept in one place. Returns how many. */
size_t redact_secrets_digest(const struct redact_secrets *secrets,
                             const unsigned char key[REDACT_KEY_BYTES], struct redact_former *list,
                             size_t most);

/* From here on the values that `list` (LIMIT_FORMER_SECRETS at most) was made of are looked for,
 * too: of a set that nobody else refers to yet, and has none; NULL is an empty one. Returns 0, or
 * -ENOMEM with the set as it was. */
int redact_secrets_add_former(struct redact_secrets **secrets,
                              const unsigned char key[REDACT_KEY_BYTES],
                              const struct redact_former *list, size_t count);

/* Whether a variable of this name holds a secret: PASSWORD, GITHUB_TOKEN, AWS_SECRET_ACCESS_KEY. */
bool redact_is_telling(const char *name, size_t len);

/* Hears of a secret: its bytes [from, to), and what it is. */
typedef void redact_found(void *user, size_t from, size_t to, const char *type);

/* What was found. */
struct redact_match {
    size_t from, to;  /* the bytes that go */
    const char *type; /* what stands in their place; static, or the secrets' own */
};

/* All that was; zeroed: nothing. */
struct redact_matches {
    struct redact_match *list; /* owned */
    size_t count;
};

/* A redact_found: `matches` has it, too. */
void redact_matches_note(void *matches, size_t from, size_t to, const char *type);
/* In order, where several overlap as one: no end of any stays. Sorts the list. */
void redact_matches_tell(struct redact_matches *matches, redact_found *found, void *user);
void redact_matches_finish(struct redact_matches *matches);

/* Rules of the user's own. */
struct redact_rules {
    /* Calls `found` for what they take out of `text`, in any order. Types are valid for ever. */
    void (*find)(const char *text, size_t len, redact_found *found, void *user);
    /* Whether what would be taken out, whoever found it, stays; asked behind find(). */
    bool (*keeps)(const char *text, size_t len);
};

/* All that is searched in this process from now on is searched by these, too; NULL for none. And
 * what the thread at hand searches by these instead; NULL for the process's again. */
void redact_use(const struct redact_rules *rules);
void redact_use_here(const struct redact_rules *rules);

/* Calls `found` for each secret in `text` (UTF-8), in order. */
void redact_find(const char *text, size_t len, const struct redact_secrets *secrets,
                 redact_found *found, void *user);

/* Line ends of a text at which a line may go on: where the terminal wrapped it, or where a program
 * broke it itself at the terminal's edge. Zeroed: none. */
struct redact_ends {
    size_t *at; /* of each \n, in order; owned */
    size_t count;
};

void redact_ends_add(struct redact_ends *ends, size_t at);
void redact_ends_finish(struct redact_ends *ends);

/* redact_find() in the text without those line ends; places are the text's. */
void redact_find_joined(const char *text, size_t len, const struct redact_ends *ends,
                        const struct redact_secrets *secrets, redact_found *found, void *user);

/* Both: what is found in the text as it is, and without the line ends; what overlaps is one. */
void redact_find_over(const char *text, size_t len, const struct redact_ends *ends,
                      const struct redact_secrets *secrets, redact_found *found, void *user);

/* The same, and without all of `more`, which has those, too: line ends that may be none. */
void redact_find_over_both(const char *text, size_t len, const struct redact_ends *ends,
                           const struct redact_ends *more, const struct redact_secrets *secrets,
                           redact_found *found, void *user);

/* Appends `text` (UTF-8) with the secrets replaced that redact_find_over() finds: a line end within
 * one goes with it. Returns how many. */
int redact_text_over(const char *text, size_t len, const struct redact_ends *ends,
                     const struct redact_secrets *secrets, struct bytes *out);

/* Appends `text` (UTF-8) with its secrets replaced. Returns how many were replaced; 0 means that
 * what was appended is the text. */
int redact_text(const char *text, size_t len, const struct redact_secrets *secrets,
                struct bytes *out);

#endif
