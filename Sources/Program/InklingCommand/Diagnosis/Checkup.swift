import InklingLinux
import InklingWire

/// What is observed of this machine for a node, and what is found: `inkling doctor`, and the dashboard of a running node.
struct Checkup: Sendable {
    /// The parts that are observed one after the other, so that a person sees the quick ones at once.
    enum Part: CaseIterable, Sendable { case system, multicast, bluetooth, broker, antennas }

    /// The home to look at; nil in the process that runs its node, which says itself how it is.
    var options: HomeOptions?
    /// For how many seconds multicast DNS of other machines is listened to.
    var listeningFor: UInt64
    /// Whether the clock is not judged, since the user has said that it is right.
    var trustsClock = false
    /// The Bluetooth adapter; nil for the first one.
    var adapter: String?
    var withoutBluetooth = false
    /// The identifiers by which the node is found.
    var profile: @Sendable () -> ApplicationProfile

    /// Observes one part, and returns what was found.
    func findings(of part: Part) async -> [Finding] {
        switch part {
        case .system:
            // Before a key is read.
            let gaps = ProcessHardening.apply()
            let home = options.map { HomeObservation.make($0) }
            let (evidence, now) = (SystemTimeEvidence().evidence(), SystemClock().read())
            let clock = trustsClock ? [] : [Finding.clock(evidence, at: now, latest: home?.latest)]
            return clock + (home.map { Finding.home($0) } ?? [])
                + [Finding.memory(limit: MemoryLimit.locked), Finding.protection(lacking: gaps)]
        case .multicast:
            #if Node
                let seconds = listeningFor
                return Finding.multicast(await blocking { MulticastObservation.make(listeningFor: seconds) })
            #else
                return [Finding.notInThisBuild(.multicast)]
            #endif
        case .bluetooth:
            guard !withoutBluetooth else { return [] }
            #if Node
                return Finding.bluetooth(await BluetoothObservation.make(for: profile()), adapter: adapter)
            #else
                return [Finding.notInThisBuild(.bluetooth)]
            #endif
        case .broker:
            #if Node
                guard let options else { return [] }
                return await Finding.broker(options)
            #else
                return []
            #endif
        case .antennas:
            #if Node
                guard let options else { return [] }
                return await Finding.antennas(options, profile: profile())
            #else
                return []
            #endif
        }
    }
}
