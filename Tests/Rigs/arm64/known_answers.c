// Known answers of the lanes and of the computations for one key, for processors on which the Swift tests do not run:
// RFC 4231 in every lane, then many keys in parallel, each compared with the same key alone; RFC 4231 and FIPS 180-4 for one
// key, then all lengths of messages and keys, each compared with the portable path. Prints the paths that were taken.

#include <stdio.h>
#include <string.h>

#include "CSHA256Lanes.h"
#include "CSHA256One.h"

static const char *const lane_paths[] = {"portable", "avx2", "sha-ni", "avx512", "sha-avx512", "armv8"};
static const char *const one_paths[] = {"portable", "instructions"};

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

static const struct {
    const char *text, *digest;
} digests_of_texts[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static int checked, wrong;

static void check(bool is_right) {
    checked++;
    wrong += !is_right;
}

static size_t bytes(const char *hex, uint8_t *out) {
    size_t count = strlen(hex) / 2;
    for (size_t i = 0; i < count; i++) {
        unsigned value;
        sscanf(hex + 2 * i, "%2x", &value);
        out[i] = (uint8_t)value;
    }
    return count;
}

static void check_lanes(sha256_lanes_path path) {
    enum { BLOCKS = 21 };
    static sha256_lanes_block keys[BLOCKS], digests[BLOCKS], derived[BLOCKS], alone, alone_digest;
    // A prefetch can go past the end, and a unit of two blocks does not: nothing may be written here.
    static sha256_lanes_states states[BLOCKS + 1];
    static uint64_t names[BLOCKS * SHA256_LANES][2];
    static uint16_t minors[BLOCKS * SHA256_LANES];
    static const size_t block_counts[] = {1, 2, 3, 7, 8, 9, BLOCKS};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint8_t key[32] = {0}, text[64], code[32], given[32];
        sha256_lanes_message message;
        bytes(cases[c].key, key);
        bytes(cases[c].code, code);
        if (!sha256_lanes_prepare(text, bytes(cases[c].message, text), &message)) {
            check(false);
            continue;
        }
        for (size_t lane = 0; lane < SHA256_LANES; lane++) {
            memset(keys, 0x5c, sizeof keys);
            sha256_lanes_set(&keys[0], lane, key);
            sha256_lanes_mac_of(path, keys, 1, &message, digests);
            sha256_lanes_get(&digests[0], lane, given);
            check(memcmp(given, code, 32) == 0);
        }
        uint32_t seed = 1;
        for (size_t i = 0; i < BLOCKS * SHA256_LANES; i++) {
            for (size_t b = 0; b < 32; b++) key[b] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
            sha256_lanes_set(&keys[i / SHA256_LANES], i % SHA256_LANES, key);
        }
        for (size_t n = 0; n < sizeof block_counts / sizeof block_counts[0]; n++) {
            const size_t blocks = block_counts[n];
            memset(states, 0xaa, sizeof states);
            memset(digests, 0xaa, sizeof digests);
            memset(names, 0xaa, sizeof names);
            memset(minors, 0xaa, sizeof minors);
            sha256_lanes_states_of(path, keys, blocks, states);
            const uint8_t *after = (const uint8_t *)&states[blocks];
            for (size_t b = 0; b < sizeof states[0]; b++)
                if (after[b] != 0xaa) check(false);
            sha256_lanes_mac(path, states, blocks, &message, digests);
            sha256_lanes_mac_of(path, keys, blocks, &message, derived);
            sha256_lanes_mac_u128(path, states, blocks, &message, names[0]);
            sha256_lanes_mac_u16(path, states, blocks, &message, minors);
            for (size_t i = 0; i < BLOCKS * SHA256_LANES; i++) {
                uint8_t other[32], again[32];
                if (i >= blocks * SHA256_LANES) {
                    check(minors[i] == 0xaaaa && names[i][0] == 0xaaaaaaaaaaaaaaaa);
                    continue;
                }
                sha256_lanes_get(&keys[i / SHA256_LANES], i % SHA256_LANES, key);
                sha256_lanes_set(&alone, 0, key);
                sha256_lanes_mac_of(SHA256_LANES_PORTABLE, &alone, 1, &message, &alone_digest);
                sha256_lanes_get(&alone_digest, 0, other);
                sha256_lanes_get(&digests[i / SHA256_LANES], i % SHA256_LANES, given);
                sha256_lanes_get(&derived[i / SHA256_LANES], i % SHA256_LANES, again);
                uint64_t high = 0, low = 0;
                for (size_t b = 0; b < 8; b++) {
                    high = high << 8 | other[b];
                    low = low << 8 | other[8 + b];
                }
                check(
                    memcmp(given, other, 32) == 0 && memcmp(again, other, 32) == 0 && names[i][0] == high
                    && names[i][1] == low && minors[i] == high >> 48);
            }
        }
    }
}

static void mac(sha256_one_path path, const uint8_t *key, size_t length, const uint8_t *text, size_t count, uint8_t *code) {
    sha256_one_state state;
    sha256_one_start_mac(&state, path, key, length);
    // In pieces whose lengths differ.
    for (size_t from = 0, piece = 1; from < count; from += piece, piece = piece * 5 % 97 + 1)
        sha256_one_append(&state, text + from, piece < count - from ? piece : count - from);
    sha256_one_finish(&state, code, 32);
}

static void check_one(sha256_one_path path) {
    uint8_t key[200], text[300], code[32], given[32];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        bytes(cases[c].code, code);
        const size_t length = bytes(cases[c].key, key);
        mac(path, key, length, text, bytes(cases[c].message, text), given);
        check(memcmp(given, code, 32) == 0);
    }
    for (size_t c = 0; c < sizeof digests_of_texts / sizeof digests_of_texts[0]; c++) {
        sha256_one_state state;
        bytes(digests_of_texts[c].digest, code);
        const char *message = digests_of_texts[c].text;
        sha256_one_start(&state, path);
        sha256_one_append(&state, (const uint8_t *)message, strlen(message));
        sha256_one_finish(&state, given, 32);
        check(memcmp(given, code, 32) == 0);
    }
    for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * 7 + 1);
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)(i * 11 + 3);
    for (size_t count = 0; count <= sizeof text; count++) {
        const size_t length = count * 13 % (sizeof key + 1);
        mac(path, key, length, text, count, given);
        mac(SHA256_ONE_PORTABLE, key, length, text, count, code);
        check(memcmp(given, code, 32) == 0);
    }
}

int main(void) {
    printf("lanes:");
    for (int path = 0; path <= SHA256_LANES_LAST; path++) {
        if (!sha256_lanes_has((sha256_lanes_path)path)) continue;
        printf(" %s", lane_paths[path]);
        check_lanes((sha256_lanes_path)path);
    }
    printf("; one key:");
    for (int path = 0; path <= SHA256_ONE_INSTRUCTIONS; path++) {
        if (!sha256_one_has((sha256_one_path)path)) continue;
        printf(" %s", one_paths[path]);
        check_one((sha256_one_path)path);
    }
    check(sha256_lanes_has(sha256_lanes_best()) && sha256_lanes_best() == sha256_lanes_best());
    check(sha256_one_has(sha256_one_best()) && sha256_one_best() == sha256_one_best());
    printf("; %d codes checked, %d wrong\n", checked, wrong);
    return wrong != 0 || checked == 0;
}
