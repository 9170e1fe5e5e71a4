/* json.h - looking things up in parsed JSON, and small files of it.
 *
 * Every look-up takes NULL and a value of another type for an object without members, so that
 * look-ups can be written one into the other and only the last answer needs a check. */
#ifndef PTYD_CORE_JSON_H
#define PTYD_CORE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/bytes.h"

/* The value behind one or more keys: json_at(answer, "result", "thread", "id"). Borrowed; NULL when
 * any of them is missing. */
#define json_at(value, ...) json_at_keys((value), (const char *const[]){__VA_ARGS__, NULL})
json_t *json_at_keys(const json_t *value, const char *const *keys);

/* A string member, borrowed; `fallback` when there is none. */
const char *json_text(const json_t *object, const char *key, const char *fallback);

/* An integer member; `fallback` when there is none. */
long long json_number(const json_t *object, const char *key, long long fallback);

/* Whether a member is `true`. */
bool json_flag(const json_t *object, const char *key);

/* Appends UTF-8 text as a JSON string: for long answers, which are not built as values first. */
void json_append_string(struct bytes *out, const char *text);

/* Replaces the file by the value on one line, as file_replace() does. Returns 0 or -errno. */
int json_replace_file(const char *path, const json_t *value);

/* From now on a process that gets no memory, for jansson or our own code, ends (memory_end()).
 * jansson loses bytes of a text in silence when its buffer cannot grow. */
void json_need_memory(void);

#endif
