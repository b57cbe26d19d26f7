#if Node
    import InklingAccess
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingTerminal
    import InklingVault
    import InklingWire

    extension AntennaSetting {
        /// Creates the antenna.
        ///
        /// - Throws: `Failure` when its key cannot be read, or when there is no broker for one that needs it.
        func antenna(
            clock: any NodeClock, profile: ApplicationProfile, broker: MQTTBroker?
        ) throws(Failure) -> any Antenna {
            switch source {
            case .proxy(let host, let port, let device, let keyFile, let isExclusive, let canConnect):
                return ESPHomeAntenna(
                    name: name, room: room, host: host, port: port, key: try key(keyFile), deviceName: device,
                    isExclusive: isExclusive, canConnect: canConnect, clock: clock, profile: profile)
            case .broker(let key, let prefix):
                guard let format = BrokerSighting.Format(rawValue: key.rawValue), let broker else {
                    throw Failure(
                        .configuration, "the antenna '\(printable(name))' needs an MQTT broker",
                        remedy: "Set it in the section [mqtt]: broker = \(Setting.broker.example)")
                }
                return BrokerAntenna(
                    name: name, room: room, format, below: prefix, at: broker, clock: clock, profile: profile)
            }
        }

        /// Reads a proxy's key; nil without a file.
        private func key(_ keyFile: String?) throws(Failure) -> SecretBox<SecretBytes>? {
            var key: SecretBox<SecretBytes>?
            if let keyFile {
                let text = try vaultFailure { () throws(VaultError) in try VaultKey.secretFile(at: keyFile) }
                guard let parsed = text.withBytes({ ESPHomeKey.parse($0) }) else {
                    throw Failure(
                        .configuration, "\(printable(keyFile)): not a key of 32 bytes in base64",
                        remedy: "Copy it from the configuration of the device: api: encryption: key:")
                }
                key = SecretBox(parsed)
            }
            return key
        }
    }
#endif
