#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/client/dialog.h"
#include "ptyd/client/steps.h"
#include "ptyd/command/show.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define SHOWN_ROWS 10 /* of the screen, where a step fails */

static const char help[] =
    "usage: ptyd script [-s NAME] [--json] FILE\n\n"
    "Does the steps in FILE (- is stdin), one a line, and says which one failed and what the "
    "screen\n"
    "showed then. What is printed is looked at once: each step goes on behind what the one before\n"
    "found, from the begin of the script on.\n\n"
    "  send TEXT                   types it, without an Enter\n"
    "  key NAME...                 keys as those of `ptyd send`: key Enter, key C-c Up\n"
    "  paste TEXT                  types it as a paste\n"
    "  expect [--regex] TEXT       it is printed\n"
    "  expect-screen [--regex] TEXT   it stands on the screen\n"
    "  wait --prompt               the shell takes a line\n"
    "  wait --exit                 the command ends, and with 0\n"
    "  wait --idle MS, --change, --settled MS   as those of `ptyd wait`\n"
    "  set timeout S               of the steps behind it (10 s)\n\n"
    "Each that waits takes --timeout S in front of its TEXT. Words stand between blanks: 'a b' is "
    "one\n"
    "as it stands, \"a b\" knows \\n \\r \\t \\e \\\\ \\\" \\xHH. What follows # is a comment.\n\n"
    "status: 0 all done; 1 a step failed; 2 FILE does not parse\n\n"
    "example:\n"
    "  printf '%s\\n' 'send python3' 'key Enter' 'expect >>>' 'send 6*7' 'key Enter' 'expect 42' "
    "|\n"
    "      ptyd script -s work -\n";

/* A script at work. */
struct script {
    struct dialog dialog;
    const char *file;
    uint64_t cursor; /* behind what was found */
    uint64_t typed;  /* where the stream stood when something was typed last; 0 for never */
    json_t *done;    /* what is said of each step */
};

/* ---- a step ---- */

/* A prompt or an end that came before something was typed is none that came of it. */
static uint64_t cursor_for(const struct script *s, const struct step *step)
{
    if (step->what.kind == WAIT_PROMPT)
        return s->typed;
    return step->what.kind == WAIT_EXIT && s->typed > s->cursor ? s->typed : s->cursor;
}

/* NULL when it went well, else what is wrong (new string). */
static char *why_not(const struct step *step, const struct waiting_result *result)
{
    switch (result->end) {
    case WAITING_MET:
        if (step->what.kind != WAIT_EXIT || waiting_status(result) == 0)
            return NULL;
        return json_is_integer(json_object_get(result->block, "exit_code"))
                   ? text_format("the command ended with %d", waiting_status(result))
                   : text_copy("the command ended, and its status is not known");
    case WAITING_LATE:
        return text_format("not so within %g s", step->timeout);
    case WAITING_OVER:
        return text_copy("the session ended before");
    case WAITING_LIMIT:
        return text_copy("the pattern takes too long on what was printed");
    case WAITING_NOTHING:
        return text_copy("no command runs");
    default:
        return text_copy("the daemon is gone, or refuses");
    }
}

static char *wait_step(struct script *s, const struct step *step, struct waiting_result *ret_result)
{
    bool failed = dialog_look(&s->dialog) < 0;
    json_t *before = failed ? NULL : waiting_begin(&s->dialog, &step->what, &failed);
    *ret_result = (struct waiting_result){.end = WAITING_LOST};
    if (!failed)
        *ret_result =
            waiting_wait(&s->dialog, &step->what, cursor_for(s, step), before, s->dialog.until);
    json_decref(before);
    if (ret_result->end == WAITING_MET && ret_result->cursor > s->cursor)
        s->cursor = ret_result->cursor;
    return why_not(step, ret_result);
}

static char *type_step(struct script *s, const struct step *step)
{
    int status = dialog_look(&s->dialog) < 0 ? EXIT_FAILED : EXIT_OK;
    if (status == EXIT_OK)
        status = dialog_type(&s->dialog, keystrokes_bytes(&step->keys, &s->dialog.modes),
                             step->timeout, &s->typed);
    return status == EXIT_OK ? NULL : text_copy("it was not typed");
}

static bool do_step(struct script *s, const struct step *step)
{
    struct waiting_result result = {0};
    int64_t begun = clock_monotonic_ms();
    s->dialog.until = begun + (int64_t)(step->timeout * 1000);
    char *wrong = step->what.kind == WAIT_NONE ? type_step(s, step) : wait_step(s, step, &result);
    s->dialog.until = -1;
    json_t *said = json_pack("{s:i, s:s, s:b, s:I, s:I}", "line", step->line, "step", step->source,
                             "ok", !wrong, "ms", (json_int_t)(clock_monotonic_ms() - begun),
                             "cursor", (json_int_t)s->cursor);
    if (result.matched)
        json_object_set_new(said, "matched", json_string(result.matched));
    if (wrong)
        json_object_set_new(said, "why", json_string(wrong));
    json_array_append_new(s->done, said);
    if (wrong)
        say("%s:%d: %s: %s", s->file, step->line, step->source, wrong);
    waiting_result_finish(&result);
    bool ok = !wrong;
    free(wrong);
    return ok;
}

/* ---- the report ---- */

/* The last rows that show something. */
static json_t *last_rows(struct script *s)
{
    json_t *screen = NULL, *shown = json_array(), *rows;
    int64_t until = clock_monotonic_ms() + LIMIT_ANSWER_MS;
    dialog_ask(&s->dialog, "session.screen", json_object(), until, &screen);
    rows = json_object_get(screen, "rows");
    size_t end = json_array_size(rows);
    while (end && !*json_string_value(json_array_get(rows, end - 1)))
        end--;
    for (size_t i = end > SHOWN_ROWS ? end - SHOWN_ROWS : 0; i < end; i++)
        json_array_append(shown, json_array_get(rows, i));
    json_decref(screen);
    return shown;
}

static void show_rows(const json_t *rows)
{
    struct bytes text = {0};
    size_t i;
    json_t *row;
    bytes_append_text(&text, "the screen's last lines:\n");
    json_array_foreach(rows, i, row) {
        bytes_append_text(&text, "| ");
        show_clean(json_string_value(row), json_string_length(row), &text);
        bytes_append_char(&text, '\n');
    }
    fputs(text.data, stderr);
    bytes_finish(&text);
}

static int report(struct script *s, bool ok)
{
    json_t *rows = ok ? json_null() : last_rows(s);
    if (!ok)
        show_rows(rows);
    int status = ok ? EXIT_OK : EXIT_FAILED;
    if (s->dialog.cli->json &&
        cli_print_json(json_pack("{s:b, s:O, s:I, s:O}", "ok", ok, "steps", s->done, "cursor",
                                 (json_int_t)s->cursor, "screen", rows)) != EXIT_OK)
        status = EXIT_FAILED;
    json_decref(rows);
    return status;
}

static int run_steps(const struct cli *cli, const char *file, const struct steps *steps)
{
    struct script s = {.file = file, .done = json_array()};
    int status = EXIT_FAILED;
    if (dialog_open(&s.dialog, cli, LIMIT_START_MS) == 0 && dialog_look(&s.dialog) == 0) {
        bool ok = true;
        s.cursor = s.dialog.now;
        for (size_t i = 0; i < steps->count && ok; i++)
            ok = do_step(&s, &steps->steps[i]);
        status = report(&s, ok);
    }
    dialog_close(&s.dialog);
    json_decref(s.done);
    return status;
}

/* ---- the file ---- */

static bool is_blank(char c)
{
    return c == '\n' || c == '\r' || c == '\t';
}

static void read_script(const char *file, struct bytes *text)
{
    int result = file_read(strcmp(file, "-") ? file : "/dev/stdin", LIMIT_STEPS_BYTES + 1, text);
    if (result < 0)
        cli_usage("%s cannot be read: %s", file, strerror(-result));
    if (text->len > LIMIT_STEPS_BYTES)
        cli_usage("%s is longer than %d bytes", file, LIMIT_STEPS_BYTES);
    if (!utf8_valid(text->data ? text->data : "", text->len))
        cli_usage("%s is no text in UTF-8", file);
    for (size_t i = 0; i < text->len; i++)
        if ((unsigned char)text->data[i] < 0x20 && !is_blank(text->data[i]))
            cli_usage("%s holds control characters: \"\\e\" and \"\\x03\" write them", file);
}

int command_script(int argc, char **argv)
{
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    struct bytes text = {0};
    struct steps steps = {0};
    char *error = NULL;
    if (optind >= argc)
        cli_usage("which FILE of steps? - is stdin");
    const char *file = argv[optind++];
    cli_no_more(&cli, argc, argv);
    read_script(file, &text);
    int line = steps_parse(text.data ? text.data : "", &steps, &error);
    int status =
        line ? say_fail(EXIT_USAGE, "%s:%d: %s", file, line, error) : run_steps(&cli, file, &steps);
    free(error);
    steps_finish(&steps);
    bytes_finish(&text);
    return status;
}
