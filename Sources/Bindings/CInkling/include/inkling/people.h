/* Users and their devices; what users give each other: cards, invitations and grants. Part of inkling.h. */

#ifndef INKLING_PEOPLE_H
#define INKLING_PEOPLE_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Users and devices ------------------------------------------------------------------------------------- */

/// The public part of an identity.
typedef struct inkling_identity_keys {
    uint32_t size;
    uint32_t generation;
    /// The Ed25519 key that identifies the user to contacts.
    uint8_t identity[32];
    /// The X25519 key for pair audiences.
    uint8_t presence[32];
    /// The user id, derived from the identity key.
    uint8_t user[16];
} inkling_identity_keys;

/// Creates the identity of a generation, from 1, from a root seed of exactly 32 random bytes.
inkling_status inkling_identity_new(
    const uint8_t *seed, size_t count, uint32_t generation, inkling_handle *identity_out);

/// Creates an identity of generation 1 from a random root seed.
inkling_status inkling_identity_random(inkling_handle *identity_out);

/// Writes the public part of an identity.
inkling_status inkling_identity_public(inkling_handle identity, inkling_identity_keys *keys_out);

/// Derives a tree of the pair audience of an identity and the contact with this presence key, as inkling_tree_of_pair.
inkling_status inkling_identity_tree_of_pair(
    inkling_handle identity, const uint8_t *peer_presence, size_t peer_count, uint32_t advertising,
    inkling_handle *tree_out, inkling_refusal *refusal_out);

/// Derives the pairwise secret of an identity and a contact whose cards were exchanged without a first contact.
inkling_status inkling_identity_pairwise(
    inkling_handle identity, const uint8_t *peer_presence, size_t peer_count, inkling_handle *secret_out,
    inkling_refusal *refusal_out);

/// Creates a secret object from exactly 32 bytes, for example a pairwise secret.
inkling_status inkling_secret_new(const uint8_t *bytes, size_t count, inkling_handle *secret_out);

/// Creates a device's static key for handshakes, from 32 private bytes or at random; writes its 32 public bytes.
inkling_status inkling_device_key_new(const uint8_t *bytes, size_t count, inkling_handle *key_out);
inkling_status inkling_device_key_random(inkling_handle *key_out);
inkling_status inkling_device_key_public(inkling_handle key, uint8_t *out, size_t capacity, size_t *needed_out);

/// Creates an empty list of the devices that an identity certifies.
inkling_status inkling_roster_new(inkling_handle identity, inkling_handle *roster_out);

/// Certifies a device. `device`, 0 to 15, must be greater than those added before; `key` is its public static key of 32
/// bytes; `from_period` and `to_period` are the first and the last period in which the certificate is valid;
/// `is_primary` is 1 if the device holds the identity. Refuses a certificate that readers would refuse.
inkling_status inkling_roster_add(
    inkling_handle roster, uint8_t device, const uint8_t *key, size_t count, uint32_t from_period, uint32_t to_period,
    uint32_t is_primary, inkling_refusal *refusal_out);

/// Seals an identity, a tree, a secret or a device key for storage, under a key of exactly 32 bytes. The format is
/// private to this library and not part of the protocol.
inkling_status inkling_seal(
    inkling_handle object, const uint8_t *key, size_t key_count, uint8_t *out, size_t capacity, size_t *needed_out);

/// Opens a sealed object. Refuses bytes that were not sealed under this key.
inkling_status inkling_unseal(
    const uint8_t *sealed, size_t count, const uint8_t *key, size_t key_count, inkling_handle *object_out,
    inkling_refusal *refusal_out);

/* ---- Cards, invitations and grants ------------------------------------------------------------------------- */

/// The contents of a card.
typedef struct inkling_card_facts {
    uint32_t size;
    uint32_t generation;
    uint32_t serial;
    /// Bit n is set if the card has device n.
    uint16_t devices;
    uint16_t reserved;
    uint8_t identity[32];
    uint8_t presence[32];
    uint8_t user[16];
    /// The user's display name, without control and bidirectional characters, and a zero byte.
    char name[68];
} inkling_card_facts;

/// A device in a card or a grant.
typedef struct inkling_device {
    uint32_t size;
    uint32_t from_period;
    uint32_t to_period;
    uint8_t device;
    uint8_t is_primary;
    uint8_t reserved[2];
    uint8_t key[32];
} inkling_device;

/// Creates and signs a card with the devices of a roster; `serial` is at least 1, `name` has at most 64 bytes.
inkling_status inkling_card_new(
    inkling_handle roster, uint32_t serial, const char *name, size_t name_count, inkling_handle *card_out,
    inkling_refusal *refusal_out);

/// Reads a card, as of a period, from its bytes or from its text, which begins with INKLING:C.
inkling_status inkling_card_read(
    const uint8_t *bytes, size_t count, uint32_t period, inkling_handle *card_out, inkling_refusal *refusal_out);
inkling_status inkling_card_read_text(
    const char *text, size_t count, uint32_t period, inkling_handle *card_out, inkling_refusal *refusal_out);

/// Writes the contents of a card, or one of its devices; INKLING_UNKNOWN if the card does not have the device.
inkling_status inkling_card_facts_of(inkling_handle card, inkling_card_facts *facts_out);
inkling_status inkling_card_device(inkling_handle card, uint8_t device, inkling_device *device_out);

/// Writes a card as its signed bytes, or as text to show to others.
inkling_status inkling_card_bytes(inkling_handle card, uint8_t *out, size_t capacity, size_t *needed_out);
inkling_status inkling_card_text(inkling_handle card, char *out, size_t capacity, size_t *needed_out);

/// The contents of an invitation.
typedef struct inkling_invitation_facts {
    uint32_t size;
    /// Bits of INKLING_TRANSPORT_BIT.
    uint16_t transports;
    uint16_t reserved;
    /// When the invitation expires, in minutes of Unix time.
    uint32_t expiry_minute;
    /// The hash that the inviter's card must have.
    uint8_t commitment[16];
} inkling_invitation_facts;

/// Creates an invitation to the owner of a card, valid for 1 to 10 `minutes`.
inkling_status inkling_invitation_new(
    inkling_handle card, uint16_t transports, uint32_t minutes, uint64_t unix_seconds, inkling_handle *invitation_out);

/// Reads the text of an invitation, which begins with INKLING:I.
inkling_status inkling_invitation_read_text(
    const char *text, size_t count, uint64_t unix_seconds, inkling_handle *invitation_out, inkling_refusal *refusal_out);

/// Writes the contents of an invitation, or its text, which is secret and shown to one reader only; creates the
/// audience tree under which the inviter advertises, as device 0.
inkling_status inkling_invitation_facts_of(inkling_handle invitation, inkling_invitation_facts *facts_out);
inkling_status inkling_invitation_text(inkling_handle invitation, char *out, size_t capacity, size_t *needed_out);
inkling_status inkling_invitation_tree(inkling_handle invitation, inkling_handle *tree_out);

/// The contents of a grant.
typedef struct inkling_grant_facts {
    uint32_t size;
    uint32_t generation;
    uint64_t audience_id;
    uint32_t from_period;
    uint32_t to_period;
    uint16_t devices;
    uint16_t reserved[3];
    uint8_t issuer[32];
    uint8_t grantee[16];
} inkling_grant_facts;

/// Creates a grant for the user with the id `grantee` (16 bytes): the keys of a tree for the periods `from_period` to
/// `to_period`, at most 93 days, and the devices of a roster.
inkling_status inkling_grant_new(
    inkling_handle roster, uint64_t audience_id, uint32_t generation, inkling_handle tree, uint32_t from_period,
    uint32_t to_period, const uint8_t *grantee, size_t grantee_count, inkling_handle *grant_out,
    inkling_refusal *refusal_out);

/// Reads the bytes of a grant, as of a period. `issuer` is the identity key of the contact who must have signed it,
/// `grantee` the id of the user it must be made out to, `held_generation` the generation of this audience that is held
/// already, or 0.
inkling_status inkling_grant_read(
    const uint8_t *bytes, size_t count, const uint8_t *issuer, size_t issuer_count, const uint8_t *grantee,
    size_t grantee_count, uint32_t period, uint32_t held_generation, inkling_handle *grant_out,
    inkling_refusal *refusal_out);

/// Seals a grant, issued by the identity of a roster, for one device of a contact without a session.
/// `device_key` is the key of the sending device, `recipient` the public key of the receiving device, `pairwise` the
/// pairwise secret of the two users.
inkling_status inkling_grant_seal(
    inkling_handle grant, inkling_handle roster, inkling_handle device_key, const uint8_t *recipient,
    size_t recipient_count, inkling_handle pairwise, uint8_t *out, size_t capacity, size_t *needed_out,
    inkling_refusal *refusal_out);

/// Opens a grant that was sealed for this device by the contact's device with the public key `sender`, and reads it as
/// inkling_grant_read does.
inkling_status inkling_grant_unseal(
    const uint8_t *sealed, size_t count, inkling_handle device_key, const uint8_t *sender, size_t sender_count,
    inkling_handle pairwise, const uint8_t *issuer, size_t issuer_count, const uint8_t *grantee, size_t grantee_count,
    uint32_t period, uint32_t held_generation, inkling_handle *grant_out, inkling_refusal *refusal_out);

/// Writes the contents of a grant or one of its devices, or creates a tree of its keys.
inkling_status inkling_grant_facts_of(inkling_handle grant, inkling_grant_facts *facts_out);
inkling_status inkling_grant_device(inkling_handle grant, uint8_t device, inkling_device *device_out);
inkling_status inkling_grant_tree(inkling_handle grant, inkling_handle *tree_out);

#ifdef __cplusplus
}
#endif

#endif
