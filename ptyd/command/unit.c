#define _GNU_SOURCE
#include "ptyd/command/unit.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptyd/command/cli.h"
#include "ptyd/command/progress.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define LOOK_MS 20 /* between two looks at whether systemctl is done */

static char *unit_path(const char *unit)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && *config == '/')
        return text_format("%s/systemd/user/%s", config, unit);
    return text_format("%s/.config/systemd/user/%s", home ? home : "", unit);
}

bool unit_manager_runs(void)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *path = text_format("%s/systemd/private", runtime ? runtime : "");
    bool runs = runtime && access(path, F_OK) == 0;
    free(path);
    return runs;
}

bool unit_exists(const char *unit)
{
    char *path = unit_path(unit);
    bool exists = access(path, F_OK) == 0;
    free(path);
    return exists;
}

static int systemctl(const char *verb, const char *option, const char *unit, const char *about)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        cores_give_back();
        execlp("systemctl", "systemctl", "--user", verb, option ? option : unit,
               option ? unit : NULL, (char *)NULL);
        _exit(127);
    }
    struct progress progress = progress_begin("waiting for systemd");
    int result = 0;
    while (pid > 0 &&
           ((result = waitpid(pid, &status, WNOHANG)) == 0 || (result < 0 && errno == EINTR))) {
        poll(NULL, 0, LOOK_MS);
        progress_say(&progress, "%s", verb);
    }
    progress_clear(&progress);
    if (pid > 0 && status == 0)
        return 0;
    return say_fail(EXIT_FAILED,
                    "`systemctl --user %s %s` failed; `journalctl --user -u %s` says "
                    "more",
                    verb, unit ? unit : "", about);
}

void unit_append_word(const char *word, struct bytes *out)
{
    bytes_append_char(out, '"');
    for (; *word; word++) {
        if (strchr("\"\\", *word))
            bytes_append_char(out, '\\');
        if (strchr("%$", *word))
            bytes_append_char(out, *word);
        bytes_append_char(out, *word);
    }
    bytes_append_char(out, '"');
}

void unit_append_variable(const char *name, struct bytes *out)
{
    const char *value = getenv(name);
    if (!value || !*value)
        return;
    char *both = text_format("%s=%s", name, value);
    bytes_append_text(out, "Environment=");
    unit_append_word(both, out);
    bytes_append_char(out, '\n');
    free(both);
}

static int write_unit(const char *path, const struct bytes *text)
{
    char *directory = paths_parent(path);
    int result = file_make_directory(directory);
    if (result == 0)
        result = text->failed ? -ENOMEM : file_replace(path, text->data, text->len);
    free(directory);
    return result;
}

int unit_install(const char *unit, const struct bytes *text, enum unit_way way)
{
    char *path = unit_path(unit);
    int result = write_unit(path, text);
    if (result < 0)
        say("cannot write %s: %s", path, strerror(-result));
    free(path);
    if (result < 0)
        return EXIT_FAILED;
    if (!unit_manager_runs())
        return EXIT_OK;
    if (systemctl("daemon-reload", NULL, NULL, unit))
        return EXIT_FAILED;
    if (way == UNIT_GOES_ON)
        return systemctl("enable", "--now", unit, unit);
    return systemctl("enable", NULL, unit, unit) || systemctl("restart", NULL, unit, unit);
}

int unit_remove(const char *unit)
{
    char *path = unit_path(unit);
    int status = EXIT_OK;
    if (unit_exists(unit)) {
        if (unit_manager_runs())
            status = systemctl("disable", "--now", unit, unit);
        if (unlink(path) < 0)
            status = say_fail(EXIT_FAILED, "cannot remove %s: %s", path, strerror(errno));
        if (unit_manager_runs())
            systemctl("daemon-reload", NULL, NULL, unit);
    }
    free(path);
    return status;
}
