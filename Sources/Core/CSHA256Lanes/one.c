#include "CSHA256One.h"

#include "kernels.h"

/// Overwrites the stack below the caller, to which the compiler may have spilled registers of a kernel.
__attribute__((noinline)) static void wipe_stack(void) {
    unsigned char below[DEPTH(512, 8 << 10)];
    WIPE(below);
}

static void write_words(const uint32_t words[8], uint8_t bytes[32]) {
    for (int word = 0; word < 8; word++) {
        const uint32_t value = __builtin_bswap32(words[word]);
        memcpy(bytes + 4 * word, &value, sizeof value);
    }
}

// The key is compressed only when a full block or the end of the message needs it. So short pieces of a message reach
// memory while the processor still computes, and the block of the message does not have to wait for them.
static void absorb(sha256_one_state *state, const sha256_one_kernel *kernel) {
    if (!state->is_mac || state->is_absorbed) return;
    uint8_t key[64];
    memcpy(key, state->inner, 32);
    memcpy(key + 32, state->outer, 32);
    kernel->absorb_key(key, state->inner, state->outer);
    state->is_absorbed = true;
    WIPE(key);
}

void sha256_one_start(sha256_one_state *state, sha256_one_path path) {
    memcpy(state->inner, sha256_lanes_start, sizeof state->inner);
    memset(state->block, 0, sizeof state->block);
    state->count = 0;
    state->path = path;
    state->is_mac = state->is_absorbed = false;
}

void sha256_one_start_mac(sha256_one_state *state, sha256_one_path path, const uint8_t *key, size_t count) {
    uint8_t padded[64] = {0};
    if (count > 64) {
        sha256_one_start(state, path);
        sha256_one_append(state, key, count);
        sha256_one_finish(state, padded, 32);
    } else if (count == 32) {
        // The length of every key of the hierarchy.
        memcpy(padded, key, 32);
    } else {
        memcpy(padded, key, count);
    }
    memcpy(state->inner, padded, 32);
    memcpy(state->outer, padded + 32, 32);
    memset(state->block, 0, sizeof state->block);
    state->count = 64;
    state->path = path;
    state->is_mac = true;
    state->is_absorbed = false;
    WIPE(padded);
}

void sha256_one_append(sha256_one_state *state, const uint8_t *bytes, size_t count) {
    const size_t held = state->count % 64;
    state->count += count;
    if (held + count < 64) {
        memcpy(state->block + held, bytes, count);
        return;
    }
    const sha256_one_kernel *kernel = sha256_one_kernel_of(state->path);
    absorb(state, kernel);
    if (held > 0) {
        memcpy(state->block + held, bytes, 64 - held);
        kernel->compress(state->inner, state->block, 1);
        bytes += 64 - held;
        count -= 64 - held;
    }
    if (count >= 64) kernel->compress(state->inner, bytes, count / 64);
    memset(state->block, 0, sizeof state->block);
    memcpy(state->block, bytes + count / 64 * 64, count % 64);
    wipe_stack();
}

void sha256_one_finish(sha256_one_state *state, uint8_t *output, size_t count) {
    const sha256_one_kernel *kernel = sha256_one_kernel_of(state->path);
    const size_t held = state->count % 64;
    const uint64_t bits = __builtin_bswap64(state->count * 8);
    uint8_t *block = state->block;
    // The rest of the block is zero.
    block[held] = 0x80;
    if (held < 56) {
        memcpy(block + 56, &bits, sizeof bits);
        absorb(state, kernel);
    } else {
        absorb(state, kernel);
        kernel->compress(state->inner, block, 1);
        memset(block, 0, 56);
        memcpy(block + 56, &bits, sizeof bits);
    }
    const uint32_t *words = state->inner;
    if (state->is_mac) {
        kernel->finish_mac(state->inner, block, state->outer);
        words = state->outer;
    } else {
        kernel->compress(state->inner, block, 1);
    }
    uint8_t digest[32];
    write_words(words, digest);
    if (count >= 32) {
        memcpy(output, digest, 32);
    } else {
        memcpy(output, digest, count);
    }
    WIPE(digest);
    WIPE(*state);
    wipe_stack();
}
