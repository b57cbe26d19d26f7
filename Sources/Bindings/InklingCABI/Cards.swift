public import CInkling
internal import InklingKeys

@c @implementation
public func inkling_card_new(
    _ roster: inkling_handle, _ serial: UInt32, _ name: UnsafePointer<CChar>?, _ nameCount: Int,
    _ card: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(card)
        let name = try unsafe withText(name, nameCount) { bytes throws(Fault) in
            var copy: [UInt8] = []
            copy.append(bytes)
            guard let name = String(validating: copy, as: UTF8.self) else { throw Fault(CardError.nameNotUTF8) }
            return name
        }
        let roster = try borrowed(roster, Roster.self)
        let identity = roster.identity
        let card = try refusing { () throws(CardError) in
            try ContactCard(
                identity: identity.value.signing, generation: identity.value.generation, serial: serial,
                presence: identity.value.presence.publicKey, certificates: roster.certificates, name: name)
        }
        out.set(try HandleTable.shared.add(card))
    }
}

@c @implementation
public func inkling_card_read(
    _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ period: UInt32, _ card: UnsafeMutablePointer<inkling_handle>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(card)
        let now = try inRange(Period(period))
        let card = try unsafe withInput(bytes, count) { bytes throws(Fault) in try ContactCard(reading: bytes, now) }
        out.set(try HandleTable.shared.add(card))
    }
}

@c @implementation
public func inkling_card_read_text(
    _ text: UnsafePointer<CChar>?, _ count: Int, _ period: UInt32, _ card: UnsafeMutablePointer<inkling_handle>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(card)
        let now = try inRange(Period(period))
        let content = try unsafe content(of: text, count, .card)
        let card = try content.withBytes { bytes throws(Fault) in try ContactCard(reading: bytes, now) }
        out.set(try HandleTable.shared.add(card))
    }
}

@c @implementation
public func inkling_card_facts_of(
    _ card: inkling_handle, _ facts: UnsafeMutablePointer<inkling_card_facts>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(facts)
        let card = try borrowed(card, ContactCard.self)
        out.set { filled in
            filled.generation = card.generation
            filled.serial = card.serial
            filled.devices = bitmap(of: card.certificates)
            write(card.identity, to: &filled.identity)
            write(card.presence, to: &filled.presence)
            write(card.userID.octets, to: &filled.user)
            write(card.name, to: &filled.name)
        }
    }
}

@c @implementation
public func inkling_card_device(
    _ card: inkling_handle, _ device: UInt8, _ facts: UnsafeMutablePointer<inkling_device>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(facts)
        try set(out, device, among: try borrowed(card, ContactCard.self).certificates)
    }
}

@c @implementation
public func inkling_card_bytes(
    _ card: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let bytes = try borrowed(card, ContactCard.self).bytes
        try out.set(bytes.span)
    }
}

@c @implementation
public func inkling_card_text(
    _ card: inkling_handle, _ start: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutText(start, capacity, needed: needed)
        let card = try borrowed(card, ContactCard.self)
        try out.set(try refusing { () throws(TextFormError) in try TextForm.encode(.card, card.bytes.span) })
    }
}

/// Decodes a text of one kind and returns its content.
///
/// - Throws: the `TextFormError` as a refusal, also for a text of another kind.
func content(of text: UnsafePointer<CChar>?, _ count: Int, _ kind: TextForm.Kind) throws(Fault) -> SecretBytes {
    let content = try unsafe withText(text, count) { text throws(Fault) in
        try refusing { () throws(TextFormError) in try TextForm.decode(text) }
    }
    guard content.kind == kind else { throw Fault(TextFormError.unknownKind) }
    return content.bytes.duplicate()
}

/// Returns the bitmap of the devices: bit n for device n.
func bitmap(of certificates: [DeviceCertificate]) -> UInt16 {
    certificates.reduce(0) { $0 | 1 << UInt16($1.index.number) }
}

/// Writes one device of a list.
///
/// - Throws: `INKLING_OUT_OF_RANGE`, `INKLING_UNKNOWN`.
func set(_ out: OutStructure<inkling_device>, _ device: UInt8, among certificates: [DeviceCertificate]) throws(Fault) {
    let index = try inRange(DeviceIndex(device))
    guard let certificate = certificates.first(where: { $0.index == index }) else { throw Fault(INKLING_UNKNOWN) }
    out.set { filled in
        filled.from_period = certificate.from.number
        filled.to_period = certificate.to.number
        filled.device = device
        filled.is_primary = certificate.isPrimary ? 1 : 0
        write(certificate.key, to: &filled.key)
    }
}

extension ContactCard {
    fileprivate init(reading bytes: Span<UInt8>, _ now: Period) throws(Fault) {
        do { self = try ContactCard(parsing: bytes, now: now) } catch { throw Fault(error) }
    }
}

extension inkling_card_facts: Sized {
    static var leastSize: Int { 164 }
}

extension inkling_device: Sized {
    static var leastSize: Int { 48 }
}
