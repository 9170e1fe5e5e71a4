/* An NKey is a byte or two that say what it is, 32 bytes, and a CRC-16 (XMODEM) of those, all in
 * base 32 (RFC 4648) without padding: https://github.com/nats-io/nkeys. */
#include "ptyd/relay/keys.h"

#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"

#define PREFIX_SEED (18 << 3) /* S */
#define PREFIX_USER (20 << 3) /* U */
#define SEED_BYTES  32
#define RAW_MOST    36 /* prefix, seed, sum */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static void begin(void)
{
    if (sodium_init() < 0) /* no source of random numbers: the kernel's call does not fail */
        abort();
}

static uint16_t sum_of(const unsigned char *bytes, size_t len)
{
    uint16_t sum = 0;
    for (size_t i = 0; i < len; i++) {
        sum ^= (uint16_t)(bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++)
            sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
    }
    return sum;
}

static void encode(unsigned char *raw, size_t len, char *out)
{
    uint16_t sum = sum_of(raw, len);
    raw[len++] = (unsigned char)(sum & 0xff);
    raw[len++] = (unsigned char)(sum >> 8);
    unsigned held = 0, bits = 0;
    for (size_t i = 0; i < len; i++) {
        held = held << 8 | raw[i];
        for (bits += 8; bits >= 5; bits -= 5)
            *out++ = alphabet[held >> (bits - 5) & 31];
    }
    if (bits)
        *out++ = alphabet[held << (5 - bits) & 31];
    *out = '\0';
}

/* The bytes in front of the sum; false where the text is another's, or damaged. */
static bool decode(const char *text, size_t wanted, unsigned char raw[RAW_MOST])
{
    unsigned held = 0, bits = 0;
    size_t len = 0;
    for (; *text; text++) {
        const char *at = strchr(alphabet, *text);
        if (!at || len == RAW_MOST)
            return false;
        held = held << 5 | (unsigned)(at - alphabet);
        bits += 5;
        if (bits >= 8)
            raw[len++] = (unsigned char)(held >> (bits -= 8));
    }
    return len == wanted + 2 && sum_of(raw, wanted) == (raw[wanted] | raw[wanted + 1] << 8);
}

static bool decode_seed(const char *text, unsigned char ret_seed[SEED_BYTES])
{
    unsigned char raw[RAW_MOST];
    bool is_one = decode(text, SEED_BYTES + 2, raw) && raw[0] == (PREFIX_SEED | PREFIX_USER >> 5) &&
                  raw[1] == ((PREFIX_USER & 31) << 3);
    if (is_one)
        memcpy(ret_seed, raw + 2, SEED_BYTES);
    sodium_memzero(raw, sizeof raw);
    return is_one;
}

void keys_new_seed(char ret_seed[KEYS_SEED_SIZE])
{
    unsigned char raw[RAW_MOST] = {PREFIX_SEED | PREFIX_USER >> 5, (PREFIX_USER & 31) << 3};
    keys_random(raw + 2, SEED_BYTES);
    encode(raw, SEED_BYTES + 2, ret_seed);
    sodium_memzero(raw, sizeof raw);
}

/* False where it is no seed. */
static bool pair_of(const char *text, unsigned char public[crypto_sign_PUBLICKEYBYTES],
                    unsigned char secret[crypto_sign_SECRETKEYBYTES])
{
    unsigned char seed[SEED_BYTES];
    begin();
    bool is_one = decode_seed(text, seed);
    if (is_one)
        crypto_sign_seed_keypair(public, secret, seed);
    sodium_memzero(seed, sizeof seed);
    return is_one;
}

bool keys_public(const char *text, char ret_public[KEYS_PUBLIC_SIZE])
{
    unsigned char raw[RAW_MOST] = {PREFIX_USER}, secret[crypto_sign_SECRETKEYBYTES];
    bool is_one = pair_of(text, raw + 1, secret);
    if (is_one)
        encode(raw, 1 + crypto_sign_PUBLICKEYBYTES, ret_public);
    sodium_memzero(secret, sizeof secret);
    return is_one;
}

bool keys_is_public(const char *text)
{
    unsigned char raw[RAW_MOST];
    return decode(text, 1 + crypto_sign_PUBLICKEYBYTES, raw) && raw[0] == PREFIX_USER;
}

/* ---- tokens ---- */

static const struct {
    unsigned char prefix;
    const char *made_from;
} roles[KEYS_ROLES] = {
    [KEYS_ACCOUNT] = {0 << 3, "account"}, /* A */
    [KEYS_HOSTS] = {0 << 3, "hosts"},
    [KEYS_SYSTEM] = {0 << 3, "system"},
    [KEYS_OPERATOR] = {14 << 3, "operator"}, /* O */
};

bool keys_signer(const char *text, enum keys_role role, struct keys_signer *ret)
{
    unsigned char seed[SEED_BYTES], own[SEED_BYTES], raw[RAW_MOST] = {roles[role].prefix};
    const char *from = roles[role].made_from;
    begin();
    bool is_one = decode_seed(text, seed);
    if (is_one) {
        crypto_generichash(own, sizeof own, (const unsigned char *)from, strlen(from), seed,
                           sizeof seed);
        crypto_sign_seed_keypair(raw + 1, ret->secret, own);
        encode(raw, 1 + crypto_sign_PUBLICKEYBYTES, ret->public);
    }
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(own, sizeof own);
    return is_one;
}

static void append_base64(const void *bytes, size_t len, struct bytes *out)
{
    size_t size = sodium_base64_encoded_len(len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *text = memory_new(size);
    sodium_bin2base64(text, size, bytes, len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    bytes_append_text(out, text);
    free(text);
}

char *keys_token(const struct keys_signer *signer, const char *claims)
{
    static const char head[] = "{\"typ\":\"JWT\",\"alg\":\"ed25519-nkey\"}";
    unsigned char signature[crypto_sign_BYTES];
    struct bytes out = {0};
    append_base64(head, sizeof head - 1, &out);
    bytes_append_char(&out, '.');
    append_base64(claims, strlen(claims), &out);
    crypto_sign_detached(signature, NULL, (const unsigned char *)out.data, out.len, signer->secret);
    bytes_append_char(&out, '.');
    append_base64(signature, sizeof signature, &out);
    if (out.failed)
        memory_end();
    return out.data;
}

char *keys_claims(const char *token, size_t len)
{
    const char *first = memchr(token, '.', len), *begin_at = first ? first + 1 : NULL;
    const char *second = first ? memchr(begin_at, '.', len - (size_t)(begin_at - token)) : NULL;
    size_t size = second ? (size_t)(second - begin_at) : 0, got = 0;
    char *claims = size ? memory_new(size + 1) : NULL;
    if (!size || sodium_base642bin((unsigned char *)claims, size, begin_at, size, NULL, &got, NULL,
                                   sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0) {
        free(claims);
        return NULL;
    }
    claims[got] = '\0';
    return claims;
}

/* ---- what a seed does ---- */

bool keys_sign(const char *seed, const char *text, unsigned char ret_signature[])
{
    unsigned char public[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
    bool is_one = pair_of(seed, public, secret);
    if (is_one)
        crypto_sign_detached(ret_signature, NULL, (const unsigned char *)text, strlen(text),
                             secret);
    sodium_memzero(secret, sizeof secret);
    return is_one;
}

void keys_random(void *bytes, size_t len)
{
    begin();
    randombytes_buf(bytes, len);
}

void keys_hex(const unsigned char *bytes, size_t len, char *ret_text)
{
    sodium_bin2hex(ret_text, len * 2 + 1, bytes, len);
}

bool keys_unhex(const char *text, unsigned char *ret_bytes, size_t len)
{
    size_t got = 0;
    return strlen(text) == len * 2 &&
           sodium_hex2bin(ret_bytes, len, text, len * 2, NULL, &got, NULL) == 0 && got == len;
}

void keys_mac(const unsigned char key[KEYS_MAC_BYTES], const char *text, char ret_id[KEYS_ID_SIZE])
{
    unsigned char mac[(KEYS_ID_SIZE - 1) / 2];
    begin();
    crypto_generichash(mac, sizeof mac, (const unsigned char *)text, strlen(text), key,
                       KEYS_MAC_BYTES);
    keys_hex(mac, sizeof mac, ret_id);
}

#define NONCE_BYTES crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define TAG_BYTES   crypto_aead_xchacha20poly1305_ietf_ABYTES

/* The nonce is long enough to be random. */
void keys_seal(const unsigned char key[KEYS_SEAL_BYTES], const char *about, const char *text,
               size_t len, struct bytes *out)
{
    unsigned char nonce[NONCE_BYTES];
    keys_random(nonce, sizeof nonce);
    bytes_append(out, nonce, sizeof nonce);
    char *to = bytes_reserve(out, len + TAG_BYTES);
    if (!to)
        memory_end();
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        (unsigned char *)to, NULL, (const unsigned char *)text, len, (const unsigned char *)about,
        strlen(about), NULL, nonce, key);
    out->len += len + TAG_BYTES;
    out->data[out->len] = '\0';
}

bool keys_open(const unsigned char key[KEYS_SEAL_BYTES], const char *about, const char *box,
               size_t len, struct bytes *out)
{
    const unsigned char *nonce = (const unsigned char *)box;
    begin();
    if (len < NONCE_BYTES + TAG_BYTES)
        return false;
    size_t text_len = len - NONCE_BYTES - TAG_BYTES;
    char *to = bytes_reserve(out, text_len + 1);
    if (!to)
        memory_end();
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            (unsigned char *)to, NULL, NULL, nonce + NONCE_BYTES, len - NONCE_BYTES,
            (const unsigned char *)about, strlen(about), nonce, key) != 0)
        return false;
    out->len += text_len;
    out->data[out->len] = '\0';
    return true;
}

void keys_seal_id(const unsigned char key[KEYS_SEAL_BYTES], char ret_id[KEYS_SEAL_ID_SIZE])
{
    char id[KEYS_ID_SIZE];
    keys_mac(key, "ptyd: which key this is", id);
    memcpy(ret_id, id, KEYS_SEAL_ID_SIZE - 1);
    ret_id[KEYS_SEAL_ID_SIZE - 1] = '\0';
}
