/* Without memory a worker's files are left whole: a session's store and log, and the ledger. */
#define _GNU_SOURCE
#include "ledger.h"
#include "torture.h"

#include <dirent.h>

#include "ptyd/core/lines.h"
#include "ptyd/session/rawlog.h"
#include "ptyd/session/store.h"

static void remove_all(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s/*", place);
    if (system(command) != 0)
        abort();
}

/* ---- what is left ---- */

static bool is_json(const char *path)
{
    json_error_t error;
    json_t *value = json_load_file(path, 0, &error);
    json_decref(value);
    return value;
}

/* Every line of it is JSON and has its end. */
static bool is_json_lines(const char *path)
{
    char line[1 << 16];
    FILE *file = fopen(path, "r");
    bool whole = file != NULL;
    while (whole && fgets(line, sizeof line, file)) {
        json_t *value = json_loads(line, 0, NULL);
        whole = value && strchr(line, '\n');
        json_decref(value);
    }
    if (file)
        fclose(file);
    return whole;
}

static bool ends_in(const char *name, const char *end)
{
    size_t len = strlen(name);
    return len > strlen(end) && !strcmp(name + len - strlen(end), end);
}

static bool is_folder_whole(const char *path)
{
    DIR *all = opendir(path);
    bool whole = true;
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char below[600];
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (*entry->d_name == '.')
            continue;
        if (entry->d_type == DT_DIR)
            whole = is_folder_whole(below) && whole;
        else if (ends_in(entry->d_name, ".json"))
            whole = is_json(below) && whole;
        else if (ends_in(entry->d_name, ".jsonl"))
            whole = is_json_lines(below) && whole;
    }
    if (all)
        closedir(all);
    return whole;
}

static bool is_whole(void)
{
    return is_folder_whole(place);
}

/* ---- a session's files ---- */

static const struct terminal_events terminal_events;

static void store_commands(struct store *store, struct terminal *terminal, int count)
{
    for (int i = 1; i <= count; i++) {
        struct block *block = block_create();
        free(block->conversation_id);
        free(block->cmd);
        block->conversation_id = text_copy("s");
        block->cmd = text_format("echo %d", i);
        block->seq = store_last_ended(store) + 1;
        block->ts_begin = 1000 + i;
        store_begin(store, block);
        store_output(store, "some output\n", 12);
        store_flush(store, block, 1000 * i);
        block->ts_end = 2000 + i;
        block_set_exit(block, i);
        store_end(store, block, terminal);
        block_unref(block);
        store_screen_delta(store, json_pack("{s:i}", "ts", i));
    }
}

static void owe_nothing(void *user)
{
    (void)user;
}

static void tell_store(void)
{
    struct terminal *terminal = terminal_create(
        &(struct terminal_options){.cols = 80, .rows = 24, .events = &terminal_events});
    for (int i = 0; i < 2; i++) {
        struct store *store =
            store_open(place, "s", &(struct store_host){.owing = owe_nothing, .slate = -1});
        store_shell(store, "shell_1");
        store_size(store, 80, 24, 1);
        store_commands(store, terminal, 3);
        json_object_set_new(store_meta(store), "more", json_integer(i));
        store_save_meta(store);
        json_decref(store_blocks(store, 2, true));
        json_decref(store_block(store, 1));
        store_close(store);
    }
    terminal_destroy(terminal);
}

static void tell_log(void)
{
    struct aside aside = {0};
    struct rawlog *log = rawlog_open(place, &aside);
    size_t count;
    for (uint32_t i = 0; i < 300; i++) {
        char bytes[100] = "bytes of a session";
        rawlog_record(log, RAWLOG_MARK, rawlog_end(log), (struct moment){i, i}, 0, i);
        rawlog_write(log, rawlog_end(log), bytes, sizeof bytes);
        rawlog_flush(log);
    }
    struct rawlog_record *records = rawlog_records(log, &count);
    rawlog_cut(log, records, count, 5000);
    free(records);
    rawlog_close(log);
    aside_finish(&aside);
}

/* ---- the ledger ---- */

static void tell_ledger(void)
{
    set_up(NULL);
    run_many("a", 12);
    json_int_t lease = take("codex:t");
    run_in("b", "make", "/src");
    restart();
    commit(lease);
    give_back(take("codex:t"));
    take_by((struct ledger_request){.consumer = "codex:t", .format = LEDGER_ENVELOPE});
    turn("claude:s", "turn-1");
    fork_thread("claude:s", "claude:t", "turn-1", NULL);
    ledger_set_injection(ledger, "t", false);
    ledger_clear(ledger, NULL);
    keep_changed();
    ledger_destroy(ledger);
    json_decref(answer);
    json_decref(disk);
}

int main(void)
{
    static const struct torture stories[] = {
        {.name = "a session's store", .tell = tell_store},
        {.name = "a session's log", .tell = tell_log},
        {.name = "the ledger", .tell = tell_ledger},
    };
    conf_usual(); /* which stays */
    torture_begin();
    if (!mkdtemp(place))
        return 1;
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++) {
        struct torture story = stories[i];
        story.of_program = true;
        story.prepare = remove_all;
        story.is_whole = is_whole;
        torture_tell(&story);
    }
    remove_all();
    rmdir(place);
    return torture_end();
}
