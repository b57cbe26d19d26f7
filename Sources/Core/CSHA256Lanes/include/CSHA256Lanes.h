// HMAC-SHA256 (RFC 2104, FIPS 180-4) of one short message under many keys at once, with one lane for each key.
//
// The schedule of the message does not depend on the keys and is computed once. The state of each key is stored beside
// those of its neighbours, so that one vector instruction works on as many keys as it has lanes.
//
// Everything computed from a key is as secret as the key. Copies on the stack, including registers that the compiler
// spilled, are wiped before a call returns. The registers themselves keep their values until they are used again.

#ifndef CSHA256LANES_H
#define CSHA256LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__clang__)
#define _Nonnull
#endif

/// The number of keys in a block.
#define SHA256_LANES 16

/// The maximum length of a message in bytes: with its padding, it fills one block of SHA-256.
#define SHA256_LANES_LONGEST 55

/// 16 keys or digests of 32 bytes: `words[w][l]` is word `w` of lane `l`, big-endian in the key.
typedef struct {
    uint32_t words[8][SHA256_LANES];
} sha256_lanes_block;

/// The HMAC midstates of 16 keys: the state of SHA-256 after the inner and after the outer padded key.
typedef struct {
    sha256_lanes_block inner, outer;
} sha256_lanes_states;

/// The schedule of a padded message, with the round constants added.
typedef struct {
    uint32_t schedule[64];
} sha256_lanes_message;

/// The implementations, all of which return the same results.
typedef enum {
    /// Vectors of 4 lanes, for every processor.
    SHA256_LANES_PORTABLE = 0,
    /// Two vectors of 8 lanes.
    SHA256_LANES_AVX2 = 1,
    /// The SHA instructions of x86, with 4 lanes interleaved.
    SHA256_LANES_SHA_NI = 2,
    /// Two vectors of 16 lanes.
    SHA256_LANES_AVX512 = 3,
    /// The SHA instructions of x86, and vectors of 16 lanes for the schedules of the blocks.
    SHA256_LANES_SHA_AVX512 = 4,
    /// The SHA instructions of ARMv8, with 4 lanes interleaved.
    SHA256_LANES_ARMV8 = 5,
    SHA256_LANES_LAST = SHA256_LANES_ARMV8,
} sha256_lanes_path;

/// Returns whether the processor and the operating system support an implementation.
bool sha256_lanes_has(sha256_lanes_path path);

/// Returns the implementation that was the fastest on this processor when it was first asked for. That call times each
/// implementation that the processor supports, which takes less than a millisecond.
sha256_lanes_path sha256_lanes_best(void);

/// Prepares a message. Returns false, and writes nothing, if it is longer than `SHA256_LANES_LONGEST`.
bool sha256_lanes_prepare(const uint8_t *_Nonnull bytes, size_t count, sha256_lanes_message *_Nonnull message);

/// Computes the midstates of `blocks` blocks of keys.
void sha256_lanes_states_of(
    sha256_lanes_path path, const sha256_lanes_block *_Nonnull keys, size_t blocks,
    sha256_lanes_states *_Nonnull states);

/// Computes the HMAC of the message under each key whose midstates are given.
void sha256_lanes_mac(
    sha256_lanes_path path, const sha256_lanes_states *_Nonnull states, size_t blocks,
    const sha256_lanes_message *_Nonnull message, sha256_lanes_block *_Nonnull digests);

/// Computes the HMAC of the message under each key; `digests` can be `keys`.
void sha256_lanes_mac_of(
    sha256_lanes_path path, const sha256_lanes_block *_Nonnull keys, size_t blocks,
    const sha256_lanes_message *_Nonnull message, sha256_lanes_block *_Nonnull digests);

/// Like `sha256_lanes_mac`, but writes the first 16 bytes of each HMAC as two big-endian numbers: 32 numbers for each
/// block.
void sha256_lanes_mac_u128(
    sha256_lanes_path path, const sha256_lanes_states *_Nonnull states, size_t blocks,
    const sha256_lanes_message *_Nonnull message, uint64_t *_Nonnull numbers);

/// Like `sha256_lanes_mac`, but writes the first two bytes of each HMAC as a big-endian number: 16 numbers for each
/// block.
void sha256_lanes_mac_u16(
    sha256_lanes_path path, const sha256_lanes_states *_Nonnull states, size_t blocks,
    const sha256_lanes_message *_Nonnull message, uint16_t *_Nonnull numbers);

/// Writes a key of 32 bytes to a lane, 0 to 15.
void sha256_lanes_set(sha256_lanes_block *_Nonnull block, size_t lane, const uint8_t *_Nonnull key);

/// Reads the key of 32 bytes in a lane, 0 to 15.
void sha256_lanes_get(const sha256_lanes_block *_Nonnull block, size_t lane, uint8_t *_Nonnull bytes);

/// Copies a lane, 0 to 15, of one block to a lane of another.
void sha256_lanes_copy(
    sha256_lanes_block *_Nonnull block, size_t lane, const sha256_lanes_block *_Nonnull from, size_t from_lane);

/// Overwrites memory with zeros in a way that compilers do not optimise away.
void sha256_lanes_wipe(void *_Nonnull memory, size_t count);

#endif
