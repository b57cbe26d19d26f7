internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// A device of the crowd: its secrets, and what its hardware and its clock give it for ever.
struct Device {
    let tree: SecretBox<AudienceTree>
    let deviceKey: SecretBox<NoiseKeyPair>
    /// How far the clock of the device is ahead of true time, in milliseconds: time servers leave some.
    let clock: Double
    /// Whether others can connect to it over Bluetooth: then it shows the service, too.
    let hasLinks: Bool
    var leaks = Leaks()

    /// What a planted leak keeps.
    struct Leaks {
        var address: [UInt8]?
        var counter: UInt16?
        var interval = 0.0
        var phase = 0.0
        var isOutOfStep = false
        var power: Int8?
        var isReversed = false
        var host: OpaqueHostName?
        var port: UInt16?
        var prefix: UInt16?
        var length = 0
        var offset: Double?
        var hasFixedEnd = false
        var hasJointGap = false
    }

    init(number: Int, hasLinks: Bool, clockDeviation: Double, plant: Plant?, using draws: inout Draws) throws {
        tree = SecretBox(AudienceTree(root: SecretBytes(count: 32, from: &draws)))
        deviceKey = SecretBox(NoiseKeyPair(from: &draws))
        clock = clockDeviation * draws.normal()
        self.hasLinks = hasLinks
        switch plant {
        case .address: if number % 20 == 0 { leaks.address = draws.bytes(6) }
        case .counter: leaks.counter = UInt16.random(in: 0...UInt16.max, using: &draws)
        case .interval: leaks.interval = 20 * draws.unit() - 10
        case .phase: leaks.phase = 900_000 * draws.unit()
        case .step: leaks.isOutOfStep = true
        case .power: leaks.power = -70 + Int8(draws.below(8))
        case .order: leaks.isReversed = draws.happens(0.5)
        case .host: leaks.host = OpaqueHostName(try need(Octets16(draws.bytes(16).span), "host"))
        case .port: leaks.port = UInt16.random(in: 32_768...60_999, using: &draws)
        case .prefix: leaks.prefix = UInt16.random(in: 0...UInt16.max, using: &draws)
        case .length: leaks.length = draws.below(32)
        case .offset: leaks.offset = 10_000 * draws.unit()
        case .goodbye: leaks.hasFixedEnd = true
        case .joint: leaks.hasJointGap = true
        case nil: break
        }
    }

    /// What the device shows in an epoch over a technology.
    func own(_ epoch: Epoch, over transport: Transport) throws -> OwnValues {
        guard let period = tree.value.periodKey(epoch.period) else { throw RigFault(step: "a period key") }
        let keys = period.deviceKeys(.first)
        return OwnValues(
            instance: keys.mdns.serviceName(epoch), host: keys.mdns.hostName(epoch), minor: keys.beacon.minor(epoch),
            tag: keys.gatt.tag(epoch),
            context: ConfirmContext(keys, device: .first, epoch: epoch, transport: transport))
    }
}

/// The identifiers of a device in one epoch, and what others need to call it.
struct OwnValues {
    let instance: OpaqueServiceName
    let host: OpaqueHostName
    let minor: BeaconMinor
    let tag: RecognitionTag
    let context: ConfirmContext
}

/// When a technology shows an epoch, in milliseconds of true time.
struct Shown {
    let epoch: Epoch
    let begin: Double
    let end: Double
    let hasGoodbye: Bool
}

extension Device {
    /// Runs the rotation machine of a technology over so many epochs, as the node does, and returns when it showed each of
    /// them.
    func rotate(
        from first: Epoch, count: Int, with policy: RotationPolicy, using draws: inout Draws
    ) throws -> [Shown] {
        var policy = policy
        if leaks.hasFixedEnd { policy.quietSpread = .zero }
        if leaks.phase > 0 { (policy.gap, policy.quietLead) = (.zero, .zero) }
        var machine = RotationMachine(highWater: nil, policy: policy)
        // The first epoch is shown after a boundary, as all others are.
        let base = Double(first.start) * 1000 - 90_000
        let ahead = clock - leaks.phase
        var shown: [Shown] = []
        var current: (epoch: Epoch, begin: Double)?
        var wake: Tick?
        var tick = Tick(milliseconds: 1000)
        func reading() -> ClockReading {
            ClockReading(tick: tick, unixMilliseconds: UInt64(base + ahead) + tick.milliseconds)
        }
        func take(_ effects: [RotationMachine.Effect]) {
            for effect in effects {
                switch effect {
                case .publish(let epoch): current = (epoch, base + Double(tick.milliseconds))
                case .goQuiet(let goodbye):
                    if let (epoch, begin) = current, epoch >= first {
                        let end = base + Double(tick.milliseconds)
                        shown.append(Shown(epoch: epoch, begin: begin, end: end, hasGoodbye: goodbye))
                    }
                    current = nil
                case .wake(let moment): wake = moment
                case .closeUnauthenticatedLinks, .retire, .forget, .prepare, .highWater: break
                }
            }
        }
        take(machine.handle(.started, at: reading(), using: &draws))
        take(machine.handle(.timeAccepted, at: reading(), using: &draws))
        while shown.count < count {
            tick = try need(wake, "a wake of the rotation machine")
            wake = nil
            take(machine.handle(.timerFired, at: reading(), using: &draws))
        }
        guard let offset = leaks.offset else { return shown }
        return shown.map {
            let boundary = Double($0.epoch.start) * 1000 - ahead
            return Shown(epoch: $0.epoch, begin: boundary + offset, end: $0.end, hasGoodbye: $0.hasGoodbye)
        }
    }
}
