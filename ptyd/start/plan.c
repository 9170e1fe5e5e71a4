#define _GNU_SOURCE
#include "ptyd/start/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"
#include "ptyd/start/scripts.h"

/* One shell that we have a script for. */
struct dialect {
    const char *name;
    int (*plan)(const struct plan_request *q, struct plan *plan);
};

const char *plan_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void make_nonce(char nonce[MARK_NONCE_LEN + 1])
{
    unsigned char random[MARK_NONCE_LEN / 2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        abort();
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(nonce + 2 * i, 3, "%02x", random[i]);
}

static char **list_of(const char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **list = memory_new((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = text_copy(words[i]);
    return list;
}

/* Appends a word in single quotes; `quote` is how the shell spells one inside. */
static void append_quoted(struct bytes *out, const char *word, const char *quote)
{
    bytes_append_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            bytes_append_text(out, quote);
        else if (*word == '\\' && quote[0] == '\\')
            bytes_append_text(out, "\\\\");
        else
            bytes_append_char(out, *word);
    bytes_append_char(out, '\'');
}

/* Puts a variable back to what the client has. */
static void append_restored(struct bytes *out, const struct plan_request *q, const char *name)
{
    const char *value = json_text(q->env, name, NULL);
    bytes_printf(out, value ? "%s=" : "unset %s", name);
    if (value)
        append_quoted(out, value, "'\\''");
    bytes_append_text(out, "\n");
}

/* One mark with its length, in this unit (mark.h), as $'...' has it. */
static void append_mark(struct bytes *out, const char *nonce, char unit, const char *payload)
{
    bytes_printf(out, "\\e]7711;%s;%s;%c%04zu;%s\\a", nonce, payload, unit, strlen(payload), nonce);
}

/* A function that says that the shell's variables are gone (`unset -m`), which it does without one:
 * its numbers are the highest, none comes behind them. */
static void append_gone(struct bytes *out, const char *nonce, char unit, const char *print)
{
    bytes_printf(out, "__ptyd_gone() { builtin %s $'", print);
    append_mark(out, nonce, unit, "999999999999999998;A");
    append_mark(out, nonce, unit, "999999999999999999;P;lost=its variables were unset");
    bytes_append_text(out, "' >|/dev/tty; }\n");
}

/* ---- each shell ---- */

static char *history_path(const char *runtime, const char *shell_id)
{
    return text_format("%s/%s.bash", runtime, shell_id);
}

static bool has_option(const char *options, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = options; (at = strstr(at, name)); at += len)
        if ((at == options || at[-1] == ':') && (!at[len] || at[len] == ':'))
            return true;
    return false;
}

/* Whether bash begins in POSIX mode, where it reads the file that ENV names, and no other. */
static bool begins_posix(const json_t *env)
{
    return json_text(env, "POSIXLY_CORRECT", NULL) || json_text(env, "POSIX_PEDANTIC", NULL) ||
           has_option(json_text(env, "SHELLOPTS", ""), "posix");
}

/* bash reads its rc file from descriptor 3: script and nonce are nowhere else. Behind each command
 * it writes that into a private file and reads it back; where none can be made (no inodes) it does
 * without. */
static int plan_bash(const struct plan_request *q, struct plan *plan)
{
    char *file = history_path(q->runtime, q->shell_id);
    plan->argv = list_of((const char *const[]){"bash", "--rcfile", "/dev/fd/3", NULL});
    bytes_printf(&plan->script,
                 "unset __ptyd_v; __ptyd_v=(%s); __ptyd_v[5]=%d; __ptyd_v[15]=", plan->nonce,
                 q->login);
    append_quoted(&plan->script, file, "'\\''");
    bytes_append_text(&plan->script, "\n");
    if (begins_posix(q->env)) {
        plan->variable = text_copy("ENV=/dev/fd/3");
        append_restored(&plan->script, q, "ENV");
    }
    /* SHELLOPTS=allexport would export functions, and the nonce in one. */
    bytes_append_text(&plan->script, "[[ ! -o allexport ]] || __ptyd_v[12]=a; builtin set +a\n");
    append_gone(&plan->script, plan->nonce, '1', "printf %s");
    bytes_append(&plan->script, script_bash, script_bash_len);
    plan->file = file;
    return 0;
}

/* zsh has no option for it: its ZDOTDIR is a folder whose .zshenv, the same for all, reads
 * descriptor 3. The script puts ZDOTDIR back first. */
static int plan_zsh(const struct plan_request *q, struct plan *plan)
{
    static const char loader[] = "builtin source /dev/fd/3\n";
    char *folder = text_format("%s/zsh", q->runtime);
    char *file = text_format("%s/.zshenv", folder);
    int result = file_make_private_directory(folder);
    if (result == 0)
        result = file_replace(file, loader, strlen(loader));
    plan->variable = text_format("ZDOTDIR=%s", folder);
    plan->argv = list_of((const char *const[]){q->login ? "-zsh" : "zsh", NULL});
    bytes_printf(&plan->script,
                 "unset __ptyd_v; typeset -ga __ptyd_v; __ptyd_v=(%s 0 '' 0 0 '' 0 '' '' '')\n",
                 plan->nonce);
    append_gone(&plan->script, plan->nonce, '2', "print -rn --");
    append_restored(&plan->script, q, "ZDOTDIR");
    bytes_append(&plan->script, script_zsh, script_zsh_len);
    free(folder);
    free(file);
    return result;
}

static char *secret_path(const char *runtime, const char *shell_id)
{
    return text_format("%s/%s.fish", runtime, shell_id);
}

/* fish cannot close a descriptor it inherits: it reads a private file, which is removed at the
 * first mark. */
static int plan_fish(const struct plan_request *q, struct plan *plan)
{
    struct bytes text = {0}, source = {0};
    char *file = secret_path(q->runtime, q->shell_id);
    bytes_printf(&text, "set -gu __ptyd_nonce %s\n", plan->nonce);
    bytes_append(&text, script_fish, script_fish_len);
    bytes_append_text(&source, "builtin source ");
    append_quoted(&source, file, "\\'");
    plan->argv = list_of(
        (const char *const[]){q->login ? "-fish" : "fish", "--init-command", source.data, NULL});
    int result = file_replace(file, text.data, text.len);
    bytes_finish(&text);
    bytes_finish(&source);
    free(file);
    return result;
}

/* A POSIX shell reads the file that ENV names when it is interactive. */
static int plan_posix(const struct plan_request *q, struct plan *plan)
{
    const char *name = plan_base_name(q->shell);
    char *first = text_format("%s%s", q->login ? "-" : "", name);
    if (!strcmp(name, "busybox"))
        plan->argv = list_of((const char *const[]){"busybox", "sh", q->login ? "-l" : NULL, NULL});
    else
        plan->argv = list_of((const char *const[]){first, NULL});
    free(first);
    plan->variable = text_copy("ENV=/dev/fd/3");
    bytes_printf(&plan->script,
                 "unset __ptyd_n __ptyd_s __ptyd_a __ptyd_u __ptyd_b __ptyd_f; __ptyd_n=%s\n",
                 plan->nonce);
    append_restored(&plan->script, q, "ENV");
    bytes_append(&plan->script, script_posix, script_posix_len);
    return 0;
}

static const struct dialect dialects[] = {
    {"bash", plan_bash}, {"zsh", plan_zsh},  {"fish", plan_fish},     {"dash", plan_posix},
    {"ash", plan_posix}, {"sh", plan_posix}, {"busybox", plan_posix},
};

/* `sh` may be any shell: only those that the script knows count. */
static bool is_known_sh(const char *shell)
{
    char real[PATH_MAX];
    char *path = strchr(shell, '/') ? text_copy(shell) : text_format("/bin/%s", shell);
    bool found = realpath(path, real) != NULL;
    const char *name = found ? plan_base_name(real) : "";
    free(path);
    return !strcmp(name, "dash") || !strcmp(name, "busybox");
}

static const struct dialect *find(const char *shell)
{
    const char *name = plan_base_name(shell);
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (!strcmp(name, dialects[i].name))
            return strcmp(name, "sh") || is_known_sh(shell) ? &dialects[i] : NULL;
    return NULL;
}

/* ---- plans ---- */

static void plan_unknown(const struct plan_request *q, struct plan *plan)
{
    char *name = text_format("%s%s", q->login ? "-" : "", plan_base_name(q->shell));
    plan->argv = list_of((const char *const[]){name, NULL});
    free(name);
}

int plan_shell(const struct plan_request *request, struct plan *ret_plan)
{
    const struct dialect *dialect = find(request->shell);
    *ret_plan = (struct plan){.program = request->shell};
    bytes_append_text(&ret_plan->script, "");
    if (!dialect) {
        plan_unknown(request, ret_plan);
        return 0;
    }
    make_nonce(ret_plan->nonce);
    int result = file_make_private_directory(request->runtime);
    return result < 0 ? result : dialect->plan(request, ret_plan);
}

void plan_command(const json_t *argv, struct plan *ret_plan)
{
    size_t i;
    json_t *word;
    *ret_plan = (struct plan){0};
    bytes_append_text(&ret_plan->script, "");
    ret_plan->argv = memory_new((json_array_size(argv) + 1) * sizeof *ret_plan->argv);
    json_array_foreach(argv, i, word)
        ret_plan->argv[i] = text_copy(json_string_value(word));
    ret_plan->program = ret_plan->argv[0];
}

void plan_finish(struct plan *plan)
{
    for (size_t i = 0; plan->argv && plan->argv[i]; i++)
        free(plan->argv[i]);
    free(plan->argv);
    free(plan->variable);
    free(plan->file);
    bytes_finish(&plan->script);
}

static char *spare_path(const char *runtime)
{
    return text_format("%s/spare.bash", runtime);
}

void plan_make_spare(const char *runtime)
{
    char *path = spare_path(runtime);
    int fd = file_make_private_directory(runtime) < 0
                 ? -1
                 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    free(path);
}

static bool take_spare(const char *file)
{
    char *runtime = paths_parent(file), *path = spare_path(runtime);
    bool taken = renameat2(AT_FDCWD, path, AT_FDCWD, file, RENAME_NOREPLACE) == 0;
    free(runtime);
    free(path);
    return taken;
}

/* In place: the shell may have made it already, with a mode of its own. */
void plan_make_file(const char *file)
{
    if (take_spare(file))
        return;
    int fd = open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    bool stands = fd >= 0 || errno == EACCES;
    if (fd >= 0)
        close(fd);
    if (stands && chmod(file, 0600) < 0)
        errno = 0; /* the shell may find that it can use it */
}

static void remove_file(char *file)
{
    unlink(file);
    free(file);
}

void plan_remove_secret(const char *runtime, const char *shell_id)
{
    remove_file(secret_path(runtime, shell_id));
}

void plan_remove_spare(const char *runtime)
{
    remove_file(spare_path(runtime));
}

void plan_remove_files(const char *runtime, const char *shell_id)
{
    plan_remove_secret(runtime, shell_id);
    remove_file(history_path(runtime, shell_id));
}
