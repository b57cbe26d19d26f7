#ifndef CINTERFACE_PEERS_H
#define CINTERFACE_PEERS_H

#include <stddef.h>
#include <stdint.h>

// What a C program does with libinkling.so.1: each loop makes `count` calls and returns a sum of what they gave, or
// UINT64_MAX when one was not done. The library is the one that is installed, loaded at run time, so that its Swift
// runtime is not that of the measuring program.

/// Loads the library; answers whether all that is needed is there.
int c_interface_load(const char *path);

/// No handle: the epoch of as many seconds one after the other.
uint64_t c_interface_epochs(uint64_t first_second, size_t count);

/// A tree under a root of 32 bytes, the key of one of its hours; 0 when the library gives none.
uint64_t c_interface_tree(const uint8_t *root);
uint64_t c_interface_key(uint64_t tree, uint32_t hour);

/// A handle and little else: the hours of a tree.
uint64_t c_interface_periods(uint64_t tree, size_t count);

/// Derivations: what a device shows in the epochs of an hour in turn, by the key of the hour, and by the tree.
uint64_t c_interface_key_values(uint64_t key, uint32_t first_epoch, size_t count);
uint64_t c_interface_tree_values(uint64_t tree, uint32_t first_epoch, size_t count);

/// An engine that knows contacts 0, 1, … by a tree under each root, prepared for an epoch.
uint64_t c_interface_engine(const uint8_t *roots, size_t count, uint32_t epoch, uint64_t tick, uint64_t unix_milliseconds);

/// Strangers: minors from addresses of their own, and names that appear. Answers how many effects there were.
uint64_t c_interface_minors(uint64_t engine, const uint16_t *minors, size_t count, uint64_t tick, uint64_t unix_milliseconds);
uint64_t c_interface_names(uint64_t engine, const char *labels, size_t count, uint64_t tick, uint64_t unix_milliseconds);

#endif
