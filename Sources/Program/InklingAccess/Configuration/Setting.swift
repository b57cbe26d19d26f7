import ArgumentParser
import InklingTerminal

/// A setting of the configuration file. Parsing, `inkling config example` and the manual all use this list.
package enum Setting: String, CaseIterable {
    case home = "node.home"
    case keyFile = "node.key-file"
    case passphraseFile = "node.passphrase-file"
    case credential = "node.credential"
    case control = "node.control"
    case controlGroup = "node.control-group"
    case invisible = "node.invisible"
    case trustClock = "node.trust-clock"
    case tag = "node.tag"
    case arriveAfter = "node.arrive-after"
    case leaveAfter = "node.leave-after"
    case bluetooth = "bluetooth.use"
    case adapter = "bluetooth.adapter"
    case activeScan = "bluetooth.active-scan"
    case folder = "files.folder"
    case limit = "files.limit"
    case limits = "files.limits"
    case metricsAddress = "metrics.listen"
    case metricsOfContacts = "metrics.contacts"
    case dashboardAddress = "dashboard.listen"
    case logFormat = "log.format"
    case logOfContacts = "log.contacts"
    case broker = "mqtt.broker"
    case brokerUser = "mqtt.user"
    case brokerPasswordFile = "mqtt.password-file"
    case brokerPasswordCredential = "mqtt.password-credential"
    case brokerCertificates = "mqtt.ca-file"
    case brokerCertificate = "mqtt.certificate-file"
    case brokerCertificateKey = "mqtt.certificate-key"
    case discoveryPrefix = "mqtt.discovery-prefix"
    case deviceName = "mqtt.device-name"
    case brokerForAntennas = "mqtt.antennas-only"

    /// The form of a setting's values.
    package enum Form: Equatable {
        /// A non-empty string.
        case text
        /// An absolute path, since the file is used from any directory.
        case path
        case flag
        case seconds(ClosedRange<Int64>)
        /// A loopback address with a port.
        case loopback
        case choice([String])
        /// A size such as "20M".
        case size
        /// A table of sizes with names as keys.
        case sizes
        /// The address of an MQTT broker.
        case broker
        /// An MQTT topic without wildcards.
        case topic
    }

    /// The sections of the file in the order of the example, each with a description.
    package static let sections: [(name: String, about: String)] = [
        ("node", "The node: where its vault is, what unlocks it, and when contacts count as arrived and left."),
        ("bluetooth", "How the node uses Bluetooth."),
        ("files", "Files that contacts send."),
        ("metrics", "Metrics for Prometheus, at http://ADDRESS/metrics."),
        ("dashboard", "A page for a browser of this machine, at http://ADDRESS/."),
        ("log", "The log on standard error, and so in the journal."),
        ("mqtt", "Who is home, published for Home Assistant to an MQTT broker."),
    ]

    /// The name of the antenna tables, which are not settings.
    package static let antennas = "antennas"

    /// The name of its section.
    package var section: String { String(rawValue.prefix { $0 != "." }) }

    /// Its name in the section.
    package var key: String { String(rawValue.drop { $0 != "." }.dropFirst()) }

    package var form: Form {
        switch self {
        case .home, .keyFile, .passphraseFile, .folder, .brokerPasswordFile, .brokerCertificates, .brokerCertificate,
            .brokerCertificateKey, .control:
            .path
        case .credential, .controlGroup, .adapter, .brokerUser, .brokerPasswordCredential, .deviceName: .text
        case .broker: .broker
        case .discoveryPrefix: .topic
        case .invisible, .trustClock, .tag, .activeScan, .metricsOfContacts, .logOfContacts, .brokerForAntennas: .flag
        case .metricsAddress, .dashboardAddress: .loopback
        case .arriveAfter: .seconds(0...86_400)
        case .leaveAfter: .seconds(30...86_400)
        case .bluetooth: .choice(BluetoothUse.allCases.map(\.rawValue))
        case .logFormat: .choice(LogFormat.allCases.map(\.rawValue))
        case .limit: .size
        case .limits: .sizes
        }
    }

    /// A one-line description.
    package var meaning: String {
        switch self {
        case .home: "The home directory of the node."
        case .keyFile: "A key file of 32 to 4096 bytes unlocks the vault."
        case .passphraseFile: "The passphrase is the first line of this file, which only its owner may read."
        case .credential: "The systemd credential of this name unlocks the vault."
        case .control: "The socket through which commands reach the running node. Default: 'control' in the home."
        case .controlGroup: "Members of this group may use the socket too, for every command."
        case .invisible: "Start invisible, without looking for anyone, until 'inkling visible' changes that."
        case .trustClock: "Trust this machine's clock although it is not synchronised."
        case .tag: "Run as a tag, a device without a user: show nothing unless your primary device was near recently."
        case .arriveAfter: "Report contacts without a delay of their own as arrived after this many seconds."
        case .leaveAfter: "Report contacts without a delay of their own as left after this many seconds of silence."
        case .bluetooth: "Whatever the adapter and its settings allow, only a beacon, also links, or nothing."
        case .adapter: "The Bluetooth adapter; without it the first one."
        case .activeScan: "Let an adapter that cannot scan passively send scan requests; only with links."
        case .folder: "The folder for received files, which must exist; without it every file is refused."
        case .limit: "Files up to this size are accepted without asking: bytes, or with k, M or G."
        case .limits: "Other limits for some contacts."
        case .metricsAddress: "Serve metrics at this loopback address; by default they are not served."
        case .dashboardAddress: "Serve the dashboard at this loopback address; 'inkling dashboard' shows its token."
        case .metricsOfContacts: "Also report whether each contact is present, by name."
        case .logFormat: "Sentences, or JSON objects, one per line, that include events but name no one."
        case .logOfContacts: "With JSON, also give the contact of a line, by name and id."
        case .broker: "Publish at this broker; mqtts:// is for TLS. Without it nothing is published."
        case .brokerUser: "The user name at the broker."
        case .brokerPasswordFile: "The password is the first line of this file, which only its owner may read."
        case .brokerPasswordCredential: "The password is the first line of the systemd credential of this name."
        case .brokerCertificates:
            "Require that a CA in this file signed the broker's certificate. Default: the system's CAs."
        case .brokerCertificate: "A certificate of this node, for a broker that wants one."
        case .brokerCertificateKey: "The key of that certificate."
        case .discoveryPrefix: "Where Home Assistant looks for devices."
        case .deviceName: "What the device is called in Home Assistant."
        case .brokerForAntennas: "Use this broker only for antennas, and publish nothing."
        }
    }

    /// An example value, as written in the file.
    package var example: String {
        switch self {
        case .home: "\"/var/lib/inkling\""
        case .keyFile: "\"/etc/inkling/vault.key\""
        case .passphraseFile: "\"/etc/inkling/passphrase\""
        case .credential, .controlGroup: "\"inkling\""
        case .control: "\"/run/inkling/control\""
        case .invisible, .trustClock, .tag, .activeScan, .metricsOfContacts, .logOfContacts, .brokerForAntennas:
            "false"
        case .logFormat: "\"json\""
        case .metricsAddress: "\"127.0.0.1:9760\""
        case .dashboardAddress: "\"127.0.0.1:9761\""
        case .arriveAfter: "0"
        case .leaveAfter: "120"
        case .bluetooth: "\"auto\""
        case .adapter: "\"hci0\""
        case .folder: "\"/var/lib/inkling/received\""
        case .limit: "\"20M\""
        case .limits: "{ Ada = \"1G\", \"Bo Peep\" = \"500k\" }"
        case .broker: "\"mqtts://homeassistant.local:8883\""
        case .brokerUser: "\"inkling\""
        case .brokerPasswordFile: "\"/etc/inkling/mqtt-password\""
        case .brokerPasswordCredential: "\"mqtt-password\""
        case .brokerCertificates: "\"/etc/inkling/broker-ca.pem\""
        case .brokerCertificate: "\"/etc/inkling/node.pem\""
        case .brokerCertificateKey: "\"/etc/inkling/node-key.pem\""
        case .discoveryPrefix: "\"homeassistant\""
        case .deviceName: "\"Inkling\""
        }
    }

    /// The option of `inkling run` that overrides it, without `--`.
    package var option: String {
        switch self {
        case .bluetooth: "bluetooth"
        case .folder: "receive-files"
        case .limit, .limits: "file-limit"
        case .metricsAddress: "metrics"
        case .dashboardAddress: "dashboard"
        case .logFormat: "log"
        case .broker: "mqtt"
        case .brokerUser, .brokerPasswordFile, .brokerCertificates: "mqtt-\(key)"
        default: key
        }
    }

    /// The setting that this one requires; nil if none.
    package var needed: Setting? {
        switch self {
        case .limit, .limits: .folder
        case .logOfContacts: .logFormat
        case .brokerUser, .brokerCertificates, .discoveryPrefix, .deviceName, .brokerForAntennas: .broker
        case .brokerPasswordFile, .brokerPasswordCredential: .brokerUser
        case .brokerCertificate: .brokerCertificateKey
        case .brokerCertificateKey: .brokerCertificate
        default: nil
        }
    }
}

extension Setting.Form {
    /// The allowed values in words.
    package var expectation: String {
        switch self {
        case .text: "a string that is not empty"
        case .path: "an absolute path"
        case .flag: "true or false"
        case .seconds(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .loopback: "a loopback address with a port such as \"127.0.0.1:9760\""
        case .choice(let words): "one of " + words.map { "\"\($0)\"" }.joined(separator: ", ")
        case .size: "a size such as \"500k\", \"20M\" or \"1G\""
        case .sizes: "a table of sizes such as { Ada = \"1G\" }"
        case .broker: "mqtt://HOST[:PORT] or mqtts://HOST[:PORT], without a user name or a password"
        case .topic: "a topic without + and #, such as \"homeassistant\""
        }
    }
}

/// The use of Bluetooth by a node.
package enum BluetoothUse: String, ExpressibleByArgument, CaseIterable {
    /// As much as the adapter and its settings allow; nothing without an adapter.
    case auto
    /// A beacon to which no one can connect, and listening.
    case beacon
    /// A beacon, and links in both directions.
    case links
    case off
}
