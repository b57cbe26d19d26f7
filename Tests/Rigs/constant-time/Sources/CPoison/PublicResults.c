// All public values that libsodium computes from secrets, in one place for review. The linker redirects each call to this
// file (`--wrap`). Results that are not declared here stay secret. PublicOutputs.swift declares those of our own code (names,
// tags, gates, fingerprints).

#include "CPoison.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

// A public key is public. So is the second half of libsodium's signing key, which repeats it.

int __real_crypto_scalarmult_base(unsigned char *point, const unsigned char *scalar);
int __wrap_crypto_scalarmult_base(unsigned char *point, const unsigned char *scalar) {
    int status = __real_crypto_scalarmult_base(point, scalar);
    publish(point, crypto_scalarmult_BYTES);
    return status;
}

int __real_crypto_sign_seed_keypair(unsigned char *public_key, unsigned char *key, const unsigned char *seed);
int __wrap_crypto_sign_seed_keypair(unsigned char *public_key, unsigned char *key, const unsigned char *seed) {
    int status = __real_crypto_sign_seed_keypair(public_key, key, seed);
    publish(public_key, crypto_sign_PUBLICKEYBYTES);
    publish(key + crypto_sign_SEEDBYTES, crypto_sign_PUBLICKEYBYTES);
    return status;
}

// Whether the peer's point has low order depends only on the point, which is public. The shared secret stays secret.

int __real_crypto_scalarmult(unsigned char *shared, const unsigned char *scalar, const unsigned char *point);
int __wrap_crypto_scalarmult(unsigned char *shared, const unsigned char *scalar, const unsigned char *point) {
    int status = __real_crypto_scalarmult(shared, scalar, point);
    publish(&status, sizeof status);
    return status;
}

// A signature is public.

int __real_crypto_sign_detached(
    unsigned char *signature, unsigned long long *length, const unsigned char *message, unsigned long long count,
    const unsigned char *key);
int __wrap_crypto_sign_detached(
    unsigned char *signature, unsigned long long *length, const unsigned char *message, unsigned long long count,
    const unsigned char *key) {
    int status = __real_crypto_sign_detached(signature, length, message, count, key);
    publish(signature, crypto_sign_BYTES);
    return status;
}

// Verification takes variable time on a hash of the message. If the message contains keys (a grant), the hash reveals nothing
// about their 32 random bytes, so the verification gets a copy that counts as public. The message itself stays secret.

int __real_crypto_sign_verify_detached(
    const unsigned char *signature, const unsigned char *message, unsigned long long count,
    const unsigned char *public_key);
int __wrap_crypto_sign_verify_detached(
    const unsigned char *signature, const unsigned char *message, unsigned long long count,
    const unsigned char *public_key) {
    unsigned char *copy = malloc(count + 1);
    if (copy == NULL) abort();
    memcpy(copy, message, count);
    publish(copy, count);
    int status = __real_crypto_sign_verify_detached(signature, copy, count, public_key);
    free(copy);
    return status;
}

// Whether two tags are equal is public; where they differ is not.

int __real_sodium_memcmp(const void *left, const void *right, size_t count);
int __wrap_sodium_memcmp(const void *left, const void *right, size_t count) {
    int status = __real_sodium_memcmp(left, right, count);
    publish(&status, sizeof status);
    return status;
}

// A ciphertext is public, and so is whether it is authentic. Its plaintext is data that code may branch on; the rig poisons
// keys in it again when it extracts them.

#define WRAP_AEAD(name, overhead)                                                                                      \
    int __real_##name##_encrypt(                                                                                       \
        unsigned char *ciphertext, unsigned long long *length, const unsigned char *message, unsigned long long count, \
        const unsigned char *data, unsigned long long data_count, const unsigned char *unused,                         \
        const unsigned char *nonce, const unsigned char *key);                                                         \
    int __wrap_##name##_encrypt(                                                                                       \
        unsigned char *ciphertext, unsigned long long *length, const unsigned char *message, unsigned long long count, \
        const unsigned char *data, unsigned long long data_count, const unsigned char *unused,                         \
        const unsigned char *nonce, const unsigned char *key) {                                                        \
        int status =                                                                                                   \
            __real_##name##_encrypt(ciphertext, length, message, count, data, data_count, unused, nonce, key);         \
        publish(ciphertext, count + overhead);                                                                         \
        return status;                                                                                                 \
    }                                                                                                                  \
    int __real_##name##_decrypt(                                                                                       \
        unsigned char *message, unsigned long long *length, unsigned char *unused, const unsigned char *ciphertext,    \
        unsigned long long count, const unsigned char *data, unsigned long long data_count,                            \
        const unsigned char *nonce, const unsigned char *key);                                                         \
    int __wrap_##name##_decrypt(                                                                                       \
        unsigned char *message, unsigned long long *length, unsigned char *unused, const unsigned char *ciphertext,    \
        unsigned long long count, const unsigned char *data, unsigned long long data_count,                            \
        const unsigned char *nonce, const unsigned char *key) {                                                        \
        int status =                                                                                                   \
            __real_##name##_decrypt(message, length, unused, ciphertext, count, data, data_count, nonce, key);         \
        publish(&status, sizeof status);                                                                               \
        if (count >= overhead) publish(message, count - overhead);                                                     \
        return status;                                                                                                 \
    }

WRAP_AEAD(crypto_aead_chacha20poly1305_ietf, crypto_aead_chacha20poly1305_ietf_ABYTES)
WRAP_AEAD(crypto_aead_xchacha20poly1305_ietf, crypto_aead_xchacha20poly1305_ietf_ABYTES)
