import ArgumentParser
import InklingHomeAssistant
import InklingKeys
import InklingLinux
import InklingNode

/// The options that say at which broker of MQTT a node publishes who is home.
struct BrokerOptions: ParsableArguments {
    /// The greatest length of a password in bytes.
    static let passwordLimit = 1024

    @Option(
        help: ArgumentHelp(
            """
            Publish who is home at this broker, in the form of Home Assistant's discovery: mqtt://HOST[:PORT], or \
            mqtts://HOST[:PORT] for TLS.
            """,
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

    /// Options that say nothing, so that the configuration decides.
    static var unset: BrokerOptions {
        var options = BrokerOptions()
        (options.mqtt, options.mqttUser, options.mqttPasswordFile, options.mqttCaFile) = (nil, nil, nil, nil)
        return options
    }

    func validate() throws {
        if let mqtt, MQTTAddress(mqtt) == nil {
            throw ValidationError(
                """
                --mqtt must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT], without a user name or a password: these have \
                options of their own
                """)
        }
        if mqttPasswordFile != nil, mqttUser == nil { throw ValidationError("--mqtt-password-file needs --mqtt-user") }
    }

    /// The broker that these options and the configuration name, and how the node shows itself there; nil for none. A
    /// node with antennas can say in which room a contact is.
    ///
    /// - Throws: `Failure` when the password cannot be read.
    func broker(
        _ configuration: Configuration, hasAntennas: Bool = false
    ) throws(Failure) -> (MQTTBroker, HomeSettings)? {
        guard let text = mqtt ?? configuration.text(.broker), let address = MQTTAddress(text) else { return nil }
        var broker = MQTTBroker(address)
        broker.certificatesFile = mqttCaFile ?? configuration.text(.brokerCertificates)
        if let certificate = configuration.text(.brokerCertificate), let key = configuration.text(.brokerCertificateKey)
        {
            broker.ownCertificate = (certificate, key)
        }
        let hasFiles = broker.certificatesFile != nil || broker.ownCertificate != nil
        guard address.isSecure || !hasFiles else {
            throw Failure(
                .configuration, "\(address) has no TLS, and certificates are given for it",
                remedy: "Write mqtts:// for TLS, or leave the certificates out.")
        }
        broker.user = mqttUser ?? configuration.text(.brokerUser)
        broker.password = try password(configuration)
        var settings = HomeSettings(version: VersionFact().version)
        settings.hasRooms = hasAntennas
        if let prefix = configuration.text(.discoveryPrefix) { settings.discoveryPrefix = prefix }
        if let name = configuration.text(.deviceName) { settings.deviceName = name }
        return (broker, settings)
    }

    private func password(_ configuration: Configuration) throws(Failure) -> SecretBox<SecretBytes>? {
        let password: SecretBytes
        do throws(VaultError) {
            if let file = mqttPasswordFile ?? configuration.text(.brokerPasswordFile) {
                password = try PrivateLine.read(file, limit: Self.passwordLimit)
            } else if let name = configuration.text(.brokerPasswordCredential) {
                password = try PrivateLine.credential(named: name, limit: Self.passwordLimit)
            } else {
                return nil
            }
        } catch {
            guard error.fault == .missing else { throw Failure(error) }
            throw Failure(
                .configuration, "\(printable(error.path)): there is no password for the broker",
                remedy: "Write it into this file, in the first line.")
        }
        let isFit = password.withBytes { bytes in
            (1...Self.passwordLimit).contains(bytes.count) && bytes.indices.allSatisfy { bytes[$0] != 0 }
        }
        guard isFit else {
            throw Failure(
                .badData, "the password for the broker must have 1 to \(Self.passwordLimit) bytes, none of them zero")
        }
        return SecretBox(password)
    }
}
