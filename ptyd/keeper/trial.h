/* trial.h - a program that may take a keeper's place, tried as a child before anything depends on
 * it: it reads a copy of the table, starts, answers.
 *
 * It stays until the keeper lets go of it, so that its file cannot be written meanwhile.
 */
#ifndef PTYD_KEEPER_TRIAL_H
#define PTYD_KEEPER_TRIAL_H

#include <stdbool.h>
#include <sys/types.h>

/* One is under way while `pid` is not 0. Zeroed at first. */
struct trial {
    pid_t pid;
    int answer;                  /* what it says is read here */
    int hold;                    /* it stays until this is closed */
    unsigned long long checksum; /* of the table */
    long long deadline;          /* monotonic ms */
    bool silent;                 /* it has closed its end */
    char said[256];
    size_t len;
};

/* Executes the file behind `program` with the table behind `table`; both stay the caller's. Returns
 * 0 or -errno. */
int trial_begin(struct trial *trial, int program, int table, long long now);

/* What came of it so far; after anything but TRIAL_GOES_ON it is over, and trial_end() is due. */
enum trial_state { TRIAL_GOES_ON, TRIAL_WORKS, TRIAL_FAILED };

/* Reads what it says. `status` is that of waitpid when it was reaped, else NULL. With TRIAL_WORKS
 * its version is in `version`, with TRIAL_FAILED in `why` why it will not do. */
enum trial_state trial_look(struct trial *trial, const int *status, long long now, char version[32],
                            char why[256]);

/* Kills what is left of it. */
void trial_end(struct trial *trial);

/* ---- in the child ---- */

/* What `ptyd serve --try-table FD` does: reads the table, answers, stays until it is let go. The
 * exit status. */
int trial_answer(int table);

#endif
