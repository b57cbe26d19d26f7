internal import InklingEngine
internal import InklingKeys
internal import InklingSession

// Tags that are read over Bluetooth links (`Specs/bluetooth.md`).
//
// Whoever shows a tag learns that this node connects. It must not learn whether the tag belongs to a contact, because
// then a copied tag would tell whether somebody at another place knows its owner. So a first message follows every
// reading of a tag: that of a handshake, or a random one in the same form.
extension Node {
    /// How long the reading of a tag may take.
    private static let tagDeadline = Duration.seconds(3)
    /// The longest delay from the reading of a tag to the first message, in milliseconds: that of an attempt by radio.
    private static let firstMessageDelay = RecognitionPolicy().radioAttemptDelay.wholeMilliseconds
    /// How much longer a link with the tag of a contact waits for the attempt, in milliseconds.
    private static let attemptSlack: UInt64 = 500
    /// How many links whose tag was read wait for their first message at one time.
    private static let heldLinkLimit = 16

    // MARK: Readings without an attempt

    /// Reads the tag at an address, and nothing else.
    func beginReading(_ address: DeviceAddress) { spawn { await self.readTag(at: address) } }

    private nonisolated func readTag(at address: DeviceAddress) async {
        guard let (made, _) = try? await connect(to: .device(address), over: .bluetooth),
            let link = made as? any TaggedLink, let tag = try? await link.readTag(within: Self.tagDeadline)
        else { return await deliver(.handshake(.readingFailed(address))) }
        guard let delay = await hold(link, showing: tag, at: address) else { return await link.close() }
        let start = ports.clock.read().tick
        await deliver(.handshake(.tagRead(address, tag)))
        try? await ports.clock.sleep(until: start.advanced(byMilliseconds: delay))
        // Otherwise the attempt to confirm the contact has taken the link.
        if let link = await takeHeldLink(to: address) { await writeDecoy(over: link) }
    }

    /// Keeps a link whose tag was read for the attempt that may follow. Returns how long to wait for it, in milliseconds;
    /// nil when it must be closed.
    private func hold(_ link: any TaggedLink, showing tag: RecognitionTag, at address: DeviceAddress) -> UInt64? {
        guard mayConnect(over: .bluetooth), heldLinks[address] == nil, heldLinks.count < Self.heldLinkLimit else {
            return nil
        }
        heldLinks[address] = link
        guard predictions.table.predictions(for: tag).isEmpty else { return Self.firstMessageDelay + Self.attemptSlack }
        return UInt64.random(in: 0...Self.firstMessageDelay, using: &randomness)
    }

    private func takeHeldLink(to address: DeviceAddress) -> (any TaggedLink)? { heldLinks.removeValue(forKey: address) }

    /// Closes the links that wait for a first message, at a boundary.
    func closeHeldLinks() {
        for link in heldLinks.values { spawnClosing { await link.close() } }
        heldLinks = [:]
    }

    func tagRead(_ tag: RecognitionTag, at address: DeviceAddress) {
        let now = ports.clock.read()
        recognise(.tagRead(tag, address, observed: ObservedTime(at: now)), at: now)
    }

    // MARK: Attempts

    /// The link of a call to a route: the one over which the tag was read, or a new one.
    nonisolated func link(for call: Call, to route: LinkRoute) async -> (any Link)? {
        if case .device(let address) = route, case .recognised = call.cause,
            let held = await takeHeldLink(to: address)
        {
            return held
        }
        return try? await connect(to: route, over: call.technology, in: call.round).link
    }

    /// What the tag at the end of a link says about the contact that is called.
    enum TagJudgement: Sendable {
        case isContact
        case isStranger
        case unreadable
    }

    /// Reads the tag at the end of a link and compares it with the one that is expected.
    nonisolated func judge(_ link: any TaggedLink, expecting identifier: Octets16) async -> TagJudgement {
        guard let tag = try? await link.readTag(within: Self.tagDeadline) else { return .unreadable }
        return tag.octets == identifier ? .isContact : .isStranger
    }

    /// Writes a random first message, waits as for a reply, and closes the link.
    nonisolated func writeDecoy(over link: any Link) async {
        if let packet = await decoy() {
            try? await link.send(packet)
            _ = try? await link.receive(upTo: Packet.byteLimit, within: Self.answerDeadline)
        }
        await link.close()
    }

    private func decoy() -> [UInt8]? {
        guard mayConnect(over: .bluetooth) else { return nil }
        return Packet.decoyFirstMessage(using: &randomness)?.bytes
    }
}

extension Attempt {
    /// The technology of its link.
    var technology: LinkTechnologyID {
        switch value {
        case .name: .lan
        case .tag, .minor: .bluetooth
        }
    }
}

extension Explanation.Sight.Value {
    /// The technology over which it was seen.
    var technology: LinkTechnologyID {
        switch self {
        case .name: .lan
        case .tag, .minor: .bluetooth
        }
    }
}
