#include "ptyd/mcp/uri.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/text.h"

#define SESSIONS "ptyd:///sessions/"
#define BLOCKS   "/blocks/"
#define OUTPUT   "/output"

static const char *const endings[RESOURCE_LISTED] = {"/screen", "/scrollback", "/blocks"};

/* `7` and `7/output`. */
static bool read_block(const char *text, struct uri *uri)
{
    size_t digits = strspn(text, "0123456789");
    char number[20];
    long seq;
    if (!digits || digits >= sizeof number || *text == '0')
        return false;
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    uri->kind = text[digits] ? RESOURCE_OUTPUT : RESOURCE_BLOCK;
    bool right = text_parse_number(number, 1, 0x7fffffffffff, &seq) &&
                 (!text[digits] || !strcmp(text + digits, OUTPUT));
    uri->block = right ? seq : 0;
    return right;
}

bool uri_read(const char *text, struct uri *ret_uri)
{
    struct uri uri = {0};
    size_t len;
    if (strncmp(text, SESSIONS, strlen(SESSIONS)) != 0)
        return false;
    text += strlen(SESSIONS);
    len = strcspn(text, "/");
    if (len >= sizeof uri.session)
        return false;
    memcpy(uri.session, text, len);
    text += len;
    if (!text_is_name(uri.session))
        return false;
    bool right = !strncmp(text, BLOCKS, strlen(BLOCKS)) && read_block(text + strlen(BLOCKS), &uri);
    for (int i = 0; i < RESOURCE_LISTED && !right; i++) {
        right = !strcmp(text, endings[i]);
        uri.kind = (enum resource_kind)i;
    }
    if (right)
        *ret_uri = uri;
    return right;
}

char *uri_make(const struct uri *uri)
{
    if (uri->kind < RESOURCE_LISTED)
        return text_format(SESSIONS "%s%s", uri->session, endings[uri->kind]);
    return text_format(SESSIONS "%s" BLOCKS "%lld%s", uri->session, uri->block,
                       uri->kind == RESOURCE_OUTPUT ? OUTPUT : "");
}
