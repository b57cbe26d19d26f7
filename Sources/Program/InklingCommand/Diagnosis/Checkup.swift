import InklingAccess
import InklingLinux
import InklingTerminal
import InklingWire

/// A checkup of this machine for a node, made by `inkling doctor` and by the dashboard of a running node.
struct Checkup: Sendable {
    /// The parts, observed one after the other so that a person sees the quick ones at once.
    enum Part: CaseIterable, Sendable { case system, multicast, bluetooth, broker, antennas }

    /// The home to check; nil in the process that runs its node, which reports its own state.
    var options: HomeOptions?
    /// The number of seconds to listen for multicast DNS of other machines.
    var listeningFor: UInt64
    /// Whether the user vouches for the clock, so that it is not judged.
    var trustsClock = false
    /// The Bluetooth adapter; nil for the first one.
    var adapter: String?
    var withoutBluetooth = false
    /// The identifiers by which the node is found.
    var profile: @Sendable () -> ApplicationProfile

    /// Observes one part, and returns the findings.
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
