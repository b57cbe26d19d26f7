/* Links: packets as the bytes of a TCP stream or the values of a GATT link. Part of inkling.h. */

#ifndef INKLING_LINKS_H
#define INKLING_LINKS_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The least and the greatest ATT MTU in bytes.
#define INKLING_MTU_LEAST 23
#define INKLING_MTU_GREATEST 517

/// A packet as what is sent over a link of a transport (INKLING_TRANSPORT_TCP or _GATT). Over TCP, the frame; `mtu` is 0.
/// Over GATT, one after another the values to write or to notify: each has `mtu` - 3 bytes, and the last what is left.
inkling_status inkling_link_bytes(
    const uint8_t *packet, size_t count, uint32_t transport, uint32_t mtu, uint8_t *out, size_t capacity,
    size_t *needed_out, inkling_refusal *refusal_out);

/// What comes in over one link, to become packets again. With `is_unauthenticated` 1, only packets with which a stranger can
/// begin are accepted, until inkling_link_trust; 0 for the side that began.
inkling_status inkling_link_new(uint32_t transport, uint32_t is_unauthenticated, inkling_handle *link_out);

/// From now on every packet is accepted.
inkling_status inkling_link_trust(inkling_handle link);

/// Takes bytes of the stream as they came, or one value of the GATT link; `tick` is the clock that never steps, in
/// milliseconds. INKLING_FULL while too much waits to be taken out. What is refused, here or by inkling_link_next, ends
/// the link.
inkling_status inkling_link_take(
    inkling_handle link, const uint8_t *bytes, size_t count, uint64_t tick, inkling_refusal *refusal_out);

/// Takes the next packet out; the needed length is 0 when none is complete.
inkling_status inkling_link_next(
    inkling_handle link, uint8_t *out, size_t capacity, size_t *needed_out, inkling_refusal *refusal_out);

/// The tick at which a packet that is not complete is given up; INKLING_UNKNOWN while there is none, and for TCP.
inkling_status inkling_link_deadline(inkling_handle link, uint64_t *tick_out);

#ifdef __cplusplus
}
#endif

#endif
