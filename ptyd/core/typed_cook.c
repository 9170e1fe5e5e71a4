/* What a terminal makes of the keys of a line. */
#include "ptyd/core/typed.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"

static void erase(struct bytes *line)
{
    while (line->len && ((unsigned char)line->data[--line->len] & 0xc0) == 0x80)
        ;
}

static void erase_word(struct bytes *line)
{
    while (line->len && line->data[line->len - 1] == ' ')
        line->len--;
    while (line->len && line->data[line->len - 1] != ' ')
        line->len--;
}

char *typed_cook(const char *keys, size_t len)
{
    struct bytes line = {0};
    for (size_t i = 0; i < len; i++) {
        if (keys[i] == TYPED_ERASE)
            erase(&line);
        else if (keys[i] == TYPED_KILL_WORD)
            erase_word(&line);
        else if (keys[i] == TYPED_KILL_LINE)
            line.len = 0;
        else
            bytes_append_char(&line, keys[i]);
    }
    char *text = text_clean(line.data ? line.data : "", line.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&line);
    return text;
}

bool typed_is_plain(const char *keys, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)keys[i] < 0x20 && keys[i] != TYPED_KILL_LINE &&
            keys[i] != TYPED_KILL_WORD)
            return false;
    return true;
}

size_t typed_cooked_len(const char *keys, size_t len)
{
    size_t count = 0;
    for (size_t i = 0, end; i < len; i = end + 1) {
        for (end = i; end < len && keys[end] != '\r' && keys[end] != '\n';)
            end++;
        char *line = typed_cook(keys + i, end - i);
        count += strlen(line) + 1;
        free(line);
    }
    return count;
}
