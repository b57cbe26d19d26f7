internal import InklingKeys
internal import InklingNode
internal import InklingWire

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A device of somebody else to which an ESPHome device connects for us, from the request to the end (`Specs/antennas.md`).
///
/// A value without a socket and without a clock. It asks for one thing at a time, as the node's own radio does: connect, find
/// the service, read the tag, subscribe when there is something to write.
struct ESPHomeCall: Sendable {
    enum Effect: Hashable, Sendable {
        /// Ask the ESPHome device for this.
        case ask(ESPHomeRequest)
        /// The device is connected and serves Inkling; with the ATT MTU in bytes.
        case found(mtu: Int)
        /// It is not, or does not.
        case failed(LinkError)
        /// The tag was read; nil when the device does not show one.
        case tag(RecognitionTag?)
        /// OUT has notified this.
        case fragment([UInt8])
        /// A value cannot be written.
        case writeFailed
        /// Nothing more comes of this call. This is the last effect.
        case ended
    }

    private enum Stage: Hashable {
        case idle, connecting, finding, open, leaving, ended
    }

    private enum Subscription: Hashable {
        case none, asked, switchedOn
    }

    /// The handles of what a device serves.
    private struct Peer: Hashable {
        let tag, input, output, notificationSwitch: UInt64

        /// Finds the characteristics of Inkling; nil when they are not there in full.
        init?(_ service: ESPHomeService, _ profile: ApplicationProfile) {
            func one(_ uuid: UUID128, _ property: UInt64) -> ESPHomeCharacteristic? {
                let all = service.characteristics.filter { $0.uuid == uuid }
                return all.count == 1 && all[0].properties & property != 0 ? all[0] : nil
            }
            guard let tag = one(profile.tag, ESPHomeCharacteristic.Property.read),
                let input = one(profile.input, ESPHomeCharacteristic.Property.writeWithoutResponse),
                let output = one(profile.output, ESPHomeCharacteristic.Property.notify),
                let notificationSwitch = output.notificationSwitch
            else { return nil }
            (self.tag, self.input, self.output) = (tag.handle, input.handle, output.handle)
            self.notificationSwitch = notificationSwitch
        }
    }

    private let profile: ApplicationProfile
    private var stage = Stage.idle
    private var mtu = 0
    private var services: [ESPHomeService] = []
    private var peer: Peer?
    private var subscription = Subscription.none
    private var isReading = false
    /// What waits until notifications are switched on.
    private var waiting: [UInt8]?

    /// Creates a call that has not begun.
    init(_ profile: ApplicationProfile) { self.profile = profile }

    /// Whether the call has not begun.
    var isIdle: Bool { stage == .idle }
    /// Whether a link can be made of it, or there is one.
    var isOpen: Bool { stage == .open }

    /// Begins to connect.
    mutating func begin() -> [Effect] {
        guard stage == .idle else { return [] }
        stage = .connecting
        return [.ask(.connect)]
    }

    /// Reads the tag; `tag` follows, or the end.
    mutating func readTag() -> [Effect] {
        guard stage == .open, !isReading, let peer else { return [.tag(nil)] }
        isReading = true
        return [.ask(.read(peer.tag))]
    }

    /// Writes a fragment to IN; before the first one, notifications are switched on.
    mutating func write(_ fragment: [UInt8]) -> [Effect] {
        guard stage == .open, let peer, waiting == nil else { return [.writeFailed] }
        switch subscription {
        case .switchedOn: return [.ask(.write(peer.input, fragment))]
        case .asked: return [.writeFailed]
        case .none:
            (subscription, waiting) = (.asked, fragment)
            return [.ask(.subscribe(peer.output))]
        }
    }

    /// Disconnects the device.
    mutating func leave() -> [Effect] {
        switch stage {
        case .idle: return end()
        case .leaving, .ended: return []
        case .connecting, .finding, .open:
            stage = .leaving
            return [.ask(.disconnect)]
        }
    }

    /// Ends the call: the ESPHome device is gone, or does not say that it has disconnected.
    mutating func end() -> [Effect] {
        guard stage != .ended else { return [] }
        stage = .ended
        return [.ended]
    }

    /// Takes what the ESPHome device says of the device.
    mutating func take(_ reply: ESPHomeReply) -> [Effect] {
        switch (reply, stage) {
        case (_, .idle), (_, .ended): return []
        case (.disconnected, .connecting), (.disconnected, .finding):
            return [.failed(.unreachable(code: EHOSTUNREACH))] + end()
        case (.disconnected, _): return end()
        case (.connected(let mtu), .connecting):
            // The largest that there is; the link bounds it further.
            self.mtu = Int(min(mtu, 517))
            stage = .finding
            return [.ask(.services)]
        case (.services(let some), .finding):
            // More than one is as many as there may be too many.
            services = Array((services + some.filter { $0.uuid == profile.service }).prefix(2))
            return []
        case (.servicesEnd, .finding):
            guard services.count == 1, let peer = Peer(services[0], profile) else {
                return [.failed(.unreachable(code: EPROTONOSUPPORT))] + leave()
            }
            (self.peer, services, stage) = (peer, [], .open)
            return [.found(mtu: mtu)]
        case (.failed, .connecting), (.failed, .finding):
            return [.failed(.unreachable(code: EHOSTUNREACH))] + leave()
        default: return stage == .open ? takeOpen(reply) : []
        }
    }

    private mutating func takeOpen(_ reply: ESPHomeReply) -> [Effect] {
        guard let peer else { return [] }
        switch reply {
        case .value(peer.tag, let bytes) where isReading:
            isReading = false
            return [.tag(Octets16(bytes.span).map { RecognitionTag($0) })]
        case .failed(peer.tag) where isReading:
            isReading = false
            return [.tag(nil)]
        case .notified(peer.output, let bytes): return [.fragment(bytes)]
        case .subscribed(peer.output) where subscription == .asked:
            return [.ask(.writeDescriptor(peer.notificationSwitch, [1, 0]))]
        case .written(peer.notificationSwitch) where subscription == .asked:
            subscription = .switchedOn
            guard let fragment = waiting else { return [] }
            waiting = nil
            return [.ask(.write(peer.input, fragment))]
        case .failed(peer.output), .failed(peer.notificationSwitch), .failed(peer.input):
            (waiting, subscription) = (nil, subscription == .asked ? .none : subscription)
            return [.writeFailed]
        default: return []
        }
    }
}
