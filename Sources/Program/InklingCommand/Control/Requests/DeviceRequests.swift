import InklingAccess
import InklingJSON
import InklingKeys
import InklingNode
import InklingTerminal
import InklingVault
import InklingWire

// The user's own devices: link another one, list and remove them.

extension Request {
    /// Reports the devices on the user's card.
    struct Devices: NodeRequest {
        static let name = "devices", isBrief = true

        func run(on served: ServedNode, for peer: Peer<DeviceFact>) async throws(Failure) {
            for fact in try await DeviceFact.all(of: served.node) { await peer.take(fact) }
        }
    }

    /// Opens a device link, and reports the new device once it has stored what it was sent.
    struct AddDevice: NodeRequest {
        static let name = "add-device"
        let minutes: UInt64

        func check() throws(JSONShapeError) { try checkLife(ofInvitation: minutes) }

        func run(on served: ServedNode, for peer: Peer<InvitationNews<DeviceFact>>) async throws(Failure) {
            let node = served.node
            let port = InvitationPort()
            let opened = try await nodeFailure { () async throws(NodeError) in
                try await node.linkDevice(lasting: .seconds(minutes * 60), portChanged: { port.change(to: $0) }) {
                    introduction in await peer.ask(IntroductionFact(introduction))
                }
            }
            await peer.take(.opened(try InvitationFact(opened, as: .deviceLink)))
            let moves = Task { for await next in port.changes { await peer.take(.port(PortFact(port: next))) } }
            defer { moves.cancel() }
            let outcome = await node.untilWithdrawn { () async throws(NodeError) in try await node.linkOutcome() }
            if case .failure(.invitationEnded) = outcome {
                throw Failure(
                    .unavailable, "the device link expired unused",
                    remedy: .command("Create a new one with", "device add"))
            }
            let device = try await nodeFailure { () throws(NodeError) in try outcome.get() }
            for fact in try await DeviceFact.all(of: node) where fact.device == device.index.number {
                await peer.take(.agreed(fact))
            }
        }
    }

    /// Removes a device from the card, and reports its former entry.
    struct RemoveDevice: NodeRequest {
        static let name = "remove-device"
        let device: DeviceIndex

        func run(on served: ServedNode, for peer: Peer<DeviceFact>) async throws(Failure) {
            let listed = try await DeviceFact.all(of: served.node).first { $0.device == device.number }
            try await nodeFailure { () async throws(NodeError) in try await served.node.removeDevice(device) }
            if let listed { await peer.take(listed) }
        }
    }
}

/// A device on the user's own card. Times are RFC 3339 in UTC.
struct DeviceFact: NodeFact, Hashable {
    static let kind = "device"

    let device: UInt8
    /// Whether it holds the identity.
    let primary: Bool
    /// Whether it is this device.
    let own: Bool
    let certifiedUntil: String
    /// The time at which this device last started a session with it; nil if never, and for devices that only the
    /// primary meets.
    var lastMet: String?

    /// Returns the devices on the user's card.
    fileprivate static func all(of node: Node) async throws(Failure) -> [DeviceFact] {
        let own = await node.ownDevice
        let met = await node.devicesLastMet()
        return try await nodeFailure { () async throws(NodeError) in try await node.devices() }.map {
            DeviceFact(
                device: $0.index.number, primary: $0.isPrimary, own: $0.index == own,
                certifiedUntil: timestamp(endOf: $0.to), lastMet: met[$0.index].map { timestamp($0) })
        }
    }

    /// The human-readable line.
    var line: String {
        let roles = [primary ? "primary" : nil, own ? "this device" : nil].compactMap { $0 }
        let role = roles.isEmpty ? "" : ", \(roles.joined(separator: ", "))"
        return "device \(device)\(role), certified until \(certifiedUntil)\(lastMet.map { ", last met \($0)" } ?? "")\n"
    }
}
