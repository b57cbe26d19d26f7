#define OPENSSL_SUPPRESS_DEPRECATED
#include "COpenSSLPeers.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct openssl_states {
    size_t count;
    struct {
        SHA256_CTX inner, outer;
    } state[];
};

static void absorb(SHA256_CTX *context, const uint8_t *key, uint8_t pad) {
    uint8_t block[64];
    for (size_t i = 0; i < 64; i++) block[i] = (uint8_t)((i < 32 ? key[i] : 0) ^ pad);
    SHA256_Init(context);
    SHA256_Update(context, block, 64);
}

openssl_states *openssl_states_prepare(const uint8_t *keys, size_t count) {
    openssl_states *states = malloc(sizeof *states + count * sizeof states->state[0]);
    if (states == NULL) abort();
    states->count = count;
    for (size_t i = 0; i < count; i++) {
        absorb(&states->state[i].inner, keys + 32 * i, 0x36);
        absorb(&states->state[i].outer, keys + 32 * i, 0x5c);
    }
    return states;
}

void openssl_states_free(openssl_states *states) {
    memset(states->state, 0, states->count * sizeof states->state[0]);
    free(states);
}

uint64_t openssl_hmac_prepared(const openssl_states *states, size_t count, const char *label, uint32_t epoch) {
    char text[64];
    const int length = snprintf(text, sizeof text, "%s%u", label, epoch);
    if (length < 0 || (size_t)length >= sizeof text) abort();
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t code[32];
        uint64_t word;
        SHA256_CTX context = states->state[i].inner;
        SHA256_Update(&context, text, (size_t)length);
        SHA256_Final(code, &context);
        context = states->state[i].outer;
        SHA256_Update(&context, code, 32);
        SHA256_Final(code, &context);
        memcpy(&word, code, sizeof word);
        sum ^= word;
    }
    return sum;
}

// A message of one block with its padding, after a block for the key.
static void pad(uint8_t block[64], size_t length) {
    const size_t bits = (64 + length) * 8;
    memset(block + length, 0, 64 - length);
    block[length] = 0x80;
    block[62] = (uint8_t)(bits >> 8);
    block[63] = (uint8_t)bits;
}

static void message(uint8_t block[64], const char *label, uint32_t epoch) {
    const int length = snprintf((char *)block, 64, "%s%u", label, epoch);
    if (length < 0 || length > 55) abort();
    pad(block, (size_t)length);
}

/// The first eight bytes of the HMAC, from the states after the padded keys.
static uint64_t transform(SHA256_CTX *inner, SHA256_CTX *outer, const uint8_t text[64]) {
    uint8_t digest[64];
    SHA256_Transform(inner, text);
    for (int word = 0; word < 8; word++) {
        const uint32_t value = __builtin_bswap32(inner->h[word]);
        memcpy(digest + 4 * word, &value, sizeof value);
    }
    pad(digest, 32);
    SHA256_Transform(outer, digest);
    return (uint64_t)__builtin_bswap32(outer->h[1]) << 32 | __builtin_bswap32(outer->h[0]);
}

uint64_t openssl_transform_prepared(const openssl_states *states, size_t count, const char *label, uint32_t epoch) {
    uint8_t text[64];
    uint64_t sum = 0;
    message(text, label, epoch);
    for (size_t i = 0; i < count; i++) {
        SHA256_CTX inner, outer;
        memcpy(inner.h, states->state[i].inner.h, sizeof inner.h);
        memcpy(outer.h, states->state[i].outer.h, sizeof outer.h);
        sum ^= transform(&inner, &outer, text);
    }
    return sum;
}

uint64_t openssl_transform_keys(const uint8_t *keys, size_t count, const char *label, uint32_t epoch) {
    uint8_t text[64];
    uint64_t sum = 0;
    message(text, label, epoch);
    for (size_t i = 0; i < count; i++) {
        SHA256_CTX inner, outer;
        uint8_t block[64];
        memset(block + 32, 0x36, 32);
        for (size_t b = 0; b < 32; b++) block[b] = keys[32 * i + b] ^ 0x36;
        SHA256_Init(&inner);
        SHA256_Transform(&inner, block);
        memset(block + 32, 0x5c, 32);
        for (size_t b = 0; b < 32; b++) block[b] = keys[32 * i + b] ^ 0x5c;
        SHA256_Init(&outer);
        SHA256_Transform(&outer, block);
        sum ^= transform(&inner, &outer, text);
    }
    return sum;
}
