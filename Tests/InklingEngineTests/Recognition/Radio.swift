import InklingEngine
import InklingKeys
import Testing

/// Values chosen by the test, so that it can decide which contacts share a minor.
func values(
    _ contact: ContactID, minor: UInt16, _ epoch: Epoch = epochZero, device: UInt8 = 0
) -> PredictedValues {
    let number = UInt64(contact.rawValue) << 32 | UInt64(epoch.number) << 8 | UInt64(device)
    return PredictedValues(
        prediction(contact, epoch, device: device), name: OpaqueServiceName(Octets16(high: 1, low: number)),
        minor: BeaconMinor(minor), tag: RecognitionTag(Octets16(high: 2, low: number)))
}

/// The device address with this number.
func address(_ number: UInt64) -> DeviceAddress { DeviceAddress(number & 0xffff_ffff_ffff) ?? address(0) }

/// An engine with a radio. Times are real milliseconds after the start of `epochZero`.
struct RadioObserver {
    var engine: RecognitionEngine
    var generator = ConstantGenerator(value: 0)
    private let shown: [PredictedValues]

    init(
        _ shown: [PredictedValues], options: [ContactID: ContactOptions] = [:],
        policy: RecognitionPolicy = RecognitionPolicy()
    ) {
        self.shown = shown
        engine = RecognitionEngine(policy: policy)
        for contact in Set(shown.map(\.prediction.contact)).sorted() {
            send(.contactAdded(contact, options[contact] ?? ContactOptions()), 0)
        }
        table(epochZero, 0)
    }

    /// Sends an event and returns its effects without `wake`.
    @discardableResult
    mutating func send(_ event: RecognitionEngine.Event, _ milliseconds: Int) -> [RecognitionEngine.Effect] {
        engine.handle(event, at: reading(milliseconds), using: &generator).filter {
            if case .wake = $0 { false } else { true }
        }
    }

    /// The posterior of a contact at the time of the last event.
    func posterior(of contact: ContactID) -> UInt64 { engine.posterior(of: contact, at: tick(0)) }

    mutating func table(_ epoch: Epoch, _ milliseconds: Int) {
        send(.tableReplaced(PredictedTable(shown, around: epoch)), milliseconds)
    }

    /// Reports a minor that was heard now, or at another moment.
    @discardableResult
    mutating func hear(
        _ minor: UInt16, from number: UInt64, _ milliseconds: Int, observed: Int? = nil, uncertainty: UInt64 = 0
    ) -> [RecognitionEngine.Effect] {
        let moment = ObservedTime(
            unixMilliseconds: reading(observed ?? milliseconds).unixMilliseconds,
            uncertainty: .milliseconds(uncertainty))
        let sighting = BeaconSighting(BeaconMinor(minor), from: address(number), rssi: -60, observed: moment)
        return send(.beaconHeard(sighting), milliseconds)
    }

    /// Reports a minor twice, far enough apart for an attempt.
    @discardableResult
    mutating func hearTwice(_ minor: UInt16, from number: UInt64, _ milliseconds: Int) -> [RecognitionEngine.Effect] {
        hear(minor, from: number, milliseconds - 1000) + hear(minor, from: number, milliseconds)
    }

    /// Reports minors of strangers from this many addresses.
    mutating func hearStrangers(_ count: Int, _ milliseconds: Int) {
        for number in 0..<count { hear(UInt16(40_000 + number), from: 1_000_000 + UInt64(number), milliseconds) }
    }
}

/// The contacts of the `confirm` effects.
func attempted(_ effects: [RecognitionEngine.Effect]) -> [ContactID] {
    effects.compactMap { if case .confirm(let attempt) = $0 { attempt.prediction.contact } else { nil } }
}

/// The `stateChanged` effects, without the times of confirmation.
func changes(_ effects: [RecognitionEngine.Effect]) -> [RecognitionEngine.Effect] {
    effects.filter { if case .stateChanged = $0 { true } else { false } }
}
