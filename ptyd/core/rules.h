/* rules.h - what the user's settings say is secret (redact), and what is none (redact_except).
 *
 * A rule is `NAME REGEX`: what matches is told as [redacted:NAME]. It looks at each line by itself.
 * An exception is a regular expression for all of what would be taken out. Both have bounds
 * (LIMIT_RULE_*): where a rule meets one the line is taken out whole, where an exception does
 * nothing is excepted, and either is counted.
 */
#ifndef PTYD_CORE_RULES_H
#define PTYD_CORE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "envelope/redact/redact.h"
#include "ptyd/core/conf.h"

/* What is expected in place of this rule, or exception (new string); NULL where it is one. */
char *rules_expected(const char *value, bool exception);

/* The rules of a file's settings, which change with it; NULL for none. */
struct rules;
struct rules *rules_create(const struct conf_list *redact, const struct conf_list *except);
void rules_destroy(struct rules *rules);

/* Whether they were made of these. */
bool rules_are(const struct rules *rules, const struct conf_list *redact,
               const struct conf_list *except);

/* For each that met a bound a line `BEFORE: ...`, which says how often. */
void rules_tell_met(const struct rules *rules, const char *before, conf_said *said, void *user);

/* As redact_rules has it. */
void rules_find(struct rules *rules, const char *text, size_t len, redact_found *found, void *user);
bool rules_keep(struct rules *rules, const char *text, size_t len);

/* What the thread at hand searches from now on is searched by these, and by nobody else meanwhile;
 * NULL for the process's again. */
void rules_use_here(struct rules *rules);

#endif
