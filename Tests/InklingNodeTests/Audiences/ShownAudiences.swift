import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

/// The values that a person shows under each audience, computed from keys alone, to tell from a capture which one was
/// on the air.
struct ShownAudiences {
    enum Audience: Hashable {
        case all
        case contact(UserID)
    }

    private var names: [OpaqueServiceName: Audience] = [:]
    private var minors: [BeaconMinor: Audience] = [:]
    private let person: Person

    /// Computes the values of the epochs from the current one on, for the audience of all contacts and for the pair audience
    /// of each reader.
    init(of person: Person, readers: [Person], epochs count: UInt32 = 12) async throws {
        self.person = person
        let contents = await person.keeper.contents
        let first = try #require(Epoch(containing: person.host.clock.read().unixSeconds))
        var trees = [(Audience.all, try #require(contents.audiences.first).tree)]
        for reader in readers { trees.append((.contact(reader.user), try await pairTree(from: person, to: reader))) }
        for (audience, tree) in trees {
            for number in first.number..<first.number + count {
                let epoch = try #require(Epoch(number))
                let keys = try unwrap(tree.value.periodKey(epoch.period)).deviceKeys(.first)
                names[keys.mdns.serviceName(epoch)] = audience
                minors[keys.beacon.minor(epoch)] = audience
            }
        }
    }

    /// The moments at which one of the audiences was on the network or on the air, in their order.
    var moments: [(time: UInt64, audience: Audience)] {
        var moments: [(time: UInt64, audience: Audience)] = []
        for sighting in person.simulation.network.sightings(from: person.host) {
            if case .announcement(let instance) = sighting.kind, let audience = names[instance.name] {
                moments.append((sighting.time, audience))
            }
        }
        for broadcast in person.simulation.air.broadcasts(from: person.host.radio) {
            guard let audience = broadcast.minor.flatMap({ minors[$0] }) else { continue }
            moments += [(broadcast.first, audience), (broadcast.last, audience)]
        }
        return moments.sorted { $0.time < $1.time }
    }

    /// The audiences that were shown one after the other, over all technologies together. An audience that was shown beside
    /// another returns in it.
    var sequence: [Audience] {
        moments.map(\.audience).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The audience of a name.
    func audience(of name: OpaqueServiceName) -> Audience? { names[name] }
}

/// Computes the pair audience of a person for a reader from the person's seed and the reader's card.
func pairTree(from person: Person, to reader: Person) async throws -> SecretBox<AudienceTree> {
    let seed = try #require(await person.keeper.contents.rootSeed)
    let root = try PairAudience.root(
        own: seed.value.presenceKey(generation: 1), peer: reader.firstCard.presence, advertising: true)
    return SecretBox(AudienceTree(root: root))
}

/// Discovery whose sessions stay open when they are closed: a planted fault.
struct LastingDiscovery: ServiceDiscovery {
    let base: any ServiceDiscovery

    struct Session: DiscoverySession {
        let base: any DiscoverySession
        var events: AsyncStream<DiscoveryEvent> { base.events }
        func recognise(_ names: KnownNames) async { await base.recognise(names) }
        func search(_ name: OpaqueServiceName, at host: OpaqueHostName?) async { await base.search(name, at: host) }
        func answer(_ instances: [ServiceInstance]) async { await base.answer(instances) }
        func close(goodbye: Bool) async {}
    }

    func open(
        _ publication: Publication, recognising names: KnownNames
    ) async throws(DiscoveryError) -> any DiscoverySession {
        Session(base: try await base.open(publication, recognising: names))
    }

    func heardNames() async -> [OpaqueServiceName] { await base.heardNames() }
}

/// A radio that goes off the air seconds after it was asked to.
struct SlowRadio: BluetoothRadio {
    let base: any BluetoothRadio
    let clock: any NodeClock
    let delay: UInt64

    struct Session: RadioSession {
        let base: any RadioSession
        let clock: any NodeClock
        let delay: UInt64
        var carriesLinks: Bool { base.carriesLinks }
        var reports: AsyncStream<RadioReport> { base.reports }
        var links: AsyncStream<any Link> { base.links }
        func close() async {
            try? await clock.sleep(until: clock.read().tick.advanced(byMilliseconds: delay))
            await base.close()
        }
    }

    func open(_ publication: RadioPublication?) async throws(RadioError) -> any RadioSession {
        Session(base: try await base.open(publication), clock: clock, delay: delay)
    }

    func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink {
        try await base.connect(to: address, within: timeout)
    }
}
