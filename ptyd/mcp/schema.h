/* schema.h - what a tool takes: told to clients as a JSON Schema, and held to it. Pure. */
#ifndef PTYD_MCP_SCHEMA_H
#define PTYD_MCP_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

enum param_kind {
    PARAM_TEXT,   /* `low` to `high` characters */
    PARAM_NAME,   /* of a session */
    PARAM_NUMBER, /* an integer from `low` to `high` */
    PARAM_FLAG,
    PARAM_CHOICE, /* one of the words of `choices` */
};

struct param {
    const char *name; /* NULL behind the last */
    const char *about;
    enum param_kind kind;
    long long low, high;
    const char *choices; /* between blanks */
    const char *usual;   /* the default, as JSON; NULL for none */
    bool required;
};

/* The object's schema; new reference. */
json_t *schema_of(const struct param *params);

/* What is wrong with the arguments (NULL counts as an empty object): a new string, NULL for
 * nothing. */
char *schema_check(const struct param *params, const json_t *arguments);

#endif
