/* Inkling for C: recognise devices that know each other, by identifiers that nobody else can follow.
 *
 * In the order in which a program meets them:
 *
 *   inkling/basics.h       inkling_status, inkling_refusal, inkling_handle, inkling_free, inkling_clock,
 *                          inkling_use_randomness; the numbers of transports
 *   inkling/keys.h         time:        inkling_epoch_at, _bounds, _on_air, inkling_epochs_observed
 *                          keys:        inkling_tree_*, inkling_period_key_*; what is shown: inkling_values
 *   inkling/people.h       oneself:     inkling_identity_*, inkling_device_key_*, inkling_roster_*, inkling_secret_new
 *                          storage:     inkling_seal, inkling_unseal
 *                          for others:  inkling_card_*, inkling_invitation_*, inkling_grant_*
 *   inkling/advertising.h  Bluetooth:   inkling_advertisement_*, inkling_uuid
 *   inkling/recognition.h  who is near: inkling_engine_*; what to do: inkling_effect
 *   inkling/rotation.h     when to show and to be silent: inkling_rotation_*; what to do: inkling_turn
 *   inkling/handshakes.h   contacts:    inkling_context_new, inkling_call_*, inkling_responder_*, inkling_request_*
 *                          new people:  inkling_inviter_*, inkling_pending_joiner_packet, inkling_joiner_*
 *   inkling/links.h        packets as bytes of TCP or values of GATT, and back: inkling_link_*
 *   inkling/sessions.h     records:     inkling_session_*, inkling_message_*
 *   inkling/transports.h   what systems allow: inkling_profile_*; which way to choose: inkling_plan_*, inkling_memory_*
 *   inkling/vectors.h      inkling_vectors_verify
 *
 * A program that meets somebody new goes through: inkling_identity_random, inkling_device_key_random, inkling_roster_*,
 * inkling_card_new; one side inkling_invitation_new and inkling_inviter_*, the other inkling_invitation_read_text and
 * inkling_joiner_*; both inkling_session_*, with grants. After that: inkling_engine_* says when the contact may be there,
 * inkling_call_* and inkling_responder_* make sure of it.
 *
 * How every call behaves:
 *
 * Every call that can fail returns an inkling_status; INKLING_OK is zero. Nothing else is reported on the side: there
 * is no errno and no "last error" of a thread. A call that fails has changed nothing and has written nothing, except
 * the needed length that goes with INKLING_BUFFER_TOO_SHORT, and the refusal that goes with INKLING_REFUSED.
 *
 * Handles are numbers. Zero is never one. A number that is freed, was never given out, or stands for another kind of
 * object is answered by a status, and numbers are not used again. Whoever gets a handle frees it by inkling_free.
 *
 * Threads: any handle may be used from any thread, but not from two at once, and not from inside a callback of a call
 * that uses it: then one of the two calls returns INKLING_BUSY and does nothing. Calls on different handles run side by
 * side. After fork(), only the process that made a handle should use it.
 *
 * Bytes come in as a pointer and a count; the pointer may be null where the count is zero. Bytes go out into a buffer
 * of the caller's: the length that is needed is always written, and when the buffer is shorter, nothing else is. A null
 * buffer of capacity zero asks for the length. Texts are UTF-8; those that come in have a count and need no terminator,
 * and those that go out end with a zero byte, which their length counts.
 *
 * Structures begin with their size, which the caller sets to sizeof; set all else that is not used to zero. So a
 * program that was built with an older header works with a newer library. Reserved members stay zero.
 *
 * Secrets come in by pointer and are copied at once into memory that is wiped; the caller wipes its own copy. They
 * come out sealed only, with one exception: an invitation is made to be shown. Time is a parameter of each call;
 * randomness is that of the system, or of the caller (inkling_use_randomness).
 */

#ifndef INKLING_H
#define INKLING_H

#include "inkling/advertising.h"
#include "inkling/basics.h"
#include "inkling/handshakes.h"
#include "inkling/keys.h"
#include "inkling/links.h"
#include "inkling/people.h"
#include "inkling/recognition.h"
#include "inkling/rotation.h"
#include "inkling/sessions.h"
#include "inkling/transports.h"
#include "inkling/vectors.h"

#endif
