/* A freed object leaves no part of its secret in the memory of the process. With the argument "scan" the memory is read
 * through /proc/self/mem; without it, as under valgrind, the calls are made without a search. A scan requires LD_BIND_NOW:
 * otherwise the loader saves registers on the stack at the first call of a function, and these can contain the secret. */

#include "expect.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MASK 0xa5

/* The secret, masked, so that the search makes no copy of it. */
static uint8_t masked[32];

static void wipe(void *start, size_t count) {
    volatile uint8_t *bytes = start;
    while (count-- > 0) bytes[count] = 0;
}

static void unmask(uint8_t *secret) {
    for (size_t index = 0; index < sizeof masked; index++) secret[index] = masked[index] ^ MASK;
}

/* The number of copies of the first half of the secret in all readable memory. */
static int copies(void) {
    static uint8_t page[1 << 16];
    FILE *maps = fopen("/proc/self/maps", "r");
    int memory = open("/proc/self/mem", O_RDONLY), found = 0;
    char line[512], rights[8];
    unsigned long start, end;
    HOLDS(maps != NULL && memory >= 0);
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) != 3 || rights[0] != 'r' || rights[1] != 'w') continue;
        for (unsigned long at = start; at < end; at += sizeof page - 16) {
            /* The buffer contains what was read before, so it is left out of the search. */
            if (at + sizeof page > (unsigned long)page && at < (unsigned long)(page + sizeof page)) continue;
            ssize_t count = pread(memory, page, at + sizeof page < end ? sizeof page : end - at, (off_t)at);
            for (ssize_t place = 0; place + 16 <= count; place++) {
                size_t same = 0;
                while (same < 16 && (page[(size_t)place + same] ^ MASK) == masked[same]) same++;
                found += same == 16;
            }
        }
    }
    if (maps != NULL) fclose(maps);
    close(memory);
    wipe(page, sizeof page);
    return found;
}

typedef inkling_status (*maker)(const uint8_t *bytes, size_t count, inkling_handle *made);

static inkling_status new_identity(const uint8_t *seed, size_t count, inkling_handle *identity) {
    return inkling_identity_new(seed, count, 1, identity);
}

static inkling_status new_period_key(const uint8_t *bytes, size_t count, inkling_handle *key) {
    return inkling_period_key_new(bytes, count, 500000, key);
}

static void lives(const char *what, maker make, int scan) {
    inkling_handle made = 0;
    uint8_t secret[32];
    unmask(secret);
    EXPECT(make(secret, sizeof secret, &made), INKLING_OK);
    wipe(secret, sizeof secret);
    /* Before the object is freed the search must find the secret; that shows that the search works. */
    HOLDS(!scan || copies() > 0);
    EXPECT(inkling_free(made), INKLING_OK);
    if (scan && copies() != 0) {
        fprintf(stderr, "%s: %d copies after it was freed\n", what, copies());
        failures++;
    }
}

int main(int count, char **arguments) {
    const int scan = count > 1 && strcmp(arguments[1], "scan") == 0;
    int random = open("/dev/urandom", O_RDONLY);
    HOLDS(random >= 0 && read(random, masked, sizeof masked) == (ssize_t)sizeof masked);
    close(random);
    lives("a tree", inkling_tree_new, scan);
    lives("an identity", new_identity, scan);
    lives("a device key", inkling_device_key_new, scan);
    lives("a shared secret", inkling_secret_new, scan);
    lives("the key of a period", new_period_key, scan);
    if (failures == 0) puts(scan ? "no freed object left its secret in memory" : "created and freed, without a search");
    return failures != 0;
}
