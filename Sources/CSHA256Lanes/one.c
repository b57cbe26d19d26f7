#include "CSHA256One.h"

#include "kernels.h"

/// Overwrites the stack below the caller, where the compiler can have spilled registers.
__attribute__((noinline)) static void wipe_stack(void) {
    unsigned char below[DEPTH(1 << 10, 8 << 10)];
    sha256_lanes_wipe(below, sizeof below);
}

static void write_words(const uint32_t words[8], uint8_t bytes[32]) {
    for (int word = 0; word < 8; word++) {
        const uint32_t value = __builtin_bswap32(words[word]);
        memcpy(bytes + 4 * word, &value, sizeof value);
    }
}

static void write_length(uint64_t bytes, uint8_t block[64]) {
    const uint64_t bits = __builtin_bswap64(bytes * 8);
    memcpy(block + 56, &bits, sizeof bits);
}

void sha256_one_start(sha256_one_state *state, sha256_one_path path) {
    memcpy(state->inner, sha256_lanes_start, sizeof state->inner);
    state->count = 0;
    state->path = path;
    state->is_mac = false;
}

void sha256_one_start_mac(sha256_one_state *state, sha256_one_path path, const uint8_t *key, size_t count) {
    uint8_t pads[2][64] = {{0}};
    if (count > 64) {
        sha256_one_start(state, path);
        sha256_one_append(state, key, count);
        sha256_one_finish(state, pads[0], 32);
    } else {
        memcpy(pads[0], key, count);
    }
    for (int byte = 0; byte < 64; byte++) {
        pads[1][byte] = pads[0][byte] ^ 0x5c;
        pads[0][byte] ^= 0x36;
    }
    sha256_one_start(state, path);
    memcpy(state->outer, sha256_lanes_start, sizeof state->outer);
    sha256_one_kernel_of(path)->compress_two(state->inner, pads[0], state->outer, pads[1]);
    state->count = 64;
    state->is_mac = true;
    sha256_lanes_wipe(pads, sizeof pads);
    wipe_stack();
}

void sha256_one_append(sha256_one_state *state, const uint8_t *bytes, size_t count) {
    const size_t held = state->count % 64;
    state->count += count;
    if (held + count < 64) {
        memcpy(state->block + held, bytes, count);
        return;
    }
    const sha256_one_kernel *kernel = sha256_one_kernel_of(state->path);
    if (held > 0) {
        memcpy(state->block + held, bytes, 64 - held);
        kernel->compress(state->inner, state->block, 1);
        bytes += 64 - held;
        count -= 64 - held;
    }
    if (count >= 64) kernel->compress(state->inner, bytes, count / 64);
    memcpy(state->block, bytes + count / 64 * 64, count % 64);
    wipe_stack();
}

void sha256_one_finish(sha256_one_state *state, uint8_t *output, size_t count) {
    const sha256_one_kernel *kernel = sha256_one_kernel_of(state->path);
    const size_t held = state->count % 64;
    uint8_t *block = state->block;
    block[held] = 0x80;
    memset(block + held + 1, 0, 63 - held);
    if (held >= 56) {
        kernel->compress(state->inner, block, 1);
        memset(block, 0, 56);
    }
    write_length(state->count, block);
    kernel->compress(state->inner, block, 1);
    if (state->is_mac) {
        write_words(state->inner, block);
        block[32] = 0x80;
        memset(block + 33, 0, 23);
        write_length(64 + 32, block);
        kernel->compress(state->outer, block, 1);
        write_words(state->outer, block);
    } else {
        write_words(state->inner, block);
    }
    memcpy(output, block, count < 32 ? count : 32);
    sha256_lanes_wipe(state, sizeof *state);
    wipe_stack();
}
