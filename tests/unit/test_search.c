/* What the index is made of: letters made small, words, sheets; and sums that see every byte. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/search/fold.h"
#include "ptyd/search/grams.h"
#include "ptyd/search/index.h"
#include "ptyd/search/sheet.h"

static void expect_fold(const char *text, const char *folded)
{
    char *copy = text_copy(text);
    fold_text(copy, strlen(copy));
    assert_string_equal(copy, folded);
    assert_int_equal(fold_changes(text, strlen(text)), strcmp(text, folded) != 0);
    free(copy);
}

static void letters_become_small(void **state)
{
    (void)state;
    expect_fold("", "");
    expect_fold("@AZ[`az{ 0123456789 MAKE", "@az[`az{ 0123456789 make");
    expect_fold("ÀÖ×ØÞßàÿ", "àö×øþßàÿ");
    expect_fold("ĀāĐİıĲĳĸĹĺŇňŊŋŶŷŸŹźŽžſ", "āāđİıĳĳĸĺĺňňŋŋŷŷŸźźžžſ");
    expect_fold("ΑΡΣΩΪΫ αρςω Ά", "αρσωϊϋ αρςω Ά");
    expect_fold("ПРИВЕТ ЀЏ Ѡҁ Ҋҿ ӁӎӐԯ", "привет ѐџ ѡҁ ҋҿ ӂӎӑԯ");
    expect_fold("ԱՖ", "աֆ");
    expect_fold("日本語 ＡＢ 😀 AB", "日本語 ＡＢ 😀 ab");
}

/* Whether the words of one are all among those of the other. */
static bool has_words_of(const char *text, const char *part)
{
    struct bytes words = {0}, wanted = {0};
    struct grams *g = grams_create();
    bool all = true;
    grams_add(g, text, strlen(text));
    grams_write(g, "c", &words);
    grams_add(g, part, strlen(part));
    grams_write(g, "c", &wanted);
    for (char *at = wanted.data; at && *at; at = strchr(at, ' ') + 1) {
        char *word = text_format("%.*s", (int)(strchr(at, ' ') + 1 - at), at);
        all = all && words.data && strstr(words.data, word);
        free(word);
    }
    grams_destroy(g);
    bytes_finish(&words);
    bytes_finish(&wanted);
    return all;
}

static void a_text_has_the_words_of_its_parts(void **state)
{
    static const char text[] = "cc -c shop.c: 'total' undeclared\n日本語 x";
    (void)state;
    for (size_t at = 0; at < strlen(text); at++)
        for (size_t len = 1; at + len <= strlen(text); len++) {
            char *part = text_format("%.*s", (int)len, text + at);
            assert_true(has_words_of(text, part));
            free(part);
        }
    assert_false(has_words_of(text, "shop.cc"));
    assert_false(has_words_of(text, "語本"));
}

static void blanks_and_short_texts_have_no_words(void **state)
{
    struct bytes query = {0};
    (void)state;
    assert_false(grams_query("ab", 2, "", &query));
    assert_false(grams_query("ab cd\nef", 8, "", &query));
    assert_int_equal(query.len, 0);
    assert_true(grams_query("abcabc", 6, "c", &query));
    assert_string_equal(query.data, "c616263 AND c626361 AND c636162");
    bytes_finish(&query);
}

static void a_sheet_that_does_not_fit_together_is_none(void **state)
{
    struct sheet sheet = {0}, copy = {0};
    (void)state;
    sheet_add(&sheet, (struct sheet_part){.block = 1}, "ls", 2);
    sheet_add(&sheet, (struct sheet_part){.block = 1, .output = 1, .line = 7}, "a\nb\n", 4);
    assert_true(
        sheet_load(&copy, sheet.text.data, sheet.text.len, sheet.parts.data, sheet.parts.len));
    assert_int_equal(sheet_count(&copy), 2);
    assert_int_equal(sheet_part(&copy, 1)->line, 7);
    assert_memory_equal(copy.text.data, "ls\n\0a\nb\n\0", 9);
    assert_false(
        sheet_load(&copy, sheet.text.data, sheet.text.len - 1, sheet.parts.data, sheet.parts.len));
    assert_int_equal(sheet_count(&copy), 0);
    assert_false(
        sheet_load(&copy, sheet.text.data, sheet.text.len, sheet.parts.data, sheet.parts.len / 2));
    sheet_finish(&sheet);
    sheet_finish(&copy);
}

#define TEXT_BYTES 1000000

/* Reads all of the one text. */
static bool is_whole(struct index *ix)
{
    sqlite3_stmt *s = index_prepare(ix, "SELECT text FROM sheets");
    bool whole = index_step(ix, s) && sqlite3_column_bytes(s, 0) == TEXT_BYTES;
    for (int i = 0; whole && i < TEXT_BYTES; i++)
        whole = ((const char *)sqlite3_column_blob(s, 0))[i] == 0;
    sqlite3_finalize(s);
    return whole;
}

static void flip(int fd, off_t at)
{
    char byte;
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 4;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

/* Its text fills the database's end: none of those bytes can change unseen. */
static void a_damaged_byte_is_seen(void **state)
{
    char directory[] = "/tmp/ptyd-search-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(directory));
    struct index *ix = index_open(directory);
    index_run(ix, "INSERT INTO sheets(session, newest, text) VALUES(1, 1, zeroblob(1000000))");
    assert_true(is_whole(ix));
    index_close(ix);
    char *path = text_format("%s/search.db", directory);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > TEXT_BYTES);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    for (off_t at = st.st_size - TEXT_BYTES / 2; at < st.st_size; at += 16384 - 5) {
        flip(fd, at);
        ix = index_open(directory);
        assert_false(is_whole(ix));
        assert_true(index_is_damaged(ix));
        index_close(ix);
        flip(fd, at);
    }
    ix = index_open(directory);
    assert_true(is_whole(ix));
    index_close(ix);
    close(fd);
    free(path);
    file_remove_tree(AT_FDCWD, directory, 1);
}

static void one_writes_at_a_time(void **state)
{
    char directory[] = "/tmp/ptyd-search-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(directory));
    struct index *one = index_open(directory), *other = index_open(directory);
    assert_true(index_begin_writing(one, 0));
    assert_false(index_begin_writing(other, 0));
    index_end_writing(one);
    assert_true(index_begin_writing(other, 0));
    index_close(other);
    assert_true(index_begin_writing(one, 0));
    index_close(one);
    file_remove_tree(AT_FDCWD, directory, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_become_small),
        cmocka_unit_test(a_text_has_the_words_of_its_parts),
        cmocka_unit_test(blanks_and_short_texts_have_no_words),
        cmocka_unit_test(a_sheet_that_does_not_fit_together_is_none),
        cmocka_unit_test(a_damaged_byte_is_seen),
        cmocka_unit_test(one_writes_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
