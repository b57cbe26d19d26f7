#ifndef COPENSSL_PEERS_H
#define COPENSSL_PEERS_H

#include <stddef.h>
#include <stdint.h>

// HMAC-SHA256 by OpenSSL's low-level SHA256_CTX: the states after the inner and the outer padded key are kept and copied.
// The fastest way to compute it with OpenSSL, one key after the other.

typedef struct openssl_states openssl_states;

/// Keys lie one behind the other, 32 bytes each.
openssl_states *openssl_states_prepare(const uint8_t *keys, size_t count);
void openssl_states_free(openssl_states *states);

/// The exclusive-or of the first eight bytes of the codes of label and decimal epoch.
uint64_t openssl_hmac_prepared(const openssl_states *states, size_t count, const char *label, uint32_t epoch);

/// The same by its block transform alone, on blocks that are ready: the states after the padded keys are kept.
uint64_t openssl_transform_prepared(const openssl_states *states, size_t count, const char *label, uint32_t epoch);

/// The same from the keys themselves: the block transform of both padded keys, of the message and of its digest.
uint64_t openssl_transform_keys(const uint8_t *keys, size_t count, const char *label, uint32_t epoch);

#endif
