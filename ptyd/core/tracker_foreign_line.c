/* The line behind a prompt with marks of others, as the screen has it (tracker_foreign.c). */
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"

bool foreign_is_blank(const char *text)
{
    return !text[strspn(text, " \t\n")];
}

void foreign_trim(struct bytes *text)
{
    while (text->len && strchr(" \n", text->data[text->len - 1]))
        text->len--;
}

/* The right prompt that stands in `text`, what is to be seen since the input began, goes; what
 * follows in further rows stays. */
static void cut_right_prompt(const struct tracker *t, struct bytes *text)
{
    const struct foreign *f = &t->foreign;
    struct bytes tail = {0};
    if (f->has_right)
        terminal_text_since(t->options.terminal, f->right_at, &tail);
    bool stands = tail.len >= f->beside.len && text->len >= tail.len && f->beside.len &&
                  !memcmp(tail.data, f->beside.data, f->beside.len) &&
                  !memcmp(text->data + text->len - tail.len, tail.data, tail.len);
    if (stands) {
        text->len -= tail.len;
        while (text->len && text->data[text->len - 1] == ' ')
            text->len--;
        bytes_append(text, tail.data + f->beside.len, tail.len - f->beside.len);
    }
    bytes_finish(&tail);
}

void foreign_see_right_prompt(struct tracker *t)
{
    struct foreign *f = &t->foreign;
    struct terminal_cursor cursor = terminal_cursor(t->options.terminal);
    struct bytes row = {0};
    terminal_row_text(t->options.terminal, cursor.row, &row);
    size_t at = 0;
    int col = 0;
    for (; at < row.len && (col < cursor.col || row.data[at] == ' '); col++)
        do
            at++;
        while (at < row.len && ((unsigned char)row.data[at] & 0xc0) == 0x80);
    f->has_right = at < row.len;
    f->right_at = terminal_anchor(t->options.terminal);
    f->right_at.offset += (uint64_t)(col - cursor.col);
    f->beside.len = 0;
    if (f->has_right)
        bytes_append(&f->beside, row.data + at, row.len - at);
    bytes_finish(&row);
}

int foreign_count(const char *text, size_t len)
{
    int count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Whether `text` fills its rows to the last column, when it begins in the column `col`. */
static bool fills_rows(const char *text, size_t len, int col, int cols)
{
    int cells = foreign_count(text, len);
    return cells && (col + cells) % cols == 0;
}

static int count_blanks(const struct bytes *text, size_t from)
{
    size_t at = from;
    while (at < text->len && text->data[at] == ' ')
        at++;
    return (int)(at - from);
}

/* zsh breaks a line at the edge by itself: it is one line yet. What fish shows behind a line's end
 * begins below its first character. */
static void join_rows(const struct tracker *t, const struct bytes *text, struct bytes *out)
{
    int col = anchor_col(t->input), cols = terminal_cols(t->options.terminal), begins = col;
    for (size_t i = 0; i < text->len;) {
        const char *row = text->data + i, *end = memchr(row, '\n', text->len - i);
        size_t len = end ? (size_t)(end - row) : text->len - i;
        bool joins = fills_rows(row, len, col, cols);
        bytes_append(out, row, len);
        if (end && !joins)
            bytes_append_char(out, '\n');
        i += len + (end != NULL);
        int blanks = count_blanks(text, i);
        if (!joins && (t->foreign.by_cursor || (begins && blanks >= begins)))
            i += (size_t)blanks;
        col = 0;
    }
}

char *foreign_text_since(const struct tracker *t, struct terminal_anchor from)
{
    const struct terminal *terminal = t->options.terminal;
    struct bytes text = {0};
    terminal_text_since(terminal, from, &text);
    size_t row = text.len;
    while (row && text.data[row - 1] != '\n')
        row--;
    int cells = row ? 0 : anchor_col(from);
    if (text.len > row)
        cells += foreign_count(text.data + row, text.len - row);
    for (; cells < terminal_cursor(terminal).col; cells++)
        bytes_append_char(&text, ' ');
    char *seen = text_clean(text.data ? text.data : "", text.len, text.len);
    bytes_finish(&text);
    return seen;
}

/* Where the input's own place could not be seen, what stands in front of it is known from before.
 */
static void cut_sign(const struct tracker *t, struct bytes *text)
{
    const struct foreign *f = &t->foreign;
    size_t len = f->sign && !f->moved ? strlen(f->sign) : 0;
    if (len && text->len >= len && !memcmp(text->data, f->sign, len))
        bytes_consume(text, len);
}

void foreign_append_input(const struct tracker *t, struct bytes *out)
{
    struct bytes text = {0};
    if (t->has_input)
        terminal_text_since(t->options.terminal, t->input, &text);
    cut_right_prompt(t, &text);
    cut_sign(t, &text);
    foreign_trim(&text);
    join_rows(t, &text, out);
    bytes_finish(&text);
}

char *tracker_foreign_line(const struct tracker *t)
{
    const struct foreign *f = &t->foreign;
    struct bytes text = {0};
    if (f->line)
        return text_copy(f->line);
    if (!f->further)
        bytes_append(&text, f->lines.data ? f->lines.data : "", f->lines.len);
    foreign_append_input(t, &text);
    char *line = text_clean(text.data ? text.data : "", text.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&text);
    return line;
}

/* What bash's DEBUG trap does not see: a subshell, and the definition of a function. */
bool foreign_is_unseen(const char *line)
{
    const char *behind = line + strcspn(line, " (\n");
    return line[0] == '(' || !strncmp(line, "function ", strlen("function ")) ||
           (behind > line && !strncmp(behind + strspn(behind, " "), "()", 2));
}

/* The shell asks for a further line behind this text, or did without a mark: quotes or brackets
 * are open, or it ends in what goes on. */
bool foreign_is_open(const char *text, size_t len)
{
    char quote = 0;
    int depth = 0;
    while (len && text[len - 1] == ' ')
        len--;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '\\' && quote != '\'')
            i++;
        else if (quote || strchr("'\"`", c))
            quote = !quote ? c : c == quote ? 0 : quote;
        else
            depth += strchr("({", c) ? 1 : strchr(")}", c) ? -1 : 0;
    }
    char last = len ? text[len - 1] : 0, before = len > 1 ? text[len - 2] : 0;
    return quote || depth > 0 || last == '\\' || last == '|' || (last == '&' && before == '&');
}

struct foreign_line foreign_see(const struct tracker *t)
{
    const struct foreign *f = &t->foreign;
    struct foreign_line seen = {.text = tracker_foreign_line(t)};
    size_t len = strlen(seen.text), before = f->line || f->further ? 0 : f->lines.len;
    before = before < len ? before : len;
    const char *end = strchr(seen.text + before, '\n');
    seen.len = end ? (size_t)(end - seen.text) : len;
    seen.output = end ? end + 1 : seen.text + len;
    seen.further = before;
    return seen;
}

/* bash shows a line that is given up with ^C behind it. Some lines end so by themselves: where it
 * did not show which it is, those print, or their status says that nothing interrupted them. */
bool foreign_may_be_given_up(const struct tracker *t, const struct foreign_line *seen)
{
    const struct foreign *f = &t->foreign;
    bool ends = seen->len >= 2 && !memcmp(seen->text + seen->len - 2, "^C", 2);
    return ends && !f->shows && foreign_is_blank(seen->output);
}

bool foreign_is_within(const char *text, const char *seen)
{
    size_t len = strlen(text);
    while (len && text[len - 1] == ' ')
        len--;
    for (; len && *seen; seen++)
        if (*seen == *text) {
            text++;
            len--;
        }
    return !len;
}

/* What stands in one row is the editor's word: it may have put there what was not typed (an
 * abbreviation's text). Nothing is told that the screen did not show: who prints marks can read a
 * password behind them. */
char *tracker_foreign_keyed(const struct tracker *t, const char *seen)
{
    char *line = strchr(seen, '\n') ? line_keys_text(&t->keys, seen) : NULL;
    if (line && !foreign_is_blank(line) && foreign_is_within(line, seen))
        return line;
    free(line);
    return NULL;
}
