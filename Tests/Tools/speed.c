// A fixed loop of integer work, for which the machine of reference needs 2 s of processor time. It walks a table of 256 KiB and takes branches that no processor
// predicts, as a compiler does, and prints what it computed, so that nothing of it can be left out.
#include <stdint.h>
#include <stdio.h>

enum { WORDS = 1 << 16, ROUNDS = 320000000 };

static uint32_t table[WORDS];

int main(void) {
    uint64_t state = 0x9e3779b97f4a7c15;
    for (uint32_t place = 0; place < WORDS; place++) table[place] = place * 2654435761u;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint32_t *cell = &table[(state >> 32) % WORDS];
        if (*cell & 1) {
            *cell = (*cell ^ (uint32_t)state) * 3;
        } else {
            *cell += (uint32_t)(state >> 11) | 1;
        }
    }
    uint32_t sum = 0;
    for (uint32_t place = 0; place < WORDS; place++) sum += table[place];
    printf("%u\n", sum);
    return 0;
}
