#include "ptyd/replay/golden.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static int differ(const char *path, json_t *expected, json_t *actual)
{
    char *want = expected ? json_dumps(expected, JSON_ENCODE_ANY) : NULL;
    char *got = actual ? json_dumps(actual, JSON_ENCODE_ANY) : NULL;
    printf("%s\n  - %s\n  + %s\n", path, want ? want : "(nothing)", got ? got : "(nothing)");
    free(want);
    free(got);
    return 1;
}

static int compare(const char *path, json_t *expected, json_t *actual);

static int compare_objects(const char *path, json_t *expected, json_t *actual)
{
    int differences = 0;
    const char *key;
    json_t *value;
    json_object_foreach(expected, key, value) {
        char *inner = text_format("%s.%s", path, key);
        differences += compare(inner, value, json_object_get(actual, key));
        free(inner);
    }
    return differences;
}

static int compare_arrays(const char *path, json_t *expected, json_t *actual)
{
    int differences = 0;
    size_t want = json_array_size(expected), got = json_array_size(actual);
    for (size_t i = 0; i < want || i < got; i++) {
        char *inner = text_format("%s[%zu]", path, i);
        json_t *a = json_array_get(expected, i), *b = json_array_get(actual, i);
        differences += a && b ? compare(inner, a, b) : differ(inner, a, b);
        free(inner);
    }
    return differences;
}

static int compare(const char *path, json_t *expected, json_t *actual)
{
    if (json_is_object(expected) && json_is_object(actual))
        return compare_objects(path, expected, actual);
    if (json_is_array(expected) && json_is_array(actual))
        return compare_arrays(path, expected, actual);
    return actual && json_equal(expected, actual) ? 0 : differ(path, expected, actual);
}

/* `actual` reduced to the members that `golden` has. */
static json_t *like(json_t *golden, json_t *actual)
{
    if (!json_is_object(golden) || !json_is_object(actual))
        return json_incref(actual);
    json_t *result = json_object();
    const char *key;
    json_t *value;
    json_object_foreach(golden, key, value) {
        json_t *now = json_object_get(actual, key);
        if (now)
            json_object_set_new(result, key, like(value, now));
    }
    return result;
}

static int update_file(const char *path, json_t *golden, json_t *actual)
{
    json_t *fresh = golden ? like(golden, actual)
                           : json_pack("{s:O, s:O}", "blocks", json_object_get(actual, "blocks"),
                                       "screen", json_object_get(actual, "screen"));
    char *text = json_dumps(fresh, JSON_INDENT(1));
    json_decref(fresh);
    char *lines = text ? text_format("%s\n", text) : NULL;
    int result = lines ? file_replace(path, lines, strlen(lines)) : -ENOMEM;
    free(text);
    free(lines);
    if (result < 0)
        say("cannot write %s: %s", path, strerror(-result));
    return result < 0;
}

int golden_check(const char *path, json_t *actual, bool update)
{
    struct bytes text = {0};
    json_error_t error = {0};
    int result = file_read(path, LIMIT_GOLDEN_BYTES, &text);
    json_t *golden =
        result == 0 ? json_loadb(text.data ? text.data : "", text.len, 0, &error) : NULL;
    bytes_finish(&text);
    int status;
    if (update && (golden || result == -ENOENT)) {
        status = update_file(path, golden, actual);
    } else if (result < 0) {
        say("cannot read %s: %s (--update writes it)", path, strerror(-result));
        status = 1;
    } else if (!golden) {
        say("%s line %d: %s", path, error.line, error.text);
        status = 1;
    } else {
        int differences = compare("", golden, actual);
        if (differences)
            printf("%d difference%s from %s\n", differences, differences == 1 ? "" : "s", path);
        status = differences > 0;
    }
    json_decref(golden);
    return status;
}
