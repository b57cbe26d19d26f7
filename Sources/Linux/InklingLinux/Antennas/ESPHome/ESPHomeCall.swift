internal import InklingKeys
internal import InklingNode
internal import InklingWire

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A connection that an ESPHome device makes to another device for us, from the request to the end
/// (`Specs/antennas.md`).
///
/// A value without a socket or a clock. Like the node's own radio it does one thing at a time: connect, find the
/// service, read the tag, and subscribe once there is something to write.
struct ESPHomeCall: Sendable {
    enum Effect: Hashable, Sendable {
        /// Send this request to the ESPHome device.
        case ask(ESPHomeRequest)
        /// The device is connected and serves Inkling; with the ATT MTU in bytes.
        case found(mtu: Int)
        /// The device is unreachable or does not serve Inkling.
        case failed(LinkError)
        /// The tag was read; `nil` if the device shows none.
        case tag(RecognitionTag?)
        /// OUT has notified this fragment.
        case fragment([UInt8])
        /// A value cannot be written.
        case writeFailed
        /// The call has ended. This is the last effect.
        case ended
    }

    private enum Stage: Hashable {
        case idle, connecting, finding, open, leaving, ended
    }

    private enum Subscription: Hashable {
        case none, asked, switchedOn
    }

    /// The handles of a device's characteristics.
    private struct Peer: Hashable {
        let tag, input, output, notificationSwitch: UInt64

        /// Finds Inkling's characteristics; `nil` unless all are present.
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
    /// The fragment that waits until notifications are on.
    private var waiting: [UInt8]?

    /// Creates a call that has not begun.
    init(_ profile: ApplicationProfile) { self.profile = profile }

    /// Whether the call has not begun.
    var isIdle: Bool { stage == .idle }
    /// Whether the device is connected and usable for a link.
    var isOpen: Bool { stage == .open }

    /// Begins to connect.
    mutating func begin() -> [Effect] {
        guard stage == .idle else { return [] }
        stage = .connecting
        return [.ask(.connect)]
    }

    /// Reads the tag; `tag` or the end follows.
    mutating func readTag() -> [Effect] {
        guard stage == .open, !isReading, let peer else { return [.tag(nil)] }
        isReading = true
        return [.ask(.read(peer.tag))]
    }

    /// Writes a fragment to IN; the first write enables notifications.
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

    /// Ends the call: the ESPHome device is gone, or did not confirm the disconnect.
    mutating func end() -> [Effect] {
        guard stage != .ended else { return [] }
        stage = .ended
        return [.ended]
    }

    /// Handles a reply about the device.
    mutating func take(_ reply: ESPHomeReply) -> [Effect] {
        switch (reply, stage) {
        case (_, .idle), (_, .ended): return []
        case (.disconnected, .connecting), (.disconnected, .finding):
            return [.failed(.unreachable(code: EHOSTUNREACH))] + end()
        case (.disconnected, _): return end()
        case (.connected(let mtu), .connecting):
            // The largest possible ATT MTU; the link limits it further.
            self.mtu = Int(min(mtu, 517))
            stage = .finding
            return [.ask(.services)]
        case (.services(let some), .finding):
            // Two are enough to see that there are too many.
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
