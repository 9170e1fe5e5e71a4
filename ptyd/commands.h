/* commands.h - the table of commands. */
#ifndef PTYD_COMMANDS_H
#define PTYD_COMMANDS_H

#include <stddef.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv); /* see cli.h */
    const char *summary;               /* a few words */
};

extern const struct command commands[];
extern const size_t command_count;

/* The command of that name, or what tmux's users call it; NULL. */
const struct command *command_find(const char *word);
/* The one that may have been meant where there is none; NULL where none is near. */
const struct command *command_nearest(const char *word);

#endif
