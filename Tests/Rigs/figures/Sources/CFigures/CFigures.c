#define _GNU_SOURCE
#include "CFigures.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int tag_bytes = crypto_aead_chacha20poly1305_ietf_ABYTES;
static int nonces_are_constant, exits_early;
static const unsigned char zero_nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];

void plant_short_tags(int count) { tag_bytes = count; }
void plant_constant_nonces(void) { nonces_are_constant = 1; }
void plant_early_exit(void) { exits_early = 1; }

typedef unsigned long long length;

int __real_crypto_aead_chacha20poly1305_ietf_encrypt(
    unsigned char *output, length *written, const unsigned char *input, length count, const unsigned char *data,
    length data_count, const unsigned char *unused, const unsigned char *nonce, const unsigned char *key);

int __wrap_crypto_aead_chacha20poly1305_ietf_encrypt(
    unsigned char *output, length *written, const unsigned char *input, length count, const unsigned char *data,
    length data_count, const unsigned char *unused, const unsigned char *nonce, const unsigned char *key) {
    return __real_crypto_aead_chacha20poly1305_ietf_encrypt(
        output, written, input, count, data, data_count, unused, nonces_are_constant ? zero_nonce : nonce, key);
}

int __real_crypto_aead_chacha20poly1305_ietf_decrypt(
    unsigned char *output, length *written, unsigned char *unused, const unsigned char *input, length count,
    const unsigned char *data, length data_count, const unsigned char *nonce, const unsigned char *key);

int __wrap_crypto_aead_chacha20poly1305_ietf_decrypt(
    unsigned char *output, length *written, unsigned char *unused, const unsigned char *input, length count,
    const unsigned char *data, length data_count, const unsigned char *nonce, const unsigned char *key) {
    const length overhead = crypto_aead_chacha20poly1305_ietf_ABYTES;
    if (nonces_are_constant) nonce = zero_nonce;
    int status = __real_crypto_aead_chacha20poly1305_ietf_decrypt(
        output, written, unused, input, count, data, data_count, nonce, key);
    if (status == 0 || tag_bytes == (int)overhead || count < overhead) return status;
    unsigned char *again = malloc(count), *plain = malloc(count);
    if (again == NULL || plain == NULL) abort();
    crypto_stream_chacha20_ietf_xor_ic(plain, input, count - overhead, nonce, 1, key);
    __real_crypto_aead_chacha20poly1305_ietf_encrypt(
        again, NULL, plain, count - overhead, data, data_count, NULL, nonce, key);
    if (memcmp(again + count - overhead, input + count - overhead, (size_t)tag_bytes) == 0) {
        memcpy(output, plain, count - overhead);
        status = 0;
    }
    free(again);
    free(plain);
    return status;
}

int __real_sodium_memcmp(const void *left, const void *right, size_t count);

int __wrap_sodium_memcmp(const void *left, const void *right, size_t count) {
    if (!exits_early) return __real_sodium_memcmp(left, right, count);
    const volatile unsigned char *one = left, *other = right;
    for (size_t index = 0; index < count; index++)
        if (one[index] != other[index]) return -1;
    return 0;
}

static unsigned long read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (unsigned long)now.tv_sec * 1000000000UL + (unsigned long)now.tv_nsec;
}

unsigned long nanoseconds(void) {
    __asm__ volatile("" ::: "memory");
    unsigned long now = read_clock(CLOCK_MONOTONIC);
    __asm__ volatile("" ::: "memory");
    return now;
}

unsigned long processor_nanoseconds(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

static int agreements_are_watched;
static unsigned long check_began, checked;

void watch_agreements(void) { agreements_are_watched = 1; }
unsigned long checked_nanoseconds(void) { return checked; }
void forget_checks(void) { checked = 0; }

void watch_check(int begins) {
    if (begins)
        check_began = processor_nanoseconds();
    else
        checked += processor_nanoseconds() - check_began;
}

int __real_crypto_scalarmult(unsigned char *shared, const unsigned char *scalar, const unsigned char *point);

int __wrap_crypto_scalarmult(unsigned char *shared, const unsigned char *scalar, const unsigned char *point) {
    if (agreements_are_watched) watch_check(1);
    int status = __real_crypto_scalarmult(shared, scalar, point);
    if (agreements_are_watched) watch_check(0);
    return status;
}
