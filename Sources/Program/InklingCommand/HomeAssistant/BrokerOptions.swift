import ArgumentParser
import InklingAccess
import InklingHomeAssistant
import InklingLinux
import InklingTerminal

/// The options for the MQTT broker to which a node publishes who is home.
struct BrokerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Publish who is home to this broker, for Home Assistant's MQTT discovery: mqtt://HOST[:PORT], or \
            mqtts://HOST[:PORT] for TLS.
            """,
            valueName: "address"))
    var mqtt: String?
    @OptionGroup var access: BrokerAccess

    func validate() throws { try BrokerAccess.validate(mqtt) }

    /// Returns the broker that these options and the configuration name; nil for none.
    ///
    /// - Throws: `Failure` when the password cannot be read.
    func broker(_ configuration: Configuration) throws(Failure) -> MQTTBroker? {
        try access.broker(at: mqtt, configuration)
    }

    /// Returns how the node shows itself at its broker; nil when the broker is for antennas only. A node with antennas
    /// can report the room of a contact.
    func settings(_ configuration: Configuration, hasAntennas: Bool) -> HomeSettings? {
        guard mqtt != nil || !configuration.flag(.brokerForAntennas) else { return nil }
        var settings = HomeSettings(version: VersionFact().version)
        settings.hasRooms = hasAntennas
        if let prefix = configuration.text(.discoveryPrefix) { settings.discoveryPrefix = prefix }
        if let name = configuration.text(.deviceName) { settings.deviceName = name }
        return settings
    }
}
