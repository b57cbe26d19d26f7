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
