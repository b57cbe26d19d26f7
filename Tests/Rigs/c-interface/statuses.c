/* The statuses of calls with wrong pointers, lengths, sizes, handles and numbers. */

#include "expect.h"

/* A misaligned pointer, one byte off, into memory that is large enough. */
static _Alignas(16) unsigned char room[4096];
#define OFF(type) ((type *)(void *)(room + 1))

static const uint8_t root[32] = {1, 2, 3};

static inkling_handle made(void) {
    inkling_handle tree = 0;
    EXPECT(inkling_tree_new(root, sizeof root, &tree), INKLING_OK);
    return tree;
}

static void numbers(void) {
    uint32_t epoch = 7, epochs[3];
    uint64_t start, end;
    size_t count;
    EXPECT(inkling_epoch_at(1800000000, &epoch), INKLING_OK);
    HOLDS(epoch == 2000000);
    EXPECT(inkling_epoch_at(1800000000, NULL), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_epoch_at(1800000000, OFF(uint32_t)), INKLING_MISALIGNED);
    EXPECT(inkling_epoch_at(UINT64_MAX, &epoch), INKLING_OUT_OF_RANGE);
    HOLDS(epoch == 2000000);
    EXPECT(inkling_epoch_bounds(epoch, &start, &end), INKLING_OK);
    HOLDS(start == 1800000000 && end == 1800000900);
    EXPECT(inkling_epoch_bounds(UINT32_MAX, &start, &end), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_epoch_on_air(2000003, 60, &epoch), INKLING_OK);
    HOLDS(epoch == 2000000);
    EXPECT(inkling_epoch_on_air(2000003, 45, &epoch), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_epochs_observed(1800000010, 120, epochs, &count), INKLING_OK);
    HOLDS(count == 2 && epochs[0] == 1999999 && epochs[1] == 2000000);
    EXPECT(inkling_epochs_observed(1800000010, 451, epochs, &count), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_epochs_observed(1800000010, 120, epochs, NULL), INKLING_NULL_ARGUMENT);
}

static void texts(void) {
    for (long status = -2; status < 64; status++) HOLDS(inkling_status_text((inkling_status)status)[0] != 0);
    HOLDS(inkling_status_text((inkling_status)0x7ffffffe)[0] != 0);
    HOLDS(inkling_abi_version() >> 16 == INKLING_ABI_VERSION >> 16);
}

static void lengths(void) {
    inkling_handle tree = 99;
    EXPECT(inkling_tree_new(NULL, 32, &tree), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_tree_new(NULL, 0, &tree), INKLING_WRONG_LENGTH);
    EXPECT(inkling_tree_new(root, 0, &tree), INKLING_WRONG_LENGTH);
    EXPECT(inkling_tree_new(root, 31, &tree), INKLING_WRONG_LENGTH);
    EXPECT(inkling_tree_new(root, SIZE_MAX, &tree), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_tree_new(root, SIZE_MAX / 2, &tree), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_tree_new(root, INKLING_INPUT_LIMIT + 1, &tree), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_tree_new(root, 32, NULL), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_tree_new(root, 32, OFF(inkling_handle)), INKLING_MISALIGNED);
    HOLDS(tree == 99);
}

static void handles(void) {
    inkling_values values = {.size = sizeof values};
    inkling_handle tree = made(), part = 0, key = 0;
    uint32_t first, last;
    uint64_t count = 99;
    EXPECT(inkling_handle_count(&count), INKLING_OK);
    HOLDS(count == 1);
    EXPECT(inkling_tree_values(0, 0, 2000000, &values), INKLING_NO_SUCH_HANDLE);
    EXPECT(inkling_tree_values(tree + 1, 0, 2000000, &values), INKLING_NO_SUCH_HANDLE);
    EXPECT(inkling_tree_values(UINT64_MAX, 0, 2000000, &values), INKLING_NO_SUCH_HANDLE);
    EXPECT(inkling_period_key_values(tree, 0, 2000000, &values), INKLING_WRONG_KIND);
    EXPECT(inkling_tree_part(tree, 500001, 500000, &part), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_tree_part(tree, 500000, UINT32_MAX, &part), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_tree_part(tree, 500000, 500009, &part), INKLING_OK);
    EXPECT(inkling_tree_periods(part, &first, &last), INKLING_OK);
    HOLDS(first == 500000 && last == 500009);
    EXPECT(inkling_tree_forget(part, 500005), INKLING_OK);
    EXPECT(inkling_tree_values(part, 0, 2000000, &values), INKLING_NOT_HELD);
    EXPECT(inkling_tree_forget(part, 600000), INKLING_OK);
    EXPECT(inkling_tree_periods(part, &first, &last), INKLING_NOT_HELD);
    EXPECT(inkling_period_key_of_tree(tree, 500000, &key), INKLING_OK);
    EXPECT(inkling_period_key_values(key, 0, 2000004, &values), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_free(tree), INKLING_OK);
    EXPECT(inkling_free(tree), INKLING_NO_SUCH_HANDLE);
    EXPECT(inkling_tree_values(tree, 0, 2000000, &values), INKLING_NO_SUCH_HANDLE);
    /* The slot is used again, but the old handle stays invalid. */
    inkling_handle next = made();
    HOLDS(next != tree);
    EXPECT(inkling_free(tree), INKLING_NO_SUCH_HANDLE);
    EXPECT(inkling_free(next), INKLING_OK);
    EXPECT(inkling_free(part), INKLING_OK);
    EXPECT(inkling_free(key), INKLING_OK);
    EXPECT(inkling_free(0), INKLING_NO_SUCH_HANDLE);
}

static void structures(void) {
    inkling_handle tree = made(), key = 0;
    inkling_values values, again;
    memset(&values, 0xff, sizeof values);
    EXPECT(inkling_tree_values(tree, 0, 2000000, &values), INKLING_WRONG_SIZE);
    values.size = 0;
    EXPECT(inkling_tree_values(tree, 0, 2000000, &values), INKLING_WRONG_SIZE);
    values.size = sizeof values - 1;
    EXPECT(inkling_tree_values(tree, 0, 2000000, &values), INKLING_WRONG_SIZE);
    EXPECT(inkling_tree_values(tree, 0, 2000000, NULL), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_tree_values(tree, 0, 2000000, OFF(inkling_values)), INKLING_MISALIGNED);
    values.size = sizeof values;
    EXPECT(inkling_tree_values(tree, 16, 2000000, &values), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_tree_values(tree, 0, UINT32_MAX, &values), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_tree_values(tree, 3, 2000000, &values), INKLING_OK);
    HOLDS(values.size == sizeof values && strlen(values.name_text) == 32 && strlen(values.host_text) == 32);

    /* The key of the period gives the same values. */
    memset(&again, 0, sizeof again);
    again.size = sizeof again;
    EXPECT(inkling_period_key_of_tree(tree, 500000, &key), INKLING_OK);
    EXPECT(inkling_period_key_values(key, 3, 2000000, &again), INKLING_OK);
    HOLDS(memcmp(&values, &again, sizeof values) == 0);
    EXPECT(inkling_free(key), INKLING_OK);

    /* A caller with a later header: members that this library does not know are set to zero. */
    struct {
        inkling_values known;
        uint32_t later[4];
    } later;
    memset(&later, 0xff, sizeof later);
    later.known.size = sizeof later;
    EXPECT(inkling_tree_values(tree, 3, 2000000, &later.known), INKLING_OK);
    HOLDS(later.later[0] == 0 && later.later[3] == 0 && later.known.minor == values.minor);
    EXPECT(inkling_free(tree), INKLING_OK);
}

static void refusals(void) {
    uint8_t low_order[32] = {0};
    inkling_handle tree = 99;
    inkling_refusal refusal = {.size = sizeof refusal};
    EXPECT(inkling_tree_of_pair(root, 32, low_order, 32, 1, &tree, &refusal), INKLING_REFUSED);
    HOLDS(strlen(refusal.stage) > 0 && strcmp(refusal.reason, "low-order-point") == 0);
    EXPECT(inkling_tree_of_pair(root, 32, low_order, 32, 1, &tree, NULL), INKLING_REFUSED);
    refusal.size = 3;
    EXPECT(inkling_tree_of_pair(root, 32, low_order, 32, 1, &tree, &refusal), INKLING_WRONG_SIZE);
    EXPECT(inkling_tree_of_pair(root, 32, low_order, 31, 1, &tree, NULL), INKLING_WRONG_LENGTH);
    EXPECT(inkling_tree_of_pair(root, 32, low_order, 32, 2, &tree, NULL), INKLING_OUT_OF_RANGE);
    HOLDS(tree == 99);
}

static void advertising(void) {
    uint8_t data[1651] = {0}, short_buffer[29];
    size_t count = 0;
    inkling_advertisement read = {.size = sizeof read};
    inkling_refusal refusal = {.size = sizeof refusal};
    EXPECT(inkling_advertisement_of_minor(4660, NULL, 0, &count), INKLING_BUFFER_TOO_SHORT);
    HOLDS(count == 30);
    memset(short_buffer, 0xee, sizeof short_buffer);
    EXPECT(inkling_advertisement_of_minor(4660, short_buffer, 29, &count), INKLING_BUFFER_TOO_SHORT);
    HOLDS(short_buffer[0] == 0xee && short_buffer[28] == 0xee);
    EXPECT(inkling_advertisement_of_minor(4660, NULL, 30, &count), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_advertisement_of_minor(4660, data, SIZE_MAX, &count), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_advertisement_of_minor(4660, data, 30, NULL), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_advertisement_of_minor(4660, data, 30, OFF(size_t)), INKLING_MISALIGNED);
    EXPECT(inkling_advertisement_of_minor(4660, data, sizeof data, &count), INKLING_OK);
    EXPECT(inkling_advertisement_read(data, count, &read, &refusal), INKLING_OK);
    HOLDS(read.has_beacon == 1 && read.is_ours == 1 && read.minor == 4660 && read.major == 0 && read.measured_power == -59);
    HOLDS(read.has_overflow_bit == 0 && read.has_service == 0);
    EXPECT(inkling_advertisement_read(data, count - 1, &read, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "structures") == 0 && strcmp(refusal.reason, "truncated") == 0);
    EXPECT(inkling_advertisement_read(NULL, 0, &read, &refusal), INKLING_OK);
    HOLDS(read.has_beacon == 0 && read.minor == 0);
    memset(data, 0, sizeof data);
    EXPECT(inkling_advertisement_read(data, 1651, &read, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.reason, "too-long") == 0);
    EXPECT(inkling_advertisement_of_service(data, sizeof data, &count), INKLING_OK);
    HOLDS(count == 18);
    EXPECT(inkling_advertisement_read(data, count, &read, NULL), INKLING_OK);
    HOLDS(read.has_service == 1);
    EXPECT(inkling_uuid(INKLING_UUID_PROXIMITY, data, 16, &count), INKLING_OK);
    EXPECT(inkling_uuid(5, data, 16, &count), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_uuid(UINT32_MAX, data, 16, &count), INKLING_OUT_OF_RANGE);
}

/* The number of effects that are not taken is bounded. */
static void fill(inkling_handle engine, const inkling_clock *now) {
    inkling_effect effect = {.size = sizeof effect};
    inkling_status status = INKLING_OK;
    long events = 0;
    for (; status == INKLING_OK && events < 200000; events++) {
        status = inkling_engine_add(engine, 1, NULL, now);
        if (status == INKLING_OK) status = inkling_engine_confirmed(engine, 1, 0, 1, now);
        if (status == INKLING_OK) status = inkling_engine_remove(engine, 1, now);
    }
    HOLDS(status == INKLING_FULL && events > 5000);
    EXPECT(inkling_engine_next(engine, &effect), INKLING_OK);
    HOLDS(effect.kind != INKLING_EFFECT_NONE);
}

static void engines(int fills) {
    inkling_handle tree = made(), engine = 0;
    inkling_clock now = {.size = sizeof now, .tick = 5000, .unix_milliseconds = 1800000300000};
    inkling_engine_options options = {.size = sizeof options, .skew_seconds = 451};
    inkling_contact_options wanted = {.size = sizeof wanted, .importance = 101};
    inkling_effect effect = {.size = sizeof effect};
    uint32_t state = 99;
    uint64_t posterior = 99;
    uint8_t tag[16] = {0};

    EXPECT(inkling_engine_new(&options, &engine), INKLING_OUT_OF_RANGE);
    options.skew_seconds = 120;
    options.size = 4;
    EXPECT(inkling_engine_new(&options, &engine), INKLING_WRONG_SIZE);
    EXPECT(inkling_engine_new(OFF(inkling_engine_options), &engine), INKLING_MISALIGNED);
    options.size = sizeof options;
    EXPECT(inkling_engine_new(&options, NULL), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_engine_new(&options, &engine), INKLING_OK);

    /* A caller with a later header that uses a member which this library does not know. */
    struct {
        inkling_clock known;
        uint64_t later;
    } later = {now, 0};
    later.known.size = sizeof later;
    EXPECT(inkling_engine_timer_fired(engine, &later.known), INKLING_OK);
    later.later = 1;
    EXPECT(inkling_engine_timer_fired(engine, &later.known), INKLING_WRONG_SIZE);

    EXPECT(inkling_engine_add(engine, 1, &wanted, &now), INKLING_OUT_OF_RANGE);
    wanted.importance = 0;
    EXPECT(inkling_engine_add(engine, 1, &wanted, NULL), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_engine_hold(engine, 1, INKLING_AUDIENCE_GRANTED, 1, 1, tree), INKLING_UNKNOWN);
    EXPECT(inkling_engine_state(engine, 1, &now, &state, &posterior), INKLING_UNKNOWN);
    EXPECT(inkling_engine_add(engine, 1, &wanted, &now), INKLING_OK);
    EXPECT(inkling_engine_hold(engine, 1, INKLING_AUDIENCE_PAIR, 1, 1, tree), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_hold(engine, 1, 2, 1, 1, tree), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_hold(engine, 1, INKLING_AUDIENCE_GRANTED, 1, 0, tree), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_hold(engine, 1, INKLING_AUDIENCE_GRANTED, 1, 1, engine), INKLING_WRONG_KIND);
    EXPECT(inkling_engine_hold(tree, 1, INKLING_AUDIENCE_GRANTED, 1, 1, tree), INKLING_WRONG_KIND);
    EXPECT(inkling_engine_hold(engine, 1, INKLING_AUDIENCE_GRANTED, 1, 0xffff, tree), INKLING_OK);
    EXPECT(inkling_engine_prepare(engine, UINT32_MAX, &now), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_prepare(engine, 2000000, &now), INKLING_OK);
    EXPECT(inkling_engine_state(engine, 1, &now, &state, &posterior), INKLING_OK);
    HOLDS(state == INKLING_PRESENCE_UNSEEN && posterior > 0 && posterior < 65536);

    EXPECT(inkling_engine_name_appeared(engine, NULL, 0, NULL, &now), INKLING_OK);
    EXPECT(inkling_engine_name_appeared(engine, NULL, 32, NULL, &now), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_engine_name_appeared(engine, "x", SIZE_MAX, NULL, &now), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_beacon_heard(engine, 1, UINT64_C(1) << 48, -60, NULL, &now), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_tag_read(engine, tag, 15, 1, NULL, &now), INKLING_WRONG_LENGTH);
    EXPECT(inkling_engine_tag_read(engine, tag, 16, 1, NULL, &now), INKLING_OK);
    EXPECT(inkling_engine_tag_read(engine, NULL, 0, 1, NULL, &now), INKLING_OK);
    EXPECT(inkling_engine_reading_failed(engine, 1, &now), INKLING_OK);
    EXPECT(inkling_engine_reading_failed(engine, (uint64_t)1 << 48, &now), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_radio_gap(engine, 999, &now), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_radio_crowded(engine, &now), INKLING_OK);
    EXPECT(inkling_engine_radio_crowded(engine, NULL), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_engine_attempt_failed(engine, 1, 0, &now), INKLING_UNKNOWN);
    EXPECT(inkling_engine_attempt_failed(engine, 1, 5, &now), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_attempt_confirmed(engine, 1, &now), INKLING_UNKNOWN);
    EXPECT(inkling_engine_links_closed(engine, INKLING_TECHNOLOGY_RADIO, &now), INKLING_OK);
    EXPECT(inkling_engine_links_closed(engine, 2, &now), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_confirmed(engine, 1, 16, 0, &now), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_confirmed(engine, 1, 0, 2, &now), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_engine_confirmed(engine, 2, 0, 1, &now), INKLING_OK);
    EXPECT(inkling_engine_next(engine, NULL), INKLING_NULL_ARGUMENT);
    do {
        EXPECT(inkling_engine_next(engine, &effect), INKLING_OK);
    } while (effect.kind != INKLING_EFFECT_NONE);

    if (fills) fill(engine, &now);
    EXPECT(inkling_free(engine), INKLING_OK);
    EXPECT(inkling_engine_next(engine, &effect), INKLING_NO_SUCH_HANDLE);
    EXPECT(inkling_free(tree), INKLING_OK);
}

/* With the argument "fill", an engine is filled with effects, which takes long under valgrind. */
int main(int count, char **arguments) {
    uint64_t left = 99;
    texts();
    numbers();
    lengths();
    handles();
    structures();
    refusals();
    advertising();
    engines(count > 1 && strcmp(arguments[1], "fill") == 0);
    EXPECT(inkling_handle_count(&left), INKLING_OK);
    HOLDS(left == 0);
    if (failures == 0) puts("every call returned the status that the header documents");
    return failures != 0;
}
