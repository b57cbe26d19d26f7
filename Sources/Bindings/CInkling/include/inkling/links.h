/* Links: packets to and from the bytes of a TCP stream or the values of a GATT link. Part of inkling.h. */

#ifndef INKLING_LINKS_H
#define INKLING_LINKS_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The smallest and the largest ATT MTU, in bytes.
#define INKLING_MTU_LEAST 23
#define INKLING_MTU_GREATEST 517

/// Writes a packet in the form in which a transport (INKLING_TRANSPORT_TCP or _GATT) sends it. For TCP this is one
/// frame, and `mtu` is 0. For GATT it is the concatenation of the values to write or to notify: each has `mtu` - 3
/// bytes, and the last one may be shorter.
inkling_status inkling_link_bytes(
    const uint8_t *packet, size_t count, uint32_t transport, uint32_t mtu, uint8_t *out, size_t capacity,
    size_t *needed_out, inkling_refusal *refusal_out);

/// Creates the receiving end of a link. With `is_unauthenticated` 1 it accepts only packets that begin a handshake,
/// until inkling_link_trust is called; pass 0 on the side that opened the link.
inkling_status inkling_link_new(uint32_t transport, uint32_t is_unauthenticated, inkling_handle *link_out);

/// Accepts packets of every type from now on. Call it when the peer is authenticated.
inkling_status inkling_link_trust(inkling_handle link);

/// Takes received bytes of the stream, or one value of the GATT link; `tick` is the monotonic clock in milliseconds.
/// INKLING_FULL if too much is waiting for inkling_link_next. Close the link after a refusal by either function.
inkling_status inkling_link_take(
    inkling_handle link, const uint8_t *bytes, size_t count, uint64_t tick, inkling_refusal *refusal_out);

/// Takes the next complete packet; the needed length is 0 if there is none.
inkling_status inkling_link_next(
    inkling_handle link, uint8_t *out, size_t capacity, size_t *needed_out, inkling_refusal *refusal_out);

/// Writes the tick at which an incomplete packet expires; INKLING_UNKNOWN if there is none, and for TCP.
inkling_status inkling_link_deadline(inkling_handle link, uint64_t *tick_out);

#ifdef __cplusplus
}
#endif

#endif
