/* Every form in which models read blocks, over hostile and random values in every field: what an
 * own reader of each (nothing of envelope/'s, and no library's) finds in it is what was given,
 * without what must not pass; no line of the text can be taken for one of ours that is none.
 *
 * FORMS=1000000 for more; `make check-forms` does that. */
#include "hostile_values.h"
#include "reader.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "envelope/entry.h"
#include "ptyd/core/block.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/told_rows.h"
#include "ptyd/mcp/mcp.h"

#define SHORT_HOST 16 /* of a host's name: nothing of it is cut, however it is escaped */

/* ---- values ---- */

/* The fields whose values are not ours. */
struct fields {
    char cmd[MOST], cwd[MOST], after[MOST], path[MOST], preview[MOST], name[MOST], host[MOST];
};

/* A preview is lines; the shell's command has no line end at its end. */
static void settle(struct fields *f)
{
    size_t len = strlen(f->preview);
    if (len && f->preview[len - 1] != '\n')
        strcpy(f->preview + len, "\n");
    for (len = strlen(f->cmd); len && f->cmd[len - 1] == '\n'; len--)
        f->cmd[len - 1] = '\0';
}

/* ---- JSON ---- */

static void assert_same(const char *what, const char *found, const char *value, enum sanitised how)
{
    char *wanted = sanitise(value, how);
    if (strcmp(found, wanted) != 0)
        fail_msg("%s is '%s', not '%s'", what, found, wanted);
    free(wanted);
}

static void assert_lines(const struct found *f, const char *preview, enum sanitised how)
{
    size_t i = 0;
    char line[MOST];
    for (; *preview; i++, preview += strcspn(preview, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(preview, "\n"), preview);
        assert_true(i < f->line_count);
        assert_same("a line", f->lines[i], line, how);
    }
    assert_int_equal(f->line_count, i);
}

static void check_entries(const struct fields *v, bool apart)
{
    struct entry_block block = {.block_id = v->name,
                                .shell_id = v->name,
                                .cmd = v->cmd,
                                .cwd = v->cwd,
                                .cwd_after = v->after,
                                .status = "killed",
                                .type = "agent_cmd",
                                .signal = "SIGTERM",
                                .output_path = v->path,
                                .preview = v->preview,
                                .truncated = true,
                                .omitted_lines = 3,
                                .host = v->host};
    struct entry_shape shape = {.room = LIMIT_ENTRY_BYTES, .apart = apart};
    struct bytes out = {0}, output = {0};
    struct found f, o;
    entry_render_shaped(&block, "", &shape, &out, &output);
    assert_true(out.len + output.len <= LIMIT_ENTRY_BYTES);
    read_json(out.data, &f);
    if (out.len + output.len < LIMIT_ENTRY_BYTES / 2) { /* nothing had to go */
        assert_same("cmd", member(&f, "cmd"), v->cmd, VALID);
        assert_same("cwd", member(&f, "cwd"), v->cwd, VALID);
        assert_same("cwd_after", member(&f, "cwd_after"), strcmp(v->cwd, v->after) ? v->after : "",
                    VALID);
        assert_same("output_path", member(&f, "output_path"), v->path, VALID);
        if (strlen(v->host) <= SHORT_HOST)
            assert_same("host", member(&f, "host"), v->host, VALID);
        if (!apart)
            assert_lines(&f, v->preview, VALID);
        if (output.len) {
            read_json(output.data, &o);
            assert_lines(&o, v->preview, VALID);
            found_finish(&o);
        }
    }
    found_finish(&f);
    bytes_finish(&out);
    bytes_finish(&output);
}

static void check_header(const struct fields *v)
{
    struct entry_running running = {.cmd = v->cmd, .cwd = v->after, .preview = v->preview};
    const char *const hosts[] = {v->host, v->name};
    struct entry_header header = {.conversation_id = v->name,
                                  .shell_id = v->path,
                                  .cwd = v->cwd,
                                  .running = &running,
                                  .hosts = hosts,
                                  .host_count = 2};
    struct bytes out = {0};
    struct found f;
    entry_render_header(&header, &out);
    read_json(out.data, &f);
    assert_same("conversation_id", member(&f, "conversation_id"), v->name, VALID);
    assert_same("shell_id", member(&f, "shell_id"), v->path, VALID);
    assert_int_equal(f.host_count, 2);
    if (strlen(v->host) <= SHORT_HOST)
        assert_same("a host", f.hosts[0], v->host, VALID);
    if (out.len < LIMIT_ENTRY_BYTES / 2) {
        assert_same("cwd", member(&f, "cwd"), v->cwd, VALID);
        assert_same("running.cmd", member(&f, "running.cmd"), v->cmd, VALID);
        assert_same("running.cwd", member(&f, "running.cwd"), v->after, VALID);
        assert_lines(&f, v->preview, VALID);
    }
    found_finish(&f);
    bytes_finish(&out);
}

/* ---- text ---- */

/* The next line of a text; NULL behind the last one. */
static char *take_line(char **text)
{
    return *text && **text ? strsep(text, "\n") : NULL;
}

/* A name: as it is up to `end`, or quoted. New string; *ret_rest is behind it. */
static char *read_name(const char *at, const char *end, bool *ret_quoted, const char **ret_rest)
{
    *ret_quoted = *at == '"';
    if (*ret_quoted) {
        json = at;
        char *name = read_string();
        *ret_rest = json;
        return name;
    }
    const char *to = strstr(at, end);
    *ret_rest = to && *end ? to : at + strlen(at);
    return strndup(at, (size_t)(*ret_rest - at));
}

static void assert_name(const char *found, bool quoted, const char *value, enum sanitised how)
{
    assert_same("a name", found, value, quoted ? VALID : how);
}

/* ` on NAME`: a plain word or quoted. Returns what is behind it. */
static const char *read_host(const char *at, const char *host, enum sanitised how)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const char *rest;
    bool quoted;
    if (!*host)
        return at;
    assert_memory_equal(at, " on ", 4);
    at += 4;
    if (*at != '"') {
        size_t len = strspn(at, plain);
        assert_int_equal(len, strlen(host));
        assert_memory_equal(at, host, len);
        return at + len;
    }
    char *name = read_name(at, "", &quoted, &rest);
    if (strlen(host) <= SHORT_HOST)
        assert_name(name, quoted, host, how);
    free(name);
    return rest;
}

/* Reads one block, which is all that the text holds, by the grammar that is documented. */
static void check_text_block(char *text, const struct fields *v, const char *directory, bool served,
                             enum sanitised how)
{
    struct bytes cmd = {0}, path = {0};
    struct found f = {0};
    const char *rest;
    bool quoted;
    char *line = take_line(&text);
    assert_memory_equal(line, "Commands from the user's own terminal since", 43);
    assert_string_equal(take_line(&text), "");
    line = take_line(&text);
    assert_memory_equal(line, "$ ", 2);
    bytes_append_text(&cmd, line + 2);
    while ((line = take_line(&text)) && !strncmp(line, "> ", 2))
        bytes_printf(&cmd, "\n%s", line + 2);
    assert_same("the command", cmd.data, v->cmd, how);
    assert_memory_equal(line, "exit 3 after 1.2 s", 18);
    rest = read_host(line + 18, v->host, how);
    if (*v->cwd) {
        assert_memory_equal(rest, " in ", 4);
        char *cwd = read_name(rest + 4, ", last ", &quoted, &rest);
        assert_name(cwd, quoted, v->cwd, how);
        free(cwd);
    }
    assert_memory_equal(rest, ", last ", 7);
    assert_null(strchr(rest + 7, ','));
    while ((line = take_line(&text)) && !strncmp(line, "| ", 2))
        f.lines[f.line_count++] = strdup(line + 2);
    assert_lines(&f, v->preview, how);
    if (*v->path) {
        assert_memory_equal(line, "(whole output: ", 15);
        char *name = read_name(line + 15, "", &quoted, &rest);
        size_t len = strlen(name);
        if (!quoted) {
            assert_int_equal(name[len - 1], ')');
            name[len - 1] = '\0';
        } else {
            assert_string_equal(rest, ")");
        }
        bytes_printf(&path, "%s/%s", directory, v->path);
        assert_name(name, quoted, path.data, how);
        free(name);
        line = take_line(&text);
        assert_string_equal(line, served ? "(the rest: block_output, block_id default:1:0)"
                                         : "(the rest: ptyd block default:1:0)");
        line = take_line(&text);
    }
    if (line)
        fail_msg("a line that is none of ours: %s", line);
    found_finish(&f);
    bytes_finish(&cmd);
    bytes_finish(&path);
}

static void check_text(const struct fields *v, bool tagged)
{
    struct block block = {.conversation_id = (char *)"default",
                          .shell_id = (char *)"s",
                          .seq = 1,
                          .cmd = (char *)v->cmd,
                          .cwd = (char *)v->cwd,
                          .cwd_after = (char *)v->after,
                          .preview = (char *)v->preview,
                          .output_path = (char *)v->path,
                          .has_exit_code = true,
                          .exit_code = 3,
                          .duration_ms = 1234,
                          .omitted_lines = 7,
                          .status = BLOCK_COMPLETED,
                          .host = (char *)v->host,
                          .host_id = (char *)""};
    const struct block *blocks[] = {&block};
    char directory[MOST + 2];
    const char *directories[] = {directory};
    struct bytes out = {0};
    snprintf(directory, sizeof directory, "/%s", v->after);
    deliver_text(&(struct deliver_text){.blocks = blocks,
                                        .count = 1,
                                        .directories = directories,
                                        .served = &tagged,
                                        .tagged = tagged},
                 LIMIT_HOOK_BYTES, &out);
    check_raw(out.data, out.len, !tagged, true);
    check_text_block(out.data, v, directory, tagged, tagged ? TAGGED : OPEN);
    bytes_finish(&out);
}

/* Lines of a text that begin like that. */
static size_t count_lines(const char *text, const char *with)
{
    size_t count = 0;
    for (; text; text = strchr(text, '\n'), text += text != NULL)
        count += !strncmp(text, with, strlen(with));
    return count;
}

/* Several blocks, one that still runs, others left out: of what begins with a word of ours there is
 * as much as there are blocks, and nothing else but what stands behind `$ `, `> ` and `| `. */
static void check_several(const struct fields *v, bool tagged)
{
    static const char *const ours[] = {"Commands from the user's own terminal",
                                       "(2 earlier ones are left out.)",
                                       "exit 3 after 1.2 s",
                                       "still running",
                                       "(whole output: ",
                                       "(the rest: "};
    static const size_t wanted[] = {1, 1, 2, 1, 2, 2};
    struct block one = {.conversation_id = (char *)"default",
                        .shell_id = (char *)"s",
                        .cmd = (char *)v->cmd,
                        .cwd = (char *)v->cwd,
                        .cwd_after = (char *)v->after,
                        .preview = (char *)v->preview,
                        .output_path = (char *)"1.out",
                        .has_exit_code = true,
                        .exit_code = 3,
                        .duration_ms = 1234,
                        .omitted_lines = 7,
                        .cmd_source = BLOCK_FROM_UNKNOWN,
                        .status = BLOCK_COMPLETED,
                        .host = (char *)v->host,
                        .host_id = (char *)""};
    struct block running = one;
    const struct block *blocks[] = {&one, &one};
    const char *directories[] = {v->path, "/x"};
    struct bytes out = {0};
    size_t lines = 0, known = 0;
    running.status = BLOCK_RUNNING;
    running.has_exit_code = false;
    deliver_text(&(struct deliver_text){.blocks = blocks,
                                        .count = 2,
                                        .dropped = 2,
                                        .running = &running,
                                        .directories = directories,
                                        .tagged = tagged},
                 LIMIT_HOOK_BYTES, &out);
    check_raw(out.data, out.len, !tagged, true);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        size_t expected = i >= 4 && !*v->path ? 1 : wanted[i];
        size_t found = count_lines(out.data, ours[i]);
        if (found != expected)
            fail_msg("%zu lines begin with '%s': %s", found, ours[i], out.data);
        known += found;
    }
    for (const char *line = out.data; *line; line += strcspn(line, "\n") + 1)
        lines += *line != '\n' && strncmp(line, "> ", 2) != 0 && strncmp(line, "| ", 2) != 0;
    assert_int_equal(lines, known + 3); /* and `$ ` of each */
    assert_int_equal(count_lines(out.data, "$ "), 3);
    bytes_finish(&out);
}

/* ---- the legacy envelope ---- */

static void check_envelope(const struct fields *v)
{
    struct block block = {.conversation_id = (char *)v->name,
                          .cmd = (char *)v->cmd,
                          .cwd = (char *)v->cwd,
                          .preview = (char *)v->preview,
                          .host = (char *)v->host,
                          .host_id = (char *)v->name};
    const struct block *blocks[] = {&block};
    struct deliver_header header = {.conversation_id = "default", .shell_id = "s", .total = 1};
    struct bytes out = {0};
    deliver_envelope(blocks, 1, &header, &out);
    for (size_t i = 0; i < out.len; i++)
        if (out.data[i] < 0x20 || out.data[i] > 0x7e)
            fail_msg("byte %02x passed", (unsigned char)out.data[i]);
    bytes_finish(&out);
}

/* ---- what an agent's tools answer: rows, and a title ---- */

static void check_rows(const struct fields *v)
{
    const char *const texts[] = {v->cmd, v->cwd, v->preview, v->name};
    struct told_row *rows = calloc(4, sizeof *rows);
    struct bytes told[4] = {0}, title = {0};
    assert_non_null(rows);
    for (size_t i = 0; i < 4; i++)
        bytes_append_text(&rows[i].text, texts[i]);
    rows[1].goes_on = rows[2].full = true;
    int found = told_rows_clean(rows, 4, 0, 4, NULL, TOLD_TO_AGENTS, told);
    for (size_t i = 0; i < 4; i++) {
        check_raw(told[i].data, told[i].len, true, true);
        if (!found)
            assert_same("a row", told[i].data, texts[i], OPEN);
        bytes_finish(&told[i]);
    }
    if (!told_text(v->name, NULL, &title))
        assert_same("the title", title.data, v->name, OPEN);
    check_raw(title.data, title.len, true, true);
    bytes_finish(&title);
    told_rows_finish(rows, 4);
}

/* ---- what an agent's tools answer: all else ---- */

/* What cannot be seen is written out. New string. */
static char *visible(const char *value)
{
    struct bytes out = {0};
    size_t len = strlen(value), n;
    bytes_append_text(&out, "");
    for (size_t i = 0; i < len; i += n) {
        long code = character(value + i, len - i, &n);
        if (must_not_pass((unsigned long)code) && code != '\n' && code != '\t')
            bytes_printf(&out, "\\u{%lx}", code);
        else
            put((unsigned long)code, &out);
    }
    return out.data;
}

/* In a member, in one of an object within, in an array. */
static void check_answer(const struct fields *v)
{
    const char *const names[] = {"cmd", "cwd", "preview", "host", "title", "b.path"};
    const char *const values[] = {v->cmd, v->cwd, v->preview, v->host, v->name, v->path};
    char *valid[6];
    struct found f = {0};
    for (size_t i = 0; i < 6; i++)
        valid[i] = sanitise(values[i], VALID);
    json_t *shown = call_visible(json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:{s:s}, s:[s]}", "cmd", valid[0], "cwd", valid[1], "preview",
        valid[2], "host", valid[3], "title", valid[4], "b", "path", valid[5], "lines", valid[0]));
    char *text = json_dumps(shown, JSON_COMPACT);
    assert_non_null(text);
    check_raw(text, strlen(text), true, false);
    json = text;
    read_object(&f, "");
    assert_int_equal(*json, '\0');
    for (size_t i = 0; i < 6; i++) {
        char *wanted = visible(valid[i]);
        assert_string_equal(member(&f, names[i]), wanted);
        if (i == 0)
            assert_string_equal(f.lines[0], wanted);
        free(wanted);
        free(valid[i]);
    }
    found_finish(&f);
    free(text);
    json_decref(shown);
}

/* A secret in any three rows, at any place: gone, and nothing else of them. */
static void a_secret_is_found_over_rows(void **state)
{
    char token[48] = "gh";
    (void)state;
    strcat(token, "p_aB3dE5gH7jK9mN1pQ3sT5vW7xZ9bC1dE3fG5");
    for (size_t one = 1; one < 39; one++)
        for (size_t two = one; two < 39; two++)
            for (int how = 0; how < 2; how++) {
                struct told_row *rows = calloc(5, sizeof *rows);
                struct bytes told[5] = {0}, all = {0};
                assert_non_null(rows);
                bytes_append_text(&rows[0].text, "first");
                bytes_printf(&rows[1].text, "a %.*s", (int)one, token);
                bytes_append(&rows[2].text, token + one, two - one);
                bytes_printf(&rows[3].text, "%s b", token + two);
                bytes_append_text(&rows[4].text, "last");
                rows[2].goes_on = rows[3].goes_on = !how;
                rows[1].full = rows[2].full = how;
                assert_true(told_rows_clean(rows, 5, 0, 5, NULL, TOLD_TO_AGENTS, told) >= 1);
                for (size_t i = 0; i < 5; i++) {
                    bytes_append_text(&all, told[i].data);
                    bytes_finish(&told[i]);
                }
                assert_memory_equal(all.data, "firsta [redacted:", 17);
                assert_string_equal(strchr(all.data, ']'), "] blast");
                bytes_finish(&all);
                told_rows_finish(rows, 5);
            }
}

/* ---- tests ---- */

static void check_forms(const struct fields *v)
{
    check_entries(v, false);
    check_entries(v, true);
    check_header(v);
    check_text(v, false);
    check_text(v, true);
    check_several(v, false);
    check_several(v, true);
    check_rows(v);
    check_answer(v);
    if (utf8_valid(v->cmd, strlen(v->cmd)) && utf8_valid(v->preview, strlen(v->preview)) &&
        utf8_valid(v->cwd, strlen(v->cwd)) && utf8_valid(v->name, strlen(v->name)) &&
        utf8_valid(v->host, strlen(v->host)))
        check_envelope(v); /* its blocks are text that was checked when it was read */
}

static void all_that_unicode_ignores_is_hidden(void **state)
{
    (void)state;
    for (unsigned long code = 0; code < 0x110000; code++)
        if (must_not_pass(code) && !utf8_hidden((uint32_t)code))
            fail_msg("U+%04lX is not hidden", code);
    for (unsigned long code = 0x20; code < 0x7f; code++)
        assert_false(utf8_hidden((uint32_t)code));
}

static void hostile_values_in_every_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < ATTACKS + extras; i++)
        for (size_t field = 0; field < 8; field++) {
            struct fields v = {"make", "/src", "/", "blocks/1.out", "one\n", "default", "box"};
            char *to[] = {v.cmd, v.cwd, v.after, v.path, v.preview, v.name, v.host};
            for (size_t k = 0; k < 7; k++)
                if (field == k || field == 7)
                    strcpy(to[k], hostile(i));
            settle(&v);
            check_forms(&v);
        }
}

static void random_values_in_every_field(void **state)
{
    const char *wanted = getenv("FORMS");
    long count = wanted ? atol(wanted) : 20000;
    (void)state;
    for (long i = 0; i < count; i++) {
        struct fields v;
        make_value(v.cmd);
        make_value(v.cwd);
        make_value(v.after);
        make_value(v.path);
        make_value(v.preview);
        make_value(v.name);
        make_value(v.host);
        settle(&v);
        check_forms(&v);
    }
}

/* Values that must be cut: still whole JSON, still whole lines. */
static void long_values_end_where_a_line_ends(void **state)
{
    static char cwd[5000];
    struct bytes out = {0};
    (void)state;
    for (size_t i = 0; i + 3 < sizeof cwd; i += 3)
        memcpy(cwd + i, "\xe2\x80\xae", 4);
    struct block block = {.conversation_id = (char *)"default",
                          .cmd = cwd,
                          .cwd = cwd,
                          .preview = (char *)"x\n",
                          .output_path = (char *)"",
                          .host = (char *)"",
                          .host_id = (char *)"",
                          .has_exit_code = true};
    const struct block *blocks[] = {&block};
    const char *directories[] = {""};
    deliver_text(&(struct deliver_text){.blocks = blocks, .count = 1, .directories = directories},
                 LIMIT_HOOK_BYTES, &out);
    assert_non_null(strstr(out.data, "\n$ \\u202e"));
    assert_non_null(strstr(out.data, "\\u202e\"\n| x\n"));
    check_raw(out.data, out.len, true, true);
    bytes_finish(&out);
}

static void a_token_in_a_directory_is_in_no_form(void **state)
{
    static const char token[] = "gh"
                                "p_"
                                "aB3dE5gH7jK9mN1pQ3sT5vW7xZ9bC1dE3fG5";
    char cwd[64];
    struct bytes out = {0};
    (void)state;
    snprintf(cwd, sizeof cwd, "/tmp/%s", token);
    struct block block = {.conversation_id = (char *)"default",
                          .shell_id = (char *)"s",
                          .cmd = (char *)"ls",
                          .cwd = cwd,
                          .cwd_after = cwd,
                          .preview = (char *)"x\n",
                          .output_path = (char *)"",
                          .host = (char *)"",
                          .host_id = (char *)"",
                          .has_exit_code = true};
    const struct block *blocks[] = {&block};
    const char *directories[] = {""};
    struct deliver_header header = {
        .conversation_id = "default", .shell_id = "s", .cwd = cwd, .total = 1};
    struct entry_shape shape = {0};
    deliver_text(&(struct deliver_text){.blocks = blocks, .count = 1, .directories = directories},
                 LIMIT_HOOK_BYTES, &out);
    deliver_envelope(blocks, 1, &header, &out);
    deliver_block(&block, "", "s", &shape, &out, NULL);
    deliver_header(&header, &out, NULL);
    bytes_append_char(&out, '\0');
    assert_non_null(strstr(out.data, "in /tmp/[redacted:github-token]\n"));
    assert_null(strstr(out.data, token + 8));
    bytes_finish(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_unicode_ignores_is_hidden),
        cmocka_unit_test(hostile_values_in_every_field),
        cmocka_unit_test(random_values_in_every_field),
        cmocka_unit_test(a_secret_is_found_over_rows),
        cmocka_unit_test(long_values_end_where_a_line_ends),
        cmocka_unit_test(a_token_in_a_directory_is_in_no_form),
    };
    read_property();
    make_extras();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
