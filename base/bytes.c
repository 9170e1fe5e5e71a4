#include "bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void bytes_finish(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}

char *bytes_reserve(struct bytes *b, size_t more)
{
    if (b->failed)
        return NULL;
    if (b->capacity - b->len > more && b->capacity)
        return b->data + b->len;
    size_t capacity = b->capacity ? b->capacity : 64;
    while (capacity - b->len <= more)
        capacity += capacity / 2 + 16;
    char *data = memory_try_grow(b->data, capacity);
    if (!data) {
        b->failed = true;
        return NULL;
    }
    b->data = data;
    b->capacity = capacity;
    return data + b->len;
}

void bytes_append(struct bytes *b, const void *data, size_t len)
{
    char *to = bytes_reserve(b, len);
    if (!to)
        return;
    if (len)
        memcpy(to, data, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void bytes_append_text(struct bytes *b, const char *text)
{
    bytes_append(b, text, strlen(text));
}

void bytes_append_char(struct bytes *b, char c)
{
    bytes_append(b, &c, 1);
}

void bytes_append_number(struct bytes *b, unsigned number)
{
    char digits[3 * sizeof number];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    bytes_append(b, digits + at, sizeof digits - at);
}

void bytes_printf(struct bytes *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *to = len < 0 ? NULL : bytes_reserve(b, (size_t)len + 1);
    if (!to)
        return;
    va_start(args, format);
    vsnprintf(to, (size_t)len + 1, format, args);
    va_end(args);
    b->len += (size_t)len;
}

void bytes_consume(struct bytes *b, size_t len)
{
    if (len > b->len)
        len = b->len;
    b->len -= len;
    if (b->data) {
        memmove(b->data, b->data + len, b->len);
        b->data[b->len] = '\0';
    }
}
