/* table.h - all that a keeper holds, for the program that goes on in its place (upgrade.h).
 *
 * It lies in a memfd and says itself what is in it: a head with a version and a checksum, then
 * records, each with its kind and size. A program of another version reads it, older or newer:
 *   - a record only grows at its end: what a reader does not know of it is passed over, what the
 *     writer did not know is zero;
 *   - a record of an unknown kind is passed over, unless TABLE_NEEDED is in its kind;
 *   - where that does not suffice, TABLE_VERSION grows, and an older reader refuses.
 * So do the options of `ptyd serve` by which one program starts the other stay: --try-table,
 * --resume, --previous, --returned.
 */
#ifndef PTYD_KEEPER_TABLE_H
#define PTYD_KEEPER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "ptyd/keeper/outcome.h"

#define TABLE_VERSION 1
/* In a record's kind: who does not know it must not go on. */
#define TABLE_NEEDED 0x80000000u

/* A shell that runs or has ended. */
struct table_shell {
    char name[72]; /* of its session */
    int32_t pid;   /* 0 when reaped */
    int32_t status;
    int32_t master, intake; /* descriptors */
    int64_t kill_at;        /* monotonic ms; 0 for not closing */
    uint64_t layout;        /* intake_layout() of `intake` */
    int32_t slate;          /* descriptor (core/slate.h); -1 for none */
    int32_t over;           /* it is, and `master` is -1; a record of another kind */
};

struct table {
    /* Descriptors, -1 for none. */
    int32_t listener, lock, state_lock;
    int32_t program;               /* the file that is executed, open; to be closed */
    bool inherited;                /* the listener came from systemd */
    bool auto_ended;               /* the daemon was started by a command */
    uint64_t files, files_at_most; /* limit on descriptors that shells get */
    uint64_t last_event;           /* board_last_event() */
    int32_t vault;                 /* descriptor (core/vault.h); -1 for none */
    char *socket, *state;          /* paths; owned */
    char *path, *previous_path;    /* of the program that is executed, the one before; owned */
    char *options;                 /* conf_all_set() of the worker's settings; owned */
    struct outcome upgrade;
    int count;
    struct table_shell *shells; /* owned */
};

/* Writes it into a new memfd. Returns the descriptor, the caller's, or -errno. */
int table_write(const struct table *table);

/* Reads one. Returns 0, or -1 with the reason in *ret_message (a new string). */
int table_read(int fd, struct table *ret_table, char **ret_message);

/* The checksum in its head: whoever says it has seen the table. 0 where there is none. */
uint64_t table_checksum(int fd);

/* Says whether the descriptors that it names are to reach a program that is executed. */
void table_inherit(const struct table *table, bool inherited);

/* Frees what it owns; the descriptors stay. */
void table_finish(struct table *table);

#endif
