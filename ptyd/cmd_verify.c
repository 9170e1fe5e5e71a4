#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptyd/command/cli.h"
#include "ptyd/command/progress.h"
#include "ptyd/core/aside.h"
#include "ptyd/core/names.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/session/verify.h"

static const char help[] =
    "usage: ptyd verify [-s NAME | --all] [--json]\n\n"
    "Looks at every state file, of session NAME or (else) of all there are or were, and says "
    "which\n"
    "is ok, damaged, or was set aside. It needs no daemon, may run beside one, and writes "
    "nothing:\n"
    "the daemon sets aside what is damaged when it takes a session over, and goes on with the "
    "rest.\n"
    "In output.raw only what the index names can be checked.\n\n"
    "Exit status: 0 all is well, 1 something is damaged or was set aside.\n\n"
    "examples:\n"
    "  ptyd verify\n"
    "  ptyd verify -s work --json\n";

enum { ALL = CLI_FIRST_OWN };

/* What is said, as it is found. */
struct findings {
    bool json;
    bool lists; /* on this terminal: that is progress enough */
    long files, bad;
    struct progress progress;
};

static void on_file(void *user, const char *path, enum verify_state state, const char *what)
{
    static const char *const words[] = {"ok", "damaged", "aside"};
    struct findings *f = user;
    f->bad += state != VERIFY_OK;
    if (!f->lists)
        progress_say(&f->progress, "%ld files", f->files);
    if (!f->json) {
        printf("%-8s %s%s%s\n", words[state], path, what ? ": " : "", what ? what : "");
    } else {
        json_t *json =
            json_pack("{s:s, s:s, s:s?}", "path", path, "state", words[state], "what", what);
        char *text = json_dumps(json, JSON_COMPACT);
        printf("%s%s", f->files ? "," : "", text ? text : "null");
        free(text);
        json_decref(json);
    }
    f->files++;
}

/* Returns whether there is such a conversation. */
static bool verify_one(const char *state, const char *name, struct findings *f)
{
    struct stat st;
    char *path = text_format("%s/conversations/%s", state, name);
    bool there = lstat(path, &st) == 0;
    free(path);
    if (there)
        verify_conversation(state, name, on_file, f);
    return there;
}

static void verify_all(const char *state, struct findings *f)
{
    char *path = text_format("%s/conversations", state);
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)))
        if (text_is_name(entry->d_name) && !aside_is_name(entry->d_name))
            verify_one(state, entry->d_name, f);
    if (directory)
        closedir(directory);
    free(path);
}

int command_verify(int argc, char **argv)
{
    static const struct option options[] = {{"all", no_argument, NULL, ALL}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    bool all = false, there = true;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            all = true;
    cli_no_more(&cli, argc, argv);
    struct findings found = {.json = cli.json,
                             .lists = !cli.json && isatty(STDOUT_FILENO),
                             .progress = progress_begin("verifying")};
    char *state = paths_state();
    struct names *names = names_open(state, false);
    if (cli.json)
        fputs("{\"files\":[", stdout);
    verify_state_directory(state, on_file, &found);
    if (cli.session_given && !all)
        there = verify_one(state, names_own(names, cli.session), &found);
    else
        verify_all(state, &found);
    progress_clear(&found.progress);
    if (cli.json)
        printf("],\"ok\":%s}\n", found.bad || !there ? "false" : "true");
    if (!there)
        say("there is nothing of a session %s in %s", cli.session, state);
    else if (!cli.json)
        printf("%ld files, %ld of them damaged or set aside\n", found.files, found.bad);
    names_close(names);
    free(state);
    return fflush(stdout) != 0 || found.bad || !there ? EXIT_FAILED : EXIT_OK;
}
