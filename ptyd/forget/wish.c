#include "ptyd/forget/wish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/aside.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

static char *path_of(const char *state)
{
    return text_format("%s/forget.json", state);
}

bool wish_is_text(const char *text)
{
    size_t len = strlen(text);
    bool lines = strpbrk(text, "\n\r\033\a") != NULL;
    return len >= LIMIT_FORGET_TEXT_LEAST && len <= LIMIT_FORGET_TEXT_BYTES &&
           utf8_valid(text, len) && !lines && strspn(text, "x") < len;
}

/* ---- as the file has it ---- */

static char *in_digits(const char *text)
{
    struct bytes digits = {0};
    for (; *text; text++)
        bytes_printf(&digits, "%02x", (unsigned char)*text);
    if (digits.failed)
        memory_end();
    return digits.data;
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : 0;
}

static char *of_digits(const char *digits)
{
    size_t len = strlen(digits) / 2;
    char *text = memory_new(len + 1);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)(digit(digits[2 * i]) << 4 | digit(digits[2 * i + 1]));
    return text;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* New reference. */
static json_t *in_order(const json_t *seqs)
{
    size_t count = json_array_size(seqs);
    uint64_t *numbers = memory_new((count + 1) * sizeof *numbers);
    json_t *sorted = json_array();
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint64_t)json_integer_value(json_array_get(seqs, i));
    qsort(numbers, count, sizeof *numbers, by_number);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(sorted, json_integer((json_int_t)numbers[i]));
    free(numbers);
    return sorted;
}

/* New reference. */
static json_t *read_blocks(const json_t *blocks)
{
    json_t *read = json_object(), *seqs;
    const char *session;
    json_object_foreach((json_t *)blocks, session, seqs)
        if (json_array_size(seqs))
            json_object_set_new(read, session, in_order(seqs));
    return read;
}

bool wish_read(const json_t *params, bool in_file, struct wish *ret_wish)
{
    const char *text = json_text(params, "text", NULL), *name = json_text(params, "session", NULL);
    struct wish wish = {.token = (uint64_t)json_number(params, "token", 0),
                        .again = in_file && json_flag(params, "again"),
                        .text = !text     ? NULL
                                : in_file ? of_digits(text)
                                          : text_copy(text),
                        .session = name ? text_copy(name) : NULL,
                        .blocks = read_blocks(json_object_get(params, "blocks"))};
    bool wants = wish.text ? wish_is_text(wish.text) : json_object_size(wish.blocks) > 0;
    if (!wish.token || !wants) {
        wish_finish(&wish);
        return false;
    }
    *ret_wish = wish;
    return true;
}

void wish_finish(struct wish *wish)
{
    if (wish->text) /* what is forgotten is not left in what is freed either */
        explicit_bzero(wish->text, strlen(wish->text));
    free(wish->text);
    free(wish->session);
    json_decref(wish->blocks);
    *wish = (struct wish){0};
}

/* ---- the file ---- */

bool wish_load(const char *state, struct wish *ret_wish)
{
    char *path = path_of(state);
    struct bytes text = {0};
    int result = file_read_regular(path, LIMIT_FORGET_BYTES, &text);
    json_t *json = result == 0 && text.len ? json_loadb(text.data, text.len, 0, NULL) : NULL;
    bool found = json && wish_read(json, true, ret_wish);
    json_decref(json);
    bytes_finish(&text);
    free(path);
    return found;
}

int wish_save(const char *state, const struct wish *wish)
{
    char *path = path_of(state), *digits = wish->text ? in_digits(wish->text) : NULL;
    json_t *json =
        json_pack("{s:I, s:b, s:O, s:s*, s:s*}", "token", (json_int_t)wish->token, "again",
                  wish->again, "blocks", wish->blocks, "text", digits, "session", wish->session);
    int result = json_replace_file(path, json);
    json_decref(json);
    free(digits);
    free(path);
    return result;
}

void wish_done(const char *state)
{
    char *path = path_of(state);
    unlink(path);
    free(path);
}

/* ---- of a session ---- */

bool wish_of(const struct wish *wish, const char *session, const char **ret_text,
             const json_t **ret_seqs)
{
    char *name = text_copy(session);
    if (aside_is_name(name))
        *strstr(name, ".damaged-") = '\0';
    bool is_his = !wish->session || !strcmp(wish->session, name);
    *ret_text = is_his ? wish->text : NULL;
    *ret_seqs = json_object_get(wish->blocks, name);
    free(name);
    return *ret_text || *ret_seqs;
}

ptrdiff_t wish_place(const json_t *seqs, uint64_t seq)
{
    size_t from = 0, to = json_array_size(seqs);
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        uint64_t at = (uint64_t)json_integer_value(json_array_get(seqs, middle));
        if (at == seq)
            return (ptrdiff_t)middle;
        from = at < seq ? middle + 1 : from;
        to = at < seq ? to : middle;
    }
    return -1;
}

bool wish_has(const json_t *seqs, uint64_t seq)
{
    return wish_place(seqs, seq) >= 0;
}
