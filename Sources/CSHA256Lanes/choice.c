// Which kernels the processor supports, and which of them is the fastest here.

#include <stdatomic.h>

#include "kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

// Support

#if defined(__x86_64__)
static bool has_sha_ni(void) {
    // In a virtual machine, the instruction that asks the processor takes microseconds. 0 until it has been asked, then 1
    // for no and 2 for yes.
    static _Atomic int known;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        unsigned int a, b, c, d;
        const bool is_there = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1)
                              && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
        answer = is_there ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}
#elif defined(__aarch64__)
static bool has_armv8(void) {
#if defined(__ARM_FEATURE_SHA2) || defined(__ARM_FEATURE_CRYPTO)
    return true;
#elif defined(__linux__)
    // HWCAP_SHA2 of the kernel.
    return getauxval(AT_HWCAP) >> 6 & 1;
#else
    return false;
#endif
}
#endif

bool sha256_lanes_has(sha256_lanes_path path) {
    switch (path) {
    case SHA256_LANES_PORTABLE: return true;
#if defined(__x86_64__)
    case SHA256_LANES_AVX2: return __builtin_cpu_supports("avx2");
    case SHA256_LANES_SHA_NI: return has_sha_ni();
    case SHA256_LANES_AVX512: return __builtin_cpu_supports("avx512f");
    case SHA256_LANES_SHA_AVX512:
        return has_sha_ni() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
    case SHA256_LANES_ARMV8: return has_armv8();
#endif
    default: return false;
    }
}

bool sha256_one_has(sha256_one_path path) {
    switch (path) {
    case SHA256_ONE_PORTABLE: return true;
#if defined(__x86_64__)
    case SHA256_ONE_INSTRUCTIONS: return has_sha_ni();
#elif defined(__aarch64__)
    case SHA256_ONE_INSTRUCTIONS: return has_armv8();
#endif
    default: return false;
    }
}

const sha256_lanes_kernel *sha256_lanes_kernel_of(sha256_lanes_path path, size_t blocks) {
    // A kernel whose instructions the processor lacks would crash the program.
    if (!sha256_lanes_has(path)) return &sha256_lanes_kernel_portable;
    switch (path) {
#if defined(__x86_64__)
    case SHA256_LANES_AVX2: return &sha256_lanes_kernel_avx2;
    case SHA256_LANES_SHA_NI: return &sha256_lanes_kernel_sha_ni;
    case SHA256_LANES_AVX512: return &sha256_lanes_kernel_avx512;
    // It works on three blocks at once, so that for a few blocks most of its work would be done for none.
    case SHA256_LANES_SHA_AVX512:
        return blocks < 8 ? &sha256_lanes_kernel_sha_ni : &sha256_lanes_kernel_sha_avx512;
#elif defined(__aarch64__)
    case SHA256_LANES_ARMV8: return &sha256_lanes_kernel_armv8;
#endif
    default: (void)blocks; return &sha256_lanes_kernel_portable;
    }
}

const sha256_one_kernel *sha256_one_kernel_of(sha256_one_path path) {
    if (path == SHA256_ONE_PORTABLE || !sha256_one_has(path)) return &sha256_one_kernel_portable;
#if defined(__x86_64__)
    return &sha256_one_kernel_sha_ni;
#elif defined(__aarch64__)
    return &sha256_one_kernel_armv8;
#else
    return &sha256_one_kernel_portable;
#endif
}

// Speed
//
// Which kernel is the fastest depends on the processor in ways that its list of instructions does not show. So each is timed
// once, with a counter of the processor that counts at a constant rate. The counter decides nothing else, and all kernels
// return the same results.

#if defined(__x86_64__)
#define HAS_COUNTER 1
static uint64_t counter(void) { return __rdtsc(); }
#elif defined(__aarch64__)
#define HAS_COUNTER 1
static uint64_t counter(void) {
    uint64_t value;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value));
    return value;
}
#endif

enum {
    /// As many blocks as keep the caches out of the measurement.
    TIMED_BLOCKS = 16,
    /// The first times are those of a cold processor; an interruption makes one of the others longer, and not the least.
    TIMES = 6,
};

sha256_lanes_path sha256_lanes_best(void) {
    // One more than the path; 0 until it is known. Threads that ask at the same moment each measure, and the first one's
    // result holds for all.
    static _Atomic int known;
    int best = atomic_load_explicit(&known, memory_order_relaxed);
    if (best != 0) return (sha256_lanes_path)(best - 1);
    best = 1 + (int)SHA256_LANES_PORTABLE;
#if defined(HAS_COUNTER)
    // The keys are public: all zero.
    static sha256_lanes_states states[TIMED_BLOCKS];
    static const uint8_t text[17];
    uint64_t numbers[TIMED_BLOCKS * SHA256_LANES * 2];
    sha256_lanes_message message;
    sha256_lanes_prepare(text, sizeof text, &message);
    uint64_t least = UINT64_MAX;
    for (int path = SHA256_LANES_PORTABLE; path <= SHA256_LANES_LAST; path++) {
        if (!sha256_lanes_has((sha256_lanes_path)path)) continue;
        for (int time = 0; time < TIMES; time++) {
            const uint64_t start = counter();
            sha256_lanes_mac_u128((sha256_lanes_path)path, states, TIMED_BLOCKS, &message, numbers);
            const uint64_t took = counter() - start;
            if (took >= least) continue;
            least = took;
            best = 1 + path;
        }
    }
#endif
    int none = 0;
    return atomic_compare_exchange_strong(&known, &none, best) ? (sha256_lanes_path)(best - 1)
                                                               : (sha256_lanes_path)(none - 1);
}

sha256_one_path sha256_one_best(void) {
    static _Atomic int known;
    int best = atomic_load_explicit(&known, memory_order_relaxed);
    if (best != 0) return (sha256_one_path)(best - 1);
    best = 1 + (int)SHA256_ONE_PORTABLE;
#if defined(HAS_COUNTER)
    static const uint8_t blocks[16][64];
    uint64_t least = UINT64_MAX;
    for (int path = SHA256_ONE_PORTABLE; path <= SHA256_ONE_INSTRUCTIONS; path++) {
        if (!sha256_one_has((sha256_one_path)path)) continue;
        const sha256_one_kernel *kernel = sha256_one_kernel_of((sha256_one_path)path);
        for (int time = 0; time < TIMES; time++) {
            uint32_t state[8] = {0};
            const uint64_t start = counter();
            kernel->compress(state, blocks[0], sizeof blocks / 64);
            const uint64_t took = counter() - start;
            if (took >= least) continue;
            least = took;
            best = 1 + path;
        }
    }
#endif
    int none = 0;
    return atomic_compare_exchange_strong(&known, &none, best) ? (sha256_one_path)(best - 1)
                                                               : (sha256_one_path)(none - 1);
}
