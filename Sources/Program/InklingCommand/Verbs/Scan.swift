import ArgumentParser
import Dispatch
import InklingAccess
import InklingEngine
import InklingLinux
import InklingNode
import InklingPredictions
import InklingTerminal
import InklingVault

/// `inkling scan`
struct Scan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Listen over Bluetooth for nearby nodes, and count strangers and contacts.",
        discussion: """
            Listens for beacons of Inkling and shows nothing to others. A contact that is listed may be near: its \
            beacon can be copied, and a stranger's is equal by chance with the odds that are shown (inkling-kit odds). Only \
            a running node proves who is near. A device that begins its next quarter of an hour counts twice.

            Strangers are counted, and their addresses are not shown without --all. Contacts are recognised with the \
            home's vault or by the node that runs in it; without a home, everyone is a stranger.

            With --strangers, it reports whether a stranger's beacon travels with you. Move around meanwhile: where \
            people stay, at home or in a train, their beacons stay too, and it cannot tell. Three whole quarters of an \
            hour are needed, so up to an hour. Exits with 1 when a beacon travels along, 0 when none does, and 69 when \
            it cannot tell. It hears devices of this profile only, and nothing that transmits in another way.

            Without passive scanning, which bluetoothd may not offer, nothing is heard unless --active-scan is given: \
            the adapter then sends scan requests to all devices near, at times under its public address.

            Examples:
              $ inkling scan --home ada
              $ inkling scan --strangers --home ada
              $ inkling scan --without-home --for 2m --json
            """)

    @OptionGroup var options: HomeOptions
    @OptionGroup var profile: ProfileOptions
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Listen for this long: 10s, 2m or 1h; at most a day.", discussion: "Default: 10s, or 1h with --strangers."))
    var length: ScanDuration?
    @Option(help: "Listen with this adapter, such as hci0. Default: the first one.") var adapter: String?
    @Flag(help: "Let the adapter send scan requests if it cannot scan passively.") var activeScan = false
    @Flag(help: "Report whether a stranger's beacon travels with you.") var strangers = false
    @Flag(help: "Do not open the vault, and recognise nobody.") var withoutHome = false
    @Flag(help: "Show each beacon's address and minor, by which people can be tracked.") var all = false
    @Flag(help: "Print JSON objects: one for each beacon, then one for the whole.") var json = false

    func validate() throws {
        guard !withoutHome || options.home == nil else {
            throw ValidationError("--without-home cannot be combined with --home")
        }
        guard !strangers || !all else { throw ValidationError("--all cannot be combined with --strangers") }
    }

    func run() async throws {
        try await reporting(home: options.home) { try await scan() }
    }

    private func scan() async throws(Failure) {
        let sources = withoutHome ? nil : try await sources()
        let duration = length ?? ScanDuration(seconds: strangers ? 3600 : 10)
        let profile = try profile.profile(in: withoutHome ? nil : options)
        #if Node
            let listening: BeaconListening
            do throws(BeaconListening.Refusal) {
                listening = try await BeaconListening.open(
                    adapter: adapter, allowsActiveScan: activeScan, profile: profile)
            } catch {
                switch error {
                case .radio(let error): throw Failure(error)
                case .onlyActively:
                    throw Failure(
                        .unavailable, "bluetoothd offers no passive scan",
                        remedy: "Start bluetoothd with the option -E, or allow scan requests with --active-scan.")
                }
            }
            // End the scan, but still show the result.
            let signals = onSignals { Task { await listening.close() } }
            defer { for signal in signals { signal.cancel() } }
            let seconds = duration.seconds
            let end = Task {
                guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
                await listening.close()
            }
            let judge = BeaconJudge(contacts: sources?.contacts, own: sources?.own)
            let outcome: Failure?
            do throws(Failure) {
                if strangers {
                    var run = CompanionRun(
                        for: duration, isActive: listening.isActive, recognises: sources != nil, asJSON: json,
                        judge: judge)
                    try await run.take(listening.reports)
                } else {
                    var run = ScanRun(
                        for: duration, isActive: listening.isActive, recognises: sources != nil, showsAddresses: all,
                        asJSON: json, judge: judge)
                    try await run.take(listening.reports)
                }
                outcome = nil
            } catch {
                outcome = error
            }
            end.cancel()
            await listening.close()
            if let outcome { throw outcome }
        #else
            _ = (sources, profile)
            try requireNetwork()
        #endif
    }

    /// Returns the predictions of the contacts and of this node itself; nil when there is no home.
    private func sources() async throws(Failure) -> (contacts: PredictionSource, own: PredictionSource)? {
        let place = try options.control()
        if try ControlSocket.connect(to: place) != nil {
            return (PredictionSource(nodeAt: place), PredictionSource(nodeAt: place, own: true))
        }
        do throws(VaultError) { _ = try VaultFile(home: place.home).header() } catch {
            // A home named by an option must exist.
            guard error.fault == .missing, options.home == nil else { throw Failure(error) }
            writeError("inkling: no vault in \(place.home); everyone is a stranger\n")
            return nil
        }
        let opened = try await OpenedNode(options, isVisible: false)
        let own = await opened.node.ownPrediction()
        return (
            PredictionSource(await opened.node.recognisableContacts()),
            PredictionSource([(label: "", grants: own?.grants ?? [])])
        )
    }
}
