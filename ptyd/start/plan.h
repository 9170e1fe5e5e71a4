/* plan.h - what is started for a session: program, arguments, and how the integration reaches the
 * shell without touching its owner's files. */
#ifndef PTYD_START_PLAN_H
#define PTYD_START_PLAN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "vterm_snapshot/mark.h"

/* What a plan is made from. Strings are borrowed. */
struct plan_request {
    const char *shell;   /* program: a path or a name */
    const json_t *env;   /* of the client: names and values; NULL for none */
    const char *runtime; /* a private directory for the files that a shell reads at its start */
    const char *shell_id;
    bool login;
};

struct plan {
    const char *program; /* borrowed */
    char **argv;         /* NULL-terminated */
    char *variable; /* NAME=VALUE for this start, through which the shell finds our script, which
                       puts back the client's; NULL for none */
    char *file;     /* to be made when the shell is started (plan_make_file()); NULL for none */
    struct bytes script;            /* given on descriptor 3; "" for none */
    char nonce[MARK_NONCE_LEN + 1]; /* "" when the shell has no integration */
};

/* Makes the plan; finish it with plan_finish(). Returns 0 or -errno when a file in `runtime` cannot
 * be written. */
int plan_shell(const struct plan_request *request, struct plan *ret_plan);

/* A program instead of a shell: words of a JSON array. */
void plan_command(const json_t *argv, struct plan *ret_plan);

void plan_finish(struct plan *plan);

/* Makes the shell's private file: it needs that behind its first command, and to make one takes a
 * while, unless a spare one is beside it. Where it cannot be made the shell does without. */
void plan_make_file(const char *file);
/* The spare one, in `runtime`; where it cannot be made there is none. */
void plan_make_spare(const char *runtime);
void plan_remove_spare(const char *runtime);

/* Removes what was written for this shell instance alone and holds its nonce: it has been read. */
void plan_remove_secret(const char *runtime, const char *shell_id);
/* And what it wrote itself: it is gone. */
void plan_remove_files(const char *runtime, const char *shell_id);

/* The last part of a path. */
const char *plan_base_name(const char *path);

#endif
