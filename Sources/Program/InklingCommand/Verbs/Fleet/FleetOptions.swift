import ArgumentParser
import Dispatch
import InklingAccess
import InklingFleet
import InklingLinux
import InklingNode
import InklingTerminal
import InklingWire

/// The options that every part of a fleet has.
struct FleetOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name of the fleet: lower-case letters, digits and hyphens.", valueName: "name"))
    var fleet = "main"
    @Option(
        help: ArgumentHelp(
            "The broker: mqtts://HOST[:PORT]; mqtt:// without TLS only on this machine. Default: that of [mqtt].",
            valueName: "address"))
    var mqtt: String?
    @OptionGroup var access: BrokerAccess
    @Option(
        help: ArgumentHelp(
            "Take the settings of [mqtt] and [[antennas]] from this file. Default: as for 'inkling config'.",
            valueName: "file"))
    var config: String?
    @Flag(help: "Print one JSON object for each event.") var json = false

    func validate() throws {
        guard FleetTopics.isName(fleet) else {
            throw ValidationError("--fleet must be 1 to 32 lower-case letters, digits and hyphens, got '\(fleet)'")
        }
        try BrokerAccess.validate(mqtt)
    }

    /// Returns the settings of the configuration file; none without a file.
    func configuration() throws(Failure) -> Configuration {
        try ConfigurationFile.find(config)?.configuration ?? Configuration()
    }

    /// Returns the topics of the fleet, and its broker.
    ///
    /// - Throws: `Failure` when there is no broker, or when sightings would cross a network without TLS.
    func place(_ configuration: Configuration) throws(Failure) -> (topics: FleetTopics, broker: MQTTBroker) {
        guard let topics = FleetTopics(fleet: fleet), let broker = try access.broker(at: mqtt, configuration) else {
            throw Failure(
                .usage, "a fleet needs an MQTT broker", remedy: "Add --mqtt mqtts://HOST, or set it in [mqtt].")
        }
        guard broker.address.isSecure || broker.address.isOnThisMachine else {
            throw Failure(
                .usage, "\(broker.address) has no TLS, which the sightings of a fleet require",
                remedy: "Write mqtts:// for TLS.")
        }
        return (topics, broker)
    }
}

extension MQTTAddress {
    /// Whether the broker is reached over the loopback interface.
    fileprivate var isOnThisMachine: Bool {
        let place = host.contains(":") ? "[\(host)]" : host
        return host == "localhost" || Endpoint("\(place):\(port)")?.address.isLoopback == true
    }
}

#if Node
    /// A part of a fleet, which runs until it is stopped.
    protocol FleetPart: Sendable {
        func run() async throws(Failure)
        func stop()
    }

    extension FleetPart {
        /// Runs until Ctrl-C or SIGTERM.
        func runUntilSignal() async throws(Failure) {
            let signals = onSignals { stop() }
            defer { for signal in signals { signal.cancel() } }
            try await run()
        }
    }
#endif
