#include "ptyd/session/mouse.h"

#include <string.h>

#include "base/limits.h"

#define RAW_FIRST 33  /* a byte that says 1 */
#define RAW_LAST  255 /* no byte says more than this one */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int moved(int at, int by, int most)
{
    at += by;
    return at < 1 ? 1 : at > most ? most : at;
}

/* Takes a number on, of which there may be no digit. */
static const char *take_number(const char *at, const char *end, int *ret_value)
{
    int value = 0;
    for (; at < end && is_digit(*at); at++)
        value = value < LIMIT_CSI_VALUE ? value * 10 + (*at - '0') : value;
    *ret_value = value;
    return at;
}

/* `button ; column ; row` in digits, as 1006 and 1015 have it. */
static bool move_digits(const char *report, size_t len, const struct mouse_part *p,
                        struct bytes *out)
{
    const char *end = report + len - 1, *at = report + (report[2] == '<' ? 3 : 2);
    int button, col, row;
    const char *first = take_number(at, end, &button);
    if (first == at || first == end || *first != ';')
        return false;
    const char *second = take_number(first + 1, end, &col);
    if (second == first + 1 || second == end || *second != ';')
        return false;
    if (take_number(second + 1, end, &row) != end || second + 1 == end)
        return false;
    bytes_append(out, report, (size_t)(first + 1 - report));
    bytes_printf(out, "%0*d;%0*d%c", (int)(second - first - 1), moved(col, p->left, p->cols),
                 (int)(end - second - 1), moved(row, p->top, p->rows), *end);
    return true;
}

static char raw(char byte, int by, int most)
{
    int at = moved((unsigned char)byte - RAW_FIRST + 1, by, most) + RAW_FIRST - 1;
    return (char)(at < RAW_LAST ? at : RAW_LAST);
}

/* A byte each. */
static void move_bytes(const char *report, const struct mouse_part *p, struct bytes *out)
{
    bytes_append(out, report, 4);
    bytes_append_char(out, raw(report[4], p->left, p->cols));
    bytes_append_char(out, raw(report[5], p->top, p->rows));
}

/* Of a whole report, which may be another one than a mouse's: then false. */
static bool move_report(const char *report, size_t len, const struct mouse_part *p,
                        struct bytes *out)
{
    bool is_raw = len == 6 && !memcmp(report, "\x1b[M", 3);
    char last = report[len - 1];
    if (is_raw && !p->wide)
        move_bytes(report, p, out);
    return is_raw ? !p->wide
                  : len >= 6 && (last == 'M' || last == 'm') && move_digits(report, len, p, out);
}

void mouse_move(struct query_input *input, const struct mouse_part *part, const char *bytes,
                size_t len, struct typing *typing)
{
    struct bytes moved = {0};
    for (size_t at = 0, taken; at < len; at += taken) {
        enum query_piece piece;
        bool whole;
        taken = query_input_next(input, bytes + at, len - at, &piece, &whole);
        bool here = piece == QUERY_REPORT && whole && taken == input->len;
        moved.len = 0;
        if (part && here && move_report(bytes + at, taken, part, &moved))
            typing_append(typing, moved.data, moved.len, moved.len - taken);
        else
            typing_append(typing, bytes + at, taken, 0);
    }
    bytes_finish(&moved);
}
