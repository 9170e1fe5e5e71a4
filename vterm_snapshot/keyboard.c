#include "vterm_snapshot/keyboard.h"

#include <string.h>

static void push(struct keyboard_stack *stack, uint8_t flags)
{
    if (stack->depth == LIMIT_KEYBOARD_STACK)
        memmove(stack->flags, stack->flags + 1, LIMIT_KEYBOARD_STACK);
    else
        stack->depth++;
    stack->flags[stack->depth] = flags;
}

/* The last one that goes leaves none behind. */
static void pop(struct keyboard_stack *stack, int count)
{
    if (count > stack->depth)
        stack->flags[0] = 0;
    stack->depth = count < stack->depth ? (uint8_t)(stack->depth - count) : 0;
}

static void set(struct keyboard_stack *stack, uint8_t flags, int how)
{
    uint8_t *now = &stack->flags[stack->depth];
    *now = how == 2 ? *now | flags : how == 3 ? *now & (uint8_t)~flags : flags;
}

static void apply_flags(struct keyboard_stack *stack, const struct csi *csi)
{
    int first = csi_value(csi, 0, 0);
    if (csi->leader == '>')
        push(stack, (uint8_t)first);
    else if (csi->leader == '<')
        pop(stack, first ? first : 1);
    else if (csi->leader == '=')
        set(stack, (uint8_t)first, csi_value(csi, 1, 1));
}

static void apply_modify(struct keyboard *k, const struct csi *csi)
{
    int which = csi_value(csi, 0, -1), value = csi_value(csi, 1, -1);
    if (which < 0)
        memset(k->modify, 0, sizeof k->modify);
    else if (which < KEYBOARD_RESOURCES)
        k->modify[which] = csi->final == 'm' && value >= 0 ? (uint8_t)(1 + (value & 15)) : 0;
}

void keyboard_apply(struct keyboard *k, const struct csi *csi, bool alternate)
{
    if (csi->inter[0])
        return;
    if (csi->final == 'u')
        apply_flags(&k->stack[alternate], csi);
    else if ((csi->final == 'm' || csi->final == 'n') && csi->leader == '>')
        apply_modify(k, csi);
}

int keyboard_flags(const struct keyboard *k, bool alternate)
{
    return k->stack[alternate].flags[k->stack[alternate].depth];
}

int keyboard_modify(const struct keyboard *k, int which)
{
    return which < KEYBOARD_RESOURCES ? k->modify[which] - 1 : -1;
}

/* Whatever stands on the terminal's stack is taken off: a stack of another program's, which left it
 * there, or an earlier one of this. */
void keyboard_append_stack(const struct keyboard *k, bool alternate, struct bytes *out)
{
    const struct keyboard_stack *stack = &k->stack[alternate];
    bytes_printf(out, "\x1b[<%du", LIMIT_KEYBOARD_STACK);
    if (stack->flags[0])
        bytes_printf(out, "\x1b[=%d;1u", stack->flags[0]);
    for (int i = 1; i <= stack->depth; i++)
        bytes_printf(out, "\x1b[>%du", stack->flags[i]);
}

void keyboard_append_stack_end(const struct keyboard *k, bool alternate, struct bytes *out)
{
    const struct keyboard_stack *stack = &k->stack[alternate];
    if (stack->depth)
        bytes_printf(out, "\x1b[<%du", stack->depth);
    if (stack->flags[0])
        bytes_append_text(out, "\x1b[=0;1u");
}

void keyboard_append_modify(const struct keyboard *k, struct bytes *out)
{
    for (int i = 0; i < KEYBOARD_RESOURCES; i++)
        if (k->modify[i])
            bytes_printf(out, "\x1b[>%d;%dm", i, k->modify[i] - 1);
}

void keyboard_append_modify_end(const struct keyboard *k, struct bytes *out)
{
    for (int i = 0; i < KEYBOARD_RESOURCES; i++)
        if (k->modify[i])
            bytes_printf(out, "\x1b[>%dm", i);
}
