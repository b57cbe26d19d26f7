#include "CAddressPeers.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define AES __attribute__((target("aes,sse4.1")))
enum { ROUND_KEYS = 11, TOGETHER = 8 };

struct address_keys {
    size_t count;
    __m128i (*round)[ROUND_KEYS];
};

bool address_peers_available(void) { return __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1"); }

AES static __m128i next(__m128i key, __m128i assist) {
    assist = _mm_shuffle_epi32(assist, 0xff);
    key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
    key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
    key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
    return _mm_xor_si128(key, assist);
}

AES static void expand(const uint8_t *key, __m128i round[ROUND_KEYS]) {
    __m128i k = _mm_loadu_si128((const __m128i *)key);
    round[0] = k;
#define STEP(n, constant) round[n] = k = next(k, _mm_aeskeygenassist_si128(k, constant))
    STEP(1, 0x01); STEP(2, 0x02); STEP(3, 0x04); STEP(4, 0x08); STEP(5, 0x10);
    STEP(6, 0x20); STEP(7, 0x40); STEP(8, 0x80); STEP(9, 0x1b); STEP(10, 0x36);
}

address_keys *address_keys_prepare(const uint8_t *keys, size_t count) {
    address_keys *result = malloc(sizeof *result);
    // Room for a last eight that is not full; its keys are those of the last one and never answer first.
    const size_t room = (count + TOGETHER - 1) / TOGETHER * TOGETHER + TOGETHER;
    if (result == NULL || count == 0) abort();
    result->count = count;
    result->round = aligned_alloc(64, room * sizeof *result->round);
    if (result->round == NULL) abort();
    for (size_t i = 0; i < room; i++) expand(keys + 16 * (i < count ? i : count - 1), result->round[i]);
    return result;
}

void address_keys_free(address_keys *keys) {
    memset(keys->round, 0, keys->count * sizeof *keys->round);
    free(keys->round);
    free(keys);
}

static __m128i padded(uint32_t prand) {
    return _mm_set_epi8((char)prand, (char)(prand >> 8), (char)(prand >> 16), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

AES uint32_t address_hash(const address_keys *keys, size_t index, uint32_t prand) {
    const __m128i *round = keys->round[index];
    __m128i block = _mm_xor_si128(padded(prand), round[0]);
    for (int n = 1; n < 10; n++) block = _mm_aesenc_si128(block, round[n]);
    block = _mm_aesenclast_si128(block, round[10]);
    return __builtin_bswap32((uint32_t)_mm_extract_epi32(block, 3)) & 0xffffff;
}

AES size_t address_resolve(const address_keys *keys, uint32_t prand, uint32_t hash) {
    const __m128i plain = padded(prand);
    const uint32_t wanted = __builtin_bswap32(hash & 0xffffff);
    for (size_t first = 0; first < keys->count; first += TOGETHER) {
        const __m128i(*round)[ROUND_KEYS] = (const __m128i(*)[ROUND_KEYS])keys->round + first;
        __m128i block[TOGETHER];
        for (int lane = 0; lane < TOGETHER; lane++) block[lane] = _mm_xor_si128(plain, round[lane][0]);
#pragma GCC unroll 9
        for (int n = 1; n < 10; n++)
            for (int lane = 0; lane < TOGETHER; lane++) block[lane] = _mm_aesenc_si128(block[lane], round[lane][n]);
        uint32_t found = 0;
        for (int lane = 0; lane < TOGETHER; lane++) {
            block[lane] = _mm_aesenclast_si128(block[lane], round[lane][10]);
            const uint32_t got = (uint32_t)_mm_extract_epi32(block[lane], 3) & 0xffffff00u;
            found |= (uint32_t)(got == wanted) << lane;
        }
        if (found != 0) {
            const size_t index = first + (size_t)__builtin_ctz(found);
            return index < keys->count ? index : keys->count;
        }
    }
    return keys->count;
}

#else

bool address_peers_available(void) { return false; }
address_keys *address_keys_prepare(const uint8_t *keys, size_t count) { (void)keys, (void)count; abort(); }
void address_keys_free(address_keys *keys) { (void)keys; }
uint32_t address_hash(const address_keys *keys, size_t index, uint32_t prand) {
    (void)keys, (void)index, (void)prand;
    return 0;
}
size_t address_resolve(const address_keys *keys, uint32_t prand, uint32_t hash) {
    (void)keys, (void)prand, (void)hash;
    return 0;
}

#endif
