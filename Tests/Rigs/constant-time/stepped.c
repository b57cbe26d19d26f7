// Steps through the kernels for SHA-256 whose instructions valgrind does not know, an instruction at a time.
//
// For every key the instructions must be the same ones. So must the general registers before each of them, from which every
// address comes: then no part of a key becomes an address.
//
// Two planted leaks must be found: a branch on a bit of a key, and a table that is read at a place that a key chooses.
//
//   stepped KEYS      the number of keys, at least 3

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels.h"

// Every kernel works on a multiple of one or two blocks.
enum { BLOCKS = 2 };

// Input and output are at the same places for all keys.
static _Alignas(64) sha256_lanes_block keys[BLOCKS], digests[BLOCKS];
static _Alignas(64) sha256_lanes_states states[BLOCKS];
static _Alignas(64) uint64_t pairs[2 * BLOCKS * SHA256_LANES];
static _Alignas(64) uint16_t numbers[BLOCKS * SHA256_LANES];
static sha256_lanes_message message;
static volatile uint8_t table[256], taken;
static volatile unsigned result;

static const sha256_lanes_kernel *lanes;
static const sha256_one_kernel *one;

static void midstates(void) { lanes->states_of(keys, BLOCKS, states); }
static void macs(void) { lanes->mac(states, BLOCKS, &message, &(sha256_lanes_output){.digests = digests}); }
static void names(void) { lanes->mac(states, BLOCKS, &message, &(sha256_lanes_output){.pairs = pairs}); }
static void minors(void) { lanes->mac(states, BLOCKS, &message, &(sha256_lanes_output){.numbers = numbers}); }

static void absorbed(void) { one->absorb_key((const uint8_t *)keys, states->inner.words[0], states->outer.words[0]); }
static void compressed(void) { one->compress(states->inner.words[0], (const uint8_t *)keys, 2); }
static void finished(void) {
    one->finish_mac(states->inner.words[0], (const uint8_t *)keys, states->outer.words[0]);
}

static void branch_on_bit(void) {
    if (((const uint8_t *)keys)[5] & 1) result++;
}

static void look_up(void) { taken = table[((const uint8_t *)keys)[9]]; }

typedef struct {
    const char *kernel, *name;
    void (*run)(void);
    const sha256_lanes_kernel *lanes;
    const sha256_one_kernel *one;
} operation;

static operation operations[32];
static int count, keys_count;

static void add_lanes(const char *kernel, sha256_lanes_path path, const sha256_lanes_kernel *of) {
    if (!sha256_lanes_has(path)) {
        printf("  this processor does not have %s\n", kernel);
        return;
    }
    operations[count++] = (operation){kernel, "midstates", midstates, of, NULL};
    operations[count++] = (operation){kernel, "HMACs", macs, of, NULL};
    operations[count++] = (operation){kernel, "names", names, of, NULL};
    operations[count++] = (operation){kernel, "minors", minors, of, NULL};
}

static void (*run)(void);

// Calls `run` with all general registers zero, so that none holds what was there before. The parent steps from the trap to
// `stepped_end`.
__attribute__((noinline)) static void step(void) {
    __asm__ volatile(
        "pushq %%rbp\n\tmovq %%rsp, %%rbp\n\tandq $-16, %%rsp\n\tint3\n\t"
        "xorl %%eax, %%eax\n\txorl %%ebx, %%ebx\n\txorl %%ecx, %%ecx\n\txorl %%edx, %%edx\n\t"
        "xorl %%esi, %%esi\n\txorl %%edi, %%edi\n\txorl %%r8d, %%r8d\n\txorl %%r9d, %%r9d\n\t"
        "xorl %%r10d, %%r10d\n\txorl %%r11d, %%r11d\n\txorl %%r12d, %%r12d\n\txorl %%r13d, %%r13d\n\t"
        "xorl %%r14d, %%r14d\n\txorl %%r15d, %%r15d\n\t"
        "call *%0\n"
        ".globl stepped_end\nstepped_end:\n\tmovq %%rbp, %%rsp\n\tpopq %%rbp"
        :
        : "m"(run)
        : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
}
extern const char stepped_end[];

static uint64_t next(uint64_t *seed) {
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return *seed;
}

static void fill(void *memory, size_t bytes, int number, uint64_t *seed) {
    uint8_t *start = memory;
    for (size_t i = 0; i < bytes; i++) start[i] = number == 0 ? 0 : number == 1 ? 0xff : (uint8_t)(next(seed) >> 32);
}

static void child(void) {
    uint64_t seed = 0x9e3779b97f4a7c15u;
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    sha256_lanes_prepare((const uint8_t *)"a message", 9, &message);
    for (int number = 0; number < count; number++) {
        lanes = operations[number].lanes;
        one = operations[number].one;
        run = operations[number].run;
        // Once before, so that what is decided at the first call is decided.
        run();
        for (int key = 0; key < keys_count; key++) {
            fill(keys, sizeof keys, key, &seed);
            fill(states, sizeof states, key, &seed);
            step();
        }
    }
    _exit(0);
}

typedef struct {
    uint64_t steps, instructions, registers;
} trace;

static void mix(uint64_t *digest, uint64_t word) { *digest = (*digest ^ word) * 0x100000001b3u; }

static void failed(const char *what) {
    fprintf(stderr, "✗ %s\n", what);
    exit(1);
}

static void await_stop(pid_t process) {
    int status = 0;
    if (waitpid(process, &status, 0) != process || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
        failed("the process that is stepped through ended early");
}

/// The steps between the next trap, at which the process stops by itself, and `stepped_end`.
static trace steps_of(pid_t process) {
    trace found = {0, 14695981039346656037u, 14695981039346656037u};
    await_stop(process);
    for (;;) {
        struct user_regs_struct at;
        if (ptrace(PTRACE_SINGLESTEP, process, NULL, NULL) != 0) failed("a process cannot be stepped through");
        await_stop(process);
        if (ptrace(PTRACE_GETREGS, process, NULL, &at) != 0) failed("registers cannot be read");
        if (at.rip == (uintptr_t)stepped_end) {
            if (ptrace(PTRACE_CONT, process, NULL, NULL) != 0) failed("a process cannot be continued");
            return found;
        }
        found.steps++;
        // The first instructions set the registers to zero.
        if (found.steps < 14) continue;
        mix(&found.instructions, at.rip);
        const uint64_t general[] = {at.rax, at.rbx, at.rcx, at.rdx, at.rsi, at.rdi, at.rbp, at.rsp,
                                    at.r8,  at.r9,  at.r10, at.r11, at.r12, at.r13, at.r14, at.r15};
        for (size_t i = 0; i < sizeof general / sizeof *general; i++) mix(&found.registers, general[i]);
    }
}

int main(int argc, char **argv) {
    keys_count = argc == 2 ? atoi(argv[1]) : 0;
    if (keys_count < 3) failed("usage: stepped KEYS, at least 3");
    add_lanes("SHA", SHA256_LANES_SHA_NI, &sha256_lanes_kernel_sha_ni);
    add_lanes("AVX-512", SHA256_LANES_AVX512, &sha256_lanes_kernel_avx512);
    add_lanes("SHA with AVX-512", SHA256_LANES_SHA_AVX512, &sha256_lanes_kernel_sha_avx512);
    if (sha256_one_has(SHA256_ONE_INSTRUCTIONS)) {
        const sha256_one_kernel *of = &sha256_one_kernel_sha_ni;
        operations[count++] = (operation){"SHA, one key", "the padded key", absorbed, NULL, of};
        operations[count++] = (operation){"SHA, one key", "a block", compressed, NULL, of};
        operations[count++] = (operation){"SHA, one key", "an HMAC", finished, NULL, of};
    }
    operations[count++] = (operation){NULL, "a branch on a bit of a key", branch_on_bit, NULL, NULL};
    operations[count++] = (operation){NULL, "a place in a table that a key chooses", look_up, NULL, NULL};

    fflush(stdout);
    const pid_t process = fork();
    if (process < 0) failed("no process can be started");
    if (process == 0) child();
    int status = 0;
    for (int number = 0; number < count; number++) {
        const operation *const of = &operations[number];
        trace first = {0, 0, 0};
        int instructions = 1, registers = 1;
        for (int key = 0; key < keys_count; key++) {
            const trace found = steps_of(process);
            if (key == 0) first = found;
            instructions &= found.instructions == first.instructions;
            registers &= found.registers == first.registers;
        }
        const int leaks = !instructions || !registers, right = leaks == (of->kernel == NULL);
        if (!right) status = 1;
        if (of->kernel == NULL) {
            printf("%s the planted leak is %s: %s\n", right ? "✓" : "✗", right ? "found" : "not found", of->name);
        } else {
            printf("%s %s, %s: %llu instructions, %s, the general registers %s, for %d keys\n", right ? "✓" : "✗",
                   of->kernel, of->name, (unsigned long long)first.steps, instructions ? "the same" : "not the same",
                   registers ? "too" : "not", keys_count);
        }
        fflush(stdout);
    }
    waitpid(process, NULL, 0);
    return status;
}
