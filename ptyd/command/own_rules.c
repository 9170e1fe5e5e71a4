#include "ptyd/command/own_rules.h"

#include "ptyd/core/conf.h"
#include "ptyd/core/say.h"

static struct conf_file *file;

void own_rules_use(void)
{
    char *const *wrong;
    file = conf_open();
    conf_now(file);
    size_t count = conf_wrong(file, &wrong);
    for (size_t i = 0; i < count; i++)
        say("%s", wrong[i]);
    conf_use_rules(file);
}

static void on_met(void *user, const char *line)
{
    (void)user;
    say("%s", line);
}

void own_rules_say_met(void)
{
    if (file)
        conf_rules_met(file, on_met, NULL);
}
