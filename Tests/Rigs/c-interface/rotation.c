/* A device that is visible across the boundary of a period: silent gaps, what is stored before it is shown, and what is
 * erased. */

#include "expect.h"

static inkling_clock now = {sizeof now, 0, 5000, 1800000000000 + 300000};
static inkling_turn turns[16];
static size_t turn_count;
static uint64_t wake;

/* Passes an event in and takes all effects out. */
static void happens(inkling_handle rotation, uint32_t event) {
    inkling_turn turn = {.size = sizeof turn};
    EXPECT(inkling_rotation_take(rotation, event, &now), INKLING_OK);
    for (turn_count = 0; turn_count < 16; turn_count++) {
        EXPECT(inkling_rotation_next(rotation, &turn), INKLING_OK);
        if (turn.kind == INKLING_TURN_NONE) break;
        if (turn.kind == INKLING_TURN_WAKE) wake = turn.tick;
        turns[turn_count] = turn;
    }
}

static const inkling_turn *turn_of(uint32_t kind) {
    for (size_t index = 0; index < turn_count; index++)
        if (turns[index].kind == kind) return &turns[index];
    return NULL;
}

static void wait_for_wake(inkling_handle rotation) {
    HOLDS(wake > now.tick);
    now.unix_milliseconds += wake - now.tick;
    now.tick = wake;
    happens(rotation, INKLING_ROTATION_TIMER_FIRED);
}

int main(void) {
    uint64_t left = 99;
    uint32_t shown = 9, far = UINT32_MAX, later = 2000009;
    inkling_turn turn = {.size = sizeof turn};
    inkling_handle rotation;

    EXPECT(inkling_rotation_new(NULL, 2, &rotation), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_rotation_new(&far, 1, &rotation), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_rotation_new(NULL, 1, &rotation), INKLING_OK);
    EXPECT(inkling_rotation_take(rotation, 11, &now), INKLING_OUT_OF_RANGE);

    /* Nothing is shown before the clock is accepted, and then only after a gap of at most ten seconds. */
    happens(rotation, INKLING_ROTATION_STARTED);
    HOLDS(turn_of(INKLING_TURN_PUBLISH) == NULL);
    EXPECT(inkling_rotation_shown(rotation, &shown), INKLING_UNKNOWN);
    happens(rotation, INKLING_ROTATION_TIME_ACCEPTED);
    for (int wakes = 0; wakes < 4 && turn_of(INKLING_TURN_PUBLISH) == NULL; wakes++) wait_for_wake(rotation);
    HOLDS(now.tick <= 15000);
    const inkling_turn *published = turn_of(INKLING_TURN_PUBLISH), *stored = turn_of(INKLING_TURN_HIGH_WATER);
    HOLDS(published != NULL && stored != NULL && stored < published && published->epoch == 2000000);
    EXPECT(inkling_rotation_shown(rotation, &shown), INKLING_OK);
    HOLDS(shown == 2000000);

    /* Effects stay available until they are taken. */
    EXPECT(inkling_rotation_take(rotation, INKLING_ROTATION_FALLING_ASLEEP, &now), INKLING_OK);
    EXPECT(inkling_rotation_take(rotation, INKLING_ROTATION_WOKE_UP, &now), INKLING_FULL);
    EXPECT(inkling_rotation_next(rotation, &turn), INKLING_OK);
    HOLDS(turn.kind == INKLING_TURN_GO_QUIET);
    while (turn.kind != INKLING_TURN_NONE) EXPECT(inkling_rotation_next(rotation, &turn), INKLING_OK);
    EXPECT(inkling_rotation_shown(rotation, &shown), INKLING_UNKNOWN);
    happens(rotation, INKLING_ROTATION_WOKE_UP);
    happens(rotation, INKLING_ROTATION_TIME_ACCEPTED);

    /* Each of the four epochs of the period and the next one is shown once; then the keys of the past period are erased. */
    uint32_t expected = 2000000, forgotten = 0;
    for (int wakes = 0; wakes < 60 && expected <= 2000004; wakes++) {
        wait_for_wake(rotation);
        if ((published = turn_of(INKLING_TURN_PUBLISH)) != NULL) HOLDS(published->epoch == expected++);
        if (turn_of(INKLING_TURN_FORGET) != NULL) forgotten = turn_of(INKLING_TURN_FORGET)->period;
    }
    HOLDS(expected == 2000005 && forgotten == 500001);
    EXPECT(inkling_free(rotation), INKLING_OK);

    /* An epoch that an earlier run has shown keeps this run silent until it is over. */
    EXPECT(inkling_rotation_new(&later, 1, &rotation), INKLING_OK);
    happens(rotation, INKLING_ROTATION_STARTED);
    happens(rotation, INKLING_ROTATION_TIME_ACCEPTED);
    for (int wakes = 0; wakes < 60 && turn_of(INKLING_TURN_PUBLISH) == NULL; wakes++) wait_for_wake(rotation);
    HOLDS(turn_of(INKLING_TURN_PUBLISH) != NULL && turn_of(INKLING_TURN_PUBLISH)->epoch == later);
    EXPECT(inkling_free(rotation), INKLING_OK);

    EXPECT(inkling_handle_count(&left), INKLING_OK);
    HOLDS(left == 0);
    if (failures == 0) puts("a device showed one epoch after another, with silence in between");
    return failures != 0;
}
