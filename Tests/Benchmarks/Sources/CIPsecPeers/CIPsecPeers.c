#include "CIPsecPeers.h"

#if defined(__x86_64__)

// The library's old names are also OpenSSL's.
#define NO_COMPAT_IMB_API_053
#include <intel-ipsec-mb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BURST = IMB_MAX_BURST_SIZE, IMPLEMENTATIONS = 6 };

struct ipsec_states {
    IMB_MGR *manager;
    char name[48];
    size_t count, length;
    uint8_t text[64];
    // The inner state of a key, then the outer one.
    uint8_t (*pads)[64];
    uint8_t (*codes)[16];
    IMB_JOB jobs[BURST];
};

static IMB_MGR *manager(int implementation) {
    static void (*const init[])(IMB_MGR *) = {init_mb_mgr_sse, init_mb_mgr_avx2, init_mb_mgr_avx512};
    const uint64_t needed[] = {IMB_CPUFLAGS_SSE, IMB_CPUFLAGS_AVX2, IMB_CPUFLAGS_AVX512};
    // With the SHA instructions, and without them.
    IMB_MGR *made = alloc_mb_mgr(implementation % 2 ? IMB_FLAG_SHANI_OFF : 0);
    if (made == NULL) abort();
    if ((made->features & needed[implementation / 2]) != needed[implementation / 2]) {
        free_mb_mgr(made);
        return NULL;
    }
    init[implementation / 2](made);
    if (imb_get_errno(made) == 0) return made;
    free_mb_mgr(made);
    return NULL;
}

static double processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

ipsec_states *ipsec_states_prepare(const uint8_t *keys, size_t count, const char *label, uint32_t epoch) {
    static const char *const names[] = {"SSE", "SSE, no SHA", "AVX2", "AVX2, no SHA", "AVX-512", "AVX-512, no SHA"};
    ipsec_states *states = calloc(1, sizeof *states);
    if (states == NULL) abort();
    states->count = count;
    states->pads = aligned_alloc(64, count * sizeof *states->pads);
    states->codes = malloc(count * sizeof *states->codes);
    if (states->pads == NULL || states->codes == NULL) abort();
    states->length = (size_t)snprintf((char *)states->text, sizeof states->text, "%s%u", label, epoch);
    if (states->length >= sizeof states->text) abort();
    for (size_t i = 0; i < BURST; i++)
        states->jobs[i] = (IMB_JOB){
            .hash_alg = IMB_AUTH_HMAC_SHA_256, .cipher_mode = IMB_CIPHER_NULL, .cipher_direction = IMB_DIR_ENCRYPT,
            .chain_order = IMB_ORDER_HASH_CIPHER, .src = states->text, .msg_len_to_hash_in_bytes = states->length,
            .auth_tag_output_len_in_bytes = 16,
        };
    double least = 1e9;
    IMB_MGR *fastest = NULL;
    for (int implementation = 0; implementation < IMPLEMENTATIONS; implementation++) {
        IMB_MGR *candidate = manager(implementation);
        if (candidate == NULL) continue;
        states->manager = candidate;
        for (size_t i = 0; i < count; i++) {
            for (int half = 0; half < 2; half++) {
                uint8_t block[64];
                for (size_t b = 0; b < 64; b++)
                    block[b] = (uint8_t)((b < 32 ? keys[32 * i + b] : 0) ^ (half ? 0x5c : 0x36));
                IMB_SHA256_ONE_BLOCK(candidate, block, states->pads[i] + 32 * half);
            }
        }
        double took = 1e9;
        for (int time = 0; time < 5; time++) {
            const double start = processor_time();
            ipsec_hmac_prepared(states);
            const double now = processor_time() - start;
            if (now < took) took = now;
        }
        if (took < least) {
            if (fastest != NULL) free_mb_mgr(fastest);
            least = took;
            fastest = candidate;
            snprintf(states->name, sizeof states->name, "%s", names[implementation]);
        } else {
            free_mb_mgr(candidate);
        }
    }
    if (fastest == NULL) abort();
    states->manager = fastest;
    return states;
}

const char *ipsec_implementation(const ipsec_states *states) { return states->name; }

uint64_t ipsec_hmac_prepared(ipsec_states *states) {
    uint64_t sum = 0;
    for (size_t from = 0; from < states->count; from += BURST) {
        const size_t now = states->count - from < BURST ? states->count - from : BURST;
        for (size_t i = 0; i < now; i++) {
            states->jobs[i].u.HMAC._hashed_auth_key_xor_ipad = states->pads[from + i];
            states->jobs[i].u.HMAC._hashed_auth_key_xor_opad = states->pads[from + i] + 32;
            states->jobs[i].auth_tag_output = states->codes[from + i];
        }
        // Without its checks of the jobs, which is its fastest form.
        if (IMB_SUBMIT_HASH_BURST_NOCHECK(states->manager, states->jobs, (uint32_t)now, IMB_AUTH_HMAC_SHA_256) != now)
            abort();
        for (size_t i = 0; i < now; i++) {
            uint64_t word;
            memcpy(&word, states->codes[from + i], sizeof word);
            sum ^= word;
        }
    }
    return sum;
}

#endif
