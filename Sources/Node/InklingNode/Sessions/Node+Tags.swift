internal import InklingEngine
internal import InklingKeys
internal import InklingWire

// Tags read over Bluetooth links (`Specs/bluetooth.md`).
//
// A device that shows a tag learns that this node connects. It must not learn whether the tag belongs to a contact: a
// copied tag would then tell whether someone elsewhere knows its owner. So every tag is read once, and a first message
// follows every reading, at a time that does not depend on the tag: that of a handshake, or a random one in the same
// form.
extension Node {
    /// The timeout of reading a tag.
    static let tagDeadline = Duration.seconds(3)
    /// The maximum delay from a reading without an attempt to the first message, in milliseconds: that of a radio
    /// attempt.
    private static let firstMessageDelay = RecognitionPolicy().radioAttemptDelay.wholeMilliseconds
    /// The delay from a reading to the first message of an attempt, in milliseconds: longer than making either message
    /// takes.
    private static let attemptMessageDelay: ClosedRange<UInt64> = 100...300
    /// The extra time that a link waits for a planned attempt, in milliseconds.
    private static let attemptSlack: UInt64 = 50

    // MARK: Readings without an attempt

    /// Reads only the tag at an address.
    func beginReading(_ address: DeviceAddress) { spawn { await self.readTag(at: address) } }

    private nonisolated func readTag(at address: DeviceAddress) async {
        guard let (made, _) = try? await connect(to: .device(address)),
            let link = made as? any TaggedLink
        else { return await deliver(.handshake(.readingFailed(address))) }
        guard let tag = try? await link.readTag(within: Self.tagDeadline) else {
            await link.close()
            return await deliver(.handshake(.readingFailed(address)))
        }
        let isHeld = await hold(HeldLink(link: link, tag: tag), at: address)
        await deliver(.handshake(.tagRead(address, tag)))
        let due = await momentOfFirstMessage(after: tag)
        guard isHeld else { return await writeDecoy(over: link, at: due) }
        try? await ports.clock.sleep(until: due)
        // Otherwise the attempt to confirm the contact has taken the link.
        if let held = await takeHeldLink(to: address) { await writeDecoy(over: held.link, at: due) }
    }

    /// Keeps a link whose tag was read; returns false if nothing may be sent, or the address already has one.
    private func hold(_ held: HeldLink, at address: DeviceAddress) -> Bool {
        mayConnect(over: .tagged) && dialer.hold(held, at: address)
    }

    private func takeHeldLink(to address: DeviceAddress) -> HeldLink? { dialer.takeHeld(at: address) }

    func tagRead(_ tag: RecognitionTag, at address: DeviceAddress) {
        let now = ports.clock.read()
        recognise(.tagRead(tag, address, observed: ObservedTime(at: now)), at: now)
    }

    /// Returns when the first message follows a reading: at the attempt planned because of the tag, or at a time drawn
    /// from the same range.
    private func momentOfFirstMessage(after tag: RecognitionTag) -> Tick {
        let now = ports.clock.read()
        let planned = predictions.table.predictions(for: tag).compactMap { prediction in
            recognition.plannedAttempt(of: prediction.contact, over: .radio)
        }.min()
        return planned?.advanced(byMilliseconds: Self.attemptSlack)
            ?? now.tick.advanced(byMilliseconds: UInt64.random(in: 0...Self.firstMessageDelay, using: &randomness))
    }

    // MARK: Attempts

    /// The outcome of opening the link of a call.
    enum Reached: Sendable {
        case failed(AttemptFailure)
        /// The tag at the end of the link is not the contact's; a random first message is due at this time.
        case stranger(any Link, Tick)
        /// The link of the call, and over Bluetooth the time at which the first message is due.
        case made(any Link, Tick?)
    }

    /// Opens the link of a call; over Bluetooth, to a device that shows the tag of the contact.
    nonisolated func reach(_ route: LinkRoute, for call: Call) async -> Reached {
        guard case .device(let address) = route else {
            guard let (link, _) = try? await connect(to: route, in: call.round) else {
                return .failed(.unreachable)
            }
            return .made(link, nil)
        }
        if case .recognised = call.cause, let held = await takeHeldLink(to: address) {
            return judge(held, for: call, due: ports.clock.read().tick)
        }
        guard let (made, _) = try? await connect(to: route, in: call.round),
            let link = made as? any TaggedLink
        else { return .failed(.unreachable) }
        let tag: RecognitionTag
        do throws(LinkError) {
            tag = try await link.readTag(within: Self.tagDeadline)
        } catch {
            await link.close()
            // A device that refuses its tag has been reached.
            return .failed(error == .closed ? .stranger : .unreachable)
        }
        return judge(HeldLink(link: link, tag: tag), for: call, due: await momentOfAttempt())
    }

    private nonisolated func judge(_ held: HeldLink, for call: Call, due: Tick) -> Reached {
        held.tag.octets == call.context.identifier ? .made(held.link, due) : .stranger(held.link, due)
    }

    func momentOfAttempt() -> Tick {
        ports.clock.read().tick.advanced(
            byMilliseconds: UInt64.random(in: Self.attemptMessageDelay, using: &randomness))
    }

    /// Writes a random first message at a given time, waits as if for a reply, and closes the link.
    nonisolated func writeDecoy(over link: any Link, at due: Tick) async {
        try? await ports.clock.sleep(until: due)
        if let packet = await decoy() {
            try? await link.send(packet)
            _ = try? await link.receive(upTo: Self.secondMessageLimit, within: Self.answerDeadline)
        }
        await link.close()
    }

    private func decoy() -> [UInt8]? {
        guard mayConnect(over: .tagged) else { return nil }
        return Packet.decoyFirstMessage(using: &randomness)?.bytes
    }
}
