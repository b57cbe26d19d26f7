/* Users and their devices, and what one user gives another: cards, invitations and grants. Part of inkling.h. */

#ifndef INKLING_PEOPLE_H
#define INKLING_PEOPLE_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Users and devices ------------------------------------------------------------------------------------- */

/// The public half of an identity.
typedef struct inkling_identity_keys {
    uint32_t size;
    uint32_t generation;
    /// The Ed25519 key by which contacts know the user.
    uint8_t identity[32];
    /// The X25519 key of pair audiences.
    uint8_t presence[32];
    /// The user's name inside programs.
    uint8_t user[16];
} inkling_identity_keys;

/// The identity of a generation, from 1, under a root seed of exactly 32 random bytes.
inkling_status inkling_identity_new(
    const uint8_t *seed, size_t count, uint32_t generation, inkling_handle *identity_out);

/// A new identity, of generation 1.
inkling_status inkling_identity_random(inkling_handle *identity_out);

/// The public half of an identity.
inkling_status inkling_identity_public(inkling_handle identity, inkling_identity_keys *keys_out);

/// The pair audience of an identity and a contact with this presence key; as inkling_tree_of_pair.
inkling_status inkling_identity_tree_of_pair(
    inkling_handle identity, const uint8_t *peer_presence, size_t peer_count, uint32_t advertising,
    inkling_handle *tree_out, inkling_refusal *refusal_out);

/// The pairwise secret of an identity and a contact who exchanged cards but never had a first contact.
inkling_status inkling_identity_pairwise(
    inkling_handle identity, const uint8_t *peer_presence, size_t peer_count, inkling_handle *secret_out,
    inkling_refusal *refusal_out);

/// A secret of exactly 32 bytes, for example a pairwise one.
inkling_status inkling_secret_new(const uint8_t *bytes, size_t count, inkling_handle *secret_out);

/// A device's static key for handshakes: from its 32 private bytes, a new one, and its 32 public bytes.
inkling_status inkling_device_key_new(const uint8_t *bytes, size_t count, inkling_handle *key_out);
inkling_status inkling_device_key_random(inkling_handle *key_out);
inkling_status inkling_device_key_public(inkling_handle key, uint8_t *out, size_t capacity, size_t *needed_out);

/// An empty list of an identity's devices, to be certified by it.
inkling_status inkling_roster_new(inkling_handle identity, inkling_handle *roster_out);

/// Certifies a device: its number, 0 to 15 and above those before it, its public static key, the first and the last
/// period, and 1 when it holds the identity. Refuses what no reader would take.
inkling_status inkling_roster_add(
    inkling_handle roster, uint8_t device, const uint8_t *key, size_t count, uint32_t from_period, uint32_t to_period,
    uint32_t is_primary, inkling_refusal *refusal_out);

/// Seals an identity, a tree, a secret or a device key for storage, under a key of exactly 32 bytes. What is sealed is
/// this library's own form, not part of the protocol.
inkling_status inkling_seal(
    inkling_handle object, const uint8_t *key, size_t key_count, uint8_t *out, size_t capacity, size_t *needed_out);

/// The object that was sealed; refuses what was not sealed under this key.
inkling_status inkling_unseal(
    const uint8_t *sealed, size_t count, const uint8_t *key, size_t key_count, inkling_handle *object_out,
    inkling_refusal *refusal_out);

/* ---- Cards, invitations and grants ------------------------------------------------------------------------- */

/// What a card says.
typedef struct inkling_card_facts {
    uint32_t size;
    uint32_t generation;
    uint32_t serial;
    /// Bit n for device n.
    uint16_t devices;
    uint16_t reserved;
    uint8_t identity[32];
    uint8_t presence[32];
    uint8_t user[16];
    /// The name the user goes by, without control and bidirectional characters, and a zero byte.
    char name[68];
} inkling_card_facts;

/// One device of a card or a grant.
typedef struct inkling_device {
    uint32_t size;
    uint32_t from_period;
    uint32_t to_period;
    uint8_t device;
    uint8_t is_primary;
    uint8_t reserved[2];
    uint8_t key[32];
} inkling_device;

/// Signs a card for the devices of a roster, with a serial from 1 and a name of at most 64 bytes.
inkling_status inkling_card_new(
    inkling_handle roster, uint32_t serial, const char *name, size_t name_count, inkling_handle *card_out,
    inkling_refusal *refusal_out);

/// Reads a card in a period: its bytes, or its text, which begins with INKLING:C.
inkling_status inkling_card_read(
    const uint8_t *bytes, size_t count, uint32_t period, inkling_handle *card_out, inkling_refusal *refusal_out);
inkling_status inkling_card_read_text(
    const char *text, size_t count, uint32_t period, inkling_handle *card_out, inkling_refusal *refusal_out);

/// What a card says, and of one of its devices; INKLING_UNKNOWN for a device that it has not.
inkling_status inkling_card_facts_of(inkling_handle card, inkling_card_facts *facts_out);
inkling_status inkling_card_device(inkling_handle card, uint8_t device, inkling_device *device_out);

/// A card as it was signed, and as text to be shown.
inkling_status inkling_card_bytes(inkling_handle card, uint8_t *out, size_t capacity, size_t *needed_out);
inkling_status inkling_card_text(inkling_handle card, char *out, size_t capacity, size_t *needed_out);

/// What an invitation says.
typedef struct inkling_invitation_facts {
    uint32_t size;
    /// Bits of INKLING_TRANSPORT_BIT.
    uint16_t transports;
    uint16_t reserved;
    /// The first minute of Unix time in which it is dead.
    uint32_t expiry_minute;
    /// What the inviter's card must hash to.
    uint8_t commitment[16];
} inkling_invitation_facts;

/// Opens an invitation to the owner of a card that lives 1 to 10 minutes.
inkling_status inkling_invitation_new(
    inkling_handle card, uint16_t transports, uint32_t minutes, uint64_t unix_seconds, inkling_handle *invitation_out);

/// Reads the text of an invitation, which begins with INKLING:I.
inkling_status inkling_invitation_read_text(
    const char *text, size_t count, uint64_t unix_seconds, inkling_handle *invitation_out, inkling_refusal *refusal_out);

/// What an invitation says; the text to be shown to one reader, who can use it; and the audience under which the
/// inviter can be found, as device 0.
inkling_status inkling_invitation_facts_of(inkling_handle invitation, inkling_invitation_facts *facts_out);
inkling_status inkling_invitation_text(inkling_handle invitation, char *out, size_t capacity, size_t *needed_out);
inkling_status inkling_invitation_tree(inkling_handle invitation, inkling_handle *tree_out);

/// What a grant says.
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

/// Cuts a grant for one user, by the 16 bytes of its id, out of a tree: for the periods `from_period` to `to_period`, at most
/// 93 days, and the devices of a roster.
inkling_status inkling_grant_new(
    inkling_handle roster, uint64_t audience_id, uint32_t generation, inkling_handle tree, uint32_t from_period,
    uint32_t to_period, const uint8_t *grantee, size_t grantee_count, inkling_handle *grant_out,
    inkling_refusal *refusal_out);

/// Reads the bytes of a grant in a period: from the contact with this identity key, for the user with this id, when the
/// generation of this audience that is held already is `held_generation`, 0 for none.
inkling_status inkling_grant_read(
    const uint8_t *bytes, size_t count, const uint8_t *issuer, size_t issuer_count, const uint8_t *grantee,
    size_t grantee_count, uint32_t period, uint32_t held_generation, inkling_handle *grant_out,
    inkling_refusal *refusal_out);

/// Seals a grant that a roster's identity issued for one device of a contact who is not there: by the sending device's
/// key, for the receiving device's public key, under the pairwise secret of the two users.
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

/// What a grant says, of one of its devices, and its keys as a tree.
inkling_status inkling_grant_facts_of(inkling_handle grant, inkling_grant_facts *facts_out);
inkling_status inkling_grant_device(inkling_handle grant, uint8_t device, inkling_device *device_out);
inkling_status inkling_grant_tree(inkling_handle grant, inkling_handle *tree_out);

#ifdef __cplusplus
}
#endif

#endif
