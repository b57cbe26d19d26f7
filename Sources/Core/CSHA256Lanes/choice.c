// The kernels that the processor supports, and the choice of the fastest.

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
    // 0: not asked yet; 1: no; 2: yes. In a virtual machine, the instruction that asks the processor takes
    // microseconds.
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
    // It works on three blocks at once, so with few blocks most of its work would be for nothing.
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
// The fastest kernel depends on the processor in ways that its list of instructions does not show. So each is timed
// once, with a counter of the processor that counts at a constant rate. The counter decides nothing else, and all
// kernels return the same results.

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
    /// The number of blocks that stay in the nearest cache.
    TIMED_BLOCKS = 16,
    /// The first times are those of a cold processor; an interruption lengthens one of the others, but not the least.
    TIMES = 6,
    /// The number of times after which a path that has taken more than twice as long as the fastest is not timed again.
    FIRST_TIMES = 2,
};

#if defined(HAS_COUNTER)
/// Returns the fastest of the `count` paths that the processor has, by the least of several times. The paths take
/// turns, so that none of them has all its turns while the processor is busy.
static int fastest(int count, bool (*has)(int path), uint64_t (*timed)(int path)) {
    uint64_t least[SHA256_LANES_LAST + 1];
    int best = 0;
    for (int path = 0; path < count; path++) least[path] = UINT64_MAX;
    for (int time = 0; time < TIMES; time++) {
        for (int path = 0; path < count; path++) {
            if (!has(path) || (time >= FIRST_TIMES && least[path] / 2 > least[best])) continue;
            const uint64_t took = timed(path);
            if (took < least[path]) least[path] = took;
            if (least[path] < least[best]) best = path;
        }
    }
    return best;
}

/// Returns the path that `known` holds, as the path plus one; finds it first if `known` is 0. Of threads that ask at
/// the same moment, each measures, and the first result holds for all.
static int known_or_fastest(_Atomic int *known, int count, bool (*has)(int path), uint64_t (*timed)(int path)) {
    const int kept = atomic_load_explicit(known, memory_order_relaxed);
    if (kept != 0) return kept - 1;
    int found = 1 + fastest(count, has, timed), none = 0;
    return (atomic_compare_exchange_strong(known, &none, found) ? found : none) - 1;
}

static bool has_lanes(int path) { return sha256_lanes_has((sha256_lanes_path)path); }
static bool has_one(int path) { return sha256_one_has((sha256_one_path)path); }

// The keys are public: all zero.

static uint64_t timed_lanes(int path) {
    static sha256_lanes_states states[TIMED_BLOCKS];
    static const uint8_t text[17];
    uint64_t numbers[TIMED_BLOCKS * SHA256_LANES * 2];
    sha256_lanes_message message;
    sha256_lanes_prepare(text, sizeof text, &message);
    const uint64_t start = counter();
    sha256_lanes_mac_u128((sha256_lanes_path)path, states, TIMED_BLOCKS, &message, numbers);
    return counter() - start;
}

static uint64_t timed_one(int path) {
    static const uint8_t blocks[8][64];
    uint32_t state[8] = {0};
    const sha256_one_kernel *kernel = sha256_one_kernel_of((sha256_one_path)path);
    const uint64_t start = counter();
    kernel->compress(state, blocks[0], sizeof blocks / 64);
    return counter() - start;
}
#endif

sha256_lanes_path sha256_lanes_best(void) {
#if defined(HAS_COUNTER)
    static _Atomic int known;
    return (sha256_lanes_path)known_or_fastest(&known, SHA256_LANES_LAST + 1, has_lanes, timed_lanes);
#else
    return SHA256_LANES_PORTABLE;
#endif
}

sha256_one_path sha256_one_best(void) {
#if defined(HAS_COUNTER)
    static _Atomic int known;
    return (sha256_one_path)known_or_fastest(&known, SHA256_ONE_INSTRUCTIONS + 1, has_one, timed_one);
#else
    return SHA256_ONE_PORTABLE;
#endif
}
