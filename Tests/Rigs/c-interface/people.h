/* Two users of the C tests, each with an identity, a device, a card and a tree. */

#ifndef PEOPLE_H
#define PEOPLE_H

#include "expect.h"

static const uint32_t period = 500000;
static const uint64_t second = 1800000000;

typedef struct {
    inkling_handle identity, device, roster, card, tree;
    inkling_identity_keys keys;
    uint8_t device_public[32];
} person;

/* A user whose only device has this index. */
static inline person person_named(const char *name, uint8_t index) {
    person made = {.keys = {.size = sizeof made.keys}};
    size_t count;
    EXPECT(inkling_identity_random(&made.identity), INKLING_OK);
    EXPECT(inkling_identity_public(made.identity, &made.keys), INKLING_OK);
    EXPECT(inkling_device_key_random(&made.device), INKLING_OK);
    EXPECT(inkling_device_key_public(made.device, made.device_public, 32, &count), INKLING_OK);
    EXPECT(inkling_roster_new(made.identity, &made.roster), INKLING_OK);
    EXPECT(inkling_roster_add(made.roster, index, made.device_public, 32, period, period + 100, 1, NULL), INKLING_OK);
    EXPECT(inkling_card_new(made.roster, 1, name, strlen(name), &made.card, NULL), INKLING_OK);
    EXPECT(inkling_tree_random(&made.tree), INKLING_OK);
    return made;
}

static inline void forget(const person *gone) {
    const inkling_handle all[] = {gone->identity, gone->device, gone->roster, gone->card, gone->tree};
    for (size_t one = 0; one < sizeof all / sizeof *all; one++) EXPECT(inkling_free(all[one]), INKLING_OK);
}

#endif
