#if Node
    import InklingAccess
    import InklingLinux
    import InklingTerminal

    #if canImport(Glibc)
        import Glibc
    #endif

    extension Finding {
        /// The time within which a broker must answer.
        private static let brokerLimit = Duration.seconds(20)

        /// Tries the configured broker without publishing anything; returns nothing without one.
        static func broker(_ options: HomeOptions) async -> [Finding] {
            do throws(Failure) {
                guard let broker = try BrokerAccess.unset.broker(at: nil, try options.configuration()) else {
                    return []
                }
                return [judge(broker.address, await answer(of: broker))]
            } catch {
                return [Finding(.broker, .fault, printable(error.what))]
            }
        }

        /// Returns why a broker does not accept the connection; nil when it does.
        private static func answer(of broker: MQTTBroker) async -> MQTTFault? {
            guard let client = MQTTClient(broker, name: "inkling-doctor-\(getpid())", will: nil) else {
                return .unreachable(code: EAGAIN)
            }
            let fault = await withTaskGroup(of: MQTTFault?.self) { group in
                group.addTask {
                    for await event in client.events {
                        switch event {
                        case .connected: return nil
                        case .disconnected(let fault): return fault
                        case .received: continue
                        }
                    }
                    return .timedOut
                }
                group.addTask {
                    try? await Task.sleep(for: brokerLimit)
                    return .timedOut
                }
                defer { group.cancelAll() }
                return await group.next() ?? .timedOut
            }
            await client.stop()
            return fault
        }

        /// Judges the answer of a broker.
        static func judge(_ address: MQTTAddress, _ fault: MQTTFault?) -> Finding {
            guard let fault else { return Finding(.broker, .ok, "\(address): accepts this node") }
            let remedy: Remedy =
                switch fault {
                case .wrongPassword:
                    .sentence("Put the right user and password-file under [mqtt] in the configuration.")
                case .tls: .sentence("Set ca-file under [mqtt] to the CA certificate that signed the broker's.")
                case .unusableFiles: .sentence("Check ca-file, certificate-file and certificate-key under [mqtt].")
                case .notInstalled: .command("apt-get install libmosquitto1")
                default: .sentence("Check that the broker runs, and check 'broker' under [mqtt] in the configuration.")
                }
            return Finding(.broker, .fault, "\(address): \(fault)", remedy: remedy)
        }
    }
#endif
