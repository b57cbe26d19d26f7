// Without the trait Node there is no store to test.
#if Node
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingVault
    import InklingWire

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    // The process that the durability rig kills, and the one that looks at what is left.
    //
    //   InklingDurabilityPeer create HOME KEY
    //   InklingDurabilityPeer write HOME KEY SEED [full|normal|off] [COUNT]
    //   InklingDurabilityPeer check KEY HOME…
    //   InklingDurabilityPeer adopt KEY HOME…
    //   InklingDurabilityPeer befriend|clocks …    see Clocks.swift
    //
    // `write` says what it is about to do, and says it again when that was acknowledged: `t` and `a` before `put`, `remove` or
    // `save` and a number. When an operation has failed it says why, and whether a message can still be read. `check` prints one line for each home: what the vault and the store hold, or their errors.

    /// Writes a line at once, in one call, so that a reader sees it whole or not at all.
    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
        if count != bytes.count { exit(1) }
    }

    /// A generator that repeats itself from its seed.
    struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    let user = UserID(Octets16(high: 7, low: 7))

    func place(_ number: UInt64) -> MessagePlace {
        MessagePlace(.queued, contact: user, device: .first, number: number)
    }

    /// The body of a message tells its number, so that one in the wrong place is noticed.
    func body(_ number: UInt64) -> [UInt8] {
        var generator = SplitMix(state: number)
        let length = Int.random(in: 8...3000, using: &generator)
        return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            + (8..<length).map { _ in generator.next() }
    }

    func open(_ home: String, _ key: String, adopting: Bool = false) throws(VaultError) -> Vault {
        try VaultFile(home: home).open(with: try VaultKey.keyFile(at: key), adoptingRestoredCopy: adopting)
    }

    /// The value of the vault that the rig follows.
    func count(of contents: VaultContents) -> UInt64 { contents.latestAcceptedTime ?? 0 }

    func create(_ home: String, _ key: String) throws {
        var generator = SystemRandomNumberGenerator()
        guard let period = Period(500_000) else { return }
        var contents = try NodeIdentity.makeContents(name: "Ada", now: period, using: &generator)
        contents.messageStore = .drawn()
        _ = try VaultFile(home: home).create(contents, key: try VaultKey.keyFile(at: key))
    }

    /// The numbers of the stored messages whose bodies are right; `wrong` counts the others.
    func numbers(in loaded: LoadedMessages, of store: SQLiteMessageStore) async -> (right: [UInt64], wrong: Int) {
        var right: [UInt64] = []
        var wrong = 0
        for row in loaded.rows {
            if (try? await store.body(at: row.place)) == body(row.place.number) {
                right.append(row.place.number)
            } else {
                wrong += 1
            }
        }
        return (right, wrong)
    }

    func writeOn(_ home: String, _ key: String, seed: UInt64, _ synchronisation: Synchronisation, limit: Int)
        async throws
    {
        var vault = try open(home, key)
        guard let anchor = vault.contents.messageStore else { return }
        let store = SQLiteMessageStore(home: home, anchor: anchor, synchronisation: synchronisation)
        let loaded = try await store.load()
        let (right, wrong) = await numbers(in: loaded, of: store)
        var present = right
        say(line(vault, loaded, right, wrong))
        var next = max(present.last ?? 0, count(of: vault.contents), loaded.generation) + 1
        var generator = SplitMix(state: seed)
        var generation = loaded.generation
        for _ in 0..<limit {
            do {
                switch UInt64.random(in: 0..<8, using: &generator) {
                case 0:
                    say("t save \(next)")
                    vault.contents.latestAcceptedTime = next
                    vault.contents.messageStore?.noteGeneration(generation)
                    try vault.save()
                    say("a save \(next)")
                case 1...3 where present.count > 30:
                    let number = present.removeFirst()
                    say("t remove \(number)")
                    generation = try await store.apply([.remove(place(number))])
                    say("a remove \(number) \(generation)")
                default:
                    say("t put \(next)")
                    generation = try await store.apply([.put(place(next), body(next))])
                    say("a put \(next) \(generation)")
                    present.append(next)
                }
            } catch {
                say("e \(word(error))")
                if let number = present.first {
                    let isRight = (try? await store.body(at: place(number))) == body(number)
                    say("r \(isRight ? "right" : "wrong") \(number)")
                }
                usleep(2000)
            }
            next += 1
        }
    }

    /// The name of a fault.
    func word(_ error: any Error) -> String {
        var text = "\(error)"
        if let error = error as? VaultError { text = "vault.\(error.fault.name)" }
        if let error = error as? MessageStoreError {
            if case .file(let fault) = error.fault {
                text = "store.\(fault.name)"
            } else {
                text = "store.\(error.fault.name)"
            }
        }
        return text
    }

    func line(_ vault: borrowing Vault, _ loaded: LoadedMessages, _ right: [UInt64], _ wrong: Int) -> String {
        let findings = loaded.findings.map { "\"\($0.name)\"" }.joined(separator: ",")
        let numbers = right.map { "\($0)" }.joined(separator: ",")
        return "{\"count\":\(count(of: vault.contents)),\"saves\":\(vault.header.generation),\"numbers\":[\(numbers)],"
            + "\"wrong\":\(wrong),\"generation\":\(loaded.generation),\"era\":\(loaded.era),\"findings\":[\(findings)]}"
    }

    func check(_ home: String, _ key: String, adopting: Bool) async {
        do {
            let vault = try open(home, key, adopting: adopting)
            guard let anchor = vault.contents.messageStore else { return say("{\"error\":\"no anchor\"}") }
            let store = SQLiteMessageStore(home: home, anchor: anchor)
            let loaded = try await store.load()
            let (right, wrong) = await numbers(in: loaded, of: store)
            say(line(vault, loaded, right, wrong))
        } catch {
            say("{\"error\":\"\(word(error))\"}")
        }
    }

    extension VaultError.Fault {
        var name: String {
            switch self {
            case .alreadyRunning: "alreadyRunning"
            case .counterMissing: "counterMissing"
            case .damaged: "damaged"
            case .diskFull: "diskFull"
            case .foreign: "foreign"
            case .missing: "missing"
            case .newerVersion: "newerVersion"
            case .notAFile: "notAFile"
            case .parametersOutOfRange: "parametersOutOfRange"
            case .readOnly: "readOnly"
            case .restoredOldCopy: "restoredOldCopy"
            case .tooLarge: "tooLarge"
            case .truncated: "truncated"
            case .unsafePermissions: "unsafePermissions"
            default: "\(self)"
            }
        }
    }

    extension MessageStoreError.Fault {
        var name: String {
            switch self {
            case .file(let fault): fault.name
            case .foreign: "foreign"
            case .newerVersion: "newerVersion"
            case .tooLarge: "tooLarge"
            case .damaged: "damaged"
            case .bodyTooLarge: "bodyTooLarge"
            case .closed: "closed"
            }
        }
    }

    extension MessageStoreFinding {
        var name: String {
            switch self {
            case .restoredOldCopy: "restoredOldCopy"
            case .restoredVault: "restoredVault"
            case .unknownAge: "unknownAge"
            case .changedRows: "changedRows"
            case .damagedRows: "damagedRows"
            case .setAside: "setAside"
            }
        }
    }

    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
        switch (arguments.first, arguments.count) {
        case ("create", 3): try create(arguments[1], arguments[2])
        case ("write", 4...6):
            let mode = arguments.count > 4 ? Synchronisation(rawValue: arguments[4].uppercased()) : .full
            let limit = arguments.count > 5 ? Int(arguments[5]) : Int.max
            guard let seed = UInt64(arguments[3]), let mode, let limit else { exit(64) }
            try await writeOn(arguments[1], arguments[2], seed: seed, mode, limit: limit)
        case ("befriend", 5):
            guard let truth = UInt64(arguments[2]) else { exit(64) }
            try await befriend(arguments[1], truth: truth, Array(arguments[3...]))
        case ("clocks", 8):
            guard let seed = UInt64(arguments[4]), let truth = UInt64(arguments[5]), let first = UInt64(arguments[6])
            else { exit(64) }
            try await live(
                arguments[1], Array(arguments[2...3]), seed: seed, truth: truth, first: first, plan: arguments[7])
        case ("check", 3...): for home in arguments[2...] { await check(home, arguments[1], adopting: false) }
        case ("adopt", 3...): for home in arguments[2...] { await check(home, arguments[1], adopting: true) }
        default: exit(64)
        }
    } catch {
        say("{\"error\":\"\(word(error))\"}")
        exit(1)
    }
#endif
