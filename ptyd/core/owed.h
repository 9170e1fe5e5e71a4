/* owed.h - what is to be written to files, kept in memory while it cannot be.
 *
 * A write that fails (a full disk, a quota, a file system that is read-only or has no inode left,
 * a file that may not grow) is owed: it waits in memory and is tried again, in front of all that is
 * for the same file, and where the disk is full in front of all that is appended anywhere. What is
 * appended reaches its file in order, and once, or is dropped and counted.
 */
#ifndef PTYD_CORE_OWED_H
#define PTYD_CORE_OWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct owed;

/* `owing` is called when something is owed where nothing was: owed_pay() is then to be called after
 * a moment. It calls nothing of this. */
struct owed *owed_create(void (*owing)(void *user), void *user);

/* From now on what waits outlives the process, in a slate (slate.h): one that a former process left
 * (`slate`, the caller's), whose writes wait from now on, but for what it came to write and did not
 * come to say; or with -1 one that is made when something first waits. `keep` is called with the
 * descriptor then, which it borrows, for somebody else to hold; false: nobody does, and it is tried
 * again after a while. Before anything is written here. */
void owed_outlive(struct owed *owed, int slate, bool (*keep)(void *user, int slate));

/* Whether a slate that a former process left has lines or whole files to write: these are as that
 * one had them. -1 is none. */
bool owed_has_text(int slate);

/* The one that `keep` was called with last is held by nobody after all: the same. */
void owed_slate_lost(struct owed *owed);

/* Tries a last time and frees it. Returns how many writes are lost, that nobody will see. NULL is
 * none. */
size_t owed_destroy(struct owed *owed);

/* Adds a line, as file_append_line() does. Behind `most` bytes the file becomes PATH.1. */
void owed_append(struct owed *owed, const char *path, const char *line, long long most);

/* Adds the end of a command's output, as file_append() does. Where memory ends, it goes before any
 * line does. */
void owed_append_output(struct owed *owed, const char *path, const char *text, size_t len);
/* Forgets the text that waits for the file: it is written anew from somewhere before it. */
void owed_drop_output(struct owed *owed, const char *path);

/* Replaces a file, as file_replace() does. Of one that waits the newest content counts. */
void owed_replace(struct owed *owed, const char *path, const char *data, size_t len);

/* Writes what can be written. Returns after how many ms to try again; 0 when nothing is owed. */
int owed_pay(struct owed *owed);

/* How it stands. Strings are borrowed until the next call that writes. */
struct owed_state {
    size_t count;     /* writes that wait */
    uint64_t dropped; /* beyond LIMIT_OWED_BYTES, since it was made */
    const char *path; /* of the one that has waited longest; NULL for none */
    int error;        /* why, as -errno; 0 when nothing is owed */
    int64_t since_ms; /* since the epoch: when something began to be owed */
    bool outlives;    /* the process: all of it is on a slate that somebody holds */
};
struct owed_state owed_state(const struct owed *owed);

/* Calls `each` for every line that waits for the file, oldest first. */
void owed_each(const struct owed *owed, const char *path,
               void (*each)(void *user, const char *line), void *user);
/* The same, and they wait here no more. */
void owed_take(struct owed *owed, const char *path, void (*each)(void *user, const char *line),
               void *user);

/* Bytes that outlive the process beside what waits, one of each kind; the newest count, and none
 * with 0. More than LIMIT_SLATE_WHOLE_BYTES are none. And those that are kept, borrowed until the
 * next ones. */
enum owed_note {
    OWED_SEQUENCE, /* session/open_sequence.c */
    OWED_OUTPUT,   /* session/unwritten.c */
    OWED_NOTES,
};
void owed_note(struct owed *owed, enum owed_note which, const char *data, size_t len);
const char *owed_noted(const struct owed *owed, enum owed_note which, size_t *ret_len);

/* What is to replace the file, borrowed until the next call that writes; NULL when nothing is. */
const char *owed_whole(const struct owed *owed, const char *path, size_t *ret_len);

#endif
