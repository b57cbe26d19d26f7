#include "CSHA256Lanes.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "kernels.h"

const uint32_t sha256_lanes_start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

const uint32_t sha256_lanes_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

// Choice of the implementation

bool sha256_lanes_has(sha256_lanes_path path) {
    switch (path) {
    case SHA256_LANES_PORTABLE: return true;
#if defined(__x86_64__)
    case SHA256_LANES_AVX2: return __builtin_cpu_supports("avx2");
    case SHA256_LANES_AVX512: return __builtin_cpu_supports("avx512f");
    case SHA256_LANES_SHA_NI: {
        unsigned int a, b, c, d;
        if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
        return (b >> 29 & 1) && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
    }
#endif
    default: return false;
    }
}

sha256_lanes_path sha256_lanes_best(void) {
    // In the order of their measured speed; the benchmark prints the ratios.
    const sha256_lanes_path paths[] = {SHA256_LANES_AVX512, SHA256_LANES_SHA_NI, SHA256_LANES_AVX2};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (sha256_lanes_has(paths[i])) return paths[i];
    return SHA256_LANES_PORTABLE;
}

/// Returns the kernel of a path, and in `unit` the number of blocks that it processes at a time.
static const sha256_lanes_kernel *kernel_of(sha256_lanes_path path, size_t *unit) {
    *unit = 1;
#if defined(__x86_64__)
    // A kernel whose instructions the processor lacks would crash the program.
    if (!sha256_lanes_has(path)) return &sha256_lanes_kernel_portable;
    switch (path) {
    case SHA256_LANES_AVX2: return &sha256_lanes_kernel_avx2;
    case SHA256_LANES_SHA_NI: return &sha256_lanes_kernel_sha_ni;
    case SHA256_LANES_AVX512: *unit = 2; return &sha256_lanes_kernel_avx512;
    default: break;
    }
#else
    (void)path;
#endif
    return &sha256_lanes_kernel_portable;
}

// Computation

static void run_states_of(
    const sha256_lanes_kernel *kernel, size_t unit, const sha256_lanes_block *keys, size_t blocks,
    sha256_lanes_states *states) {
    const size_t whole = blocks - blocks % unit;
    kernel->states_of(keys, whole, states);
    if (whole == blocks) return;
    sha256_lanes_block padded[2] = {keys[whole]};
    sha256_lanes_states results[2];
    kernel->states_of(padded, unit, results);
    states[whole] = results[0];
    sha256_lanes_wipe(padded, sizeof padded);
    sha256_lanes_wipe(results, sizeof results);
}

static void run_mac(
    const sha256_lanes_kernel *kernel, size_t unit, const sha256_lanes_states *states, size_t blocks,
    const sha256_lanes_message *message, sha256_lanes_block *digests) {
    const size_t whole = blocks - blocks % unit;
    kernel->mac(states, whole, message, digests);
    if (whole == blocks) return;
    sha256_lanes_states padded[2] = {states[whole]};
    sha256_lanes_block results[2];
    kernel->mac(padded, unit, message, results);
    digests[whole] = results[0];
    sha256_lanes_wipe(padded, sizeof padded);
    sha256_lanes_wipe(results, sizeof results);
}

bool sha256_lanes_prepare(const uint8_t *bytes, size_t count, sha256_lanes_message *message) {
    if (count > SHA256_LANES_LONGEST) return false;
    uint8_t block[64] = {0};
    memcpy(block, bytes, count);
    block[count] = 0x80;
    const size_t bits = (64 + count) * 8;
    block[62] = (uint8_t)(bits >> 8);
    block[63] = (uint8_t)bits;
    uint32_t *w = message->schedule;
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8
               | block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        const uint32_t late = w[t - 2], early = w[t - 15];
        w[t] = w[t - 16] + w[t - 7] + ((late >> 17 | late << 15) ^ (late >> 19 | late << 13) ^ late >> 10)
               + ((early >> 7 | early << 25) ^ (early >> 18 | early << 14) ^ early >> 3);
    }
    for (int t = 0; t < 64; t++) w[t] += sha256_lanes_constants[t];
    return true;
}

// More than the frames of a kernel and of what calls it take, with and without optimisation.
enum { DEPTH = 12 << 10 };

/// Overwrites the stack below the caller. A kernel works in registers; the compiler decides which of them it spills to the
/// stack, and such copies have no name by which they could be wiped.
__attribute__((noinline)) static void wipe_stack(void) {
    unsigned char below[DEPTH];
    sha256_lanes_wipe(below, sizeof below);
}

void sha256_lanes_states_of(
    sha256_lanes_path path, const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states) {
    size_t unit;
    const sha256_lanes_kernel *kernel = kernel_of(path, &unit);
    run_states_of(kernel, unit, keys, blocks, states);
    wipe_stack();
}

void sha256_lanes_mac(
    sha256_lanes_path path, const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    sha256_lanes_block *digests) {
    size_t unit;
    const sha256_lanes_kernel *kernel = kernel_of(path, &unit);
    run_mac(kernel, unit, states, blocks, message, digests);
    wipe_stack();
}

void sha256_lanes_mac_of(
    sha256_lanes_path path, const sha256_lanes_block *keys, size_t blocks, const sha256_lanes_message *message,
    sha256_lanes_block *digests) {
    size_t unit;
    const sha256_lanes_kernel *kernel = kernel_of(path, &unit);
    sha256_lanes_states states[PIECE];
    for (size_t done = 0; done < blocks; done += PIECE) {
        const size_t now = blocks - done < PIECE ? blocks - done : PIECE;
        run_states_of(kernel, unit, keys + done, now, states);
        run_mac(kernel, unit, states, now, message, digests + done);
    }
    sha256_lanes_wipe(states, sizeof states);
    wipe_stack();
}

void sha256_lanes_mac_u128(
    sha256_lanes_path path, const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    uint64_t *numbers) {
    size_t unit;
    const sha256_lanes_kernel *kernel = kernel_of(path, &unit);
    sha256_lanes_block digests[PIECE];
    for (size_t done = 0; done < blocks; done += PIECE) {
        const size_t now = blocks - done < PIECE ? blocks - done : PIECE;
        run_mac(kernel, unit, states + done, now, message, digests);
        for (size_t block = 0; block < now; block++) {
            const uint32_t(*words)[SHA256_LANES] = digests[block].words;
            for (size_t lane = 0; lane < SHA256_LANES; lane++) {
                *numbers++ = (uint64_t)words[0][lane] << 32 | words[1][lane];
                *numbers++ = (uint64_t)words[2][lane] << 32 | words[3][lane];
            }
        }
    }
    sha256_lanes_wipe(digests, sizeof digests);
    wipe_stack();
}

void sha256_lanes_mac_u16(
    sha256_lanes_path path, const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    uint16_t *numbers) {
    size_t unit;
    const sha256_lanes_kernel *kernel = kernel_of(path, &unit);
    sha256_lanes_block digests[PIECE];
    for (size_t done = 0; done < blocks; done += PIECE) {
        const size_t now = blocks - done < PIECE ? blocks - done : PIECE;
        run_mac(kernel, unit, states + done, now, message, digests);
        for (size_t block = 0; block < now; block++)
            for (size_t lane = 0; lane < SHA256_LANES; lane++)
                *numbers++ = (uint16_t)(digests[block].words[0][lane] >> 16);
    }
    sha256_lanes_wipe(digests, sizeof digests);
    wipe_stack();
}

// Keys

void sha256_lanes_set(sha256_lanes_block *block, size_t lane, const uint8_t *key) {
    for (size_t word = 0; word < 8; word++) {
        uint32_t value;
        memcpy(&value, key + 4 * word, sizeof value);
        block->words[word][lane % SHA256_LANES] = __builtin_bswap32(value);
    }
}

void sha256_lanes_get(const sha256_lanes_block *block, size_t lane, uint8_t *bytes) {
    for (size_t word = 0; word < 8; word++) {
        const uint32_t value = __builtin_bswap32(block->words[word][lane % SHA256_LANES]);
        memcpy(bytes + 4 * word, &value, sizeof value);
    }
}

void sha256_lanes_copy(
    sha256_lanes_block *block, size_t lane, const sha256_lanes_block *from, size_t from_lane) {
    for (size_t word = 0; word < 8; word++)
        block->words[word][lane % SHA256_LANES] = from->words[word][from_lane % SHA256_LANES];
}

void sha256_lanes_wipe(void *memory, size_t count) {
    memset(memory, 0, count);
    __asm__ volatile("" : : "r"(memory) : "memory");
}
