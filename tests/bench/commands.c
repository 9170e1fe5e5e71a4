/* commands: stands where a shell does and runs COMMANDS commands (of the environment) as fast as
 * the terminal takes them: marks (ptyd-marks(7)), a prompt, a line of output each, status i % 256.
 * Then it stays at its prompt. It finds the nonce where integration scripts do, on descriptor 3. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONCE_LEN 32

/* The first run of 32 hex digits. */
static int read_nonce(char ret_nonce[NONCE_LEN + 1])
{
    static char script[1 << 18];
    size_t len = 0, digits = 0;
    ssize_t n;
    while (len < sizeof script && (n = read(3, script + len, sizeof script - len)) > 0)
        len += (size_t)n;
    for (size_t i = 0; i < len; i++) {
        digits = isxdigit((unsigned char)script[i]) ? digits + 1 : 0;
        if (digits < NONCE_LEN || (i + 1 < len && isxdigit((unsigned char)script[i + 1])))
            continue;
        memcpy(ret_nonce, script + i + 1 - NONCE_LEN, NONCE_LEN);
        return 0;
    }
    return -1;
}

int main(void)
{
    static char nonce[NONCE_LEN + 1], buffer[1 << 14];
    const char *text = getenv("COMMANDS");
    long count = text ? atol(text) : 0;
    long long seq = 0;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    if (read_nonce(nonce) < 0) {
        fputs("commands: no nonce on descriptor 3\n", stderr);
        return 1;
    }
#define MARK(kind) printf("\033]7711;%s;%lld;%s", nonce, ++seq, kind)
    MARK("A\a");
    for (long i = 1; i <= count; i++) {
        printf("$ ");
        MARK("B\a");
        printf("command %ld\r\n", i);
        MARK("C;cmd=command ");
        printf("%ld\aoutput of %ld\r\n", i, i);
        MARK("D;st=");
        printf("%ld\a", i % 256);
        MARK("A\a");
    }
    printf("$ ");
    MARK("B\a");
    fflush(stdout);
    while (read(0, buffer, sizeof buffer) > 0)
        ;
    return 0;
}
