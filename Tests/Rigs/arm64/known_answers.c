// Known answers of the lanes, for processors on which the Swift tests do not run: RFC 4231 in every lane, then many keys in
// parallel, each compared with the same key alone.

#include <stdio.h>
#include <string.h>

#include "CSHA256Lanes.h"

static const struct {
    const char *key, *message, *code;
} cases[] = {
    {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {"4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {"0102030405060708090a0b0c0d0e0f10111213141516171819",
     "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
     "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
};

static size_t bytes(const char *hex, uint8_t *out) {
    size_t count = strlen(hex) / 2;
    for (size_t i = 0; i < count; i++) {
        unsigned value;
        sscanf(hex + 2 * i, "%2x", &value);
        out[i] = (uint8_t)value;
    }
    return count;
}

int main(void) {
    enum { BLOCKS = 5 };
    static sha256_lanes_block keys[BLOCKS], digests[BLOCKS], alone, alone_digest;
    static sha256_lanes_states states[BLOCKS];
    static uint64_t names[BLOCKS * SHA256_LANES][2];
    static uint16_t minors[BLOCKS * SHA256_LANES];
    int checked = 0, wrong = 0;
    for (int path = SHA256_LANES_PORTABLE; path <= SHA256_LANES_AVX512; path++) {
        if (!sha256_lanes_has((sha256_lanes_path)path)) continue;
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            uint8_t key[32] = {0}, text[64], code[32], given[32];
            sha256_lanes_message message;
            bytes(cases[c].key, key);
            bytes(cases[c].code, code);
            if (!sha256_lanes_prepare(text, bytes(cases[c].message, text), &message)) return 2;
            for (size_t lane = 0; lane < SHA256_LANES; lane++) {
                memset(keys, 0x5c, sizeof keys);
                sha256_lanes_set(&keys[0], lane, key);
                sha256_lanes_mac_of((sha256_lanes_path)path, keys, 1, &message, digests);
                sha256_lanes_get(&digests[0], lane, given);
                checked++;
                wrong += memcmp(given, code, 32) != 0;
            }
            uint32_t seed = 1;
            for (size_t i = 0; i < BLOCKS * SHA256_LANES; i++) {
                for (size_t b = 0; b < 32; b++) key[b] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
                sha256_lanes_set(&keys[i / SHA256_LANES], i % SHA256_LANES, key);
            }
            sha256_lanes_states_of((sha256_lanes_path)path, keys, BLOCKS, states);
            sha256_lanes_mac((sha256_lanes_path)path, states, BLOCKS, &message, digests);
            sha256_lanes_mac_u128((sha256_lanes_path)path, states, BLOCKS, &message, names[0]);
            sha256_lanes_mac_u16((sha256_lanes_path)path, states, BLOCKS, &message, minors);
            for (size_t i = 0; i < BLOCKS * SHA256_LANES; i++) {
                uint8_t other[32];
                sha256_lanes_get(&keys[i / SHA256_LANES], i % SHA256_LANES, key);
                sha256_lanes_set(&alone, 0, key);
                sha256_lanes_mac_of(SHA256_LANES_PORTABLE, &alone, 1, &message, &alone_digest);
                sha256_lanes_get(&alone_digest, 0, other);
                sha256_lanes_get(&digests[i / SHA256_LANES], i % SHA256_LANES, given);
                uint64_t high = 0, low = 0;
                for (size_t b = 0; b < 8; b++) {
                    high = high << 8 | other[b];
                    low = low << 8 | other[8 + b];
                }
                checked++;
                wrong += memcmp(given, other, 32) != 0 || names[i][0] != high || names[i][1] != low
                         || minors[i] != high >> 48;
            }
        }
    }
    printf("%d codes checked, %d wrong\n", checked, wrong);
    return wrong != 0 || checked == 0;
}
