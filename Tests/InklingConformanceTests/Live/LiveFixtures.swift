import InklingConformance
import InklingNode
import InklingWire

/// The evidence of a live run for a correct node, and for nodes with one fault each.
enum LiveFixtures {
    typealias Record = DNSMessage.Record

    static let name = "ee86ffa399825968e402a6832c863656"
    static let host = "247f2895250d23da6bb0d8d9e9808ea3"
    static let newName = "4bfc5b501e8469baa43d07fbdb67b3e8"
    static let newHost = "0c9a1f5e7b3d48a2916c5d0e8f7a6b5c"
    static let boundary: Int64 = 1_785_600_900_000
    static let source = Endpoint.Address.v4(0x0a4d_0001)

    /// Creates the records of an instance as specified.
    static func records(
        _ name: String = name, host: String = host, port: UInt16 = 41_969, timeToLive: UInt32 = 120
    ) -> [Record] {
        let instance = ServiceNames.instance(name)
        let machine = DNSName([host, "local"])
        return [
            Record(
                instance, isUnique: true, timeToLive: timeToLive,
                .service(priority: 0, weight: 0, port: port, host: machine)),
            Record(ServiceNames.type, isUnique: false, timeToLive: timeToLive, .pointer(instance)),
            Record(machine, isUnique: true, timeToLive: timeToLive, .address4([10, 77, 0, 1])),
            Record(instance, isUnique: true, timeToLive: timeToLive, .text([0x03, 0x76, 0x3d, 0x31])),
        ]
    }

    static func response(_ records: [Record], at: Int64, from source: Endpoint.Address = source) -> ObservedPacket {
        ObservedPacket(at: at, source: source, DNSMessage(isResponse: true, records: records))
    }

    static func question(
        _ name: DNSName, _ type: UInt16, at: Int64, from source: Endpoint.Address = source
    ) -> ObservedPacket {
        ObservedPacket(
            at: at, source: source, DNSMessage(isResponse: false, questions: [DNSMessage.Question(name, type)]))
    }

    /// The evidence for one fault, with the check that detects it and the checks that fail as well.
    struct FaultyNode: Sendable {
        let check: String
        var also: Set<String> = []
        let verdicts: [LiveVerdict]
    }

    // MARK: Discovery

    static func discovery(_ records: [Record] = records(), and more: [ObservedPacket] = []) -> DiscoveryEvidence {
        DiscoveryEvidence(
            name: name,
            packets: [
                question(ServiceNames.type, DNSMessage.RecordType.ptr, at: boundary - 60_000),
                response(records, at: boundary - 59_000),
            ] + more, words: ["Ada"])
    }

    private static func replacing(_ place: Int, _ record: Record) -> [Record] {
        var all = records()
        all[place] = record
        return all
    }

    private static func service(_ priority: UInt16, _ weight: UInt16, _ port: UInt16, _ host: String) -> Record.Content
    {
        .service(priority: priority, weight: weight, port: port, host: DNSName(host))
    }

    static let discoveryFaults: [FaultyNode] = {
        let instance = ServiceNames.instance(name)
        let machine = DNSName([host, "local"])
        func unique(_ owner: DNSName, _ content: Record.Content) -> Record {
            Record(owner, isUnique: true, timeToLive: 120, content)
        }
        func faulty(
            _ check: String, _ records: [Record], also: Set<String> = [], and more: [ObservedPacket] = []
        ) -> FaultyNode {
            FaultyNode(check: "live-discovery-\(check)", also: also, verdicts: discovery(records, and: more).verdicts)
        }
        let mac: [UInt8] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0x16, 0x3e, 0xff, 0xfe, 1, 2, 3]
        let many = (1...5).map { unique(machine, .address4([10, 77, 0, UInt8($0)])) }
        var upper = DiscoveryEvidence(
            name: name.uppercased(),
            packets: [response(records(name.uppercased()), at: boundary - 59_000)])
        upper.words = ["Ada"]
        var short = upper
        short.name = String(name.dropLast())
        short.packets = [response(records(String(name.dropLast())), at: boundary - 59_000)]
        return [
            FaultyNode(check: "live-discovery-name", verdicts: upper.verdicts),
            FaultyNode(check: "live-discovery-name", verdicts: short.verdicts),
            faulty(
                "host",
                replacing(0, unique(instance, service(0, 0, 41_969, "raspberrypi.local")))
                    + [unique(DNSName("raspberrypi.local"), .address4([10, 77, 0, 1]))],
                also: ["live-discovery-machine"]),
            faulty("records", records() + [unique(machine, .other(type: 47))]),
            faulty("records", Array(records().prefix(3))),
            faulty("records", Array(records().prefix(2)) + [records()[3]]),
            faulty(
                "ttl", replacing(1, Record(ServiceNames.type, isUnique: false, timeToLive: 4500, .pointer(instance)))),
            faulty("text", replacing(3, unique(instance, .text([0x05] + Array("u=bob".utf8))))),
            faulty("text", replacing(3, unique(instance, .text([0])))),
            faulty(
                "text", replacing(3, unique(instance, .text([0x05] + Array("u=ada".utf8)))),
                also: ["live-discovery-machine"]),
            faulty("service", replacing(0, unique(instance, service(0, 1, 41_969, "\(host).local")))),
            faulty("service", replacing(0, unique(instance, service(0, 0, 0, "\(host).local")))),
            faulty("unique", replacing(1, unique(ServiceNames.type, .pointer(instance)))),
            faulty(
                "unique",
                replacing(2, Record(machine, isUnique: false, timeToLive: 120, .address4([10, 77, 0, 1])))),
            faulty("addresses", records() + [unique(machine, .address6(mac))]),
            faulty("addresses", records() + [unique(machine, .address4([127, 0, 0, 1]))]),
            faulty("addresses", records() + many),
            faulty(
                "machine", records(),
                and: [response([unique(DNSName("laptop.local"), .address4([10, 77, 0, 1]))], at: boundary - 58_000)]),
            faulty(
                "meta", records(),
                and: [
                    response(
                        [Record(ServiceNames.meta, isUnique: false, timeToLive: 120, .pointer(ServiceNames.type))],
                        at: boundary - 58_000)
                ]),
            faulty(
                "meta", records(),
                and: [
                    response(
                        [unique(DNSName("1.0.77.10.in-addr.arpa"), .pointer(machine))], at: boundary - 58_000)
                ]),
            faulty(
                "questions", records(), and: [question(instance, DNSMessage.RecordType.txt, at: boundary - 58_000)]),
        ]
    }()

    // MARK: Silence

    static var silence: SilenceEvidence {
        var evidence = SilenceEvidence()
        for (number, check) in LiveCheck.all.enumerated() where check.part == .silence && check.id != alike {
            evidence.outcomes[check.id] = ConnectionOutcome(.reset, after: 5_000 + Int64(number % 7))
        }
        return evidence
    }

    private static let alike = "live-silence-alike"
    private static let unfinished: Set<String> = ["live-silence-nothing", "live-silence-byte", "live-silence-part"]

    static let silenceFaults: [FaultyNode] = {
        let wrong: [ConnectionOutcome] = [
            ConnectionOutcome(.reset, after: 5_000, receivedCount: 37), ConnectionOutcome(.closed, after: 5_000),
            ConnectionOutcome(.reset, after: 3), ConnectionOutcome(.closed, after: 0),
            ConnectionOutcome(.open, after: SilenceEvidence.patience), ConnectionOutcome(.refused(code: 111), after: 0),
        ]
        var faultyNodes: [FaultyNode] = []
        for check in LiveCheck.all where check.part == .silence && check.id != alike {
            let isCompared = !unfinished.contains(check.id)
            for outcome in wrong + (isCompared ? [ConnectionOutcome(.reset, after: 8_000)] : []) {
                var evidence = silence
                evidence.outcomes[check.id] = outcome
                faultyNodes.append(
                    FaultyNode(check: check.id, also: isCompared ? [alike] : [], verdicts: evidence.verdicts))
            }
        }
        // Each is within the tolerance, but the two can be distinguished.
        var apart = silence
        apart.outcomes["live-silence-gate"] = ConnectionOutcome(.reset, after: 4_600)
        apart.outcomes["live-silence-unknown"] = ConnectionOutcome(.reset, after: 5_400)
        return faultyNodes + [FaultyNode(check: alike, verdicts: apart.verdicts)]
    }()

    // MARK: The contact

    static var contact: ContactEvidence {
        var evidence = ContactEvidence(
            predictedName: name, predictedHost: host,
            shown: ShownInstance(name: name, host: DNSName([host, "local"]), port: 41_969))
        evidence.call = .confirmed(milliseconds: 12)
        evidence.greeting = .hello
        evidence.receipts = 1
        return evidence
    }

    static let contactFaults: [FaultyNode] = {
        func faulty(_ check: String, _ change: (inout ContactEvidence) -> Void) -> FaultyNode {
            var evidence = contact
            change(&evidence)
            return FaultyNode(check: "live-contact-\(check)", verdicts: evidence.verdicts)
        }
        let machine = DNSName([host, "local"])
        return [
            faulty("name") { $0.shown = ShownInstance(name: newName, host: machine, port: 41_969) },
            faulty("host") { $0.shown = ShownInstance(name: name, host: DNSName([newHost, "local"]), port: 41_969) },
            faulty("handshake") { $0.call = .silent(ConnectionOutcome(.reset, after: 5_000)) },
            faulty("handshake") { $0.call = .unreachable },
            faulty("handshake") { $0.call = .refused(stage: "noise", reason: "decryption-failed") },
            faulty("hello") {
                $0.greeting = .refused(stage: "session", reason: "hello-expected")
                $0.receipts = nil
            },
            faulty("hello") {
                $0.greeting = .noRecord
                $0.receipts = nil
            },
            faulty("receipt") { $0.receipts = 0 }, faulty("receipt") { $0.receipts = 2 },
            faulty("receipt") { $0.strangeReceipts = 1 },
        ]
    }()

    // MARK: Rotation

    /// A node that sends a goodbye in the last second and returns 3 s after the boundary.
    static var rotation: RotationEvidence {
        var evidence = RotationEvidence(
            boundary: boundary, uncertainty: 300,
            before: ShownInstance(name: name, host: DNSName([host, "local"]), port: 41_969),
            packets: [
                response(records(), at: boundary - 59_000),
                response(records(timeToLive: 0), at: boundary - 900),
                question(ServiceNames.type, DNSMessage.RecordType.ptr, at: boundary + 2_950),
                response(records(newName, host: newHost, port: 42_000), at: boundary + 3_000),
            ])
        evidence.predicted = (newName, newHost)
        evidence.askedAt = boundary + 5_000
        evidence.isOldPortOpen = false
        evidence.strangerEnd = .at(boundary - 990)
        evidence.sessionEnd = .at(boundary - 991)
        evidence.call = .confirmed(milliseconds: 9)
        return evidence
    }

    static let rotationFaults: [FaultyNode] = {
        func faulty(_ check: String, also: Set<String> = [], _ change: (inout RotationEvidence) -> Void) -> FaultyNode {
            var evidence = rotation
            change(&evidence)
            return FaultyNode(
                check: "live-rotation-\(check)", also: Set(also.map { "live-rotation-\($0)" }),
                verdicts: evidence.verdicts)
        }
        let new = ServiceNames.instance(newName)
        let moved = Record(
            new, isUnique: true, timeToLive: 120,
            .service(priority: 0, weight: 0, port: 42_000, host: DNSName([newHost, "local"])))
        return [
            // Nothing changes at the boundary.
            faulty(
                "name",
                also: ["host", "silence", "gap", "goodbye", "predicted", "old-name"]
            ) {
                $0.packets.append(response(records(), at: boundary + 9_000))
                $0.packets.removeSubrange(2...3)
            },
            // It leaves and does not return.
            faulty("name", also: ["gap", "predicted"]) { $0.packets.removeSubrange(2...3) },
            faulty("host", also: ["predicted", "old-name"]) {
                $0.packets[3] = response(records(newName, host: host, port: 42_000), at: boundary + 3_000)
                $0.packets.append(response(records(newName, host: host, port: 42_000), at: boundary + 6_000))
            },
            faulty("port") { $0.packets[3] = response(records(newName, host: newHost), at: boundary + 3_000) },
            // The host changes later than the name.
            faulty("together", also: ["host", "predicted"]) {
                $0.packets[3] = response(records(newName, host: host, port: 42_000), at: boundary + 3_000)
                $0.packets.append(response([moved], at: boundary + 4_000))
            },
            faulty("together") {
                $0.packets.append(response(records(newName, host: newHost, port: 43_000), at: boundary + 4_000))
            },
            faulty("silence") {
                $0.packets.insert(
                    question(ServiceNames.type, DNSMessage.RecordType.ptr, at: boundary + 1_000), at: 2)
            },
            faulty("gap") {
                $0.packets.remove(at: 2)
                $0.packets[2] = response(records(newName, host: newHost, port: 42_000), at: boundary - 500)
            },
            faulty("gap") {
                $0.packets.remove(at: 2)
                $0.packets[2] = response(records(newName, host: newHost, port: 42_000), at: boundary + 11_500)
            },
            faulty("goodbye") { $0.packets[1] = response(records(timeToLive: 0), at: boundary - 2_000) },
            faulty("goodbye", also: ["silence"]) {
                $0.packets[1] = response(records(timeToLive: 0), at: boundary + 2_000)
            },
            faulty("goodbye") { $0.packets[1] = response([records(timeToLive: 0)[1]], at: boundary - 900) },
            faulty("goodbye") { $0.packets.insert(response(records(), at: boundary - 500), at: 2) },
            faulty("old-name", also: ["name", "host", "goodbye"]) {
                $0.packets.append(response([records()[0]], at: boundary + 5_500))
            },
            faulty("old-port") { $0.isOldPortOpen = true },
            faulty("strangers") { $0.strangerEnd = .never },
            faulty("strangers") { $0.strangerEnd = .at(boundary + 2_000) },
            faulty("sessions") { $0.sessionEnd = .never },
            faulty("sessions") { $0.sessionEnd = .at(boundary + 1_000) },
            faulty("predicted") { $0.predicted = (String(repeating: "a", count: 32), newHost) },
            faulty("predicted") { $0.predicted = (newName, host) },
            faulty("confirm") { $0.call = .silent(ConnectionOutcome(.reset, after: 5_000)) },
        ]
    }()
}
