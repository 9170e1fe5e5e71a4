/* What the index is made of: letters made small, grams, groups,
 * sheets; and sums that see every byte. */
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
#include "ptyd/search/groups.h"
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

static bool has(const uint64_t *signature, uint32_t bit)
{
    assert_true(bit < GRAMS_BITS);
    return signature[bit >> 6] >> (bit & 63) & 1;
}

/* Whether all that a part would be asked for is in the text's signature, and among its words. */
static bool has_grams_of(const char *text, const char *part, bool output)
{
    static uint64_t signature[GRAMS_BITS / 64];
    struct bytes taken = {0}, words = {0}, query = {0};
    struct grams *g = grams_create(output);
    uint32_t bits[GRAMS_MOST];
    bool all = true;
    memset(signature, 0, sizeof signature);
    grams_sign(text, strlen(text), output, signature);
    for (size_t i = grams_bits(part, strlen(part), output, bits); i-- > 0;)
        all = all && has(signature, bits[i]);
    grams_add(g, text, strlen(text));
    grams_take(g, &taken);
    grams_write(&taken, output, &words);
    if (grams_query(part, strlen(part), output, &query))
        for (char *word = strtok(query.data, " "); word; word = strtok(NULL, " "))
            all = all && (!strcmp(word, "AND") || (words.data && strstr(words.data, word)));
    grams_destroy(g);
    bytes_finish(&taken);
    bytes_finish(&words);
    bytes_finish(&query);
    return all;
}

static void a_text_has_the_grams_of_its_parts(void **state)
{
    static const char text[] = "cc -c shop.c: 'total' undeclared\n日本語 x\t\"y\"\n";
    (void)state;
    for (size_t at = 0; at < strlen(text); at++)
        for (size_t len = 1; at + len <= strlen(text); len++) {
            char *part = text_format("%.*s", (int)len, text + at);
            for (int output = 0; output < 2; output++)
                assert_true(has_grams_of(text, part, output));
            free(part);
        }
    assert_false(has_grams_of(text, "shop.cc", true));
    assert_false(has_grams_of(text, "語本", true));
    assert_false(has_grams_of(text, "zq", true));
    assert_false(has_grams_of(text, "!", false));
}

static void short_texts_and_controls_have_no_words(void **state)
{
    struct bytes query = {0};
    uint32_t bits[GRAMS_MOST];
    (void)state;
    assert_false(grams_query("ab", 2, true, &query));
    assert_false(grams_query("ab\tcd\nef", 8, true, &query));
    assert_int_equal(query.len, 0);
    assert_true(grams_query("abcabc", 6, false, &query));
    assert_string_equal(query.data, "c616263 AND c626361 AND c636162");
    bytes_finish(&query);
    assert_int_equal(grams_bits("\n", 1, true, bits), 0);
    assert_in_range(grams_bits("a", 1, true, bits), 1, 3);
    char many[500];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = i % 4 == 3 ? '\t' : (char)('a' + i % 26);
    assert_in_range(grams_bits(many, sizeof many, true, bits), 100, GRAMS_MOST);
}

/* ---- groups ---- */

#define SHEETS (LIMIT_SEARCH_GROUP + 40)

static char *name_of(const char *before, int i)
{
    return text_format("%s%08x", before, (unsigned)i * 2654435761u);
}

/* Sheet i has a command and an output of its own, and a word that every eighth has. */
static void add_sheet(struct index *ix, struct groups *g, int i)
{
    struct sheet sheet = {0};
    char *cmd = name_of("run", i), *name = name_of("out", i);
    char *output = text_format("%s\nzebra%d\n", name, i % 8);
    uint64_t hash = index_directory_hash(cmd, strlen(cmd));
    sqlite3_stmt *s = index_prepare(ix, "INSERT INTO sheets(session, newest, last, words, parts,"
                                        " text) VALUES(?1, ?1 * 10, 1, ?2, ?3, ?4)");
    sheet_add(&sheet, (struct sheet_part){.block = i}, cmd, strlen(cmd));
    sheet_add(&sheet, (struct sheet_part){.block = i, .output = 1}, output, strlen(output));
    sqlite3_bind_int(s, 1, i);
    sqlite3_bind_blob(s, 2, &hash, sizeof hash, SQLITE_STATIC);
    sqlite3_bind_blob(s, 3, sheet.parts.data, (int)sheet.parts.len, SQLITE_STATIC);
    sqlite3_bind_blob(s, 4, sheet.text.data, (int)sheet.text.len, SQLITE_STATIC);
    index_step(ix, s);
    sqlite3_finalize(s);
    groups_add_sheet(g);
    sheet_finish(&sheet);
    free(cmd);
    free(name);
    free(output);
}

struct answer {
    int64_t wanted;   /* session */
    bool found;       /* a sheet of that one was */
    int count, loose; /* loose: of those that came last */
};

static void on_sheet(void *user, int64_t sheet, int64_t newest, int64_t session)
{
    struct answer *answer = user;
    assert_true(sheet > 0);
    assert_int_equal(newest, 10 * session);
    answer->count += session < LIMIT_SEARCH_GROUP;
    answer->loose += session >= LIMIT_SEARCH_GROUP;
    answer->found = answer->found || session == answer->wanted;
}

static struct answer ask(struct index *ix, const char *text, bool output, int64_t wanted)
{
    struct groups_question q = {.count = 1, .conditions[0].count = 1};
    struct groups_bits *bits = &q.conditions[0].either[0];
    struct answer answer = {.wanted = wanted};
    grams_query(text, strlen(text), output, &q.words);
    bits->count = grams_bits(text, strlen(text), output, bits->bits);
    groups_ask(ix, &q, on_sheet, &answer);
    bytes_finish(&q.words);
    assert_null(index_failure(ix));
    return answer;
}

static struct answer ask_directory(struct index *ix, const char *name, int64_t wanted)
{
    struct groups_question q = {.count = 1, .conditions[0].count = 1};
    struct groups_bits *bits = &q.conditions[0].either[0];
    struct answer answer = {.wanted = wanted};
    bits->count = grams_bits_of_hash(index_directory_hash(name, strlen(name)), bits->bits);
    groups_ask(ix, &q, on_sheet, &answer);
    return answer;
}

static int64_t count_rows(struct index *ix, const char *sql)
{
    sqlite3_stmt *s = index_prepare(ix, sql);
    assert_true(index_step(ix, s));
    int64_t count = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return count;
}

static void a_group_says_which_of_its_sheets_may_hold_it(void **state)
{
    char directory[] = "/tmp/ptyd-search-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(directory));
    struct index *ix = index_open(directory);
    index_run(ix, "BEGIN");
    struct groups *g = groups_begin(ix);
    for (int i = 0; i < SHEETS; i++)
        add_sheet(ix, g, i);
    groups_end(g);
    index_run(ix, "COMMIT");
    assert_int_equal(count_rows(ix, "SELECT count(*) FROM groups"), 1);
    for (int i = 0; i < LIMIT_SEARCH_GROUP; i += 37) {
        char *cmd = name_of("run", i), *output = name_of("t", i);
        struct answer answer = ask(ix, cmd, false, i);
        assert_true(answer.found);
        assert_in_range(answer.count, 1, 3);
        assert_int_equal(answer.loose, SHEETS - LIMIT_SEARCH_GROUP);
        assert_int_equal(ask(ix, cmd, true, 0).count, 0);
        assert_true(ask(ix, output, true, i).found);
        answer = ask_directory(ix, cmd, i);
        assert_true(answer.found);
        assert_in_range(answer.count, 1, 3);
        free(cmd);
        free(output);
    }
    assert_in_range(ask(ix, "zebra3", true, 0).count, LIMIT_SEARCH_GROUP / 8,
                    LIMIT_SEARCH_GROUP / 7);
    assert_in_range(ask(ix, "zq", true, 0).count, 0, 1);
    assert_in_range(ask(ix, "~", true, 0).count, 0, 1);
    assert_int_equal(ask(ix, "nothing", true, 0).count, 0);
    assert_int_equal(ask(ix, "a", true, 0).count, LIMIT_SEARCH_GROUP);
    index_close(ix);
    file_remove_tree(AT_FDCWD, directory, 1);
}

/* What is left of one that lost most of its sheets is found all the same, and its words are gone.
 */
static void a_group_that_few_are_left_of_is_taken_apart(void **state)
{
    char directory[] = "/tmp/ptyd-search-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(directory));
    struct index *ix = index_open(directory);
    struct groups *g = groups_begin(ix);
    for (int i = 0; i < SHEETS; i++)
        add_sheet(ix, g, i);
    groups_end(g);
    g = groups_begin(ix);
    for (int i = 1; i <= LIMIT_SEARCH_GROUP; i++)
        if (i % 16) {
            char *sql = text_format("DELETE FROM sheets WHERE id = %d", i);
            groups_remove_sheet(g, i);
            index_run(ix, sql);
            free(sql);
        }
    groups_end(g);
    assert_int_equal(count_rows(ix, "SELECT count(*) FROM groups"), 0);
    assert_int_equal(count_rows(ix, "SELECT count(*) FROM slices"), 0);
    assert_int_equal(count_rows(ix, "SELECT count(*) FROM words WHERE words MATCH 'c72756e'"), 0);
    struct answer answer = ask(ix, "nothing", true, 0);
    assert_int_equal(answer.count, LIMIT_SEARCH_GROUP / 16);
    assert_int_equal(answer.loose, SHEETS - LIMIT_SEARCH_GROUP);
    g = groups_begin(ix); /* those that come make a group with them */
    for (int i = 0; i < LIMIT_SEARCH_GROUP; i++)
        add_sheet(ix, g, i);
    groups_end(g);
    assert_int_equal(count_rows(ix, "SELECT count(*) FROM groups"), 1);
    assert_true(ask(ix, "zebra7", true, 15).found);
    index_close(ix);
    file_remove_tree(AT_FDCWD, directory, 1);
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
        cmocka_unit_test(a_text_has_the_grams_of_its_parts),
        cmocka_unit_test(short_texts_and_controls_have_no_words),
        cmocka_unit_test(a_group_says_which_of_its_sheets_may_hold_it),
        cmocka_unit_test(a_group_that_few_are_left_of_is_taken_apart),
        cmocka_unit_test(a_sheet_that_does_not_fit_together_is_none),
        cmocka_unit_test(a_damaged_byte_is_seen),
        cmocka_unit_test(one_writes_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
