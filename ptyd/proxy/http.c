#define _GNU_SOURCE
#include "ptyd/proxy/http.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <sha1.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"

void http_head_finish(struct http_head *head)
{
    bytes_finish(&head->text);
    bytes_finish(&head->early);
}

/* ---- reading ---- */

static int read_some(int fd, long long deadline, struct bytes *text)
{
    char chunk[4096];
    for (;;) {
        long long left = deadline - clock_monotonic_ms();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
        if (ready == 0)
            return -ETIMEDOUT;
        ssize_t n = ready > 0 ? read(fd, chunk, sizeof chunk) : -1;
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ECONNRESET;
        bytes_append(text, chunk, (size_t)n);
        return text->failed ? -ENOMEM : 0;
    }
}

int http_read_head(int fd, struct http_head *head)
{
    long long deadline = clock_monotonic_ms() + LIMIT_HTTP_WAIT_MS;
    for (;;) {
        const char *end =
            head->text.data ? memmem(head->text.data, head->text.len, "\r\n\r\n", 4) : NULL;
        if (end) {
            size_t len = (size_t)(end - head->text.data) + 4;
            if (len > LIMIT_HTTP_HEAD_BYTES)
                return -EFBIG;
            bytes_append(&head->early, head->text.data + len, head->text.len - len);
            head->text.len = len;
            head->text.data[len] = '\0';
            /* A NUL would hide what follows it. */
            return memchr(head->text.data, '\0', len) ? -EBADMSG : 0;
        }
        if (head->text.len > LIMIT_HTTP_HEAD_BYTES)
            return -EFBIG;
        int result = read_some(fd, deadline, &head->text);
        if (result < 0)
            return result;
    }
}

/* ---- looking ---- */

/* A header's name, as RFC 9110 has tokens. */
static size_t name_length(const char *line)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    size_t len = 0;
    while (line[len] && (isalnum((unsigned char)line[len]) || strchr(others, line[len])))
        len++;
    return len;
}

bool http_is_strict(const struct http_head *head)
{
    const char *line = strstr(head->text.data, "\r\n");
    for (const char *at = head->text.data; *at; at++)
        if ((*at == '\n' && (at == head->text.data || at[-1] != '\r')) ||
            (*at == '\r' && at[1] != '\n'))
            return false;
    for (; line && strcmp(line, "\r\n\r\n") && line[2]; line = strstr(line + 2, "\r\n")) {
        size_t name = name_length(line + 2);
        if (!name || line[2 + name] != ':')
            return false;
    }
    return true;
}

int http_header_count(const struct http_head *head, const char *name)
{
    size_t len = strlen(name);
    int count = 0;
    const char *line = strstr(head->text.data, "\r\n");
    for (; line && line[2]; line = strstr(line + 2, "\r\n"))
        count += !strncasecmp(line + 2, name, len) && line[2 + len] == ':';
    return count;
}

char *http_header(const struct http_head *head, const char *name)
{
    size_t len = strlen(name);
    const char *line = strstr(head->text.data, "\r\n");
    for (; line && line[2]; line = strstr(line + 2, "\r\n")) {
        const char *at = line + 2;
        if (strncasecmp(at, name, len) || at[len] != ':')
            continue;
        at += len + 1;
        at += strspn(at, " \t");
        size_t value = strcspn(at, "\r\n");
        while (value && (at[value - 1] == ' ' || at[value - 1] == '\t'))
            value--;
        return text_clean(at, value, LIMIT_HTTP_HEAD_BYTES);
    }
    return NULL;
}

bool http_header_has(const struct http_head *head, const char *name, const char *word)
{
    char *value = http_header(head, name);
    bool found = false;
    for (char *at = value ? strtok(value, ", \t") : NULL; at; at = strtok(NULL, ", \t"))
        found = found || !strcasecmp(at, word);
    free(value);
    return found;
}

char *http_target(const struct http_head *head)
{
    const char *at = head->text.data;
    if (strncmp(at, "GET ", 4) || at[4] != '/')
        return NULL;
    size_t len = strcspn(at + 4, " \r\n");
    for (size_t i = 0; i < len; i++)
        if (!isgraph((unsigned char)at[4 + i]))
            return NULL;
    return strncmp(at + 4 + len, " HTTP/1.1\r\n", 11) ? NULL : text_clean(at + 4, len, len);
}

int http_status(const struct http_head *head)
{
    const char *at = head->text.data;
    if (strncmp(at, "HTTP/1.", 7) || !isdigit((unsigned char)at[7]) || at[8] != ' ')
        return 0;
    int status = atoi(at + 9);
    return status >= 100 && status < 600 ? status : 0;
}

/* ---- keys ---- */

void http_accept_key(const char *key, char out[29])
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; /* RFC 6455, 1.3 */
    uint8_t digest[SHA1_DIGEST_LENGTH];
    struct bytes text = {0};
    SHA1_CTX context;
    SHA1Init(&context);
    SHA1Update(&context, (const uint8_t *)key, strlen(key));
    SHA1Update(&context, (const uint8_t *)guid, strlen(guid));
    SHA1Final(digest, &context);
    base64_encode((const char *)digest, sizeof digest, &text);
    snprintf(out, 29, "%s", text.data);
    bytes_finish(&text);
}

void http_new_key(char out[25])
{
    char random[16];
    struct bytes text = {0};
    if (getrandom(random, sizeof random, 0) != sizeof random)
        abort();
    base64_encode(random, sizeof random, &text);
    snprintf(out, 25, "%s", text.data);
    bytes_finish(&text);
}

void http_answer(int fd, int status, const char *reason, const char *text)
{
    char *answer =
        text_format("HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
                    "Connection: close\r\n\r\n%s\n",
                    status, reason, strlen(text) + 1, text);
    file_write_all(fd, answer, strlen(answer), -1);
    free(answer);
}
