#ifndef CIPSEC_PEERS_H
#define CIPSEC_PEERS_H

#include <stddef.h>
#include <stdint.h>

// HMAC-SHA256 of one message under many keys by Intel's Multi-Buffer Crypto for IPsec Library, with the states after the
// inner and the outer padded key kept. The strongest peer: it also computes several keys at the same time. It exists for x86.

typedef struct ipsec_states ipsec_states;

/// Keys lie one behind the other, 32 bytes each. Of the library's implementations, the one that is the fastest here is used.
ipsec_states *ipsec_states_prepare(const uint8_t *keys, size_t count, const char *label, uint32_t epoch);

/// The name of that implementation.
const char *ipsec_implementation(const ipsec_states *states);

/// The exclusive-or of the first eight bytes of the codes of label and decimal epoch.
uint64_t ipsec_hmac_prepared(ipsec_states *states);

#endif
