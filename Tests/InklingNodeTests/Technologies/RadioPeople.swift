import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingWire
import Testing

/// Creates two contacts with radios whose nodes are running. Unless they are on a network, they have nothing else.
func radioContacts(
    in simulation: Simulation, areOnNetwork: Bool = false, areVisible: Bool = true
) async throws -> (Person, Person) {
    let alice = try Person("Alice", in: simulation, isVisible: areVisible, hasRadio: true)
    let bob = try Person("Bob", in: simulation, isVisible: areVisible, hasRadio: true)
    if !areOnNetwork { simulation.network.partition([[alice.host], [bob.host]]) }
    await simulation.settle()
    try await acquaint(alice, bob)
    return (alice, bob)
}

extension Person {
    var air: SimulatedAir { simulation.air }
    var radio: SimulatedRadio { host.radio }

    /// The state of the node's Bluetooth.
    func bluetooth() async throws -> NodeStatus.Technology {
        try #require(await node.status().technologies.first { $0.technology == .bluetooth })
    }

    /// The summary of a contact.
    func contact(_ other: Person) async throws -> ContactSummary {
        try #require(await node.contacts().first { $0.user == other.user })
    }

    /// The times at which a technology began to show an epoch.
    func showings(over technology: LinkTechnologyID) -> [(time: UInt64, epoch: Epoch)] {
        story.compactMap { heard in
            if case .showing(let epoch, over: technology) = heard.event { (heard.time, epoch) } else { nil }
        }
    }

    /// The reasons of the silences of Bluetooth, in order.
    var radioSilences: [NodeEvent.SilenceReason] {
        events.compactMap { if case .silent(let reason, over: .bluetooth) = $0 { reason } else { nil } }
    }

    /// Returns the number of confirmations of a contact over a technology.
    func confirmations(of other: Person, over technology: LinkTechnologyID) -> Int {
        events.count {
            if case .confirmed(other.user, over: technology, _) = $0 { true } else { false }
        }
    }

    /// Waits until the radio is on the air.
    func waitForRadio(forSeconds seconds: UInt64 = 30) async throws {
        try await simulation.wait(forSeconds: seconds) { radio.address != nil }
    }

    /// The publication of the current epoch, as a stranger copies it: the minor is heard, and the tag is read.
    func copyOfPublication(by stranger: SimulatedStranger) async throws -> RadioPublication {
        try await waitForRadio()
        let link = try await stranger.connect(to: try #require(radio.address))
        let tag = try await link.readTag(within: .seconds(5))
        await link.close()
        return RadioPublication(minor: try #require(air.broadcasts(from: radio).last?.minor), tag: tag)
    }
}

/// The boundaries of epochs until now, in milliseconds since the beginning of the simulation.
func boundaries(in simulation: Simulation) -> [UInt64] {
    // A simulation begins ten minutes before the end of an epoch.
    Array(stride(from: 600_000, through: simulation.elapsed, by: 900_000))
}

/// Returns an address that no radio draws.
func strangeAddress(_ number: UInt64) throws -> DeviceAddress {
    try #require(DeviceAddress(0x4000_0000_0000 + number))
}

extension AirExchange {
    /// The facts that an observer learns without looking into the values: who sent, and how much.
    var outline: String {
        switch kind {
        case .readTag: "read"
        case .tag(let tag): tag == nil ? "error" : "tag"
        case .write(let value): "write \(value.count)"
        case .notify(let value): "notify \(value.count)"
        }
    }
}
