package import InklingKeys
package import InklingWire

/// A device's record of the user's other devices (`Specs/devices.md`).
package struct OwnDevices: Sendable {
    /// Another device of the user that was linked with this one: on the primary device every other, on another device
    /// only the primary.
    package struct Device: Sendable {
        package let index: DeviceIndex
        /// The Noise static key of the device.
        package let key: Octets32
        /// The pairwise key from the device link, 32 bytes.
        package let pairwiseKey: SecretBox<SecretBytes>
        /// The time at which a session with the device last began, in Unix seconds; nil before the first.
        package var lastMet: UInt64?

        /// Creates a record of a linked device.
        package init(
            index: DeviceIndex, key: Octets32, pairwiseKey: SecretBox<SecretBytes>, lastMet: UInt64? = nil
        ) {
            self.index = index
            self.key = key
            self.pairwiseKey = pairwiseKey
            self.lastMet = lastMet
        }
    }

    /// A generation of an own audience, with the other devices that may show it.
    package struct Generation: Sendable {
        package let audience: AudienceID
        package let generation: UInt32
        /// The devices that may hold it: bit d stands for device d.
        package var devices: UInt16
        /// The tree of a former generation, from which past periods are erased; nil while it is the audience's own.
        package var former: SecretBox<AudienceTree>?
    }

    /// The number under which the one pairwise key with another own device is used.
    package static let keyNumber = PairwiseKeyNumber(rawValue: 1)

    package private(set) var devices: [Device] = []
    package private(set) var generations: [Generation] = []
    /// The mark of the state that this device last stored; 0 for none, and on the primary device.
    package private(set) var mark: UInt64 = 0
    /// The contacts that the primary device has blocked.
    package private(set) var blockedThere: Set<UserID> = []

    private static let deviceLimit = DeviceIndex.limit - 1
    /// The maximum number of former generations kept, over all audiences.
    static let formerLimit: UInt8 = 64
    private static let generationLimit = formerLimit + VaultContents.maximumAudiences

    package init() {}

    /// Returns the device with an index; nil if there is none.
    package func device(_ index: DeviceIndex) -> Device? { devices.first { $0.index == index } }

    /// Returns the tree of the generation with this label in the prediction tables; nil if there is none.
    package func tree(_ label: AudienceID, of audiences: [Audience]) -> SecretBox<AudienceTree>? {
        generations.first { $0.label == label }.flatMap { $0.tree(of: audiences) }
    }

    // MARK: Changes

    /// Adds a linked device, which holds the current generations.
    mutating func add(_ device: Device, holding audiences: [Audience]) {
        remove(where: { $0.index == device.index || $0.key == device.key })
        devices.append(device)
        devices.sort { $0.index < $1.index }
        noteSent(to: device.index, audiences)
    }

    /// Removes the devices that are no longer on the card.
    mutating func keep(_ listed: [ListedDevice]) {
        remove { device in !listed.contains(ListedDevice(index: device.index, key: device.key)) }
    }

    private mutating func remove(where isGone: (Device) -> Bool) {
        let bits = devices.filter(isGone).reduce(UInt16(0)) { $0 | $1.index.bit }
        devices.removeAll(where: isGone)
        for index in generations.indices { generations[index].devices &= ~bits }
        generations.removeAll { $0.devices == 0 }
    }

    /// Records that a session with a device has begun.
    package mutating func noteMet(_ index: DeviceIndex, at unixSeconds: UInt64) {
        guard let place = devices.firstIndex(where: { $0.index == index }) else { return }
        devices[place].lastMet = unixSeconds
    }

    /// The time at which a session with any of the devices last began, in Unix seconds; nil before the first.
    package var lastMeeting: UInt64? { devices.compactMap(\.lastMet).max() }

    /// Forgets when sessions with the devices began.
    mutating func forgetMeetings() {
        for place in devices.indices { devices[place].lastMet = nil }
    }

    /// Records that a device is about to be sent the current generations.
    mutating func noteSent(to index: DeviceIndex, _ audiences: [Audience]) {
        guard device(index) != nil else { return }
        for audience in audiences {
            if let place = generations.firstIndex(where: { $0.isCurrent(of: audience) }) {
                generations[place].devices |= index.bit
            } else {
                generations.append(
                    Generation(audience: audience.id, generation: audience.generation, devices: index.bit))
            }
        }
    }

    /// Records that a device has stored the current generations, and no other.
    mutating func noteHeld(by index: DeviceIndex, _ audiences: [Audience]) {
        noteSent(to: index, audiences)
        for place in generations.indices where !audiences.contains(where: generations[place].isCurrent) {
            generations[place].devices &= ~index.bit
        }
        generations.removeAll { $0.devices == 0 }
    }

    /// Returns whether a device may hold other generations than the current ones.
    package func mayHoldOthers(_ index: DeviceIndex, than audiences: [Audience]) -> Bool {
        generations.contains { generation in
            generation.devices & index.bit != 0 && !audiences.contains(where: generation.isCurrent)
        }
    }

    /// Keeps the tree of an audience that begins a new generation or is removed, while another device may show it.
    mutating func keepFormer(_ audience: Audience) {
        guard let place = generations.firstIndex(where: { $0.isCurrent(of: audience) }) else { return }
        generations[place].former = audience.tree
        let former = generations.indices.filter { generations[$0].former != nil }
        if former.count > Int(Self.formerLimit),
            let oldest = former.min(by: { generations[$0].generation < generations[$1].generation })
        {
            generations.remove(at: oldest)
        }
    }

    /// Records the state stored on this device, which is not the primary.
    package mutating func noteStored(_ mark: UInt64, blocked: Set<UserID>) {
        self.mark = mark
        blockedThere = blocked
    }

    /// Records that this device holds other generations than the primary has sent.
    mutating func forgetMark() { mark = 0 }

    /// Erases the keys of past periods of the former generations; `remainder` returns the rest of a tree.
    mutating func forgetPast(_ remainder: (SecretBox<AudienceTree>) -> SecretBox<AudienceTree>?) {
        for place in generations.indices {
            guard let tree = generations[place].former else { continue }
            if let rest = remainder(tree) { generations[place].former = rest } else { generations[place].devices = 0 }
        }
        generations.removeAll { $0.devices == 0 }
    }
}

extension OwnDevices.Generation {
    /// The label of the generation in the prediction tables; it never leaves the node.
    package var label: AudienceID { AudienceID(audience.value ^ UInt64(generation) &* 0x9e37_79b9_7f4a_7c15) }

    /// Returns whether it is the current generation of an audience.
    func isCurrent(of audience: Audience) -> Bool {
        former == nil && audience.id == self.audience && audience.generation == generation
    }

    /// Returns its keys; nil if they are gone.
    package func tree(of audiences: [Audience]) -> SecretBox<AudienceTree>? {
        former ?? audiences.first(where: isCurrent)?.tree
    }
}

extension DeviceIndex {
    /// The bit of the device in a bitmap.
    fileprivate var bit: UInt16 { 1 << UInt16(number) }
}

// The stored form (`Specs/vault.md`).
extension OwnDevices {
    func write(to output: inout SecretWriter) throws(VaultContents.Bound) {
        guard devices.count <= Int(Self.deviceLimit), generations.count <= Int(Self.generationLimit),
            blockedThere.count <= Int(VaultContents.maximumContacts)
        else { throw .ownDevices }
        output.append(u8: UInt8(devices.count))
        for device in devices {
            output.append(u8: device.index.number)
            output.append(device.key)
            try output.append(key: device.pairwiseKey, or: .pairwiseKey)
            output.append(u8: device.lastMet == nil ? 0 : 1)
            if let lastMet = device.lastMet { output.append(u64: lastMet) }
        }
        output.append(u8: UInt8(generations.count))
        for generation in generations {
            output.append(u64: generation.audience.value)
            output.append(u32: generation.generation)
            output.append(u16: generation.devices)
            output.append(u8: generation.former == nil ? 0 : 1)
            if let tree = generation.former { try output.append(tree: tree) }
        }
        output.append(u64: mark)
        output.append(u32: UInt32(blockedThere.count))
        for user in blockedThere.sorted() { output.append(user.octets) }
    }

    init(parsing input: Span<UInt8>, _ cursor: inout ContentsCursor) throws(VaultContentsError) {
        for _ in 0..<(try cursor.number(0...Self.deviceLimit, of: input)) {
            guard let index = DeviceIndex(try cursor.number(0...DeviceIndex.limit - 1, of: input)) else {
                throw cursor.fault(.count, back: 1)
            }
            guard devices.last.map({ $0.index < index }) != false else { throw cursor.fault(.duplicate, back: 1) }
            let key = try cursor.octets32(of: input)
            let pairwiseKey = SecretBox(try cursor.key(of: input))
            let lastMet: UInt64? = try cursor.presence(of: input) ? try cursor.number(of: input) : nil
            devices.append(Device(index: index, key: key, pairwiseKey: pairwiseKey, lastMet: lastMet))
        }
        for _ in 0..<(try cursor.number(0...Self.generationLimit, of: input)) {
            let audience = AudienceID(try cursor.number(of: input))
            let generation: UInt32 = try cursor.number(of: input)
            let devices: UInt16 = try cursor.number(of: input)
            let former = try cursor.presence(of: input) ? try cursor.tree(of: input) : nil
            generations.append(
                Generation(audience: audience, generation: generation, devices: devices, former: former))
        }
        mark = try cursor.number(of: input)
        var last: UserID?
        for _ in 0..<(try cursor.number(0...VaultContents.maximumContacts, of: input)) {
            let user = UserID(try cursor.octets16(of: input))
            guard last.map({ $0 < user }) != false else { throw cursor.fault(.duplicate, back: 16) }
            blockedThere.insert(user)
            last = user
        }
    }
}

/// The state that a non-primary device has received from the primary in STATE records and cannot make itself.
package struct LinkedState: Sendable {
    /// A grant to a contact, signed by the primary device.
    package struct SignedGrant: Sendable {
        package let user: UserID
        package let audience: AudienceID
        package let generation: UInt32
        /// The last period of the grant.
        package let to: Period
        package let bytes: SecretBox<SecretBytes>
    }

    /// The pair audiences with a contact, from which past periods are erased.
    package struct Pair: Sendable {
        package let user: UserID
        package let shown: SecretBox<AudienceTree>
        package let expected: SecretBox<AudienceTree>
    }

    package var grants: [SignedGrant] = []
    package var pairs: [Pair] = []

    private static let grantLimit: UInt32 = 80_000, pairLimit: UInt32 = 10_000, byteLimit: UInt16 = 2_572

    init() {}

    /// Returns the pair audiences with a user; nil if there are none.
    package func pair(with user: UserID) -> Pair? { pairs.first { $0.user == user } }

    func write(to output: inout SecretWriter) throws(VaultContents.Bound) {
        guard grants.count <= Self.grantLimit, pairs.count <= Self.pairLimit else { throw .linked }
        output.append(u32: UInt32(grants.count))
        for grant in grants {
            guard let count = UInt16(exactly: grant.bytes.value.count), (1...Self.byteLimit).contains(count) else {
                throw .linked
            }
            output.append(grant.user.octets)
            output.append(u64: grant.audience.value)
            output.append(u32: grant.generation)
            output.append(u32: grant.to.number)
            output.append(u16: count)
            grant.bytes.value.withBytes { output.append($0) }
        }
        output.append(u32: UInt32(pairs.count))
        for pair in pairs {
            output.append(pair.user.octets)
            try output.append(tree: pair.shown)
            try output.append(tree: pair.expected)
        }
    }

    init(parsing input: Span<UInt8>, _ cursor: inout ContentsCursor) throws(VaultContentsError) {
        for _ in 0..<(try cursor.number(0...Self.grantLimit, of: input)) {
            let user = UserID(try cursor.octets16(of: input))
            let audience = AudienceID(try cursor.number(of: input))
            let generation: UInt32 = try cursor.number(of: input)
            let to = try cursor.period(of: input)
            let count = try cursor.number(1...Self.byteLimit, of: input)
            let bytes = SecretBytes(copying: input.extracting(try cursor.take(Int(count), of: input)))
            grants.append(
                SignedGrant(
                    user: user, audience: audience, generation: generation, to: to, bytes: SecretBox(bytes)))
        }
        for _ in 0..<(try cursor.number(0...Self.pairLimit, of: input)) {
            let user = UserID(try cursor.octets16(of: input))
            let shown = try cursor.tree(of: input)
            pairs.append(Pair(user: user, shown: shown, expected: try cursor.tree(of: input)))
        }
    }
}
