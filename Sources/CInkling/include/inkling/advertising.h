/* Advertising data: what a beacon sends, and what was heard. Part of inkling.h. */

#ifndef INKLING_ADVERTISING_H
#define INKLING_ADVERTISING_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The UUIDs of the project.
typedef enum inkling_uuid_use {
    /// The proximity UUID of every beacon.
    INKLING_UUID_PROXIMITY = 0,
    /// The GATT service of every node, and its three characteristics.
    INKLING_UUID_SERVICE = 1,
    INKLING_UUID_TAG = 2,
    INKLING_UUID_IN = 3,
    INKLING_UUID_OUT = 4
} inkling_uuid_use;

/// Writes the 16 bytes of a UUID, in the order of its text form.
inkling_status inkling_uuid(uint32_t use, uint8_t *bytes_out, size_t capacity, size_t *needed_out);

/// What advertising data says.
typedef struct inkling_advertisement {
    uint32_t size;
    /// 1 when the data holds an iBeacon frame; then the members below it are those of the frame.
    uint8_t has_beacon;
    /// 1 when the frame's proximity UUID is that of the project.
    uint8_t is_ours;
    /// 1 when an overflow area has the bit of the project's service set: a reason to connect once, no recognition.
    uint8_t has_overflow_bit;
    /// 1 when a list of service UUIDs names the project's service.
    uint8_t has_service;
    uint16_t major;
    uint16_t minor;
    int8_t measured_power;
    uint8_t reserved[3];
    uint8_t proximity[16];
} inkling_advertisement;

/// Reads advertising data, up to 1650 bytes. That it is somebody else's is no error: then the members are zero.
inkling_status inkling_advertisement_read(
    const uint8_t *data, size_t count, inkling_advertisement *advertisement_out, inkling_refusal *refusal_out);

/// The 30 bytes that a beacon with this minor advertises.
inkling_status inkling_advertisement_of_minor(uint16_t minor, uint8_t *out, size_t capacity, size_t *needed_out);

/// The 18 bytes of advertising data that name the project's service.
inkling_status inkling_advertisement_of_service(uint8_t *out, size_t capacity, size_t *needed_out);

#ifdef __cplusplus
}
#endif

#endif
