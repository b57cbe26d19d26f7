#ifndef CSODIUM_PEERS_H
#define CSODIUM_PEERS_H

#include <stddef.h>
#include <stdint.h>

// Each loop returns the exclusive-or of the first eight bytes of what it computed, so that the results can be compared
// and nothing is optimised away. Keys lie one behind the other, 32 bytes each.

/// One call of crypto_auth_hmacsha256 for each key: label and decimal epoch.
uint64_t peers_hmac_naive(const uint8_t *keys, size_t count, const char *label, uint32_t epoch);

/// The same, with the state after the key prepared beforehand and copied for each call.
typedef struct peers_states peers_states;
peers_states *peers_states_prepare(const uint8_t *keys, size_t count);
void peers_states_free(peers_states *states);
uint64_t peers_hmac_prepared(const peers_states *states, size_t count, const char *label, uint32_t epoch);

/// From a tree node of a grant to one device's name and minor: `depth` steps along the low bits of `period`, two device
/// keys, two identifiers.
uint64_t peers_recognise(const uint8_t *nodes, size_t count, unsigned depth, uint32_t period, uint32_t epoch);

/// What recognising a name costs without a table: the HMAC under every key, for three epochs from `epoch` on, until one
/// begins with `wanted`. Answers the index of its key, or `count`.
size_t peers_find(const uint8_t *keys, size_t count, const char *label, uint32_t epoch, uint64_t wanted);

/// The scalar multiplications of a confirm handshake, both sides: two key pairs and eight agreements.
uint64_t peers_agreements(const uint8_t *secrets, size_t count);

/// ChaCha20-Poly1305 without associated data: encrypts `text` of `count` bytes into `sealed`, which is 16 bytes longer,
/// `repetitions` times with the counters from `first` on as nonces. Sums the last eight bytes of the tags.
uint64_t peers_seal(
    const uint8_t *key, const uint8_t *text, size_t count, uint8_t *sealed, size_t repetitions, uint64_t first);

/// The same in reverse: decrypts `repetitions` texts that lie one behind the other. Answers 0, or 1 if one does not
/// authenticate.
uint64_t peers_open(const uint8_t *key, const uint8_t *sealed, size_t count, uint8_t *text, size_t repetitions);

#endif
