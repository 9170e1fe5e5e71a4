/* conf_private.h - what conf.c (the file, and how it is read) and conf_table.c (the settings)
 * share.
 */
#ifndef PTYD_CORE_CONF_PRIVATE_H
#define PTYD_CORE_CONF_PRIVATE_H

#include "ptyd/core/conf.h"

struct conf_setting;

/* The setting of that name, NULL for none; and the name of the one that may have been meant. */
const struct conf_setting *conf_find(const char *name);
const char *conf_nearest(const char *name);
/* By its place in the table, NULL behind the last; and that place. */
const struct conf_setting *conf_setting_at(size_t index);
size_t conf_index(const struct conf_setting *setting);

const char *conf_name(const struct conf_setting *setting);
enum conf_user conf_user_of(const struct conf_setting *setting);
/* What the environment says of it, NULL for nothing; and the name of that variable. */
const char *conf_variable(const struct conf_setting *setting);
const char *conf_variable_name(const struct conf_setting *setting);
bool conf_is_list(const struct conf_setting *setting);

/* Sets a value; a list gets it as one more. Returns NULL, or what was expected, a new string: then
 * nothing is changed. */
char *conf_take(const struct conf_setting *setting, const char *value, struct conf *conf);

/* The usual value again; a list is empty. */
void conf_reset(const struct conf_setting *setting, struct conf *conf);
/* The other's value; both own theirs. */
void conf_copy(const struct conf_setting *setting, const struct conf *from, struct conf *to);
/* All of them as they usually are, lists included; and frees what they own. */
void conf_init(struct conf *conf);
void conf_finish(struct conf *conf);

#endif
