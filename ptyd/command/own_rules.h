/* own_rules.h - a command goes by the user's own rules of what is secret (ptyd.conf). */
#ifndef PTYD_COMMAND_OWN_RULES_H
#define PTYD_COMMAND_OWN_RULES_H

/* They count from here to the process's end; what is wrong in the settings is said on stderr. */
void own_rules_use(void);

/* Says which of them met a bound; nothing where they are not used. */
void own_rules_say_met(void);

#endif
