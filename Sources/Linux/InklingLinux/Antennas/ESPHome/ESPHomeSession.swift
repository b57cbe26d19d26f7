internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire

/// A connection to an ESPHome device, from start to end, without a socket or a clock.
///
/// It says hello, asks for the device's description, subscribes to raw advertisements if nobody else loses them, and
/// answers and sends pings. Once it listens, the device can be asked to connect to others.
struct ESPHomeSession: ~Copyable, Sendable {
    /// The settings of a connection.
    struct Settings: Sendable {
        /// The key of 32 bytes; `nil` for no encryption.
        var key: SecretBox<SecretBytes>?
        /// The name that the device must have; `nil` for any.
        var name: String?
        /// Whether the node may take the device from another client.
        var isExclusive = false
        /// Whether the device should connect to others.
        var connects = false
        /// Whether to end with a goodbye instead of subscribing.
        var isTrial = false
    }

    enum Effect: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// The subscription has taken effect.
        case listening
        /// The device would accept the subscription, as far as that can be checked. The trial is over.
        case agreed
        case heard([ESPHomeAdvertisement])
        /// A reply about another device.
        case replied(DeviceAddress, ESPHomeReply)
        /// The device has accepted the last value written to this one.
        case written(DeviceAddress)
        /// The connection has failed; close it.
        case fail(AntennaError)
    }

    private enum Stage: Hashable {
        case cipherHello, handshake, hello, deviceInfo, capabilities, subscribed, listening, ended
    }

    /// The longest duration of a step, in milliseconds.
    static let patience: UInt64 = 10_000
    /// The longest wait for first advertisements from a device without scanner states, in milliseconds.
    static let firstPatience: UInt64 = 60_000
    /// The device's silence after which a ping is sent, in milliseconds.
    static let pingAfter: UInt64 = 60_000
    /// The silence after which the connection has failed, in milliseconds.
    static let silenceLimit: UInt64 = 150_000

    private let settings: Settings
    private var cipher: ESPHomeCipher?
    private var frames: ESPHomeFrames
    private var stage: Stage
    private var since: Tick
    private var lastReceived: Tick
    private var lastPing: Tick
    private var device: ESPHomeDevice?
    private var minor: UInt64 = 0
    /// The unanswered pings, each with the device that was written to before it. Bounded by the number of links, each
    /// of which writes one value at a time.
    private var pings: [DeviceAddress?] = []

    /// Creates the session of a new connection.
    ///
    /// - Throws: `ESPHomeError.wrongKey` for a key that is not 32 bytes long.
    init(_ settings: Settings, ephemeral: consuming NoiseKeyPair, at now: Tick) throws(ESPHomeError) {
        self.settings = settings
        frames = ESPHomeFrames(isEncrypted: settings.key != nil)
        (since, lastReceived, lastPing) = (now, now, now)
        if let key = settings.key {
            cipher = try ESPHomeCipher(key: key, ephemeral: ephemeral)
            stage = .cipherHello
        } else {
            stage = .hello
        }
    }

    /// Returns the first bytes to send.
    mutating func begin() -> [Effect] {
        attempt { session, effects throws(ESPHomeError) in
            if let first = try session.cipher?.first() {
                effects.append(.send(ESPHomeFrames.enclose([]) + ESPHomeFrames.enclose([0] + first)))
            } else {
                try session.say(.helloRequest(client: "inkling"), &effects)
            }
        }
    }

    /// Handles bytes from the device.
    mutating func receive(_ bytes: some Sequence<UInt8>, at now: Tick) -> [Effect] {
        lastReceived = now
        frames.append(bytes)
        return attempt { session, effects throws(ESPHomeError) in
            while session.stage != .ended {
                let isOpen = session.stage != .cipherHello && session.stage != .handshake
                let limit = isOpen ? ESPHomeFrames.limit : ESPHomeFrames.handshakeLimit
                guard let frame = try session.frames.next(limit: limit) else { return }
                try session.take(frame, &effects, at: now)
            }
        }
    }

    /// Checks the timeouts; call it every few seconds.
    mutating func timePassed(at now: Tick) -> [Effect] {
        guard stage != .ended else { return [] }
        if now.milliseconds(since: lastReceived) >= Self.silenceLimit { return end(.timedOut) }
        switch stage {
        case .listening: break
        case .subscribed:
            let hasStates = (device?.features ?? 0) & ESPHomeDevice.Feature.stateAndMode != 0
            // A subscriber that was refused is not told and hears nothing.
            if now.milliseconds(since: since) >= (hasStates ? Self.patience : Self.firstPatience) { return end(.taken) }
        case .cipherHello, .handshake, .hello, .deviceInfo, .capabilities, .ended:
            if now.milliseconds(since: since) >= Self.patience { return end(.timedOut) }
        }
        guard now.milliseconds(since: lastReceived) >= Self.pingAfter,
            now.milliseconds(since: lastPing) >= Self.pingAfter
        else { return [] }
        lastPing = now
        pings.append(nil)
        return attempt { session, effects throws(ESPHomeError) in try session.say(.pingRequest, &effects) }
    }

    /// Whether the device can be asked to connect to others now.
    var mayAsk: Bool { stage == .listening && settings.connects }

    /// The time of the last bytes from the device.
    var lastMoment: Tick { lastReceived }

    /// Asks the device for something concerning another device. A write without response is followed by a ping, whose
    /// answer shows that the device has accepted the value.
    mutating func ask(_ request: ESPHomeRequest, of address: DeviceAddress) -> [Effect] {
        guard mayAsk else { return [] }
        return attempt { session, effects throws(ESPHomeError) in
            try session.say(.request(address, request), &effects)
            guard case .write = request else { return }
            session.pings.append(address)
            try session.say(.pingRequest, &effects)
        }
    }

    /// Ends the connection with a goodbye.
    mutating func leave() -> [Effect] {
        guard stage == .listening || stage == .subscribed else { return [] }
        let effects = attempt { session, effects throws(ESPHomeError) in
            try session.say(.unsubscribe, &effects)
            try session.say(.disconnectRequest, &effects)
        }
        stage = .ended
        return effects
    }

    // MARK: Steps

    private mutating func take(
        _ frame: ESPHomeFrames.Frame, _ effects: inout [Effect], at now: Tick
    ) throws(ESPHomeError) {
        switch (frame, stage) {
        case (.enclosed(let contents), .cipherHello):
            guard contents.first == 1 else { throw .badMessage }
            let name = contents.dropFirst().prefix { $0 != 0 }
            if let expected = settings.name, !name.isEmpty, !name.elementsEqual(expected.utf8) {
                effects += end(.anotherName)
                return
            }
            enter(.handshake, at: now)
        case (.enclosed(let contents), .handshake):
            guard contents.first == 0 else {
                // A wrong key is reported as this text.
                throw contents.dropFirst().elementsEqual("Handshake MAC failure".utf8) ? .wrongKey : .badMessage
            }
            try cipher?.finish(contents.span.extracting(1...))
            enter(.hello, at: now)
            try say(.helloRequest(client: "inkling"), &effects)
        case (.enclosed(let contents), _):
            guard let (type, body) = try cipher?.open(contents.span) else { throw .badMessage }
            try take(ESPHomeMessage(type, body), &effects, at: now)
        case (.plain(let type, let body), _): try take(ESPHomeMessage(type, body), &effects, at: now)
        }
    }

    private mutating func take(
        _ message: ESPHomeMessage, _ effects: inout [Effect], at now: Tick
    ) throws(ESPHomeError) {
        switch (message, stage) {
        case (.pingRequest, _): try say(.pingResponse, &effects)
        case (.pingResponse, _):
            guard !pings.isEmpty, let address = pings.removeFirst() else { break }
            effects.append(.written(address))
        case (.reply(let address, let reply), .listening): effects.append(.replied(address, reply))
        case (.disconnectRequest, _):
            try say(.disconnectResponse, &effects)
            effects += end(.closed)
        case (.hello(let major, let minor, let name), .hello):
            guard major == ESPHomeMessage.version.major else { throw .badMessage }
            if let expected = settings.name, !name.isEmpty, name != expected {
                effects += end(.anotherName)
                return
            }
            self.minor = minor
            enter(.deviceInfo, at: now)
            try say(.deviceInfoRequest, &effects)
        case (.deviceInfo(let device), .deviceInfo):
            self.device = device
            if device.features & ESPHomeDevice.Feature.rawAdvertisements == 0, minor >= 15 {
                enter(.capabilities, at: now)
                try say(.capabilitiesRequest, &effects)
            } else {
                try subscribe(&effects, at: now)
            }
        case (.capabilities(let features), .capabilities):
            device?.features = features
            try subscribe(&effects, at: now)
        case (.scannerState, .subscribed):
            enter(.listening, at: now)
            effects.append(.listening)
        case (.advertisements(let heard), .subscribed):
            enter(.listening, at: now)
            effects += [.listening, .heard(heard)]
        case (.advertisements(let heard), .listening): effects.append(.heard(heard))
        default: break
        }
    }

    private mutating func subscribe(_ effects: inout [Effect], at now: Tick) throws(ESPHomeError) {
        guard let device, device.features & ESPHomeDevice.Feature.rawAdvertisements != 0 else {
            effects += end(.noProxy)
            return
        }
        // Other listeners are not visible. Older firmware refuses the second subscriber; newer drops the first.
        guard settings.isExclusive || !device.givesToNewest else {
            effects += end(.mayBeTaken)
            return
        }
        guard
            !settings.connects
                || device.features & ESPHomeDevice.Feature.connections == ESPHomeDevice.Feature.connections
        else {
            effects += end(.noConnections)
            return
        }
        guard !settings.isTrial else {
            try say(.disconnectRequest, &effects)
            stage = .ended
            effects.append(.agreed)
            return
        }
        enter(.subscribed, at: now)
        try say(.subscribe, &effects)
    }

    private mutating func enter(_ next: Stage, at now: Tick) { (stage, since) = (next, now) }

    private mutating func end(_ error: AntennaError) -> [Effect] {
        stage = .ended
        return [.fail(error)]
    }

    private mutating func say(_ message: ESPHomeMessage, _ effects: inout [Effect]) throws(ESPHomeError) {
        if settings.key == nil {
            effects.append(.send(ESPHomeFrames.plain(message)))
        } else if let sealed = try cipher?.seal(message) {
            effects.append(.send(ESPHomeFrames.enclose(sealed)))
        }
    }

    /// Runs a step; an error ends the session.
    private mutating func attempt(
        _ step: (inout ESPHomeSession, inout [Effect]) throws(ESPHomeError) -> Void
    ) -> [Effect] {
        var effects: [Effect] = []
        do { try step(&self, &effects) } catch { effects += end(error.ofAntenna) }
        return effects
    }
}
