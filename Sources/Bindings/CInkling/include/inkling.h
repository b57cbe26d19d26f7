/* Inkling for C: recognises nearby contacts by identifiers that no one else can track.
 *
 * The parts, in the order in which a program usually needs them:
 *
 *   inkling/basics.h       inkling_status, inkling_refusal, inkling_handle, inkling_free, inkling_clock,
 *                          inkling_use_randomness; the numbers of transports
 *   inkling/keys.h         time:        inkling_epoch_at, _bounds, _on_air, inkling_epochs_observed
 *                          keys:        inkling_tree_*, inkling_period_key_*; identifiers: inkling_values
 *   inkling/people.h       own keys:    inkling_identity_*, inkling_device_key_*, inkling_roster_*, inkling_secret_new
 *                          storage:     inkling_seal, inkling_unseal
 *                          for others:  inkling_card_*, inkling_invitation_*, inkling_grant_*
 *   inkling/advertising.h  Bluetooth:   inkling_advertisement_*, inkling_uuid
 *   inkling/recognition.h  who is near: inkling_engine_*; what to do: inkling_effect
 *   inkling/rotation.h     when to show identifiers: inkling_rotation_*; what to do: inkling_turn
 *   inkling/handshakes.h   contacts:    inkling_context_new, inkling_call_*, inkling_responder_*, inkling_request_*
 *                          new people:  inkling_inviter_*, inkling_pending_joiner_packet, inkling_joiner_*
 *   inkling/links.h        packets to and from the bytes of TCP or the values of GATT: inkling_link_*
 *   inkling/sessions.h     records:     inkling_session_*
 *   inkling/delivery.h     texts:       inkling_sync_*, inkling_message_*, inkling_receipt_*, inkling_stream_*
 *   inkling/transports.h   platforms:   inkling_profile_*; choosing a transport: inkling_plan_*, inkling_memory_*
 *   inkling/vectors.h      inkling_vectors_verify
 *
 * To make a contact, a program calls inkling_identity_random, inkling_device_key_random, inkling_roster_* and
 * inkling_card_new; then one side uses inkling_invitation_new and inkling_inviter_*, the other
 * inkling_invitation_read_text and inkling_joiner_*; and both exchange grants with inkling_session_*. From then on
 * inkling_engine_* reports when the contact may be near, and inkling_call_* and inkling_responder_* confirm it.
 *
 * Conventions of all functions:
 *
 * Statuses. Every function that can fail returns an inkling_status; INKLING_OK is zero. There is no errno and no
 * per-thread "last error". A call that fails changes nothing and writes nothing, with three exceptions: the needed
 * length is written with INKLING_BUFFER_TOO_SHORT, the refusal is written with INKLING_REFUSED, and some objects are
 * used up by a call whatever its result; the comment of the function says so.
 *
 * Handles. An object is represented by a number, which is never zero and never reused. A handle that has been freed,
 * was never returned by the library or belongs to another kind of object yields a status, not undefined behaviour. The
 * caller frees each handle with inkling_free.
 *
 * Threads. Any thread may use any handle. If two threads use the same handle at once, or a callback uses a handle that
 * is in use by the call that invoked it, one of the two calls returns INKLING_BUSY and does nothing. Calls on different
 * handles run in parallel. After fork(), only the process that created a handle may use it.
 *
 * Bytes and text. Input is a pointer and a count; the pointer may be null if the count is zero. Output goes to a buffer
 * of the caller: the needed length is always written, and nothing else is if the buffer is too short. To ask for the
 * length, pass a null buffer with capacity zero. Text is UTF-8. Input text has a count and needs no terminator; output
 * text ends with a zero byte, which is included in its length.
 *
 * Structures. The first member is the size, which the caller sets to sizeof; set all other unused members to zero. A
 * program that was compiled with an older header therefore works with a newer library. Reserved members are zero.
 *
 * Secrets. The library copies a secret from the caller's pointer into memory that it wipes; the caller wipes its own
 * copy. The library returns secrets only in sealed form, except for invitations, which exist to be shown.
 *
 * Time is a parameter of each call. Randomness comes from the system or from the caller (inkling_use_randomness).
 */

#ifndef INKLING_H
#define INKLING_H

#include "inkling/advertising.h"
#include "inkling/basics.h"
#include "inkling/delivery.h"
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
