#include "CSodiumPeers.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static size_t message(uint8_t *out, const char *label, uint32_t epoch) {
    size_t count = strlen(label);
    memcpy(out, label, count);
    uint8_t digits[10];
    size_t n = 0;
    do {
        digits[n++] = (uint8_t)('0' + epoch % 10);
        epoch /= 10;
    } while (epoch > 0);
    while (n > 0) out[count++] = digits[--n];
    return count;
}

static uint64_t word(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

uint64_t peers_hmac_naive(const uint8_t *keys, size_t count, const char *label, uint32_t epoch) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t text[64], code[crypto_auth_hmacsha256_BYTES];
        crypto_auth_hmacsha256(code, text, message(text, label, epoch), keys + 32 * i);
        sum ^= word(code);
    }
    return sum;
}

struct peers_states {
    size_t count;
    crypto_auth_hmacsha256_state state[];
};

peers_states *peers_states_prepare(const uint8_t *keys, size_t count) {
    peers_states *states = malloc(sizeof *states + count * sizeof states->state[0]);
    if (states == NULL) abort();
    states->count = count;
    for (size_t i = 0; i < count; i++) crypto_auth_hmacsha256_init(&states->state[i], keys + 32 * i, 32);
    return states;
}

void peers_states_free(peers_states *states) {
    sodium_memzero(states->state, states->count * sizeof states->state[0]);
    free(states);
}

uint64_t peers_hmac_prepared(const peers_states *states, size_t count, const char *label, uint32_t epoch) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t text[64], code[crypto_auth_hmacsha256_BYTES];
        crypto_auth_hmacsha256_state state = states->state[i];
        crypto_auth_hmacsha256_update(&state, text, message(text, label, epoch));
        crypto_auth_hmacsha256_final(&state, code);
        sum ^= word(code);
    }
    return sum;
}

uint64_t peers_recognise(const uint8_t *nodes, size_t count, unsigned depth, uint32_t period, uint32_t epoch) {
    static const char *const labels[2][2] = {{"mdns-key", "mDNS-name-"}, {"beacon-key", "iBeacon-minor-"}};
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t key[32];
        memcpy(key, nodes + 32 * i, 32);
        for (unsigned step = depth; step > 0; step--) {
            uint8_t text[16] = "inkling/1\0tree\0";
            text[15] = (uint8_t)(period >> (step - 1) & 1);
            crypto_auth_hmacsha256(key, text, 16, key);
        }
        for (int use = 0; use < 2; use++) {
            uint8_t text[64] = "inkling/1", code[32], device_key[32];
            size_t at = 10, length = strlen(labels[use][0]);
            memcpy(text + at, labels[use][0], length);
            at += length;
            text[at++] = 0;
            text[at++] = 0;
            text[at++] = 1;
            crypto_auth_hmacsha256(device_key, text, at, key);
            crypto_auth_hmacsha256(code, text, message(text, labels[use][1], epoch), device_key);
            sum ^= use == 0 ? word(code) : (uint64_t)code[0] << 8 | code[1];
        }
    }
    return sum;
}

size_t peers_find(const uint8_t *keys, size_t count, const char *label, uint32_t epoch, uint64_t wanted) {
    for (uint32_t offset = 0; offset < 3; offset++) {
        for (size_t i = 0; i < count; i++) {
            uint8_t text[64], code[crypto_auth_hmacsha256_BYTES];
            crypto_auth_hmacsha256(code, text, message(text, label, epoch + offset), keys + 32 * i);
            if (word(code) == wanted) return i;
        }
    }
    return count;
}

uint64_t peers_agreements(const uint8_t *secrets, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t point[32], shared[32];
        for (int pair = 0; pair < 2; pair++) crypto_scalarmult_base(point, secrets + 32 * i);
        for (int agreement = 0; agreement < 8; agreement++) {
            if (crypto_scalarmult(shared, secrets + 32 * i, point) != 0) abort();
            sum ^= word(shared);
        }
    }
    return sum;
}

static void nonce_of(uint8_t nonce[12], uint64_t counter) {
    memset(nonce, 0, 12);
    for (int byte = 0; byte < 8; byte++) nonce[4 + byte] = (uint8_t)(counter >> 8 * byte);
}

uint64_t peers_seal(
    const uint8_t *key, const uint8_t *text, size_t count, uint8_t *sealed, size_t repetitions, uint64_t first) {
    uint64_t sum = 0;
    for (size_t i = 0; i < repetitions; i++) {
        uint8_t nonce[12];
        nonce_of(nonce, first + i);
        crypto_aead_chacha20poly1305_ietf_encrypt(sealed, NULL, text, count, NULL, 0, NULL, nonce, key);
        sum ^= word(sealed + count + 8);
    }
    return sum;
}

uint64_t peers_open(const uint8_t *key, const uint8_t *sealed, size_t count, uint8_t *text, size_t repetitions) {
    for (size_t i = 0; i < repetitions; i++) {
        uint8_t nonce[12];
        nonce_of(nonce, i);
        const uint8_t *one = sealed + i * (count + 16);
        if (crypto_aead_chacha20poly1305_ietf_decrypt(text, NULL, NULL, one, count + 16, NULL, 0, nonce, key) != 0)
            return 1;
    }
    return 0;
}
