/* say.h - the program's own words: lines on stderr that begin with `ptyd: `. */
#ifndef PTYD_CORE_SAY_H
#define PTYD_CORE_SAY_H

#include <stdarg.h>

/* Prints `ptyd: `, the message and a line end. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* The same; returns `status`, for `return say_fail(EXIT_FAILED, ...)`. */
int say_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From now on nobody is waited for who does not take them, as a terminal that was stopped (Ctrl-S),
 * a full pipe or a journal that hangs: what finds no room is lost. Others who have the same
 * terminal or pipe notice nothing; where it cannot be opened anew all stays as it was. */
void say_without_waiting(void);

#endif
