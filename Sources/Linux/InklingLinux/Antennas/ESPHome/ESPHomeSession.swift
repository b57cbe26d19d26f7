internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire

/// One connection to an ESPHome device, from its beginning to its end, without a socket and without a clock.
///
/// It says hello, asks what the device is, subscribes to raw advertisements when that takes nothing away from another, and
/// answers and sends pings. Once it listens, the device can be asked to connect to others.
struct ESPHomeSession: ~Copyable, Sendable {
    /// What a connection is for.
    struct Settings: Sendable {
        /// The key of 32 bytes; nil for a connection without encryption.
        var key: SecretBox<SecretBytes>?
        /// The name that the device must have; nil for any.
        var name: String?
        /// Whether the node may have the device for itself, and take it away from whoever has it.
        var isExclusive = false
        /// Whether the device is to connect to others.
        var connects = false
        /// Whether it ends, with goodbye, when it could subscribe.
        var isTrial = false
    }

    enum Effect: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// The subscription has landed.
        case listening
        /// The device would take the subscription, as far as it can be asked. The trial has ended.
        case agreed
        case heard([ESPHomeAdvertisement])
        /// What the device says of another device.
        case replied(DeviceAddress, ESPHomeReply)
        /// The device has taken what was written last to this one.
        case written(DeviceAddress)
        /// Close the connection; it has failed.
        case fail(AntennaError)
    }

    private enum Stage: Hashable {
        case cipherHello, handshake, hello, deviceInfo, capabilities, subscribed, listening, ended
    }

    /// How long a step may take, in milliseconds.
    static let patience: UInt64 = 10_000
    /// How long a device without scanner states may take for its first advertisements, in milliseconds.
    static let firstPatience: UInt64 = 60_000
    /// After this silence of the device a ping is sent, in milliseconds.
    static let pingAfter: UInt64 = 60_000
    /// After this silence the connection has failed, in milliseconds.
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
    /// The pings that were not answered yet, each with the device to which something was written before it. Their number is
    /// bounded by that of links, each of which writes one value at a time.
    private var pings: [DeviceAddress?] = []

    /// Creates a session of a connection that has just been made.
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

    /// The first bytes to send.
    mutating func begin() -> [Effect] {
        attempt { session, effects throws(ESPHomeError) in
            if let first = try session.cipher?.first() {
                effects.append(.send(ESPHomeFrames.enclose([]) + ESPHomeFrames.enclose([0] + first)))
            } else {
                try session.say(.helloRequest(client: "inkling"), &effects)
            }
        }
    }

    /// Takes bytes of the device.
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

    /// Looks at the time; to be called every few seconds.
    mutating func timePassed(at now: Tick) -> [Effect] {
        guard stage != .ended else { return [] }
        if now.milliseconds(since: lastReceived) >= Self.silenceLimit { return end(.timedOut) }
        switch stage {
        case .listening: break
        case .subscribed:
            let hasStates = (device?.features ?? 0) & ESPHomeDevice.Feature.stateAndMode != 0
            // Who has come too late is not told, and hears nothing.
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

    /// When bytes of the device came last.
    var lastMoment: Tick { lastReceived }

    /// Asks the device for something that concerns another device. A ping follows what is written without a response: when it is
    /// answered, the device has taken the value.
    mutating func ask(_ request: ESPHomeRequest, of address: DeviceAddress) -> [Effect] {
        guard mayAsk else { return [] }
        return attempt { session, effects throws(ESPHomeError) in
            try session.say(.request(address, request), &effects)
            guard case .write = request else { return }
            session.pings.append(address)
            try session.say(.pingRequest, &effects)
        }
    }

    /// Ends the connection politely.
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
                // The device says in words that the key is wrong.
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
        // The device cannot be asked whether another listens. An older one refuses the second; a newer one drops the first.
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

    /// Runs a step; a fault ends the session.
    private mutating func attempt(
        _ step: (inout ESPHomeSession, inout [Effect]) throws(ESPHomeError) -> Void
    ) -> [Effect] {
        var effects: [Effect] = []
        do { try step(&self, &effects) } catch { effects += end(error.ofAntenna) }
        return effects
    }
}
