internal import InklingEngine
internal import InklingKeys

// What antennas beyond this machine's own Bluetooth hear (`Specs/antennas.md`).
extension Node {
    /// Has every antenna listen until the node stops.
    func startAntennas() {
        for (index, antenna) in ports.antennas.enumerated() {
            spawn { await antenna.listen { await self.deliver(.antenna(index, $0)) } }
        }
    }

    /// Takes a report of an antenna.
    func take(_ report: AntennaReport, ofAntenna index: Int) {
        guard life == .running else { return }
        // An antenna may hear this device too.
        let own = Set(technologies.flatMap { $0.ownEpochs.map(\.minor) })
        perform(antennas.take(report, from: index, own: own, at: ports.clock.read()))
    }

    /// Connects to a device: with this machine's own Bluetooth if that can, and otherwise through the antenna that hears the
    /// device best. An antenna shows an address that stays the same to every device that it calls.
    nonisolated func connect(
        to address: DeviceAddress, over radio: any BluetoothRadio, within patience: Duration
    ) async throws(LinkError) -> any TaggedLink {
        guard !ports.antennas.isEmpty else { return try await radio.connect(to: address, within: patience) }
        let begin = ports.clock.read().tick
        let failure: LinkError
        do throws(LinkError) { return try await radio.connect(to: address, within: patience) } catch { failure = error }
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

    /// Notes the room in which the one contact was heard that may show a minor. A minor of two contacts says of neither
    /// where it is.
    private func note(_ sighting: BeaconSighting, in room: String, at now: ClockReading) {
        let contacts = Set(predictions.table.predictions(for: sighting.minor).map(\.contact))
        guard contacts.count == 1, let contact = contacts.first, let user = book.roster[contact], !isOwn(user) else {
            return
        }
        rooms[user, default: RoomChoice()].hear(in: room, rssi: sighting.rssi, at: now.tick)
    }

    /// The room in which a contact is; nil if it is not near, or no antenna in a room has heard it recently.
    func room(of user: UserID, at now: Tick) -> String? {
        guard let contact = book.roster[user] else { return nil }
        switch recognition.state(of: contact) {
        case nil, .unseen, .gone: return nil
        case .candidate, .probable, .confirmed, .stale: return rooms[user]?.room(at: now)
        }
    }
}
