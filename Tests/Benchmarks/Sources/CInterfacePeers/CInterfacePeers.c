#include "CInterfacePeers.h"

#include "../../../../Sources/Bindings/CInkling/include/inkling.h"

#include <dlfcn.h>

#define FAILED UINT64_MAX

#define CALLS(each)                                                                                                 \
    each(inkling_epoch_at) each(inkling_tree_new) each(inkling_period_key_of_tree) each(inkling_tree_periods)          \
    each(inkling_period_key_values) each(inkling_tree_values) each(inkling_engine_new) each(inkling_engine_add)      \
    each(inkling_engine_hold) each(inkling_engine_prepare) each(inkling_engine_beacon_heard)                        \
    each(inkling_engine_name_appeared) each(inkling_engine_next) each(inkling_free)

#define POINTER(name) static __typeof__(name) *call_##name;
CALLS(POINTER)

int c_interface_load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 0;
#define FIND(name)                                                    \
    call_##name = (__typeof__(name) *)dlsym(library, #name);          \
    if (call_##name == NULL) return 0;
    CALLS(FIND)
    return 1;
}

uint64_t c_interface_epochs(uint64_t first_second, size_t count) {
    uint64_t sum = 0;
    uint32_t epoch;
    for (size_t index = 0; index < count; index++) {
        if (call_inkling_epoch_at(first_second + index, &epoch) != INKLING_OK) return FAILED;
        sum += epoch;
    }
    return sum;
}

uint64_t c_interface_tree(const uint8_t *root) {
    inkling_handle tree;
    return call_inkling_tree_new(root, 32, &tree) == INKLING_OK ? tree : 0;
}

uint64_t c_interface_key(uint64_t tree, uint32_t hour) {
    inkling_handle key;
    return call_inkling_period_key_of_tree(tree, hour, &key) == INKLING_OK ? key : 0;
}

uint64_t c_interface_periods(uint64_t tree, size_t count) {
    uint64_t sum = 0;
    uint32_t first, last;
    for (size_t index = 0; index < count; index++) {
        if (call_inkling_tree_periods(tree, &first, &last) != INKLING_OK) return FAILED;
        sum += first + last;
    }
    return sum;
}

static uint64_t sum_of(const inkling_values *values) { return values->minor + values->tag[0] + values->name[0]; }

uint64_t c_interface_key_values(uint64_t key, uint32_t first_epoch, size_t count) {
    uint64_t sum = 0;
    inkling_values values = {.size = sizeof values};
    for (size_t index = 0; index < count; index++) {
        if (call_inkling_period_key_values(key, 0, first_epoch + (index & 3), &values) != INKLING_OK) return FAILED;
        sum += sum_of(&values);
    }
    return sum;
}

uint64_t c_interface_tree_values(uint64_t tree, uint32_t first_epoch, size_t count) {
    uint64_t sum = 0;
    inkling_values values = {.size = sizeof values};
    for (size_t index = 0; index < count; index++) {
        if (call_inkling_tree_values(tree, 0, first_epoch + (index & 3), &values) != INKLING_OK) return FAILED;
        sum += sum_of(&values);
    }
    return sum;
}

static inkling_clock clock_at(uint64_t tick, uint64_t unix_milliseconds) {
    inkling_clock now = {.size = sizeof now, .tick = tick, .unix_milliseconds = unix_milliseconds};
    return now;
}

uint64_t c_interface_engine(const uint8_t *roots, size_t count, uint32_t epoch, uint64_t tick, uint64_t unix_milliseconds) {
    inkling_clock now = clock_at(tick, unix_milliseconds);
    inkling_handle engine, tree;
    if (call_inkling_engine_new(NULL, &engine) != INKLING_OK) return 0;
    for (uint32_t contact = 0; contact < count; contact++) {
        if (call_inkling_engine_add(engine, contact, NULL, &now) != INKLING_OK) return 0;
        if (call_inkling_tree_new(roots + 32 * contact, 32, &tree) != INKLING_OK) return 0;
        if (call_inkling_engine_hold(engine, contact, INKLING_AUDIENCE_GRANTED, 1, 1, tree) != INKLING_OK) return 0;
        if (call_inkling_free(tree) != INKLING_OK) return 0;
    }
    return call_inkling_engine_prepare(engine, epoch, &now) == INKLING_OK ? engine : 0;
}

/* Takes all effects, as a caller does after each event; a wish to be woken is none that counts. */
static uint64_t effects_of(inkling_handle engine) {
    inkling_effect effect = {.size = sizeof effect};
    for (uint64_t count = 0;;) {
        if (call_inkling_engine_next(engine, &effect) != INKLING_OK) return FAILED;
        if (effect.kind == INKLING_EFFECT_NONE) return count;
        count += effect.kind != INKLING_EFFECT_WAKE;
    }
}

uint64_t c_interface_minors(uint64_t engine, const uint16_t *minors, size_t count, uint64_t tick, uint64_t unix_milliseconds) {
    inkling_clock now = clock_at(tick, unix_milliseconds);
    uint64_t sum = 0;
    for (size_t index = 0; index < count; index++) {
        if (call_inkling_engine_beacon_heard(engine, minors[index], 0x100000 + index, -60, NULL, &now) != INKLING_OK)
            return FAILED;
        sum += effects_of(engine);
    }
    return sum;
}

uint64_t c_interface_names(uint64_t engine, const char *labels, size_t count, uint64_t tick, uint64_t unix_milliseconds) {
    inkling_clock now = clock_at(tick, unix_milliseconds);
    uint64_t sum = 0;
    for (size_t index = 0; index < count; index++) {
        if (call_inkling_engine_name_appeared(engine, labels + 32 * index, 32, NULL, &now) != INKLING_OK) return FAILED;
        sum += effects_of(engine);
    }
    return sum;
}
