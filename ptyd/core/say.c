#include "ptyd/core/say.h"

#include <stdio.h>

void say_list(const char *format, va_list args)
{
    fputs("ptyd: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
}

int say_fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
    return status;
}
