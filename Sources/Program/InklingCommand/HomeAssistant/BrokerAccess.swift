import ArgumentParser
import InklingAccess
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault

/// The options for access to an MQTT broker, completed by the configuration.
struct BrokerAccess: ParsableArguments {
    /// The maximum length of a password in bytes.
    static let passwordLimit = 1024

    @Option(help: ArgumentHelp("The user name at the broker.", valueName: "name")) var mqttUser: String?
    @Option(
        help: ArgumentHelp(
            "The password at the broker is the first line of this file, which only its owner may read.",
            valueName: "file"))
    var mqttPasswordFile: String?
    @Option(
        help: ArgumentHelp(
            "Require that a CA in this file signed the broker's certificate. Default: the system's CAs.",
            valueName: "file"))
    var mqttCaFile: String?

    /// Options without values, so that the configuration decides.
    static var unset: BrokerAccess {
        var options = BrokerAccess()
        (options.mqttUser, options.mqttPasswordFile, options.mqttCaFile) = (nil, nil, nil)
        return options
    }

    func validate() throws {
        if mqttPasswordFile != nil, mqttUser == nil { throw ValidationError("--mqtt-password-file needs --mqtt-user") }
    }

    /// Throws if the value of `--mqtt` is not an address.
    static func validate(_ mqtt: String?) throws {
        guard let mqtt, MQTTAddress(mqtt) == nil else { return }
        throw ValidationError(
            """
            --mqtt must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT], without a user name or a password: use \
            --mqtt-user and --mqtt-password-file
            """)
    }

    /// Returns the broker at `mqtt`, the value of `--mqtt`, or else that of the configuration; nil when neither names
    /// one.
    ///
    /// - Throws: `Failure` when the password cannot be read, or certificates are given for a broker without TLS.
    func broker(at mqtt: String?, _ configuration: Configuration) throws(Failure) -> MQTTBroker? {
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
        return broker
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
