/* Frames between viewer and worker: what goes in comes out, however it is cut, and nothing else. */
#include "tests/unit/test.h"

#include <errno.h>
#include <string.h>

#include "ptyd/core/view_wire.h"

static struct view_reader reader;

static void give(const char *bytes, size_t len)
{
    while (len) {
        size_t n = len < VIEW_READ_BYTES ? len : VIEW_READ_BYTES;
        memcpy(view_reader_room(&reader), bytes, n);
        view_reader_came(&reader, n);
        bytes += n;
        len -= n;
    }
}

static int end(void **state)
{
    (void)state;
    view_reader_finish(&reader);
    return 0;
}

static void a_frame_is_sixteen_bytes_and_its_data(void **state)
{
    static const char expected[] = "\x01\0\0\0\x03\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01"
                                   "abc";
    struct bytes out = {0};
    (void)state;
    view_frame_append(&out, VIEW_OUTPUT, 0x0102030405060708, "abc", 3);
    assert_int_equal(out.len, sizeof expected - 1);
    assert_memory_equal(out.data, expected, out.len);
    bytes_finish(&out);
}

static void frames_come_out_however_they_are_cut(void **state)
{
    struct bytes out = {0};
    struct view_frame frame;
    (void)state;
    for (uint64_t i = 0; i < 50; i++)
        view_frame_append(&out, VIEW_DRAW, i, "0123456789", (size_t)i % 10);
    for (size_t step = 1; step < 40; step++) {
        uint64_t found = 0;
        for (size_t at = 0; at < out.len; at += step) {
            give(out.data + at, out.len - at < step ? out.len - at : step);
            while (view_reader_next(&reader, &frame) > 0) {
                assert_int_equal(frame.kind, VIEW_DRAW);
                assert_int_equal(frame.offset, found);
                assert_int_equal(frame.len, found % 10);
                assert_memory_equal(frame.data, "0123456789", frame.len);
                found++;
            }
        }
        assert_int_equal(found, 50);
    }
    bytes_finish(&out);
}

static void a_frame_that_is_too_long_is_refused_before_it_is_held(void **state)
{
    static const char head[] = "\x01\0\0\0\x01\0\x04\0\0\0\0\0\0\0\0\0"; /* 256 KiB and 1 */
    struct view_frame frame;
    (void)state;
    give(head, sizeof head - 1);
    assert_int_equal(view_reader_next(&reader, &frame), -EPROTO);
    assert_int_equal(view_reader_next(&reader, &frame), -EPROTO);
}

static void what_is_long_is_cut_and_its_last_frame_alone_has_its_place(void **state)
{
    static char data[LIMIT_VIEW_FRAME_BYTES * 2 + 7];
    struct bytes out = {0};
    struct view_frame frame;
    size_t len = 0;
    int frames = 0;
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7 >> 3);
    view_frames_append(&out, VIEW_OUTPUT, 5, 9, data, sizeof data);
    give(out.data, out.len);
    while (view_reader_next(&reader, &frame) > 0) {
        assert_memory_equal(frame.data, data + len, frame.len);
        len += frame.len;
        frames++;
        assert_int_equal(frame.offset, len < sizeof data ? 5 : 9);
    }
    assert_int_equal(len, sizeof data);
    assert_int_equal(frames, 3);
    bytes_finish(&out);
}

static void sizes_and_what_was_typed_come_back(void **state)
{
    struct bytes out = {0};
    struct view_frame frame;
    struct view_size size;
    uint32_t typed;
    (void)state;
    view_size_append(&out, (struct view_size){1000, 2, 65535, 300});
    view_typed_append(&out, UINT64_MAX, 70000);
    give(out.data, out.len);
    assert_int_equal(view_reader_next(&reader, &frame), 1);
    assert_int_equal(view_size_read(&frame, &size), 0);
    assert_int_equal(size.cols, 1000);
    assert_int_equal(size.rows, 2);
    assert_int_equal(size.x_pixels, 65535);
    assert_int_equal(size.y_pixels, 300);
    assert_int_equal(view_reader_next(&reader, &frame), 1);
    assert_true(frame.offset == UINT64_MAX);
    assert_int_equal(view_typed_read(&frame, &typed), 0);
    assert_int_equal(typed, 70000);
    frame.len = 3;
    assert_int_equal(view_typed_read(&frame, &typed), -EPROTO);
    assert_int_equal(view_size_read(&frame, &size), -EPROTO);
    bytes_finish(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_frame_is_sixteen_bytes_and_its_data, end),
        cmocka_unit_test_teardown(frames_come_out_however_they_are_cut, end),
        cmocka_unit_test_teardown(a_frame_that_is_too_long_is_refused_before_it_is_held, end),
        cmocka_unit_test_teardown(what_is_long_is_cut_and_its_last_frame_alone_has_its_place, end),
        cmocka_unit_test_teardown(sizes_and_what_was_typed_come_back, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
