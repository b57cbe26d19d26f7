public import InklingEngine
internal import InklingKeys

/// A crowd of contacts and strangers around one observer, which runs the recognition engine.
///
/// Contacts and strangers come and go, phones sleep and wake, clocks are wrong, and packets are lost, duplicated or
/// late; replayers repeat the values of contacts, and spoofers show random values. All randomness comes from the seed:
/// the same settings give the same events.
public struct Crowd: ~Copyable {
    /// An event of the simulation.
    public enum News: Hashable, Sendable {
        /// The observer's radio or network has reported a value.
        case sighting(CrowdSighting)
        /// The engine has changed the state of a contact.
        case changed(CrowdReport.Change)
        /// The engine has attempted a handshake.
        case tried(CrowdReport.Try)
        /// The number of minutes that have passed.
        case minute(Int)
    }

    enum PlannedEvent {
        case enters(Int), leaves(Int)
        case boundary(Int), shows(Int)
        case wakes(Int, stay: Int), sleeps(Int, stay: Int)
        case advertises(Int, stay: Int)
        case reports(CrowdSighting, isStrangers: Bool, OpaqueServiceName?)
        case appears(Int, OpaqueServiceName)
        case replays(Int), shownAgain(Copy), spoofs(Int)
        case answered(Attempt, Int, succeeds: Bool)
        case tagUnread(DeviceAddress)
        case speaks(Int, stay: Int), hangsUp(Int)
        case timer(Tick), observersBoundary, minute(Int)
    }

    /// Values recorded by a replayer.
    struct Copy {
        let epoch: Epoch
        let name: OpaqueServiceName
        let minor: BeaconMinor
        let address: UInt64
    }

    /// The time for which the local network caches the name of a device that left without a goodbye, in milliseconds.
    static let networkMemory: UInt64 = 120_000

    let settings: CrowdSettings
    /// The identifiers that the contacts will show.
    public let forecast: Forecast
    let people: [PredictedContact]
    var devices: [CrowdDevice] = []
    var agenda = Agenda<PlannedEvent>()
    var generator: SimulationGenerator
    var now: UInt64 = 0
    var report = CrowdReport()
    var news: [News] = []

    // The observer.
    var engine: RecognitionEngine
    var engineRandomness: SimulationGenerator
    var table = PredictedTable()
    var wake: Tick?
    var judged: Set<[UInt64]> = []
    var minors: [Epoch: Set<BeaconMinor>] = [:]

    // The ground truth about each contact, for comparison with the observer's view.
    var visits: [Int?]
    var leftAt: [UInt64?]
    var believedPresentSince: [UInt64?]

    /// Creates a crowd; `run` simulates it.
    public init(_ settings: CrowdSettings) {
        self.settings = settings
        var generator = SimulationGenerator(seed: settings.seed)
        engineRandomness = SimulationGenerator(seed: generator.next())
        engine = RecognitionEngine(policy: settings.policy)
        var people: [PredictedContact] = []
        for number in 0..<settings.contacts + settings.strangers {
            // Each device has its own generator, so that an additional stranger does not change the others.
            var own = SimulationGenerator(seed: generator.next())
            let isContact = number < settings.contacts
            var tree: SecretBox<AudienceTree>?
            if isContact {
                let held = SecretBox(AudienceTree(root: SecretBytes(count: keyByteCount, from: &own)))
                tree = held
                let grant = HeldGrant(audience: .granted(0), devices: [.first], tree: held)
                people.append(PredictedContact(ContactID(rawValue: UInt32(number)), grants: [grant]))
            }
            let spread = Int64(settings.clockError) * (own.happens(0.1) ? 3000 : 1000)
            devices.append(
                CrowdDevice(
                    owner: isContact ? .contact(number) : .stranger, isPhone: own.happens(settings.phones),
                    isOnNetwork: own.happens(isContact ? settings.contactsOnNetwork : 0.3),
                    clockError: spread == 0 ? 0 : Int64.random(in: -spread...spread, using: &own), tree: tree,
                    generator: own))
        }
        self.people = people
        forecast = Forecast(of: people)
        visits = Array(repeating: nil, count: settings.contacts)
        leftAt = Array(repeating: nil, count: settings.contacts)
        believedPresentSince = Array(repeating: nil, count: settings.contacts)
        self.generator = generator
    }

    /// Runs the simulation.
    ///
    /// - Parameter tell: called with each event, in order.
    /// - Returns: a report of the run.
    public consuming func run(_ tell: (News) -> Void = { _ in }) -> CrowdReport {
        begin()
        let end = UInt64(settings.minutes) * 60_000
        while let (at, what) = agenda.next(), at <= end {
            now = at
            take(what)
            for one in news { tell(one) }
            news.removeAll(keepingCapacity: true)
        }
        now = end
        finish()
        return report
    }

    // MARK: Time and randomness

    var unixMilliseconds: UInt64 { settings.start * 1000 + now }
    var reading: ClockReading { ClockReading(tick: Tick(milliseconds: now), unixMilliseconds: unixMilliseconds) }

    mutating func plan(_ what: PlannedEvent, in milliseconds: UInt64) { agenda.plan(what, at: now + milliseconds) }

    /// Draws an exponentially distributed time, in milliseconds.
    mutating func wait(mean seconds: Double, from device: Int) -> UInt64 {
        UInt64(max(1, 1000 * seconds * devices[device].generator.exponential()))
    }

    // MARK: Events

    private mutating func begin() {
        for contact in people { feed(.contactAdded(contact.contact)) }
        replaceTable()
        for number in devices.indices {
            if let epoch = devices[number].epoch(at: unixMilliseconds) { devices[number].show(epoch) }
            planBoundary(number)
            let isNear = devices[number].generator.happens(
                settings.meanVisit / (settings.meanVisit + settings.meanAbsence))
            if isNear {
                plan(.enters(number), in: 0)
            } else {
                plan(.enters(number), in: wait(mean: settings.meanAbsence, from: number))
            }
        }
        for number in 0..<settings.replayers { plan(.replays(number), in: 60_000) }
        for number in 0..<settings.spoofers { plan(.spoofs(number), in: UInt64(number)) }
        for minute in 1...max(1, settings.minutes) { plan(.minute(minute), in: UInt64(minute) * 60_000) }
    }

    private mutating func take(_ what: PlannedEvent) {
        switch what {
        case .enters(let number): enter(number)
        case .leaves(let number): leave(number)
        case .boundary(let number):
            hide(number)
            // The quiet period after a boundary: up to ten seconds.
            plan(.shows(number), in: UInt64.random(in: 0...10_000, using: &devices[number].generator))
        case .shows(let number):
            if let epoch = devices[number].epoch(at: unixMilliseconds) { devices[number].show(epoch) }
            planBoundary(number)
            announce(number)
        case .wakes(let number, let stay):
            guard devices[number].stay == stay, devices[number].isNear else { return }
            devices[number].isAwake = true
            announce(number)
            plan(.advertises(number, stay: stay), in: 500)
            plan(.sleeps(number, stay: stay), in: wait(mean: 12, from: number))
        case .sleeps(let number, let stay):
            guard devices[number].stay == stay, devices[number].isNear else { return }
            devices[number].isAwake = false
            plan(.wakes(number, stay: stay), in: wait(mean: 90, from: number))
        case .advertises(let number, let stay): advertise(number, stay)
        case .reports(let sighting, let isStrangers, let name): take(sighting, isStrangers, name)
        case .appears(let number, let name):
            // The device may have left or rotated in the meantime.
            guard devices[number].isNear, devices[number].shown?.name == name else { return }
            devices[number].isNameReported = true
            take(sighting(of: .name(name.description, isThere: true), from: number), false, name)
        case .replays(let number): record(number)
        case .shownAgain(let copy): showAgain(copy)
        case .spoofs(let number): spoof(number)
        case .answered(let attempt, let number, let succeeds):
            if succeeds, devices[number].isNear {
                devices[number].hasSession = true
                confirm(number, over: attempt.over)
                plan(.speaks(number, stay: devices[number].stay), in: 60_000)
            } else {
                let isLocal = if case .name = attempt.value { true } else { false }
                feed(.attemptFailed(attempt, succeeds ? .silent : isLocal ? .unreachable : .stranger))
            }
        case .tagUnread(let address):
            feed(.tagRead(nil, address, observed: ObservedTime(unixMilliseconds: unixMilliseconds)))
        case .speaks(let number, let stay):
            guard devices[number].hasSession, devices[number].stay == stay, devices[number].isNear else { return }
            feed(.sessionHeard(people[number].contact, .first))
            plan(.speaks(number, stay: stay), in: 60_000)
        case .hangsUp(let number): hangUp(number)
        case .timer(let tick):
            guard wake == tick else { return }
            wake = nil
            feed(.timerFired)
        case .observersBoundary: replaceTable()
        case .minute(let minute):
            report.strangersNear.append(devices.count { $0.owner == .stranger && $0.isNear })
            news.append(.minute(minute))
        }
    }

    private mutating func enter(_ number: Int) {
        devices[number].isNear = true
        devices[number].stay += 1
        let stay = devices[number].stay
        devices[number].isAwake = !devices[number].isPhone || devices[number].generator.happens(0.5)
        if case .contact(let contact) = devices[number].owner {
            visits[contact] = report.visits.count
            report.visits.append(CrowdReport.Visit(contact: contact, from: now, to: now))
        }
        if devices[number].isPhone {
            plan(
                devices[number].isAwake ? .sleeps(number, stay: stay) : .wakes(number, stay: stay),
                in: wait(mean: devices[number].isAwake ? 12 : 90, from: number))
        }
        plan(.advertises(number, stay: stay), in: wait(mean: 1, from: number))
        announce(number)
        plan(.leaves(number), in: wait(mean: settings.meanVisit, from: number))
    }

    private mutating func leave(_ number: Int) {
        devices[number].isNear = false
        // A device that leaves sends no goodbye; its name stays in the cache until it expires.
        if let shown = devices[number].shown { withdraw(number, shown.name, after: Self.networkMemory) }
        if devices[number].hasSession { plan(.hangsUp(number), in: 45_000) }
        if case .contact(let contact) = devices[number].owner {
            if let visit = visits[contact] { report.visits[visit].to = now }
            visits[contact] = nil
            leftAt[contact] = now
        }
        plan(.enters(number), in: wait(mean: settings.meanAbsence, from: number))
    }

    private mutating func hide(_ number: Int) {
        if let shown = devices[number].shown, devices[number].isNear {
            let isLost = devices[number].generator.happens(settings.loss)
            withdraw(number, shown.name, after: isLost ? Self.networkMemory : 200)
        }
        devices[number].hide()
        hangUp(number)
    }

    private mutating func withdraw(_ number: Int, _ name: OpaqueServiceName, after milliseconds: UInt64) {
        guard devices[number].isNameReported else { return }
        devices[number].isNameReported = false
        let gone = CrowdSighting(
            reported: unixMilliseconds + milliseconds, observed: unixMilliseconds + milliseconds,
            value: .name(name.description, isThere: false), address: devices[number].address, rssi: nil)
        plan(.reports(gone, isStrangers: false, name), in: milliseconds)
    }

    /// Plans when the observer sees the name of a device that is awake on the network; packet loss delays it.
    private mutating func announce(_ number: Int) {
        guard devices[number].isNear, devices[number].isOnNetwork, devices[number].isAwake,
            !devices[number].isNameReported, let shown = devices[number].shown
        else { return }
        let isLost = devices[number].generator.happens(settings.loss)
        plan(.appears(number, shown.name), in: wait(mean: isLost ? 15 : 0.5, from: number))
    }

    private mutating func advertise(_ number: Int, _ stay: Int) {
        guard devices[number].stay == stay, devices[number].isNear, devices[number].isAwake else { return }
        plan(.advertises(number, stay: stay), in: wait(mean: 5, from: number))
        guard let shown = devices[number].shown, !devices[number].generator.happens(settings.loss) else { return }
        let times = devices[number].generator.happens(settings.duplication) ? 2 : 1
        for _ in 0..<times {
            let isLate = devices[number].generator.happens(settings.lateness)
            let delay =
                isLate
                ? UInt64.random(in: 0...UInt64(settings.longestDelay) * 1000, using: &devices[number].generator) : 0
            let seen = sighting(of: .minor(shown.minor.value), from: number, reportedAfter: delay)
            plan(.reports(seen, isStrangers: devices[number].owner == .stranger, nil), in: delay)
        }
    }

    private mutating func sighting(
        of value: CrowdSighting.Value, from number: Int, reportedAfter delay: UInt64 = 0
    ) -> CrowdSighting {
        let isRadio = if case .minor = value { true } else { false }
        return CrowdSighting(
            reported: unixMilliseconds + delay, observed: unixMilliseconds, value: value,
            address: devices[number].address,
            rssi: isRadio ? Int.random(in: -95 ... -45, using: &devices[number].generator) : nil)
    }

    private mutating func planBoundary(_ number: Int) {
        guard let boundary = devices[number].boundary(after: unixMilliseconds) else { return }
        plan(.boundary(number), in: boundary > unixMilliseconds ? boundary - unixMilliseconds : 1)
    }

    private mutating func hangUp(_ number: Int) {
        guard devices[number].hasSession else { return }
        devices[number].hasSession = false
        feed(.sessionEnded(people[number].contact, .first))
    }
}

extension SimulationGenerator {
    /// Draws from the exponential distribution with mean 1.
    mutating func exponential() -> Double {
        // Von Neumann's comparison of uniform draws (1951). It needs no logarithm, so every machine gets the same bits.
        var whole = 0.0
        while true {
            let first = Double.random(in: 0..<1, using: &self)
            var last = first
            var count = 1
            while true {
                let draw = Double.random(in: 0..<1, using: &self)
                if draw >= last { break }
                last = draw
                count += 1
            }
            if count % 2 == 1 { return whole + first }
            whole += 1
        }
    }
}
