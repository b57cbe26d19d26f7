#if Node
    import InklingAccess
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingTerminal
    import InklingWire

    extension Finding {
        /// Asks each configured proxy whether it can be an antenna, without taking it from anyone; returns nothing
        /// without a proxy. A running node already has its antennas and reports their state itself (`inkling status`).
        static func antennas(_ options: HomeOptions, profile: ApplicationProfile) async -> [Finding] {
            let settings: [AntennaSetting]
            do throws(Failure) { settings = try options.configuration().antennas } catch {
                return [Finding(.antennas, .fault, printable(error.what))]
            }
            var findings: [Finding] = []
            for setting in settings {
                // Antennas at a broker need only the broker.
                guard case .proxy = setting.source else { continue }
                do throws(Failure) {
                    let antenna = try setting.antenna(clock: SystemClock(), profile: profile, broker: nil)
                    guard let proxy = antenna as? ESPHomeAntenna else { continue }
                    findings.append(judge(setting.name, await proxy.tryOnce()))
                } catch {
                    let remedy = error.remedy.map { Remedy.sentence($0.description()) }
                    findings.append(
                        Finding(
                            .antennas, .fault, "\(printable(setting.name)): \(printable(error.what))",
                            remedies: [remedy].compactMap(\.self)))
                }
            }
            return findings
        }

        /// Judges the answer of a proxy.
        static func judge(_ name: String, _ error: AntennaError?) -> Finding {
            guard let error else { return Finding(.antennas, .ok, "\(printable(name)): works as an antenna") }
            let text = "\(printable(name)): \(error)"
            return switch error {
            case .wrongKey:
                Finding(
                    .antennas, .fault, text,
                    remedy: .sentence("Copy the key from the configuration of the device: api: encryption: key:"))
            case .mayBeTaken:
                Finding(
                    .antennas, .advice, text,
                    remedy: .sentence(
                        "Listen through Home Assistant (python3 -m inkling.antennas), or write exclusive = true."))
            case .noConnections:
                Finding(
                    .antennas, .fault, text,
                    remedy: .sentence(
                        "Write active: true below bluetooth_proxy: in the configuration of the device, or leave out connect = true."
                    ))
            default:
                Finding(
                    .antennas, .fault, text,
                    remedy: .sentence(
                        "Check that the device is on, and check its [[antennas]] table in the configuration."))
            }
        }
    }
#endif
