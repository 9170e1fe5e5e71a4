#include "ptyd/core/redacted.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"

static char *path_in(const char *directory)
{
    return text_format("%s/redacted.json", directory);
}

bool redacted_load(const char *directory, struct redacted *ret_redacted)
{
    char *path = path_in(directory);
    struct bytes file = {0};
    int result = file_read_regular(path, LIMIT_META_BYTES, &file);
    json_t *mark = result == 0 && file.len ? seal_load(file.data, file.len) : NULL;
    json_int_t offset = json_number(mark, "offset", -1), seq = json_number(mark, "seq", -1);
    bool is = offset >= 0 && seq >= 0;
    if (is)
        *ret_redacted = (struct redacted){.offset = (uint64_t)offset,
                                          .seq = (uint64_t)seq,
                                          .lines = json_flag(mark, "lines"),
                                          .tries = (int)json_number(mark, "tries", 0),
                                          .until = (uint64_t)json_number(mark, "until", 0),
                                          .until_seq = (uint64_t)json_number(mark, "until_seq", 0)};
    json_decref(mark);
    bytes_finish(&file);
    free(path);
    return is;
}

int redacted_save(const char *directory, const struct redacted *r)
{
    char *path = path_in(directory);
    json_t *mark = json_pack("{s:I, s:I, s:b, s:i, s:I, s:I}", "offset", (json_int_t)r->offset,
                             "seq", (json_int_t)r->seq, "lines", r->lines, "tries", r->tries,
                             "until", (json_int_t)r->until, "until_seq", (json_int_t)r->until_seq);
    char *text = seal_dump(mark);
    int result = file_replace(path, text, strlen(text));
    free(text);
    json_decref(mark);
    free(path);
    return result;
}

void redacted_remove(const char *directory)
{
    char *path = path_in(directory);
    unlink(path);
    free(path);
}
