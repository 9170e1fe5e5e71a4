/* profile.h - the line in a shell's profile by which every new terminal becomes a session.
 *
 * It is the first of its file and marked. Behind it ptyd takes the shell's place, so that nothing
 * of the profile is done twice; what it guards against is said at PROFILE_LINE.
 */
#ifndef PTYD_AGENTS_PROFILE_H
#define PTYD_AGENTS_PROFILE_H

#include <stdbool.h>

/* Does nothing in a shell that is not interactive, or is but runs one command or a script alone
 * (`bash -ic COMMAND`, `#!/bin/bash -i`, where $0 is the script), without a terminal, in the shell
 * that mc steers by descriptors and stops by its process (MC_SID is that one), in the plain shell
 * that ptyd itself started because it could not do better (PTYD_SESSION is empty there), without
 * ptyd, and in a session's own terminal. A ptyd that cannot even say where it is (a library is
 * missing, say) does not take the shell's place. */
#define PROFILE_LINE                                                                               \
    "case $-${BASH_EXECUTION_STRING+c}${ZSH_EXECUTION_STRING+c}${ZSH_SCRIPT+c} in *c*) ;; *i*) "   \
    "{ [ \"${ZSH_VERSION-}\" ] || [ ! -f \"$0\" ] || [ \"$0\" -ef \"${BASH-}\" ]; } && "           \
    "[ -t 0 ] && [ -t 1 ] && [ \"${MC_SID-}\" != $$ ] && [ \"${PTYD_SESSION-x}\" ] && "            \
    "command -v ptyd >/dev/null && { ptyd inside; [ $? = 1 ]; } && exec ptyd;; esac"

/* The same for fish, which tells its profile nothing of a command: its arguments do. */
#define PROFILE_LINE_FISH                                                                          \
    "status is-interactive; and isatty stdin; and isatty stdout; and test \"$MC_SID\" != "         \
    "$fish_pid; "                                                                                  \
    "and not contains -- '' $PTYD_SESSION; and command -q ptyd; "                                  \
    "and not string match -qr '^(-[ilnNP]*c|--command)' -- "                                       \
    "(string split0 <\"/proc/$fish_pid/cmdline\"); "                                               \
    "and begin; ptyd inside; test $status -eq 1; end; and exec ptyd"

/* A shell whose profile may have it. */
struct profile_shell {
    const char *name, *line;
};
/* bash, zsh, fish; behind the last, `name` is NULL. */
extern const struct profile_shell profile_shells[];

/* Writes the line into the shell's profile, or, where it stands there in another form, over that.
 * For bash also into the file that login shells read, where there is one that leaves .bashrc out.
 * Says what was done. Returns the exit status. */
int profile_enable(const struct profile_shell *shell);

/* Whether the shell has a profile here. */
bool profile_exists(const struct profile_shell *shell);

/* Takes the line out of every profile, which is then as it was. Says what was done. Returns the
 * exit status. */
int profile_disable(void);

#endif
