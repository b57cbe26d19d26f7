// HMAC-SHA256 (RFC 2104, FIPS 180-4) of one short message under many keys at once: a lane for each key.
//
// What all keys share is computed once, that is the message's schedule; what each key needs is kept beside its
// neighbours', so that one vector instruction works on as many keys as it has lanes.
//
// Everything here that follows from a key is as secret as the key. Copies on the stack are wiped before a call returns.

#ifndef CSHA256LANES_H
#define CSHA256LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__clang__)
#define _Nonnull
#endif

/// How many keys stand side by side in a block.
#define SHA256_LANES 16

/// The longest message, in bytes: with its padding it fills the rest of one block of SHA-256.
#define SHA256_LANES_LONGEST 55

/// 16 keys or digests of 32 bytes: word `w`, most significant byte first in the key, of lane `l` is `words[w][l]`.
typedef struct {
    uint32_t words[8][SHA256_LANES];
} sha256_lanes_block;

/// What HMAC keeps of 16 keys: SHA-256 after the inner and after the outer padded key.
typedef struct {
    sha256_lanes_block inner, outer;
} sha256_lanes_states;

/// The schedule of a message and its padding, with the round constants added.
typedef struct {
    uint32_t schedule[64];
} sha256_lanes_message;

/// One way to compute, all with the same results.
typedef enum {
    /// 4 lanes in vectors that every processor has.
    SHA256_LANES_PORTABLE = 0,
    /// 8 lanes, twice.
    SHA256_LANES_AVX2 = 1,
    /// 4 lanes by SHA instructions.
    SHA256_LANES_SHA_NI = 2,
    /// 16 lanes, twice.
    SHA256_LANES_AVX512 = 3,
} sha256_lanes_path;

/// Whether this processor, and the system on it, can compute in this way.
bool sha256_lanes_has(sha256_lanes_path path);

/// The fastest way that this processor has.
sha256_lanes_path sha256_lanes_best(void);

/// Prepares a message; false, and nothing is written, when it is longer than `SHA256_LANES_LONGEST`.
bool sha256_lanes_prepare(const uint8_t *_Nonnull bytes, size_t count, sha256_lanes_message *_Nonnull message);

/// Computes the states of `blocks` blocks of keys.
void sha256_lanes_states_of(
    sha256_lanes_path path, const sha256_lanes_block *_Nonnull keys, size_t blocks,
    sha256_lanes_states *_Nonnull states);

/// Computes the message's HMAC under each key whose states are given.
void sha256_lanes_mac(
    sha256_lanes_path path, const sha256_lanes_states *_Nonnull states, size_t blocks,
    const sha256_lanes_message *_Nonnull message, sha256_lanes_block *_Nonnull digests);

/// Computes the message's HMAC under each key; `digests` may be `keys`.
void sha256_lanes_mac_of(
    sha256_lanes_path path, const sha256_lanes_block *_Nonnull keys, size_t blocks,
    const sha256_lanes_message *_Nonnull message, sha256_lanes_block *_Nonnull digests);

/// As `sha256_lanes_mac`, and writes the first 16 bytes of each HMAC as two numbers: 32 numbers for each block.
void sha256_lanes_mac_u128(
    sha256_lanes_path path, const sha256_lanes_states *_Nonnull states, size_t blocks,
    const sha256_lanes_message *_Nonnull message, uint64_t *_Nonnull numbers);

/// As `sha256_lanes_mac`, and writes the first two bytes of each HMAC as a number: 16 numbers for each block.
void sha256_lanes_mac_u16(
    sha256_lanes_path path, const sha256_lanes_states *_Nonnull states, size_t blocks,
    const sha256_lanes_message *_Nonnull message, uint16_t *_Nonnull numbers);

/// Puts a key of 32 bytes into a lane, 0 to 15.
void sha256_lanes_set(sha256_lanes_block *_Nonnull block, size_t lane, const uint8_t *_Nonnull key);

/// Copies the 32 bytes of a lane, 0 to 15.
void sha256_lanes_get(const sha256_lanes_block *_Nonnull block, size_t lane, uint8_t *_Nonnull bytes);

/// Copies a lane, 0 to 15, of one block to a lane of another.
void sha256_lanes_copy(
    sha256_lanes_block *_Nonnull block, size_t lane, const sha256_lanes_block *_Nonnull from, size_t from_lane);

/// Writes zeros in a way that no compiler leaves out.
void sha256_lanes_wipe(void *_Nonnull memory, size_t count);

#endif
