#define _GNU_SOURCE
#include "ptyd/session/block_files.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/limits.h"
#include "ptyd/core/text.h"

enum { LIST, COPY, LISTS };
enum { OLD, NOW, AGES };

static const char *const names[LISTS][AGES] = {{"blocks.jsonl.1", "blocks.jsonl"},
                                               {"blocks.copy.jsonl.1", "blocks.copy.jsonl"}};

/* All zeros for one that is not there. */
struct files {
    struct stat of[LISTS][AGES];
};

static struct files look(const char *directory)
{
    struct files files;
    for (int list = 0; list < LISTS; list++)
        for (int age = 0; age < AGES; age++) {
            char *path = text_format("%s/%s", directory, names[list][age]);
            if (lstat(path, &files.of[list][age]) < 0)
                files.of[list][age] = (struct stat){0};
            free(path);
        }
    return files;
}

static uint64_t sum_one(uint64_t sum, const struct stat *st)
{
    const uint64_t facts[] = {st->st_dev,
                              st->st_ino,
                              (uint64_t)st->st_size,
                              st->st_mode,
                              (uint64_t)st->st_ctim.tv_sec,
                              (uint64_t)st->st_ctim.tv_nsec};
    return hash_bytes(sum, facts, sizeof facts);
}

static uint64_t sum_of(const struct files *files)
{
    uint64_t sum = HASH_START;
    for (int list = 0; list < LISTS; list++)
        for (int age = 0; age < AGES; age++)
            sum = sum_one(sum, &files->of[list][age]);
    return sum ? sum : 1;
}

uint64_t block_files_sum(const char *directory)
{
    struct files files = look(directory);
    return sum_of(&files);
}

/* Whether `len` bytes came to its end, or it was put aside and begun anew with them. */
static bool grew(const struct stat before[AGES], const struct stat now[AGES], off_t len)
{
    bool was_there = before[NOW].st_ino != 0;
    bool longer = (!was_there || now[NOW].st_ino == before[NOW].st_ino) &&
                  now[NOW].st_size == before[NOW].st_size + len &&
                  sum_one(0, &now[OLD]) == sum_one(0, &before[OLD]);
    bool anew = was_there && now[OLD].st_ino == before[NOW].st_ino &&
                now[OLD].st_size == before[NOW].st_size + len && !now[NOW].st_ino;
    return longer || anew;
}

void block_files_append(struct owed *owed, const char *directory, const char *line, uint64_t *same)
{
    struct files before = look(directory);
    bool known = *same == sum_of(&before);
    for (int list = 0; list < LISTS; list++) {
        char *path = text_format("%s/%s", directory, names[list][NOW]);
        owed_append(owed, path, line, LIMIT_JSONL_BYTES);
        free(path);
    }
    struct files now = look(directory);
    off_t len = (off_t)strlen(line) + 1; /* and its line feed */
    for (int list = 0; list < LISTS; list++)
        known = known && grew(before.of[list], now.of[list], len);
    *same = known ? sum_of(&now) : 0;
}

long long block_files_bytes(const char *directory)
{
    struct files files = look(directory);
    long long bytes = 0;
    for (int list = 0; list < LISTS; list++)
        for (int age = 0; age < AGES; age++)
            if (S_ISREG(files.of[list][age].st_mode))
                bytes += (long long)files.of[list][age].st_size;
    return bytes;
}

/* ---- outputs ---- */

/* NULL where there is none. */
static DIR *open_outputs(const char *directory)
{
    char *path = text_format("%s/blocks", directory);
    DIR *outputs = opendir(path);
    free(path);
    return outputs;
}

uint64_t block_files_named_seq(const char *directory)
{
    DIR *outputs = open_outputs(directory);
    struct dirent *entry;
    uint64_t highest = 0;
    while (outputs && (entry = readdir(outputs))) {
        uint64_t seq = strtoull(entry->d_name, NULL, 10);
        highest = seq > highest ? seq : highest;
    }
    if (outputs)
        closedir(outputs);
    return highest;
}

void block_files_sweep(const char *directory, uint64_t seq)
{
    DIR *outputs = seq > LIMIT_BLOCK_FILES ? open_outputs(directory) : NULL;
    struct dirent *entry;
    while (outputs && (entry = readdir(outputs))) {
        unsigned long long number = strtoull(entry->d_name, NULL, 10);
        if (number && number + LIMIT_BLOCK_FILES <= seq)
            unlinkat(dirfd(outputs), entry->d_name, 0);
    }
    if (outputs)
        closedir(outputs);
}
