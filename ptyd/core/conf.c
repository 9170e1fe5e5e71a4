/* The file is looked at (stat) whenever somebody asks for the values, so that what was saved before
 * a command ends counts for that command: a watch would tell of it at some time later. */
#define _GNU_SOURCE
#include "ptyd/core/conf.h"

#include <errno.h>
#include <fnmatch.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/conf_private.h"
#include "ptyd/core/file.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/rules.h"
#include "ptyd/core/text.h"

/* A file that was written so lately may be written again without another time or size. */
#define SURE_MS 1000

/* By which a file is known; zeroed where there is none. */
struct stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec written, changed;
    int error; /* of stat() */
};

struct conf_file {
    char *path;
    struct conf now;
    struct stamp stamp;
    bool read, unsure, held;
    char *wrong[LIMIT_CONF_WRONG + 1]; /* the last says how many more there are */
    size_t wrong_count, wrong_more;
    uint64_t wrong_said;  /* sum of what was wrong when it was asked for anew */
    struct bytes options; /* NAME=VALUE lines */
    struct rules *rules;  /* of `now`; NULL: not made yet */
};

/* ---- what is read ---- */

struct reading {
    struct conf_file *file;
    struct conf next;
    const char *at, *end;
    int line;
    int seen[CONF_OPTIONS]; /* in which line a setting stood first; 0: in none */
};

static void note(struct conf_file *f, char *text)
{
    if (f->wrong_count < LIMIT_CONF_WRONG) {
        f->wrong[f->wrong_count++] = text;
        return;
    }
    f->wrong_more++;
    free(text);
}

static void __attribute__((format(printf, 2, 3)))
note_line(struct reading *r, const char *format, ...)
{
    va_list args;
    char *what = NULL;
    va_start(args, format);
    if (vasprintf(&what, format, args) < 0)
        memory_end();
    va_end(args);
    char *clean = text_clean(what, strlen(what), LIMIT_MESSAGE_BYTES);
    note(r->file, text_format("%s:%d: %s", r->file->path, r->line, clean));
    free(clean);
    free(what);
}

/* As fgets() does. inih takes what it gets at once for a line, and one with blanks in front for
 * more of the value above it: they go. */
static char *read_line(char *to, int size, void *stream)
{
    struct reading *r = stream;
    if (r->at == r->end)
        return NULL;
    const char *feed = memchr(r->at, '\n', (size_t)(r->end - r->at));
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
    size_t len = (size_t)((feed ? feed : r->end) - r->at);
    r->line++;
    if (len + 2 > (size_t)size || memchr(r->at, '\0', len)) {
        note_line(r,
                  len + 2 > (size_t)size ? "the line has more than %d bytes"
                                         : "the line has bytes that are no text",
                  size - 2);
        strcpy(to, ";\n");
    } else {
        memcpy(to, r->at, len);
        strcpy(to + len, "\n");
    }
    r->at = feed ? feed + 1 : r->end;
    return to;
}

static void take_unknown(struct reading *r, const char *name)
{
    const char *nearest = conf_nearest(name);
    if (nearest)
        note_line(r, "there is no setting %s; did you mean %s?", name, nearest);
    else
        note_line(r, "there is no setting %s", name);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What people put behind a value, as in a shell. In a list it is a part of the value, and mostly
 * nothing matches that; any other setting says itself what it expected. */
static bool has_remark(const char *value)
{
    for (const char *at = value; (at = strchr(at, '#')); at++) {
        char next = at[1] | 0x20;
        bool words = is_blank(at[1]) || !at[1] || (next >= 'a' && next <= 'z');
        if (words && (at == value || is_blank(at[-1])))
            return true;
    }
    return false;
}

/* It holds as it stands all the same: a rule may have one. */
static void note_remark(struct reading *r, const struct conf_setting *s, const char *value)
{
    if (conf_is_list(s) && has_remark(value))
        note_line(r, "%s is '%s': # begins no comment there, ; does; \\# is a # that is meant",
                  conf_name(s), value);
}

/* A line that is wrong leaves what was set before. */
static void take_setting(struct reading *r, const struct conf_setting *s, const char *value)
{
    size_t index = conf_index(s);
    if (r->seen[index] && !conf_is_list(s)) {
        note_line(r, "%s stands in line %d already", conf_name(s), r->seen[index]);
        return;
    }
    if (!r->seen[index])
        conf_reset(s, &r->next);
    r->seen[index] = r->line;
    char *expected = conf_take(s, value, &r->next);
    if (!expected)
        note_remark(r, s, value);
    if (!expected)
        return;
    note_line(r, "%s is '%s'; expected %s", conf_name(s), value, expected);
    if (!conf_is_list(s))
        conf_copy(s, &r->file->now, &r->next);
    free(expected);
}

static int on_value(void *user, const char *section, const char *name, const char *value)
{
    struct reading *r = user;
    const struct conf_setting *s = conf_find(name);
    if (*section)
        note_line(r, "settings stand in no section, and this is in [%s]", section);
    else if (s)
        take_setting(r, s, value);
    else
        take_unknown(r, name);
    return 1;
}

static void read_text(struct conf_file *f, const struct bytes *text)
{
    struct reading r = {.file = f, .at = text->data, .end = text->data + text->len};
    conf_init(&r.next);
    int line = text->len ? ini_parse_stream(read_line, &r, on_value, &r) : 0;
    if (line > 0) {
        r.line = line;
        note_line(&r, "expected NAME = VALUE, or # in front of a comment");
    }
    conf_finish(&f->now);
    f->now = r.next;
}

/* ---- options ---- */

/* The setting of one NAME=VALUE line, whose value is copied out; the next line. */
static const char *next_option(const char *at, const struct conf_setting **ret_setting,
                               char **ret_value)
{
    const char *equals = strchr(at, '='), *end = strchr(at, '\n');
    end = end ? end : at + strlen(at);
    *ret_setting = NULL;
    *ret_value = NULL;
    if (equals && equals < end) {
        char *name = text_format("%.*s", (int)(equals - at), at);
        *ret_setting = conf_find(name);
        *ret_value = text_format("%.*s", (int)(end - equals - 1), equals + 1);
        free(name);
    }
    return *end ? end + 1 : end;
}

static void apply_variables(struct conf_file *f)
{
    const struct conf_setting *s;
    for (size_t i = 0; (s = conf_setting_at(i)); i++) {
        const char *value = conf_variable(s);
        char *expected = value ? conf_take(s, value, &f->now) : NULL;
        if (expected)
            note(f, text_format("%s is '%s'; expected %s", conf_variable_name(s), value, expected));
        free(expected);
    }
}

static void apply_options(struct conf_file *f)
{
    bool seen[CONF_OPTIONS] = {0};
    const struct conf_setting *s;
    char *value;
    for (const char *at = f->options.data; at && *at;) {
        at = next_option(at, &s, &value);
        if (s && !seen[conf_index(s)])
            conf_reset(s, &f->now);
        if (s) {
            seen[conf_index(s)] = true;
            free(conf_take(s, value, &f->now));
        }
        free(value);
    }
}

static void add_option(struct conf_file *f, const char *name, const char *value)
{
    bytes_printf(&f->options, "%s=%s\n", name, value);
    if (f->options.failed)
        memory_end();
    f->read = false;
}

int conf_option(struct conf_file *f, enum conf_user user, int first, int option, const char *value,
                char **ret_why)
{
    const struct conf_setting *s =
        option < first ? NULL : conf_setting_at((size_t)(option - first));
    struct conf trial = {0};
    if (!s || conf_user_of(s) != user)
        return 0;
    char *expected = strchr(value, '\n') ? text_copy("one line") : conf_take(s, value, &trial);
    conf_finish(&trial);
    if (expected) {
        *ret_why = text_format("'%s' is none of what %s may be: expected %s", value, conf_name(s),
                               expected);
        free(expected);
        return -1;
    }
    add_option(f, conf_name(s), value);
    return 1;
}

void conf_set_all(struct conf_file *f, const char *text)
{
    const struct conf_setting *s;
    char *value;
    while (*text) {
        text = next_option(text, &s, &value);
        if (s)
            add_option(f, conf_name(s), value);
        free(value);
    }
}

char *conf_all_set(const struct conf_file *f)
{
    return text_copy(f->options.data);
}

/* ---- the file ---- */

static struct stamp stamp_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return (struct stamp){.error = errno};
    return (struct stamp){.device = st.st_dev,
                          .inode = st.st_ino,
                          .size = st.st_size,
                          .written = st.st_mtim,
                          .changed = st.st_ctim,
                          .error = S_ISREG(st.st_mode) ? 0 : EINVAL};
}

static bool is_same(const struct stamp *a, const struct stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->written.tv_sec == b->written.tv_sec && a->written.tv_nsec == b->written.tv_nsec &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec &&
           a->error == b->error;
}

static void forget_wrong(struct conf_file *f)
{
    while (f->wrong_count)
        free(f->wrong[--f->wrong_count]);
    f->wrong_more = 0;
}

/* What cannot be read leaves all as it was; a file that is gone sets nothing. */
static void read_file(struct conf_file *f)
{
    struct bytes text = {0};
    int result = f->stamp.error ? -f->stamp.error : file_read(f->path, LIMIT_CONF_BYTES, &text);
    forget_wrong(f);
    if (result == -ENOENT || result == -ENOTDIR)
        text.len = 0, result = 0;
    if (result == 0)
        read_text(f, &text);
    else if (result == -EFBIG)
        note(f, text_format("%s: it is larger than %d bytes; nothing of it is read", f->path,
                            LIMIT_CONF_BYTES));
    else
        note(f, text_format("%s: it cannot be read: %s", f->path,
                            result == -EINVAL ? "it is no file" : strerror(-result)));
    apply_variables(f);
    if (f->wrong_more)
        f->wrong[f->wrong_count++] =
            text_format("%s: and %zu more lines are wrong", f->path, f->wrong_more);
    bytes_finish(&text);
    apply_options(f);
}

const struct conf *conf_now(struct conf_file *f)
{
    if (!f)
        return conf_usual();
    if (f->held && f->read)
        return &f->now;
    struct stamp stamp = stamp_of(f->path);
    if (f->read && !f->unsure && is_same(&stamp, &f->stamp))
        return &f->now;
    f->stamp = stamp;
    f->unsure = clock_wall_ms() - stamp.changed.tv_sec * INT64_C(1000) < 2 * SURE_MS;
    f->read = true;
    read_file(f);
    return &f->now;
}

void conf_hold(struct conf_file *f, bool holds)
{
    f->held = holds;
}

size_t conf_wrong(const struct conf_file *f, char *const **ret_lines)
{
    *ret_lines = f->wrong;
    return f->wrong_count;
}

bool conf_wrong_anew(struct conf_file *f)
{
    uint64_t sum = HASH_START;
    for (size_t i = 0; i < f->wrong_count; i++)
        sum = hash_bytes(sum, f->wrong[i], strlen(f->wrong[i]) + 1);
    bool anew = sum != f->wrong_said;
    f->wrong_said = sum;
    return anew && f->wrong_count;
}

struct conf_file *conf_open(void)
{
    struct conf_file *f = memory_new(sizeof *f);
    f->path = paths_conf();
    conf_init(&f->now);
    return f;
}

void conf_close(struct conf_file *f)
{
    if (!f)
        return;
    forget_wrong(f);
    conf_finish(&f->now);
    bytes_finish(&f->options);
    rules_destroy(f->rules);
    free(f->path);
    free(f);
}

const char *conf_path(const struct conf_file *f)
{
    return f->path;
}

/* ---- rules of what is secret ---- */

static struct conf_file *rules_file;

/* Made when somebody asks, and again where they are others: what they met is counted in them. */
static struct rules *rules_now(struct conf_file *f)
{
    const struct conf *conf = conf_now(f);
    if (f->rules && rules_are(f->rules, &conf->redact, &conf->redact_except))
        return f->rules;
    rules_destroy(f->rules);
    f->rules = rules_create(&conf->redact, &conf->redact_except);
    return f->rules;
}

static void find_by_rules(const char *text, size_t len, redact_found *found, void *user)
{
    rules_find(rules_now(rules_file), text, len, found, user);
}

static bool keep_by_rules(const char *text, size_t len)
{
    return rules_keep(rules_file->rules, text, len);
}

void conf_use_rules(struct conf_file *f)
{
    static const struct redact_rules rules = {.find = find_by_rules, .keeps = keep_by_rules};
    rules_file = f;
    redact_use(&rules);
}

struct rules *conf_copy_rules(struct conf_file *f)
{
    const struct conf *conf = conf_now(f);
    return rules_create(&conf->redact, &conf->redact_except);
}

void conf_rules_met(const struct conf_file *f, conf_said *said, void *user)
{
    if (f->rules)
        rules_tell_met(f->rules, f->path, said, user);
}

/* ---- what the values say ---- */

const struct conf *conf_usual(void)
{
    static struct conf usual;
    if (!usual.detach_key)
        conf_init(&usual);
    return &usual;
}

bool conf_keeps_private(const struct conf *conf, const char *cmd)
{
    cmd += strspn(cmd, " \t");
    for (size_t i = 0; i < conf->private_commands.count; i++) {
        const char *pattern = conf->private_commands.items[i];
        char *longer = text_format("%s[ \t]*", pattern);
        bool matches = fnmatch(pattern, cmd, 0) == 0 || fnmatch(longer, cmd, 0) == 0;
        free(longer);
        if (matches)
            return true;
    }
    return false;
}

bool conf_leaves_out(const struct conf *conf, const char *program, size_t len)
{
    for (size_t i = 0; i < conf->untold_programs.count; i++) {
        const char *name = conf->untold_programs.items[i];
        if (strlen(name) == len && !memcmp(name, program, len))
            return true;
    }
    return false;
}
