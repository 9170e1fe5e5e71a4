/* base64.h - RFC 4648, for bytes inside JSON. */
#ifndef PTYD_CORE_BASE64_H
#define PTYD_CORE_BASE64_H

#include "base/bytes.h"

void base64_encode(const char *bytes, size_t len, struct bytes *out);

/* Appends the bytes. Returns 0, or -1 for text that is no base64. */
int base64_decode(const char *text, size_t len, struct bytes *out);

#endif
