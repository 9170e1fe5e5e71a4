/* say.h - the program's own words: lines on stderr that begin with `ptyd: `. */
#ifndef PTYD_CORE_SAY_H
#define PTYD_CORE_SAY_H

#include <stdarg.h>

/* Prints `ptyd: `, the message and a line end. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* The same; returns `status`, for `return say_fail(EXIT_FAILED, ...)`. */
int say_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
