internal import InklingEngine
internal import InklingKeys

// Reports of antennas other than this machine's own Bluetooth (`Specs/antennas.md`).
extension Node {
    /// Starts every antenna; each listens until the node stops.
    func startAntennas() {
        for (index, antenna) in ports.antennas.enumerated() {
            spawn { await antenna.listen { await self.deliver(.antenna(index, $0)) } }
        }
    }

    /// Handles a report of an antenna.
    func handle(_ report: AntennaReport, ofAntenna index: Int) {
        guard life == .running else { return }
        // An antenna may hear this device too.
        let own = Set(technologies.flatMap { $0.ownEpochs.map(\.minor) })
        perform(antennas.handle(report, from: index, own: own, at: ports.clock.read()))
    }

    /// Connects to a device, with this machine's own Bluetooth if possible and otherwise through the antenna that hears
    /// it best. An antenna shows the same address to every device that it calls.
    nonisolated func connect(
        to address: DeviceAddress, within patience: Duration
    ) async throws(LinkError) -> any TaggedLink {
        guard !ports.antennas.isEmpty else { return try await ports.connect(to: address, within: patience) }
        let begin = ports.clock.read().tick
        let failure: LinkError
        do throws(LinkError) { return try await ports.connect(to: address, within: patience) } catch { failure = error }
        let rest = patience - .milliseconds(ports.clock.read().tick.milliseconds(since: begin))
        guard rest > .zero, !Task.isCancelled, let index = await antennas.caller(of: address) else { throw failure }
        return try await ports.antennas[index].connect(to: address, within: rest)
    }

    /// Checks the antennas for deafness.
    func antennaTimerFired(at now: Tick) { perform(antennas.timerFired(at: now)) }

    private func perform(_ effects: [AntennaBoard.Effect]) {
        for effect in effects {
            switch effect {
            case .heard(let sighting, let room):
                let now = ports.clock.read()
                recognise(.beaconHeard(sighting), at: now)
                if let room { note(sighting, in: room, at: now) }
            case .trouble(let trouble): feeds.emit(.trouble(.antenna(trouble)))
            case .listenAgain(let index): ports.antennas[index].listenAgain()
            }
        }
    }

    /// Records the room of the one contact that may show a minor. A minor that two contacts may show locates neither.
    private func note(_ sighting: BeaconSighting, in room: String, at now: ClockReading) {
        let contacts = Set(predictions.table.predictions(for: sighting.minor).map(\.contact))
        guard contacts.count == 1, let contact = contacts.first, let user = book.roster[contact], !isOwn(user) else {
            return
        }
        rooms[user, default: RoomChoice()].hear(in: room, rssi: sighting.rssi, at: now.tick)
    }

    /// Returns the room in which a contact is; nil if it is not near, or no antenna in a room has heard it recently.
    func room(of user: UserID, at now: Tick) -> String? {
        guard let contact = book.roster[user] else { return nil }
        switch recognition.state(of: contact) {
        case nil, .unseen, .gone: return nil
        case .candidate, .probable, .confirmed, .stale: return rooms[user]?.room(at: now)
        }
    }
}
