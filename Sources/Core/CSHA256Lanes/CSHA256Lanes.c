#include "CSHA256Lanes.h"

#include <string.h>

#include "kernels.h"

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

// The number of blocks whose midstates are on the stack at a time: enough for the kernel that works on several blocks
// at once.
enum { PIECE = 16 };

/// Overwrites the stack below the caller. A kernel works in registers; the compiler decides which of them it spills to
/// the stack, and such copies have no name by which they could be wiped.
__attribute__((noinline)) static void wipe_stack(const sha256_lanes_kernel *kernel) {
    // The second part is for the kernel's callers.
    unsigned char below[kernel->depth + (6 << 10)];
    sha256_lanes_wipe(below, sizeof below);
}

// The widest kernels work on an even number of blocks. A single last block goes through memory with room for two.

static void run_states_of(
    const sha256_lanes_kernel *kernel, const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states) {
    const size_t whole = blocks - blocks % kernel->unit;
    if (whole > 0) kernel->states_of(keys, whole, states);
    if (whole == blocks) return;
    sha256_lanes_block padded[2] = {keys[whole]};
    sha256_lanes_states results[2];
    kernel->states_of(padded, 2, results);
    states[whole] = results[0];
    sha256_lanes_wipe(padded, sizeof padded);
    sha256_lanes_wipe(results, sizeof results);
}

static void run_mac(
    const sha256_lanes_kernel *kernel, const sha256_lanes_states *states, size_t blocks,
    const sha256_lanes_message *message, sha256_lanes_output output) {
    const size_t whole = blocks - blocks % kernel->unit;
    if (whole > 0) kernel->mac(states, whole, message, &output);
    if (whole == blocks) return;
    sha256_lanes_states padded[2] = {states[whole]};
    sha256_lanes_block results[2];
    kernel->mac(padded, 2, message, &(sha256_lanes_output){.digests = results});
    deliver(&output, whole, 0, SHA256_LANES, results[0].words[0]);
    sha256_lanes_wipe(padded, sizeof padded);
    sha256_lanes_wipe(results, sizeof results);
}

void sha256_lanes_states_of(
    sha256_lanes_path path, const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states) {
    const sha256_lanes_kernel *kernel = sha256_lanes_kernel_of(path, blocks);
    run_states_of(kernel, keys, blocks, states);
    wipe_stack(kernel);
}

void sha256_lanes_mac(
    sha256_lanes_path path, const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    sha256_lanes_block *digests) {
    const sha256_lanes_kernel *kernel = sha256_lanes_kernel_of(path, blocks);
    run_mac(kernel, states, blocks, message, (sha256_lanes_output){.digests = digests});
    wipe_stack(kernel);
}

void sha256_lanes_mac_of(
    sha256_lanes_path path, const sha256_lanes_block *keys, size_t blocks, const sha256_lanes_message *message,
    sha256_lanes_block *digests) {
    const sha256_lanes_kernel *kernel = sha256_lanes_kernel_of(path, blocks);
    sha256_lanes_states states[PIECE];
    for (size_t done = 0; done < blocks; done += PIECE) {
        const size_t now = blocks - done < PIECE ? blocks - done : PIECE;
        run_states_of(kernel, keys + done, now, states);
        run_mac(kernel, states, now, message, (sha256_lanes_output){.digests = digests + done});
    }
    sha256_lanes_wipe(states, (blocks < PIECE ? blocks : PIECE) * sizeof states[0]);
    wipe_stack(kernel);
}

void sha256_lanes_mac_u128(
    sha256_lanes_path path, const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    uint64_t *numbers) {
    const sha256_lanes_kernel *kernel = sha256_lanes_kernel_of(path, blocks);
    run_mac(kernel, states, blocks, message, (sha256_lanes_output){.pairs = numbers});
    wipe_stack(kernel);
}

void sha256_lanes_mac_u16(
    sha256_lanes_path path, const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    uint16_t *numbers) {
    const sha256_lanes_kernel *kernel = sha256_lanes_kernel_of(path, blocks);
    run_mac(kernel, states, blocks, message, (sha256_lanes_output){.numbers = numbers});
    wipe_stack(kernel);
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
