#include "ptyd/relay/subject.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ptyd/core/text.h"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

char *subject_token(const char *name)
{
    struct bytes out = {0};
    bytes_append_text(&out, "");
    for (; *name; name++)
        if (is_plain(*name))
            bytes_append_char(&out, *name);
        else
            bytes_printf(&out, "%%%02X", (unsigned)(unsigned char)*name);
    if (out.failed)
        memory_end();
    return out.data;
}

char *subject_block(const char *user, const char *host_id, const char *session)
{
    char *token = subject_token(session);
    char *subject = text_format("ptyd.v1.%s.%s.%s.block", user, host_id, token);
    free(token);
    return subject;
}

bool subject_is_block(const char *subject, const char *user, char **ret_host_id, char **ret_session)
{
    static const char behind[] = ".block";
    char *before = text_format("ptyd.v1.%s.", user);
    size_t len = strlen(before);
    bool is_ours = !strncmp(subject, before, len);
    free(before);
    const char *host_id = subject + len;
    if (!is_ours || !strchr(host_id, '.'))
        return false;
    size_t host_len = strcspn(host_id, ".");
    const char *session = host_id + host_len + 1;
    size_t session_len = strcspn(session, ".");
    if (!host_len || !session_len || strcmp(session + session_len, behind) != 0)
        return false;
    *ret_host_id = text_format("%.*s", (int)host_len, host_id);
    *ret_session = text_format("%.*s", (int)session_len, session);
    return true;
}

/* $JS.ACK.STREAM.CONSUMER.TIMES.PLACE.COUNT.TIME.PENDING, or with a domain and an account's hash in
 * front of the stream: https://docs.nats.io/reference/reference-protocols/nats_api_reference
 * What stands so many behind the stream; "" for none. */
static const char *ack_token(const char *reply, size_t behind)
{
    size_t tokens = 1;
    for (const char *at = reply; (at = strchr(at, '.')); at++)
        tokens++;
    if (strncmp(reply, "$JS.ACK.", 8) != 0 || tokens < 9)
        return "";
    for (size_t skip = behind + (tokens == 9 ? 2 : 4); skip > 0; skip--)
        reply = strchr(reply, '.') + 1;
    return reply;
}

uint64_t subject_place(const char *reply)
{
    return strtoull(ack_token(reply, 3), NULL, 10);
}

int64_t subject_kept_ms(const char *reply)
{
    return strtoll(ack_token(reply, 5), NULL, 10) / 1000000;
}

char *subject_requests(const char *user, const char *host_id)
{
    return text_format("ptyd.rpc.v1.%s.%s", user, host_id);
}

char *subject_stream(const char *user)
{
    return text_format("PTYD_%s", user);
}

char *subject_presence(const char *user)
{
    return text_format("ptyd_hosts_%s", user);
}

char *subject_inbox(const char *host_id)
{
    return text_format("_INBOX.%s", host_id);
}

char *subject_answer(const char *host_id, unsigned number)
{
    return text_format("%s.a.%u", host_id, number);
}

bool subject_is_answer(const char *subject, const char *host_id)
{
    size_t len = strlen(host_id);
    bool is = !strncmp(subject, "_INBOX.", 7);
    for (int skip = 0; is && skip < 3; skip++) {
        subject = strchr(subject, '.');
        is = subject && *++subject;
    }
    return is && !strncmp(subject, host_id, len) && subject[len] == '.';
}
