#include "ptyd/core/view_wire.h"

#include <errno.h>
#include <string.h>

/* ---- numbers ---- */

static void put(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)at[i] << (8 * i);
    return value;
}

/* ---- writing ---- */

void view_frame_append(struct bytes *out, enum view_kind kind, uint64_t offset, const void *data,
                       size_t len)
{
    unsigned char head[VIEW_HEAD_BYTES];
    put(head, kind, 4);
    put(head + 4, len, 4);
    put(head + 8, offset, 8);
    bytes_append(out, head, sizeof head);
    bytes_append(out, data, len);
}

void view_frames_append(struct bytes *out, enum view_kind kind, uint64_t before, uint64_t offset,
                        const char *data, size_t len)
{
    for (; len > LIMIT_VIEW_FRAME_BYTES; len -= LIMIT_VIEW_FRAME_BYTES) {
        view_frame_append(out, kind, before, data, LIMIT_VIEW_FRAME_BYTES);
        data += LIMIT_VIEW_FRAME_BYTES;
    }
    view_frame_append(out, kind, offset, data, len);
}

/* ---- what some frames hold ---- */

#define SIZE_BYTES 8

void view_size_append(struct bytes *out, struct view_size size)
{
    unsigned char data[SIZE_BYTES];
    put(data, size.cols, 2);
    put(data + 2, size.rows, 2);
    put(data + 4, size.x_pixels, 2);
    put(data + 6, size.y_pixels, 2);
    view_frame_append(out, VIEW_RESIZE, 0, data, sizeof data);
}

int view_size_read(const struct view_frame *frame, struct view_size *ret_size)
{
    if (frame->len < SIZE_BYTES)
        return -EPROTO;
    *ret_size = (struct view_size){.cols = (uint16_t)get(frame->data, 2),
                                   .rows = (uint16_t)get(frame->data + 2, 2),
                                   .x_pixels = (uint16_t)get(frame->data + 4, 2),
                                   .y_pixels = (uint16_t)get(frame->data + 6, 2)};
    return 0;
}

void view_typed_append(struct bytes *out, uint64_t token, uint32_t typed)
{
    unsigned char data[4];
    put(data, typed, sizeof data);
    view_frame_append(out, VIEW_TYPED, token, data, sizeof data);
}

int view_typed_read(const struct view_frame *frame, uint32_t *ret_typed)
{
    if (frame->len < 4)
        return -EPROTO;
    *ret_typed = (uint32_t)get(frame->data, 4);
    return 0;
}

#define LOAN_BYTES 5

void view_loan_append(struct bytes *out, const struct view_loan *loan)
{
    unsigned char data[LOAN_BYTES];
    put(data, loan->ended, 4);
    data[4] = (unsigned char)loan->special;
    view_frame_append(out, VIEW_LEND, loan->until, data, sizeof data);
}

int view_loan_read(const struct view_frame *frame, struct view_loan *ret_loan)
{
    if (frame->len < LOAN_BYTES)
        return -EPROTO;
    *ret_loan = (struct view_loan){
        .until = frame->offset, .ended = (uint32_t)get(frame->data, 4), .special = frame->data[4]};
    return 0;
}

void view_keys_append(struct bytes *out, uint64_t reads, const struct view_keys *keys)
{
    unsigned char data[4 + LIMIT_LENT_BYTES];
    put(data, keys->doubt, 4);
    memcpy(data + 4, keys->data, keys->len);
    view_frame_append(out, VIEW_READ, reads, data, 4 + keys->len);
}

int view_keys_read(const struct view_frame *frame, struct view_keys *ret_keys)
{
    if (frame->len < 4)
        return -EPROTO;
    *ret_keys = (struct view_keys){
        .doubt = (uint32_t)get(frame->data, 4), .data = frame->data + 4, .len = frame->len - 4};
    return 0;
}

/* ---- reading ---- */

void view_reader_finish(struct view_reader *r)
{
    bytes_finish(&r->buffer);
    *r = (struct view_reader){0};
}

char *view_reader_room(struct view_reader *r)
{
    bytes_consume(&r->buffer, r->at);
    r->at = 0;
    return bytes_reserve(&r->buffer, VIEW_READ_BYTES);
}

void view_reader_came(struct view_reader *r, size_t len)
{
    r->buffer.len += len;
}

int view_reader_next(struct view_reader *r, struct view_frame *ret_frame)
{
    const char *head = r->buffer.data + r->at;
    size_t left = r->buffer.len - r->at;
    if (left < VIEW_HEAD_BYTES)
        return 0;
    size_t len = (size_t)get(head + 4, 4);
    if (len > LIMIT_VIEW_FRAME_BYTES)
        return -EPROTO;
    if (left < VIEW_HEAD_BYTES + len)
        return 0;
    *ret_frame = (struct view_frame){.kind = (uint32_t)get(head, 4),
                                     .offset = get(head + 8, 8),
                                     .data = head + VIEW_HEAD_BYTES,
                                     .len = len};
    r->at += VIEW_HEAD_BYTES + len;
    return 1;
}
