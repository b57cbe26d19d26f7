#include "CFuzzing.h"

#include <string.h>

static int accepts_every_signature;

void accept_every_signature(int accept) { accepts_every_signature = accept; }

static void (*watcher)(int begins);

void watch_signatures(void (*watch)(int begins)) { watcher = watch; }

static unsigned long copied;

void note_copy(unsigned long count) { copied += count; }
unsigned long noted_copies(void) { return copied; }
void forget_copies(void) { copied = 0; }

int __real_crypto_sign_verify_detached(
    const unsigned char *signature, const unsigned char *message, unsigned long long count, const unsigned char *key);

int __wrap_crypto_sign_verify_detached(
    const unsigned char *signature, const unsigned char *message, unsigned long long count, const unsigned char *key) {
    if (accepts_every_signature) return 0;
    if (watcher) watcher(1);
    int status = __real_crypto_sign_verify_detached(signature, message, count, key);
    if (watcher) watcher(0);
    return status;
}

int are_equal(const unsigned char *left, const unsigned char *right, unsigned long count) {
    return memcmp(left, right, count) == 0;
}
