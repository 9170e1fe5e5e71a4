/* reader.h - what test_forms.c reads forms with: Unicode's own list of what is ignored, UTF-8,
 * JSON. Nothing of it is the program's, or a library's. */
#ifndef TESTS_UNIT_READER_H
#define TESTS_UNIT_READER_H

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#define NAME_MOST 600 /* bytes of a member's name and those it stands in */

/* ---- what is hidden: Unicode's own words ---- */

/* Default_Ignorable_Code_Point of DerivedCoreProperties.txt: "Total code points: 4174". */
static const char *const ignorable[] = {
    "00AD",         "034F",         "061C",        "115F..1160", "17B4..17B5",   "180B..180D",
    "180E",         "180F",         "200B..200F",  "202A..202E", "2060..2064",   "2065",
    "2066..206F",   "3164",         "FE00..FE0F",  "FEFF",       "FFA0",         "FFF0..FFF8",
    "1BCA0..1BCA3", "1D173..1D17A", "E0000",       "E0001",      "E0002..E001F", "E0020..E007F",
    "E0080..E00FF", "E0100..E01EF", "E01F0..E0FFF"};
static unsigned char ignored[0x110000 / 8];

static void read_property(void)
{
    size_t total = 0;
    for (size_t i = 0; i < sizeof ignorable / sizeof *ignorable; i++) {
        char *end;
        unsigned long first = strtoul(ignorable[i], &end, 16);
        unsigned long last = *end ? strtoul(end + 2, NULL, 16) : first;
        for (unsigned long code = first; code <= last; code++, total++)
            ignored[code / 8] |= (unsigned char)(1 << code % 8);
    }
    assert_int_equal(total, 4174);
}

/* What may stand raw in no form; line ends and tabs are each form's own matter. */
static bool must_not_pass(unsigned long code)
{
    bool control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    bool bidi = code == 0x61c || code == 0x200e || code == 0x200f ||
                (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    bool annotation = code >= 0xfff9 && code <= 0xfffb;
    return control || bidi || annotation || code == 0x2028 || code == 0x2029 ||
           ignored[code / 8] & (1 << code % 8);
}

/* ---- an own reading of UTF-8 ---- */

/* The character at `at`, -1 for a byte that is of none; *ret_len its bytes. */
static long character(const char *text, size_t left, size_t *ret_len)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *b = (const unsigned char *)text;
    size_t len = b[0] < 0x80       ? 1
                 : b[0] >> 5 == 6  ? 2
                 : b[0] >> 4 == 14 ? 3
                 : b[0] >> 3 == 30 ? 4
                                   : 0;
    unsigned long code = len == 1 ? b[0] : len ? b[0] & (0x7fu >> len) : 0;
    *ret_len = 1;
    if (!len || len > left)
        return -1;
    for (size_t i = 1; i < len; i++) {
        if (b[i] >> 6 != 2)
            return -1;
        code = code << 6 | (b[i] & 0x3f);
    }
    if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return -1;
    *ret_len = len;
    return (long)code;
}

static void put(unsigned long code, struct bytes *out)
{
    char utf8[4] = {(char)code};
    if (code < 0x80)
        bytes_append(out, utf8, 1);
    else if (code < 0x800)
        bytes_append(out, (char[]){(char)(0xc0 | code >> 6), (char)(0x80 | (code & 63))}, 2);
    else if (code < 0x10000)
        bytes_append(out,
                     (char[]){(char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 63)),
                              (char)(0x80 | (code & 63))},
                     3);
    else
        bytes_append(out,
                     (char[]){(char)(0xf0 | code >> 18), (char)(0x80 | (code >> 12 & 63)),
                              (char)(0x80 | (code >> 6 & 63)), (char)(0x80 | (code & 63))},
                     4);
}

static void put_escape(unsigned long code, struct bytes *out)
{
    if (code == '\n' || code == '\r' || code == '\t')
        bytes_append_text(out, code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t");
    else if (code < 0x10000)
        bytes_printf(out, "\\u%04lx", code);
    else
        bytes_printf(out, "\\u%04lx\\u%04lx", 0xd800 + ((code - 0x10000) >> 10),
                     0xdc00 + ((code - 0x10000) & 0x3ff));
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

enum sanitised {
    VALID,  /* UTF-8 made of it: what a JSON value holds when it is read */
    OPEN,   /* what a text shows of it */
    TAGGED, /* the same between tags: nothing in it begins one */
};

/* What a form may hold of a value. New string. */
static char *sanitise(const char *value, enum sanitised how)
{
    struct bytes out = {0};
    size_t len = strlen(value), n;
    bytes_append_text(&out, "");
    for (size_t i = 0; i < len; i += n) {
        long code = character(value + i, len - i, &n);
        char next = i + 1 < len ? value[i + 1] : '\0';
        bool begins = code == '<' && (is_letter(next) || (next && strchr("/!?", next)));
        if (code < 0)
            put(0xfffd, &out);
        else if (how == VALID || code == '\n' || code == '\t')
            put((unsigned long)code, &out);
        else if (must_not_pass((unsigned long)code) || (how == TAGGED && begins))
            put_escape((unsigned long)code, &out);
        else
            put((unsigned long)code, &out);
    }
    return out.data;
}

/* No form has any of it raw. */
static void check_raw(const char *text, size_t len, bool tags, bool lines)
{
    size_t n;
    for (size_t i = 0; i < len; i += n) {
        long code = character(text + i, len - i, &n);
        char next = i + 1 < len ? text[i + 1] : '\0';
        assert_true(code >= 0);
        if (lines && (code == '\n' || code == '\t'))
            continue;
        if (must_not_pass((unsigned long)code))
            fail_msg("U+%04lX passed: %s", code, text);
        if (!tags && code == '<' && (is_letter(next) || (next && strchr("/!?", next))))
            fail_msg("a tag passed: %s", text);
    }
}

/* ---- an own reader of JSON ---- */

static const char *json; /* what is read next */

static unsigned long hex4(void)
{
    unsigned long code = 0;
    for (int i = 0; i < 4; i++, json++) {
        const char *digit = strchr("0123456789abcdef", *json);
        assert_true(digit && *json);
        code = code << 4 | (unsigned long)(digit - "0123456789abcdef");
    }
    return code;
}

static void read_escape(struct bytes *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = *json ? strchr(from, *json) : NULL;
    if (found) {
        put((unsigned char)to[found - from], out);
        json++;
        return;
    }
    assert_int_equal(*json++, 'u');
    unsigned long code = hex4();
    if (code >= 0xd800 && code < 0xdc00) {
        assert_true(json[0] == '\\' && json[1] == 'u');
        json += 2;
        code = 0x10000 + ((code - 0xd800) << 10) + (hex4() - 0xdc00);
    }
    put(code, out);
}

/* A string. New string. */
static char *read_string(void)
{
    struct bytes out = {0};
    bytes_append_text(&out, "");
    assert_int_equal(*json++, '"');
    while (*json != '"') {
        assert_true((unsigned char)*json >= 0x20);
        if (*json == '\\') {
            json++;
            read_escape(&out);
        } else {
            bytes_append_char(&out, *json++);
        }
    }
    json++;
    return out.data;
}

/* What an object of ours holds. */
struct found {
    char *name[32], *value[32]; /* strings; NULL for what is no string */
    char *lines[64];            /* of its preview */
    char *hosts[4];
    size_t count, line_count, host_count;
};

static void found_finish(struct found *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->name[i]);
        free(f->value[i]);
    }
    for (size_t i = 0; i < f->line_count; i++)
        free(f->lines[i]);
    for (size_t i = 0; i < f->host_count; i++)
        free(f->hosts[i]);
}

static void read_value(struct found *f, const char *name);

/* Names in it stand behind `prefix`, but for those of a preview. */
static void read_object(struct found *f, const char *prefix)
{
    assert_int_equal(*json++, '{');
    for (bool first = true; *json != '}'; first = false) {
        if (!first)
            assert_int_equal(*json++, ',');
        char *name = read_string(), full[NAME_MOST];
        assert_int_equal(*json++, ':');
        snprintf(full, sizeof full, "%s%s", prefix, name);
        read_value(f, full);
        free(name);
    }
    json++;
}

static void read_array(struct found *f, const char *name)
{
    assert_int_equal(*json++, '[');
    for (bool first = true; *json != ']'; first = false) {
        if (!first)
            assert_int_equal(*json++, ',');
        char *text = read_string();
        if (strstr(name, "lines") && f->line_count < 64)
            f->lines[f->line_count++] = text;
        else if (!strcmp(name, "hosts") && f->host_count < 4)
            f->hosts[f->host_count++] = text;
        else
            free(text);
    }
    json++;
}

static void read_value(struct found *f, const char *name)
{
    if (*json == '{') {
        char prefix[NAME_MOST + 8];
        snprintf(prefix, sizeof prefix, "%s.", name);
        read_object(f, prefix);
        return;
    }
    if (*json == '[') {
        read_array(f, name);
        return;
    }
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->name[i], name))
            fail_msg("%s is there twice", name);
    assert_true(f->count < 32);
    f->name[f->count] = strdup(name);
    f->value[f->count] = *json == '"' ? read_string() : NULL;
    if (!f->value[f->count]) {
        size_t len = strspn(json, "-0123456789truefalsn");
        assert_true(len > 0);
        json += len;
    }
    f->count++;
}

static void read_json(const char *text, struct found *f)
{
    memset(f, 0, sizeof *f);
    check_raw(text, strlen(text), false, false);
    assert_null(strchr(text, '<'));
    json = text;
    read_object(f, "");
    assert_int_equal(*json, '\0');
}

static const char *member(const struct found *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->name[i], name))
            return f->value[i] ? f->value[i] : "";
    return "";
}

#endif
