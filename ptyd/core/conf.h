/* conf.h - what the user has set: ptyd.conf, and options of the same names.
 *
 * One table (conf_table.c) says of each setting its name, what may stand there, what counts where
 * nothing does, and what --help says of it. An option counts more than a variable of the
 * environment (PTYD_DETACH_KEY has one), that more than the file. A line that is
 * wrong changes nothing: what was set before it still holds, and it is said which line it is and
 * what was expected there.
 */
#ifndef PTYD_CORE_CONF_H
#define PTYD_CORE_CONF_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* Which command lines with a space in front are private. */
enum conf_private_space { PRIVATE_SPACE_AUTO, PRIVATE_SPACE_ALWAYS, PRIVATE_SPACE_NEVER };

/* As what agents are told the ends of outputs (`kind` of an entry in the app-server). */
enum conf_preview_kind { PREVIEW_APPLICATION, PREVIEW_UNTRUSTED };

struct conf_list {
    char **items;
    size_t count;
};

/* The values. */
struct conf {
    struct conf_list private_commands; /* patterns */
    struct conf_list untold_programs;  /* names */
    struct conf_list redact;           /* rules (rules.h) */
    struct conf_list redact_except;    /* and exceptions */
    int private_space;                 /* enum conf_private_space */
    int preview_kind;                  /* enum conf_preview_kind */
    int foreign_marks;                 /* 1: marks of others make blocks where ours cannot be */
    int redact_disk;                   /* 1: secrets are taken out of files (worker/redacting.h) */
    int confinement;                   /* 1: of the daemon (worker/confine.h, core/cores.h) */
    int64_t new_thread_lookback_ms;
    int64_t context_max_bytes;
    int64_t keep_days, keep_bytes; /* of closed sessions */
    int64_t notify_after_ms;       /* 0: never */
    char *detach_key;              /* as client/keys.h reads it */
};

/* Those that count where nothing is set; valid for ever. */
const struct conf *conf_usual(void);

/* Whether a command line matches one of private_commands, as it is or with more behind it. */
bool conf_keeps_private(const struct conf *conf, const char *cmd);

/* Whether a program is one of untold_programs. */
bool conf_leaves_out(const struct conf *conf, const char *program, size_t len);

/* ---- the file ---- */

struct conf_file;
struct rules;

/* $XDG_CONFIG_HOME/ptyd/ptyd.conf, else ~/.config/ptyd/ptyd.conf. Nothing is read yet. */
struct conf_file *conf_open(void);
void conf_close(struct conf_file *file);
const char *conf_path(const struct conf_file *file);

/* The values as they are now: the file is read where it is another than it was. Valid until the
 * next call; those of conf_usual() for NULL. */
const struct conf *conf_now(struct conf_file *file);

/* Until it is let go conf_now() looks at no file: for who does much at once by the same values. */
void conf_hold(struct conf_file *file, bool holds);

/* The lines that are wrong as of the last conf_now(), each as `FILE:LINE: ...`; how many. And
 * whether they are others than when this was asked before. */
size_t conf_wrong(const struct conf_file *file, char *const **ret_lines);
bool conf_wrong_anew(struct conf_file *file);

/* From here on redact_find() goes by that file's rules, too, as they are then, in all of this
 * process; the file is not closed before that ends. */
void conf_use_rules(struct conf_file *file);

/* Those rules as they are now, for a thread (rules_use_here()); the caller destroys them. */
struct rules *conf_copy_rules(struct conf_file *file);

/* A line `FILE: ...` for each of its rules that met a bound since they are as they are. */
typedef void conf_said(void *user, const char *line);
void conf_rules_met(const struct conf_file *file, conf_said *said, void *user);

/* ---- options ---- */

/* Whose options a setting is. */
enum conf_user { CONF_OF_SERVE, CONF_OF_ATTACH };

/* As many getopt_long() options as there are settings, and one. */
#define CONF_OPTIONS 32

/* Fills in an option for each setting of that user, with values from `first` on, and behind them
 * those of `others`, which end with a zeroed one, that included. */
void conf_options(enum conf_user user, int first, const struct option *others,
                  struct option ret_options[CONF_OPTIONS]);

/* The setting with that option's value has this value, whatever the file says; a list has it, too.
 * Returns 0 when the option is none of these, 1, or -1 with what is wrong in *ret_why (a new
 * string). */
int conf_option(struct conf_file *file, enum conf_user user, int first, int option,
                const char *value, char **ret_why);

/* All that options set, one `NAME=VALUE` a line; and the same set again, as far as the names are
 * known. The second string is new. */
void conf_set_all(struct conf_file *file, const char *text);
char *conf_all_set(const struct conf_file *file);

/* What --help says: a line or more for each setting of that user, between two texts. New string. */
char *conf_help_between(const char *before, enum conf_user user, const char *behind);

#endif
