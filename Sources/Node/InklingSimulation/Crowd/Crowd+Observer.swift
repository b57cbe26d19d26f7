internal import InklingEngine
internal import InklingKeys

// The observer: the engine's events and effects, and their comparison with the ground truth.
extension Crowd {
    /// Sends the engine an event and carries out the effects.
    mutating func feed(_ event: RecognitionEngine.Event) {
        for effect in engine.handle(event, at: reading, using: &engineRandomness) {
            switch effect {
            case .outsideWindow: report.replaysNoticed += 1
            case .contested: report.contested += 1
            case .arrived(let contact): report.arrivals.append(.init(contact: Int(contact.rawValue), at: now))
            case .left, .replayed: break
            case .readTag(let address): plan(.tagUnread(address), in: 1000)
            case .stateChanged(let contact, let before, let after): note(Int(contact.rawValue), before, after)
            case .confirm(let attempt): begin(attempt)
            case .wake(let tick):
                wake = tick
                agenda.plan(.timer(tick), at: max(tick.milliseconds, now + 1))
            }
        }
    }

    /// Reports a sighting to the engine and to the caller of `run`.
    mutating func take(_ sighting: CrowdSighting, _ isStrangers: Bool, _ name: OpaqueServiceName?) {
        report.sightings += 1
        news.append(.sighting(sighting))
        let observed = ObservedTime(unixMilliseconds: sighting.observed)
        switch sighting.value {
        case .minor(let minor):
            if isStrangers { judge(BeaconMinor(minor), sighting) }
            guard let address = DeviceAddress(sighting.address) else { return }
            feed(
                .beaconHeard(
                    BeaconSighting(
                        BeaconMinor(minor), from: address, rssi: Int8(clamping: sighting.rssi ?? 0),
                        observed: observed)))
        case .name(_, let isThere):
            guard let name else { return }
            // While the owner of a name still publishes it, withdrawing a copy has no effect.
            let isStillThere = devices.prefix(settings.contacts).contains { $0.isNear && $0.shown?.name == name }
            if isThere {
                feed(.nameAppeared(name, observed: observed))
            } else if !isStillThere {
                feed(.nameVanished(name))
            }
        }
    }

    /// Compares a stranger's minor with the contacts' minors, once per address.
    private mutating func judge(_ minor: BeaconMinor, _ sighting: CrowdSighting) {
        guard judged.insert([sighting.address, UInt64(minor.value)]).inserted else { return }
        report.strangersMinors += 1
        var isFriend = false
        for epoch in settings.policy.skew.observedEpochs(at: sighting.observed / 1000) {
            let live = minors(of: epoch)
            report.falseFriendsExpected += Double(live.count) / Double(Odds.minors)
            if live.contains(minor) { isFriend = true }
        }
        if isFriend { report.falseFriends += 1 }
    }

    private mutating func minors(of epoch: Epoch) -> Set<BeaconMinor> {
        if let known = minors[epoch] { return known }
        let live = Set(forecast.epochs(epoch...epoch).flatMap { $0.entries.map(\.minor) })
        minors[epoch] = live
        return live
    }

    /// Computes the table of the epoch that begins, and plans the next boundary.
    mutating func replaceTable() {
        guard let epoch = Epoch(containing: unixMilliseconds / 1000) else { return }
        table = PredictedTable(of: people, around: epoch, reusing: table)
        feed(.tableReplaced(table))
        plan(.observersBoundary, in: epoch.end * 1000 - unixMilliseconds)
    }

    // MARK: Handshakes

    private mutating func begin(_ attempt: Attempt) {
        let contact = Int(attempt.prediction.contact.rawValue)
        let device = devices[contact]
        let isGenuine = device.isNear && device.shows(attempt.value)
        let one = CrowdReport.Try(contact: contact, at: now, over: attempt.over, isGenuine: isGenuine)
        report.tries.append(one)
        news.append(.tried(one))
        if isGenuine {
            let isReachable = devices[contact].generator.happens(device.isAwake ? 0.97 : 0.7)
            let delay = isReachable ? 80...600 : 1000...3000 as ClosedRange<UInt64>
            let wait = UInt64.random(in: delay, using: &devices[contact].generator)
            plan(.answered(attempt, contact, succeeds: isReachable), in: wait)
        } else {
            // A device that shows a copy has no keys, so the handshake fails. Over Bluetooth the tag reveals it sooner.
            plan(.answered(attempt, contact, succeeds: false), in: attempt.over == .network ? 5000 : 1000)
        }
    }

    mutating func confirm(_ contact: Int, over technology: AttemptTechnology) {
        if !devices[contact].isNear { report.falseConfirmations += 1 }
        if let visit = visits[contact], report.visits[visit].confirmedAfter == nil {
            report.visits[visit].confirmedAfter = now - report.visits[visit].from
        }
        feed(.confirmed(people[contact].contact, .first, .initiator, over: technology))
    }

    // MARK: Replayers and spoofers

    mutating func record(_ number: Int) {
        plan(.replays(number), in: UInt64.random(in: 60_000...300_000, using: &generator))
        let near = (0..<settings.contacts).filter { devices[$0].isNear && devices[$0].shown != nil }
        guard let victim = near.randomElement(using: &generator), let shown = devices[victim].shown else { return }
        let copy = Copy(
            epoch: shown.epoch, name: shown.name, minor: shown.minor,
            address: UInt64.random(in: 0..<1 << 48, using: &generator))
        plan(.shownAgain(copy), in: UInt64.random(in: 5000...600_000, using: &generator))
        plan(.shownAgain(copy), in: UInt64.random(in: 1_300_000...2_400_000, using: &generator))
    }

    mutating func showAgain(_ copy: Copy) {
        let counts = settings.policy.skew.observedEpochs(at: unixMilliseconds / 1000).contains(copy.epoch)
        if counts { report.replaysInTime += 1 } else { report.replaysTooLate += 1 }
        show(copy.name, copy.minor, copy.address, for: 30_000)
    }

    mutating func spoof(_ number: Int) {
        let pause = 1000 / max(0.001, settings.spoofedEachSecond)
        plan(.spoofs(number), in: UInt64(max(1, pause)))
        let name = OpaqueServiceName(Octets16(high: generator.next(), low: generator.next()))
        let minor = BeaconMinor(UInt16.random(in: 0...UInt16.max, using: &generator))
        show(name, minor, UInt64.random(in: 0..<1 << 48, using: &generator), for: 10_000, isStrangers: true)
    }

    /// Shows the values of a replayer or a spoofer for a while.
    private mutating func show(
        _ name: OpaqueServiceName, _ minor: BeaconMinor, _ address: UInt64, for milliseconds: UInt64,
        isStrangers: Bool = false
    ) {
        func seen(_ value: CrowdSighting.Value, after delay: UInt64, rssi: Int? = nil) -> CrowdSighting {
            let moment = unixMilliseconds + delay
            return CrowdSighting(
                reported: moment, observed: moment, value: value, address: address, rssi: rssi)
        }
        let rssi = Int.random(in: -95 ... -45, using: &generator)
        plan(.reports(seen(.minor(minor.value), after: 0, rssi: rssi), isStrangers: isStrangers, nil), in: 0)
        plan(.reports(seen(.name(name.description, isThere: true), after: 0), isStrangers: false, name), in: 0)
        plan(
            .reports(seen(.name(name.description, isThere: false), after: milliseconds), isStrangers: false, name),
            in: milliseconds)
    }

    // MARK: Comparison with the ground truth

    private mutating func note(_ contact: Int, _ before: PresenceState, _ after: PresenceState) {
        let change = CrowdReport.Change(contact: contact, at: now, state: after)
        report.changes.append(change)
        news.append(.changed(change))
        let isHint = after == .candidate || after == .probable
        if let visit = visits[contact] {
            if isHint, report.visits[visit].noticedAfter == nil {
                report.visits[visit].noticedAfter = now - report.visits[visit].from
            }
        } else if isHint, now > excusedUntil(contact) {
            report.falseHints += 1
        }
        if after.isPresent, !before.isPresent { believedPresentSince[contact] = now }
        if !after.isPresent, before.isPresent {
            countFalsePresence(of: contact)
            believedPresentSince[contact] = nil
        }
    }

    /// Returns until when an absent contact may still count as present: until the network has forgotten its name and
    /// the departure timer has fired.
    private func excusedUntil(_ contact: Int) -> UInt64 {
        (leftAt[contact] ?? 0) + Self.networkMemory + settings.policy.departAfter.wholeMilliseconds
    }

    mutating func countFalsePresence(of contact: Int) {
        guard let since = believedPresentSince[contact], visits[contact] == nil else { return }
        let from = max(since, excusedUntil(contact))
        if now > from { report.falsePresence += now - from }
    }

    mutating func finish() {
        for contact in 0..<settings.contacts {
            if let visit = visits[contact] { report.visits[visit].to = now }
            countFalsePresence(of: contact)
        }
        for technology in AttemptTechnology.allCases {
            let tries = report.tries.filter { $0.over == technology }
            var first = 0
            for (place, one) in tries.enumerated() {
                while one.at - tries[first].at >= 60_000 { first += 1 }
                report.triesInWorstMinute = max(report.triesInWorstMinute, place - first + 1)
            }
        }
    }
}
