import ArgumentParser
import Dispatch
import InklingFleet
import InklingLinux
import InklingNode
import InklingSession

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The options that every part of a fleet has.
struct FleetOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name of the fleet: lower-case letters, digits and hyphens.", valueName: "name"))
    var fleet = "main"
    @Option(
        help: ArgumentHelp(
            "The broker: mqtts://HOST[:PORT]; mqtt:// without TLS only on this machine. Default: that of [mqtt].",
            valueName: "address"))
    var mqtt: String?
    @Option(help: ArgumentHelp("The user name at the broker.", valueName: "name")) var mqttUser: String?
    @Option(
        help: ArgumentHelp(
            "The password at the broker is the first line of this file, which only its owner may read.",
            valueName: "file"))
    var mqttPasswordFile: String?
    @Option(
        help: ArgumentHelp(
            "The certificate of the broker must come from one in this file. Default: those of the system.",
            valueName: "file"))
    var mqttCaFile: String?
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
        try brokerOptions.validate()
    }

    private var brokerOptions: BrokerOptions {
        var options = BrokerOptions.unset
        (options.mqtt, options.mqttUser) = (mqtt, mqttUser)
        (options.mqttPasswordFile, options.mqttCaFile) = (mqttPasswordFile, mqttCaFile)
        return options
    }

    /// The settings of the configuration file; none without a file.
    func configuration() throws(Failure) -> Configuration {
        try ConfigurationFile.find(config)?.configuration ?? Configuration()
    }

    /// The topics of the fleet, and its broker.
    ///
    /// - Throws: `Failure` when there is none, or when sightings would cross a network without TLS.
    func place(_ configuration: Configuration) throws(Failure) -> (topics: FleetTopics, broker: MQTTBroker) {
        guard let topics = FleetTopics(fleet: fleet), let (broker, _) = try brokerOptions.broker(configuration) else {
            throw Failure(
                .usage, "a fleet needs a broker of MQTT", remedy: "Add --mqtt mqtts://HOST, or name it in [mqtt].")
        }
        guard broker.address.isSecure || broker.address.isOnThisMachine else {
            throw Failure(
                .usage, "\(broker.address) has no TLS, and the sightings of a fleet go over TLS alone",
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

/// Calls `stop` when the process is told to end.
func onSignals(_ stop: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
    // `FleetReport` notices when the reader of the events has gone away.
    signal(SIGPIPE, SIG_IGN)
    return [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { stop() }
        source.resume()
        return source
    }
}
