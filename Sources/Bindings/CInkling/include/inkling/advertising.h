/* Advertising data: building what a beacon sends, and parsing what a scanner heard. Part of inkling.h. */

#ifndef INKLING_ADVERTISING_H
#define INKLING_ADVERTISING_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The UUIDs of Inkling.
typedef enum inkling_uuid_use {
    /// The proximity UUID of every beacon.
    INKLING_UUID_PROXIMITY = 0,
    /// The GATT service of every node, and its three characteristics.
    INKLING_UUID_SERVICE = 1,
    INKLING_UUID_TAG = 2,
    INKLING_UUID_IN = 3,
    INKLING_UUID_OUT = 4
} inkling_uuid_use;

/// Writes the 16 bytes of the UUID for an inkling_uuid_use, in the order of the text form.
inkling_status inkling_uuid(uint32_t use, uint8_t *bytes_out, size_t capacity, size_t *needed_out);

/// The parts of advertising data that concern Inkling.
typedef struct inkling_advertisement {
    uint32_t size;
    /// 1 if the data contains an iBeacon frame; `major`, `minor`, `measured_power` and `proximity` are then set.
    uint8_t has_beacon;
    /// 1 if the proximity UUID of the frame is Inkling's.
    uint8_t is_ours;
    /// 1 if the bit of Inkling's service is set in an overflow area. Other services share the bit: it justifies one
    /// connection and recognises no one.
    uint8_t has_overflow_bit;
    /// 1 if a list of service UUIDs contains Inkling's service.
    uint8_t has_service;
    uint16_t major;
    uint16_t minor;
    int8_t measured_power;
    uint8_t reserved[3];
    uint8_t proximity[16];
} inkling_advertisement;

/// Parses advertising data of up to 1,650 bytes. Data of other products is not an error: the members are then zero.
inkling_status inkling_advertisement_read(
    const uint8_t *data, size_t count, inkling_advertisement *advertisement_out, inkling_refusal *refusal_out);

/// Writes the 30 bytes of advertising data of a beacon with this minor.
inkling_status inkling_advertisement_of_minor(uint16_t minor, uint8_t *out, size_t capacity, size_t *needed_out);

/// Writes the 18 bytes of advertising data that contain the UUID of Inkling's service.
inkling_status inkling_advertisement_of_service(uint8_t *out, size_t capacity, size_t *needed_out);

#ifdef __cplusplus
}
#endif

#endif
