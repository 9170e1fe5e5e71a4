#define _GNU_SOURCE
#include "ptyd/agents/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/file.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* Behind the line; the second where there was no file before. */
#define MARK      " # ptyd enable shell"
#define MARK_MADE MARK ", which made this file"

const struct profile_shell profile_shells[] = {
    {"bash", PROFILE_LINE}, {"zsh", PROFILE_LINE}, {"fish", PROFILE_LINE_FISH}, {NULL, NULL}};

/* ---- where they are ---- */

static char *below(const char *variable, const char *fallback, const char *file)
{
    const char *given = variable ? getenv(variable) : NULL, *home = getenv("HOME");
    if (given && *given == '/')
        return text_format("%s/%s", given, file);
    return text_format("%s/%s%s", home ? home : "", fallback, file);
}

static char *path_of(const struct profile_shell *shell)
{
    if (!strcmp(shell->name, "zsh"))
        return below("ZDOTDIR", "", ".zshrc");
    if (!strcmp(shell->name, "fish"))
        return below("XDG_CONFIG_HOME", ".config/", "fish/config.fish");
    return below(NULL, "", ".bashrc");
}

/* What login shells of bash may read, the first that there is. */
static const char *const login_files[] = {".bash_profile", ".bash_login", ".profile", NULL};

bool profile_exists(const struct profile_shell *shell)
{
    char *path = path_of(shell);
    bool exists = access(path, F_OK) == 0;
    free(path);
    return exists;
}

/* ---- lines ---- */

static bool ends_with(const char *line, size_t len, const char *end)
{
    size_t tail = strlen(end);
    return len >= tail && !memcmp(line + len - tail, end, tail);
}

/* Appends the text without the line that is ours. Returns whether there was one; *ret_made: it made
 * the file. */
static bool take_out(const struct bytes *text, struct bytes *out, bool *ret_made)
{
    bool found = false;
    *ret_made = false;
    for (size_t at = 0, next; at < text->len; at = next) {
        const char *line = text->data + at, *feed = memchr(line, '\n', text->len - at);
        size_t len = feed ? (size_t)(feed - line) : text->len - at;
        next = at + len + (feed != NULL);
        bool made = ends_with(line, len, MARK_MADE);
        if (made || ends_with(line, len, MARK)) {
            found = true;
            *ret_made = *ret_made || made;
        } else {
            bytes_append(out, line, next - at);
        }
    }
    return found;
}

static int fail(const char *path, int error)
{
    return say_fail(EXIT_FAILED, "cannot change %s: %s; it is as it was", path, strerror(-error));
}

/* A profile that is too large to be one is left alone. */
static int read_profile(const char *path, struct bytes *text, bool *ret_exists)
{
    int result = file_read_regular(path, LIMIT_SETTINGS_BYTES, text);
    *ret_exists = result != -ENOENT;
    return result == -ENOENT ? 0 : result;
}

/* ---- writing it ---- */

static int save(const char *path, const struct bytes *text)
{
    char *directory = paths_parent(path);
    int result = file_make_directory(directory);
    free(directory);
    return result == 0 ? file_replace_kept(path, text->len ? text->data : "", text->len) : result;
}

static int write_line(const char *path, const char *line)
{
    struct bytes text = {0}, rest = {0}, wanted = {0};
    bool exists, made;
    int result = read_profile(path, &text, &exists);
    take_out(&text, &rest, &made);
    bytes_printf(&wanted, "%s%s\n", line, made || !exists ? MARK_MADE : MARK);
    bytes_append(&wanted, rest.data, rest.len);
    bool same = wanted.len == text.len && !memcmp(wanted.data, text.data, text.len);
    if (result == 0 && !same)
        result = save(path, &wanted);
    if (result == 0)
        printf(same ? "%s has it already.\n"
                    : "%s: every new terminal becomes a session. `ptyd disable shell` undoes it.\n",
               path);
    bytes_finish(&text);
    bytes_finish(&rest);
    bytes_finish(&wanted);
    return result == 0 ? EXIT_OK : fail(path, result);
}

/* The file that login shells read, where it does not read .bashrc: where there is none they read
 * nothing, and .profile, the last of them, stands in no other's way. New string or NULL. */
static char *login_file(void)
{
    char *path = NULL;
    for (const char *const *file = login_files; *file && !path; file++) {
        path = below(NULL, "", *file);
        if (access(path, F_OK) < 0) {
            free(path);
            path = NULL;
        }
    }
    if (!path)
        return below(NULL, "", ".profile");
    struct bytes text = {0};
    bool exists, reads = read_profile(path, &text, &exists) < 0 ||
                         memmem(text.data, text.len, "bashrc", strlen("bashrc"));
    bytes_finish(&text);
    if (!reads)
        return path;
    free(path);
    return NULL;
}

int profile_enable(const struct profile_shell *shell)
{
    char *path = path_of(shell);
    char *login = strcmp(shell->name, "bash") ? NULL : login_file();
    int status = write_line(path, shell->line);
    if (status == EXIT_OK && login)
        status = write_line(login, shell->line);
    free(path);
    free(login);
    return status;
}

/* ---- undoing it ---- */

/* Adds to *found where the line was there. */
static int remove_line(const char *path, int *found)
{
    struct bytes text = {0}, rest = {0};
    bool exists, made = false;
    int result = read_profile(path, &text, &exists);
    if (result == 0 && take_out(&text, &rest, &made)) {
        ++*found;
        if (made && !rest.len)
            result = unlink(path) < 0 && errno != ENOENT ? -errno : 0;
        else
            result = save(path, &rest);
        if (result == 0)
            printf("%s is as it was: new terminals are no sessions.\n", path);
    }
    bytes_finish(&text);
    bytes_finish(&rest);
    return result == 0 ? EXIT_OK : fail(path, result);
}

int profile_disable(void)
{
    int found = 0, status = EXIT_OK;
    for (const struct profile_shell *s = profile_shells; s->name; s++) {
        char *path = path_of(s);
        status = remove_line(path, &found) == EXIT_OK ? status : EXIT_FAILED;
        free(path);
    }
    for (const char *const *file = login_files; *file; file++) {
        char *path = below(NULL, "", *file);
        status = remove_line(path, &found) == EXIT_OK ? status : EXIT_FAILED;
        free(path);
    }
    if (!found && status == EXIT_OK)
        puts("No profile has a line of ptyd's.");
    return status;
}
