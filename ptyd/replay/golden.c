#include "ptyd/replay/golden.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/file.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* The value at `path`, beside what it should be. */
struct place {
    const char *path;
    json_t *expected, *actual;
};

/* A diff is read in a terminal: what a value has of controls and what else shows nothing stands
 * there as JSON writes it. */
static void append_shown(const char *text, struct bytes *out)
{
    size_t len = strlen(text);
    for (size_t i = 0, step; i < len; i += step) {
        uint32_t code;
        int n = utf8_decode(text + i, len - i, &code);
        step = n > 0 ? (size_t)n : 1;
        if (n > 0 && !utf8_hidden(code))
            bytes_append(out, text + i, step);
        else if (n > 0 && code >= 0x10000)
            bytes_printf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
                         (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
        else
            bytes_printf(out, "\\u%04x", n > 0 ? (unsigned)code : 0xfffd);
    }
}

static void append_side(const char *sign, const json_t *value, struct bytes *out)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    bytes_append_text(out, sign);
    append_shown(text ? text : "(nothing)", out);
    bytes_append_char(out, '\n');
    free(text);
}

static int differ(struct place p, struct bytes *out)
{
    append_shown(p.path, out);
    append_side("\n  - ", p.expected, out);
    append_side("  + ", p.actual, out);
    return 1;
}

static int compare(struct place p, struct bytes *out);

static int compare_objects(struct place p, struct bytes *out)
{
    int differences = 0;
    const char *key;
    json_t *value;
    json_object_foreach(p.expected, key, value) {
        char *inner = text_format("%s.%s", p.path, key);
        differences += compare((struct place){inner, value, json_object_get(p.actual, key)}, out);
        free(inner);
    }
    return differences;
}

static int compare_arrays(struct place p, struct bytes *out)
{
    int differences = 0;
    size_t want = json_array_size(p.expected), got = json_array_size(p.actual);
    for (size_t i = 0; i < want || i < got; i++) {
        char *inner = text_format("%s[%zu]", p.path, i);
        struct place at = {inner, json_array_get(p.expected, i), json_array_get(p.actual, i)};
        differences += at.expected && at.actual ? compare(at, out) : differ(at, out);
        free(inner);
    }
    return differences;
}

static int compare(struct place p, struct bytes *out)
{
    if (json_is_object(p.expected) && json_is_object(p.actual))
        return compare_objects(p, out);
    if (json_is_array(p.expected) && json_is_array(p.actual))
        return compare_arrays(p, out);
    return p.actual && json_equal(p.expected, p.actual) ? 0 : differ(p, out);
}

int golden_compare(json_t *golden, json_t *actual, struct bytes *out)
{
    return compare((struct place){"", golden, actual}, out);
}

json_t *golden_read(const char *path, char **ret_error)
{
    struct bytes text = {0};
    json_error_t error = {0};
    int result = file_read(path, LIMIT_GOLDEN_BYTES, &text);
    json_t *golden =
        result == 0 ? json_loadb(text.data ? text.data : "", text.len, 0, &error) : NULL;
    bytes_finish(&text);
    if (result < 0)
        *ret_error =
            text_format("cannot read %s: %s (--update writes it)", path, strerror(-result));
    else if (!golden)
        *ret_error = text_format("%s line %d: %s", path, error.line, error.text);
    return golden;
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

static int check(const char *path, json_t *golden, json_t *actual)
{
    struct bytes text = {0};
    int differences = golden_compare(golden, actual, &text);
    fwrite(text.data ? text.data : "", 1, text.len, stdout);
    if (differences)
        printf("%d difference%s from %s\n", differences, differences == 1 ? "" : "s", path);
    bytes_finish(&text);
    return differences > 0;
}

int golden_check(const char *path, json_t *actual, bool update)
{
    char *error = NULL;
    json_t *golden = golden_read(path, &error);
    int status = 1;
    if (update && (golden || (access(path, F_OK) < 0 && errno == ENOENT)))
        status = update_file(path, golden, actual);
    else if (golden)
        status = check(path, golden, actual);
    else
        say("%s", error);
    free(error);
    json_decref(golden);
    return status;
}
