/* The snapshots' lines without secrets: what begins above the oldest line that is written, and ends
 * below it, is no more in them than what stands in their midst. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/session/snapshots.h"

#define COLS 20
#define ROWS 4

static const struct terminal_events nobody;
static char place[] = "/tmp/ptyd-snapshots-XXXXXX";

static int in_place(void **state)
{
    (void)state;
    return mkdtemp(place) ? 0 : -1;
}

static int gone(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", place);
    return system(command);
}

static void type(struct terminal *t, const char *text)
{
    char bytes[128];
    size_t len = strlen(text);
    memcpy(bytes, text, len + 1);
    assert_int_equal(terminal_write(t, bytes, len), len);
}

/* 90 characters that are in no order: five rows. */
static void spell(char token[91])
{
    static const char letters[] = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    memcpy(token, "github_pat_", 11);
    for (unsigned i = 11; i < 90; i++)
        token[i] = i == 33 ? '_' : letters[(i * i * 7 + i * 3) % (sizeof letters - 1)];
    token[90] = 0;
}

/* Pieces of eight of the token's characters that a file holds. */
static int pieces_of(const char *name, const char *token)
{
    char path[96], piece[9] = "";
    struct bytes text = {0};
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", place, name);
    assert_int_equal(file_read(path, 4 << 20, &text), 0);
    for (size_t at = 11; at + 8 <= 90; at += 4) {
        memcpy(piece, token + at, 8);
        count += strstr(text.data, piece) != NULL;
    }
    bytes_finish(&text);
    return count;
}

/* The pieces in both files when so many lines came behind the token. `by_hand`: a program breaks it
 * at the edge by itself. */
static int pieces_behind(int lines, bool redacts, bool by_hand)
{
    struct terminal *t =
        terminal_create(&(struct terminal_options){.cols = COLS, .rows = ROWS, .events = &nobody});
    struct owed *owed = owed_create(NULL, NULL);
    struct block *block = block_create();
    char token[91];
    spell(token);
    for (int i = 0; i < 300; i++)
        type(t, "above\r\n");
    for (size_t at = 0; at < 90; at += COLS) {
        char row[32];
        snprintf(row, sizeof row, "%.*s%s", COLS, token + at, by_hand ? "\r\n" : "");
        type(t, row);
    }
    for (int i = 0; i < lines; i++)
        type(t, i || !by_hand ? "\r\nbelow" : "below");
    struct snapshots s = {
        .owed = owed, .directory = place, .terminal = t, .from = 0, .redacts = redacts};
    snapshots_replace(&s, block);
    block_unref(block);
    assert_int_equal(owed_destroy(owed), 0);
    terminal_destroy(t);
    return pieces_of("screen.snapshot.json", token) + pieces_of("scrollback.snapshot.json", token);
}

static void nothing_is_left_wherever_the_oldest_line_cuts(void **state)
{
    (void)state;
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        int most = 0, least = 99;
        for (int lines = LIMIT_SNAPSHOT_LINES - 2; lines < LIMIT_SNAPSHOT_LINES + 2 * ROWS;
             lines++) {
            int open = pieces_behind(lines, false, by_hand);
            most = open > most ? open : most;
            least = open < least ? open : least;
            assert_int_equal(pieces_behind(lines, true, by_hand), 0);
        }
        assert_true(most > 5);      /* it would be there, */
        assert_int_equal(least, 0); /* and goes row by row */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_left_wherever_the_oldest_line_cuts),
    };
    return cmocka_run_group_tests(tests, in_place, gone);
}
