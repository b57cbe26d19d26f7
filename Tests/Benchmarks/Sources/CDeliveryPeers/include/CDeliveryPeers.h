#ifndef CDELIVERY_PEERS_H
#define CDELIVERY_PEERS_H

#include <stddef.h>
#include <stdint.h>

/// How a copy seals its frames.
enum {
    PEERS_PLAIN,
    PEERS_AES_GCM_OPENSSL,
    PEERS_CHACHA_OPENSSL,
    PEERS_CHACHA_SODIUM,
};

/// Sends a file over a TCP connection of the loopback interface to another thread, which writes it, in frames of `frame` bytes
/// of the file. Each frame has a length of four bytes in front, and a tag if it is sealed.
///
/// With `synced`, both sides also compute the SHA-256 of the whole, the receiver syncs what it has each `synced` bytes and at
/// the end, and says so to the sender, who is never further ahead than twice as much. Answers 0, or the line that failed.
int peers_copy_file(const char *from, const char *to, int cipher, size_t frame, size_t synced);

/// Computes the SHA-256 of the first bytes of a file by OpenSSL, in blocks of 64 KiB. Answers 0, or the line that failed.
int peers_digest_file(const char *path, uint64_t count);

/// One change of a commit: the row is removed when it has no bytes.
typedef struct {
    uint8_t name[16];
    uint32_t length;
    /// Whether the commit ends with this change.
    uint32_t is_last;
} peers_change;

/// Makes the commits in a new SQLite database, which waits for the disk at each. Answers 0, or the line that failed.
int peers_commit(const char *path, const peers_change *changes, size_t count);

/// Sends `count` messages of `size` bytes over a TCP connection of the loopback interface to another thread, which answers each
/// with 48 bytes before the next one is sent. Answers 0, or the line that failed.
int peers_exchange(size_t count, size_t size);

#endif
