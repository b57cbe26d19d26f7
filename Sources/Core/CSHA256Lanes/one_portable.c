// SHA-256 for one key in plain C.

#include "kernels.h"

#define ROTATED(x, n) ((x) >> (n) | (x) << (32 - (n)))

ALWAYS_INLINE void round_of(uint32_t v[8], int t, uint32_t added) {
    const uint32_t a = v[(64 - t) & 7], b = v[(65 - t) & 7], c = v[(66 - t) & 7];
    const uint32_t e = v[(68 - t) & 7], f = v[(69 - t) & 7], g = v[(70 - t) & 7];
    const uint32_t first = v[(71 - t) & 7] + added + (((f ^ g) & e) ^ g) + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25));
    v[(67 - t) & 7] += first;
    v[(71 - t) & 7] = first + (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + (((a ^ b) & (b ^ c)) ^ b);
}

/// Compresses one block; `words` is overwritten.
static void compress_words(uint32_t state[8], uint32_t words[16]) {
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (int from = 0; from < 64; from += 16) {
        UNROLL for (int t = 0; t < 16; t++) {
            if (from > 0) {
                const uint32_t late = words[(t + 14) & 15], early = words[(t + 1) & 15];
                words[t] += words[(t + 9) & 15] + (ROTATED(early, 7) ^ ROTATED(early, 18) ^ early >> 3)
                            + (ROTATED(late, 17) ^ ROTATED(late, 19) ^ late >> 10);
            }
            round_of(v, t, words[t] + sha256_lanes_constants[from + t]);
        }
    }
    for (int w = 0; w < 8; w++) state[w] += v[w];
    WIPE(v);
}

static void load_words(const uint8_t block[64], uint32_t words[16]) {
    for (int t = 0; t < 16; t++) {
        memcpy(&words[t], block + 4 * t, 4);
        words[t] = __builtin_bswap32(words[t]);
    }
}

static void compress(uint32_t state[8], const uint8_t *blocks, size_t count) {
    uint32_t words[16];
    for (; count > 0; count--, blocks += 64) {
        load_words(blocks, words);
        compress_words(state, words);
    }
    WIPE(words);
}

static void absorb_key(const uint8_t key[64], uint32_t inner[8], uint32_t outer[8]) {
    uint32_t words[2][16];
    load_words(key, words[0]);
    for (int t = 0; t < 16; t++) {
        words[1][t] = words[0][t] ^ 0x5c5c5c5c;
        words[0][t] ^= 0x36363636;
    }
    memcpy(inner, sha256_lanes_start, sizeof sha256_lanes_start);
    memcpy(outer, sha256_lanes_start, sizeof sha256_lanes_start);
    compress_words(inner, words[0]);
    compress_words(outer, words[1]);
    WIPE(words);
}

static void finish_mac(const uint32_t inner[8], const uint8_t block[64], uint32_t outer[8]) {
    uint32_t words[16], digest[16] = {0, 0, 0, 0, 0, 0, 0, 0, OUTER_PADDING};
    memcpy(digest, inner, 32);
    load_words(block, words);
    compress_words(digest, words);
    compress_words(outer, digest);
    WIPE(words);
    WIPE(digest);
}

const sha256_one_kernel sha256_one_kernel_portable = {compress, absorb_key, finish_mac};
