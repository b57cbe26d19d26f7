#ifndef CADDRESS_PEERS_H
#define CADDRESS_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Resolves Bluetooth's resolvable private addresses (Core Specification, Vol 3, Part H, 2.2.2) as fast as AES-NI allows:
// round keys are kept, eight keys are tried at a time, one after the other until one fits. For comparison with a table.

typedef struct address_keys address_keys;

/// Whether this processor has AES instructions.
bool address_peers_available(void);

/// Identity resolving keys lie one behind the other, 16 bytes each, most significant byte first.
address_keys *address_keys_prepare(const uint8_t *keys, size_t count);
void address_keys_free(address_keys *keys);

/// The hash of ah() for 24 bits of prand under the key with this index.
uint32_t address_hash(const address_keys *keys, size_t index, uint32_t prand);

/// The index of the first key whose hash of prand is this one; the number of keys when there is none.
size_t address_resolve(const address_keys *keys, uint32_t prand, uint32_t hash);

#endif
