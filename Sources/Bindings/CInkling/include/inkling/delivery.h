/* The delivery of texts: what two devices send, store and drop so that every text arrives once and in order
 * (Specs/sync.md). Part of inkling.h.
 *
 * A program keeps one machine for each device of each contact, over all sessions with it, and is its store. After each
 * event it takes the effects with inkling_sync_next and carries them out in this order; what it has stored it reports with
 * the next event. A process creates the machine again from what is stored, and begins with INKLING_SYNC_STARTED.
 *
 * What a contact sends cannot make the machine trap, hold more than 128 texts, or drop a text that the contact does not have.
 */

#ifndef INKLING_DELIVERY_H
#define INKLING_DELIVERY_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The maximum number of bytes of a text, in UTF-8; and of texts in one reply to INKLING_SYNC_EFFECT_LOAD.
#define INKLING_TEXT_LIMIT 8192
#define INKLING_LOAD_LIMIT 16

/// The head of the body of INKLING_RECORD_MESSAGE; the text follows.
typedef struct inkling_message {
    uint32_t size;
    /// 1 if it has a text; 0 if the text was withdrawn.
    uint32_t has_text;
    /// The number of the text in its queue, from 1 to 2^63 - 1.
    uint64_t number;
    /// When the user wrote it, in Unix seconds by the sender's clock; 0 if unknown.
    uint64_t written_at;
    /// The identifier of the text, not all zero.
    uint8_t id[16];
} inkling_message;

/// The body of INKLING_RECORD_RECEIPT: the last text that a device has stored.
typedef struct inkling_receipt {
    uint32_t size;
    /// How many texts after that one it takes, 0 to 64.
    uint32_t room;
    /// The stream and the number of the text, and its identifier; all zero before the first text.
    uint64_t stream;
    uint64_t number;
    uint8_t id[16];
} inkling_receipt;

/// Writes the body of INKLING_RECORD_MESSAGE: `head`, and 1 to INKLING_TEXT_LIMIT bytes of text, or none if `has_text` is 0.
inkling_status inkling_message_body(
    const inkling_message *head, const char *text, size_t text_count, uint8_t *out, size_t capacity, size_t *needed_out,
    inkling_refusal *refusal_out);

/// Parses the body of INKLING_RECORD_MESSAGE; without a text, the text that is written is empty.
inkling_status inkling_message_read(
    const uint8_t *body, size_t count, inkling_message *head_out, char *out, size_t capacity, size_t *needed_out,
    inkling_refusal *refusal_out);

/// Writes and parses the body of INKLING_RECORD_RECEIPT, which has 34 bytes.
inkling_status inkling_receipt_body(
    const inkling_receipt *receipt, uint8_t *out, size_t capacity, size_t *needed_out, inkling_refusal *refusal_out);
inkling_status inkling_receipt_read(
    const uint8_t *body, size_t count, inkling_receipt *receipt_out, inkling_refusal *refusal_out);

/// Writes and parses the body of INKLING_RECORD_STREAM, which has 16 bytes: the stream, not 0, and the number of its first
/// text in the session, from 1 to 2^63 - 1.
inkling_status inkling_stream_body(
    uint64_t stream, uint64_t first, uint8_t *out, size_t capacity, size_t *needed_out, inkling_refusal *refusal_out);
inkling_status inkling_stream_read(
    const uint8_t *body, size_t count, uint64_t *stream_out, uint64_t *first_out, inkling_refusal *refusal_out);

/// What a program has stored about the texts between this device and one other, apart from the texts.
typedef struct inkling_sync_stored {
    uint32_t size;
    uint32_t reserved;
    /// The number of the last text that the queue no longer keeps, 0 at first; the number of the next text, at least 1;
    /// and the total length of the texts in the queue, at most 2^53 - 1 bytes.
    uint64_t base;
    uint64_t next;
    uint64_t queue_size;
    /// The last text that was received, as inkling_receipt names it; all zero if there was none.
    uint64_t last_stream;
    uint64_t last_number;
    uint8_t last_id[16];
    /// The arrivals of the last text that was received, and of the last that the application has taken; and the total
    /// length of those that it has not taken, at most 2^53 - 1 bytes.
    uint64_t arrivals;
    uint64_t taken;
    uint64_t inbox_size;
} inkling_sync_stored;

/// An event, with what `number` and `bytes` stand for; what is not named is ignored.
typedef enum inkling_sync_event {
    /// The machine has been created, and no other event was reported to it.
    INKLING_SYNC_STARTED = 0,
    /// The other side's HELLO has opened in the session `number`, which the caller chooses; or this session has ended.
    INKLING_SYNC_OPENED = 1,
    INKLING_SYNC_CLOSED = 2,
    /// The user writes a text of `bytes` bytes. The effect INKLING_SYNC_EFFECT_ENQUEUE or INKLING_SYNC_EFFECT_REFUSE follows.
    INKLING_SYNC_QUEUED = 3,
    /// The texts up to `number` are stored in the queue; or those from `number` on could not be.
    INKLING_SYNC_ENQUEUED = 4,
    INKLING_SYNC_NOT_ENQUEUED = 5,
    /// The texts that were given with inkling_sync_load are those that INKLING_SYNC_EFFECT_LOAD asked for; some may be
    /// missing.
    INKLING_SYNC_LOADED = 6,
    /// This many bytes of texts have left the queue: they were dropped, forgotten or withdrawn.
    INKLING_SYNC_DROPPED = 7,
    /// All texts of the queue up to `number` are withdrawn.
    INKLING_SYNC_WITHDRAWN = 8,
    /// The received texts with arrivals up to `number` are stored; or the others could not be.
    INKLING_SYNC_STORED = 9,
    INKLING_SYNC_NOT_STORED = 10,
    /// The application has taken the texts with arrivals up to `number`, of `bytes` bytes, and that is stored.
    INKLING_SYNC_TAKEN = 11,
    /// The tick of INKLING_SYNC_EFFECT_WAKE has come.
    INKLING_SYNC_TIMER_FIRED = 12
} inkling_sync_event;

/// What to do, and which members of inkling_sync_effect apply.
typedef enum inkling_sync_effect_kind {
    /// No effect is left.
    INKLING_SYNC_EFFECT_NONE = 0,
    /// Send a record in a session: `session`, `record_type`; inkling_sync_content has its body.
    INKLING_SYNC_EFFECT_SEND = 1,
    /// End a session, without a reply: `session`, `reason`. INKLING_SYNC_CLOSED need not follow.
    INKLING_SYNC_EFFECT_END = 2,
    /// Store a text of the user with `number` and `id`, and `number` + 1 as the next number, and report
    /// INKLING_SYNC_ENQUEUED or INKLING_SYNC_NOT_ENQUEUED.
    INKLING_SYNC_EFFECT_ENQUEUE = 3,
    /// Tell the user that a text is not queued: `id`, `reason`.
    INKLING_SYNC_EFFECT_REFUSE = 4,
    /// Give the texts of the queue with the numbers `number` to `last`, with inkling_sync_load in their order, and then
    /// report INKLING_SYNC_LOADED.
    INKLING_SYNC_EFFECT_LOAD = 5,
    /// The other device has stored the texts up to `number`: drop them, store `number` as the base, tell the user, and
    /// report INKLING_SYNC_DROPPED.
    INKLING_SYNC_EFFECT_DROP = 6,
    /// Drop withdrawn texts up to `number` in the same way; they were not delivered.
    INKLING_SYNC_EFFECT_FORGET = 7,
    /// Store a received text durably, after all that was to be stored before, with `arrival`, `stream`, `number`, `id` and
    /// `written_at`, and report INKLING_SYNC_STORED or INKLING_SYNC_NOT_STORED; inkling_sync_content has the text, if
    /// `has_text` is 1. Store no text whose `id` is that of a text which is stored or is one of the last 256 that were, but
    /// store its name and its arrival. `skipped` numbers before it will not come; tell the user.
    INKLING_SYNC_EFFECT_STORE = 8,
    /// The application may have the stored texts with the arrivals `number` to `last`, in order.
    INKLING_SYNC_EFFECT_DELIVER = 9,
    /// Report INKLING_SYNC_TIMER_FIRED at `tick`; replaces the earlier wake-up.
    INKLING_SYNC_EFFECT_WAKE = 10
} inkling_sync_effect_kind;

/// An effect of the machine. Members that its kind does not name are zero.
typedef struct inkling_sync_effect {
    uint32_t size;
    uint32_t kind;
    uint64_t session;
    uint64_t number;
    uint64_t last;
    uint64_t arrival;
    uint64_t stream;
    uint64_t written_at;
    uint64_t skipped;
    uint64_t tick;
    uint8_t id[16];
    uint8_t record_type;
    uint8_t has_text;
    uint8_t reserved[6];
    /// In the words of Specs/sync.md; ends with a zero byte.
    char reason[32];
} inkling_sync_effect;

/// Creates a machine from what is stored, a null pointer if nothing was exchanged. It draws its stream, and the identifiers
/// of the texts that are queued. INKLING_OUT_OF_RANGE if the members do not fit each other.
inkling_status inkling_sync_new(const inkling_sync_stored *stored, inkling_handle *sync_out);

/// Reports an inkling_sync_event. INKLING_FULL if effects of the earlier event have not been taken.
inkling_status inkling_sync_take(
    inkling_handle sync, uint32_t event, uint64_t number, uint64_t bytes, const inkling_clock *now);

/// Reports a record of a session: the type is INKLING_RECORD_MESSAGE, INKLING_RECORD_RECEIPT or INKLING_RECORD_STREAM,
/// otherwise INKLING_OUT_OF_RANGE. If the record is refused, end the session without a reply. INKLING_FULL as in
/// inkling_sync_take.
inkling_status inkling_sync_receive(
    inkling_handle sync, uint64_t session, uint8_t type, const uint8_t *body, size_t count, const inkling_clock *now,
    inkling_refusal *refusal_out);

/// Gives a text of the queue, for the next INKLING_SYNC_LOADED; INKLING_FULL after INKLING_LOAD_LIMIT texts. Parameters as
/// in inkling_message_body.
inkling_status inkling_sync_load(
    inkling_handle sync, const inkling_message *head, const char *text, size_t text_count, inkling_refusal *refusal_out);

/// Takes the next effect; its kind is INKLING_SYNC_EFFECT_NONE if none is left.
inkling_status inkling_sync_next(inkling_handle sync, inkling_sync_effect *effect_out);

/// Writes the bytes that belong to the effect that was taken last: the body of the record to send, at most 8,224 bytes, or
/// the text to store, at most INKLING_TEXT_LIMIT bytes, without a zero byte at the end. INKLING_UNKNOWN if it has none.
inkling_status inkling_sync_content(inkling_handle sync, uint8_t *out, size_t capacity, size_t *needed_out);

#ifdef __cplusplus
}
#endif

#endif
