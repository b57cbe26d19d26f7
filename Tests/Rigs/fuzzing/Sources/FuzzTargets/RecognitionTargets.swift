internal import InklingEngine
internal import InklingKeys

extension FuzzTarget {
    /// The engine with arbitrary events. The four bytes before the events are the field.
    static let recognitionTargets = [
        FuzzTarget("recognition-events") { input in
            guard input.count >= 12 else { return nil }
            var run = RecognitionRun()
            for start in stride(from: 4, through: input.count - 8, by: 8) {
                run.take(input.extracting(start..<start + 8).array)
            }
            return input.tag
        }
    ]
}

/// An engine with few contacts whose minors collide, and events of eight bytes: the kind, the time and the contact.
private struct RecognitionRun {
    private static let failures: [AttemptFailure] = [.stranger, .silent, .reset, .unreachable]
    private static let epochs: [Epoch] = (1_984_000..<1_984_008 as Range<UInt32>).compactMap { Epoch($0) }
    private static let shown: [PredictedValues] = (0..<4 as Range<UInt32>).flatMap { contact in
        epochs.map { epoch in
            let prediction = Prediction(
                contact: ContactID(rawValue: contact), device: .first, audience: .granted(0), epoch: epoch)
            let value = Octets16(high: UInt64(contact / 2), low: UInt64(epoch.number))
            return PredictedValues(
                prediction, name: OpaqueServiceName(value), minor: BeaconMinor(UInt16((contact + epoch.number) % 6)),
                tag: RecognitionTag(value))
        }
    }

    private var engine: RecognitionEngine = {
        var policy = RecognitionPolicy()
        (policy.nameLimit, policy.addressLimit, policy.traceLimit, policy.tagLimit) = (3, 6, 4, 2)
        policy.decoys = 30_000
        return RecognitionEngine(policy: policy)
    }()
    private var generator = CountingGenerator()
    private var milliseconds: UInt64 = 0
    private var present: Set<ContactID> = []
    private var attempts: [Attempt] = []

    mutating func take(_ bytes: [UInt8]) {
        let event = bytes[0]
        milliseconds += UInt64(bytes[1]) << UInt64(bytes[2] % 14)
        let ahead = bytes[2] > 250 ? UInt64(bytes[1]) * 60_000 : 0
        let start = Self.epochs[0].start * 1000
        let reading = ClockReading(
            tick: Tick(milliseconds: 1 << 30 + milliseconds), unixMilliseconds: start + milliseconds + ahead)
        let late = UInt64(bytes[3] % 8) * 7000
        let observed = ObservedTime(
            unixMilliseconds: reading.unixMilliseconds - late, uncertainty: .milliseconds(UInt64(bytes[3] / 8) * 500))
        let contact = ContactID(rawValue: UInt32(bytes[4] % 5))
        let values = Self.shown[Int(bytes[5]) % Self.shown.count]
        guard let address = DeviceAddress(UInt64(bytes[6] % 9)) else { return }
        let what: RecognitionEngine.Event =
            switch event % 16 {
            case 0: .contactAdded(contact, ContactOptions(prior: UInt32(bytes[5]) * 300))
            case 1: .tableReplaced(PredictedTable(Self.shown, around: Self.epochs[Int(bytes[5]) % Self.epochs.count]))
            case 2: .nameAppeared(values.name, observed: observed)
            case 3: .nameVanished(values.name)
            case 4: .overflowHeard(address, observed: observed)
            case 5: .tagRead(bytes[7] > 128 ? values.tag : nil, address, observed: observed)
            case 6:
                .confirmed(
                    contact, .first, bytes[7] > 128 ? .initiator : .responder, over: bytes[5] > 128 ? .radio : nil)
            case 7: .sessionEnded(contact, .first)
            case 8: .contactRemoved(contact)
            case 9: attempts.last.map { .attemptFailed($0, Self.failures[Int(bytes[7]) % 4]) } ?? .timerFired
            case 12: .readingFailed(address)
            case 10: .radioGapChanged(.milliseconds(UInt64(bytes[5]) * 3000))
            case 11: .timerFired
            case 13: .linksClosed(over: bytes[7] > 128 ? .network : .radio)
            default:
                .beaconHeard(
                    BeaconSighting(BeaconMinor(UInt16(bytes[5] % 8)), from: address, rssi: -60, observed: observed))
            }
        for effect in engine.handle(what, at: reading, using: &generator) {
            switch effect {
            case .arrived(let contact): promise(present.insert(contact).inserted, "no two arrivals without a departure")
            case .left(let contact): promise(present.remove(contact) != nil, "no departure without an arrival")
            case .wake(let moment): promise(moment > reading.tick, "no wake in the past")
            case .confirm(let attempt): attempts.append(attempt)
            default: break
            }
        }
    }
}

/// A generator whose numbers are neither random nor all equal.
private struct CountingGenerator: RandomNumberGenerator {
    private var count: UInt64 = 0

    mutating func next() -> UInt64 {
        count &+= 0x9e37_79b9_7f4a_7c15
        return count >> 7
    }
}
