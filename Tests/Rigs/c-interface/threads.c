/* Two threads at once on one object, on the table of objects, and on separate objects: each call succeeds or reports that the
 * object is busy or gone. Also built with ThreadSanitizer, like the library. */

#include "expect.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define ROUNDS 400

static const uint8_t root[32] = {1, 2, 3};
static const inkling_clock now = {sizeof now, 0, 5000, 1800000300000};

static inkling_handle tree, engine;
static _Atomic inkling_handle offered;

/* Whether a call succeeded; any status but busy is a failure. */
static int done(inkling_status status, int *failed_calls) {
    if (status != INKLING_OK && status != INKLING_BUSY) ++*failed_calls;
    /* The other thread may have been interrupted inside its call. */
    if (status == INKLING_BUSY) sched_yield();
    return status == INKLING_OK;
}

static void *use_tree(void *argument) {
    int failed_calls = 0;
    inkling_values values = {.size = sizeof values}, first = {.size = sizeof first};
    (void)argument;
    for (uint32_t round = 0; round < ROUNDS;) {
        if (!done(inkling_tree_values(tree, 1, 2000000, &values), &failed_calls)) continue;
        if (round++ == 0) first = values;
        /* No thread sees an unfinished change of the other. */
        failed_calls += memcmp(&first, &values, sizeof values) != 0;
        done(inkling_tree_forget(tree, 499000 + round), &failed_calls);
    }
    return (void *)(intptr_t)failed_calls;
}

static void *use_engine(void *argument) {
    int failed_calls = 0;
    inkling_effect effect = {.size = sizeof effect};
    const uint16_t minor = (uint16_t)(intptr_t)argument;
    for (uint16_t round = 0; round < ROUNDS;) {
        round = (uint16_t)(round + done(inkling_engine_beacon_heard(engine, (uint16_t)(minor + round), minor, -60, NULL, &now),
                                        &failed_calls));
        done(inkling_engine_next(engine, &effect), &failed_calls);
        if (round % 50 == 7) done(inkling_engine_prepare(engine, 2000000, &now), &failed_calls);
    }
    return (void *)(intptr_t)failed_calls;
}

/* Separate objects: no thread gets or frees an object of the other. */
static void *churn(void *argument) {
    int failed_calls = 0;
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        inkling_handle own;
        uint32_t first, last;
        if (inkling_tree_new(root, 32, &own) != INKLING_OK) failed_calls++;
        if (inkling_tree_periods(own, &first, &last) != INKLING_OK) failed_calls++;
        if (inkling_free(own) != INKLING_OK) failed_calls++;
        if (inkling_free(own) != INKLING_NO_SUCH_HANDLE) failed_calls++;
    }
    return (void *)(intptr_t)failed_calls;
}

/* One thread creates objects while the other uses and frees them. */
static void *offer(void *argument) {
    int failed_calls = 0;
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        inkling_handle own;
        if (inkling_tree_new(root, 32, &own) != INKLING_OK) failed_calls++;
        atomic_store(&offered, own);
        for (inkling_status status = INKLING_OK; status != INKLING_NO_SUCH_HANDLE;) {
            uint32_t first, last;
            status = inkling_tree_periods(own, &first, &last);
            if (status != INKLING_OK && status != INKLING_BUSY && status != INKLING_NO_SUCH_HANDLE) failed_calls++;
            sched_yield();
        }
    }
    atomic_store(&offered, UINT64_MAX);
    return (void *)(intptr_t)failed_calls;
}

static void *take(void *argument) {
    int failed_calls = 0;
    (void)argument;
    for (inkling_handle given; (given = atomic_load(&offered)) != UINT64_MAX; sched_yield()) {
        if (given == 0) continue;
        inkling_values values = {.size = sizeof values};
        inkling_status status = inkling_tree_values(given, 0, 2000000, &values);
        if (status != INKLING_OK && status != INKLING_BUSY && status != INKLING_NO_SUCH_HANDLE) failed_calls++;
        status = inkling_free(given);
        if (status != INKLING_OK && status != INKLING_BUSY && status != INKLING_NO_SUCH_HANDLE) failed_calls++;
    }
    return (void *)(intptr_t)failed_calls;
}

static void together(void *(*one)(void *), void *(*other)(void *)) {
    pthread_t running[2];
    HOLDS(pthread_create(&running[0], NULL, one, (void *)(intptr_t)100) == 0);
    HOLDS(pthread_create(&running[1], NULL, other, (void *)(intptr_t)9000) == 0);
    for (int index = 0; index < 2; index++) {
        void *result = (void *)(intptr_t)-1;
        pthread_join(running[index], &result);
        HOLDS((intptr_t)result == 0);
    }
}

#ifdef PLANTED_RACE
/* A race that the sanitizer must find: two threads, one number, no lock. */
static int shared_number;

static void *race(void *argument) {
    for (int round = 0; round < ROUNDS; round++) shared_number += (int)(intptr_t)argument;
    return NULL;
}
#endif

int main(void) {
    uint64_t left = 99;
    EXPECT(inkling_tree_new(root, sizeof root, &tree), INKLING_OK);
    EXPECT(inkling_engine_new(NULL, &engine), INKLING_OK);
    EXPECT(inkling_engine_add(engine, 1, NULL, &now), INKLING_OK);
    EXPECT(inkling_engine_hold(engine, 1, INKLING_AUDIENCE_GRANTED, 1, 1, tree), INKLING_OK);
    EXPECT(inkling_engine_prepare(engine, 2000000, &now), INKLING_OK);
#ifdef PLANTED_RACE
    together(race, race);
#endif
    together(use_tree, use_tree);
    together(use_engine, use_engine);
    together(use_tree, use_engine);
    together(churn, churn);
    together(offer, take);
    EXPECT(inkling_free(tree), INKLING_OK);
    EXPECT(inkling_free(engine), INKLING_OK);
    EXPECT(inkling_handle_count(&left), INKLING_OK);
    HOLDS(left == 0);
    if (failures == 0) puts("two threads at once: each call succeeded, or reported busy or gone");
    return failures != 0;
}
