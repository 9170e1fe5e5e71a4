#include "ptyd/command/resource.h"

#include "ptyd/core/json.h"

json_t *resource_block(const json_t *taken)
{
    const char *text = json_text(taken, "text", NULL);
    if (!text)
        return NULL;
    return json_pack("{s:s, s:{s:o, s:s, s:s}}", "type", "resource", "resource", "uri",
                     json_sprintf(RESOURCE_URI "%lld", json_number(taken, "lease", 0)), "mimeType",
                     "text/plain", "text", text);
}
