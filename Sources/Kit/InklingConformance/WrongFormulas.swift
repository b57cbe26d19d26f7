internal import InklingJSON
internal import InklingKeys
internal import InklingVectors

/// The results of implementations with a known mistake in a formula.
enum WrongFormulas {
    struct Mistake {
        let result: JSONObject
        let words: String
    }

    /// Returns the results of an operation with each known mistake.
    static func of(_ operation: String, _ arguments: JSONObject) -> [Mistake] {
        switch operation {
        case "mdns-name", "mdns-host", "beacon-minor", "gatt-tag", "confirm-psk", "confirm-gate-key":
            epochKeyed(operation, arguments)
        case "pair-root", "pairwise-psk": publicKeys(operation, arguments)
        case "epoch": epochs(arguments)
        case "minor-schedule": unscheduled(arguments)
        case "accepted-epochs": withoutSkew(arguments)
        default: []
        }
    }

    // MARK: Identifiers of an epoch

    private static func epochKeyed(_ operation: String, _ arguments: JSONObject) -> [Mistake] {
        guard let digits = arguments["key"]?.text, let key = Hex.decode(digits), let epoch = number(arguments["epoch"])
        else { return [] }
        let own = labels.first { $0.operation == operation }?.label ?? ""
        var mistakes: [Mistake] = []
        func add(_ key: [UInt8], _ words: String, _ message: (inout HashInput) -> Void) {
            let code = hmacSHA256(key: key.span, message: message)
            var bytes: [UInt8] = []
            code.withBytes { bytes.append($0) }
            mistakes.append(Mistake(result: shown(operation, bytes[...]), words: words))
        }
        let decimal = Array(String(epoch).utf8)
        for other in labels where other.operation != operation {
            add(key, "the label of `\(other.operation)` is used") { input in
                input.append(other.label)
                input.append(decimal.span)
            }
        }
        add(Array(digits.utf8), "the hexadecimal digits of `key` are used as the key") { input in
            input.append(own)
            input.append(decimal.span)
        }
        let forms: [(String, (inout HashInput) -> Void)] = [
            ("the epoch is appended as four bytes, not as decimal digits", { $0.append(u32: epoch) }),
            ("the epoch is appended as eight bytes, not as decimal digits", { $0.append(u64: UInt64(epoch)) }),
            (
                "the epoch is appended as four bytes in little-endian order, not as decimal digits",
                { $0.append(u32: epoch.byteSwapped) }
            ),
            ("the period is appended, not the epoch", { $0.append(Array(String(epoch >> 2).utf8).span) }),
            ("the beginning of the epoch in seconds is appended", { $0.append(Array(String(epoch * 900).utf8).span) }),
            ("a line feed follows the message", { $0.append(Array("\(epoch)\n".utf8).span) }),
        ]
        for (words, form) in forms {
            add(key, words) { input in
                input.append(own)
                form(&input)
            }
        }
        add(key, "the label is left out") { $0.append(decimal.span) }
        add(key, "`Derive` is used, not `H`") { input in
            input.append(DerivationLabel.prefix)
            input.append(u8: 0)
            input.append(own)
            input.append(decimal.span)
            input.append(u8: 0)
            input.append(u8: 1)
        }
        add(Array(own.description.utf8) + decimal, "key and message of the HMAC are swapped") { $0.append(key.span) }
        var right: [UInt8] = []
        hmacSHA256(key: key.span) { input in
            input.append(own)
            input.append(decimal.span)
        }.withBytes { right.append($0) }
        let size = sizes[operation] ?? right.count
        if size < right.count {
            mistakes.append(
                Mistake(
                    result: shown(operation, right.suffix(size)),
                    words: "the end of the HMAC is used, not the beginning"))
        }
        let hashed = sha256 { input in
            input.append(key.span)
            input.append(own)
            input.append(decimal.span)
        }
        var plain: [UInt8] = []
        hashed.withBytes { plain.append($0) }
        mistakes.append(
            Mistake(result: shown(operation, plain[...]), words: "SHA-256 of key and message is used, not HMAC"))
        return mistakes
    }

    private static let labels: [(operation: String, label: StaticString)] = [
        ("mdns-name", DerivationLabel.serviceName), ("mdns-host", DerivationLabel.hostName),
        ("beacon-minor", DerivationLabel.beaconMinor), ("gatt-tag", DerivationLabel.recognitionTag),
        ("confirm-psk", DerivationLabel.confirmPSK), ("confirm-gate-key", DerivationLabel.confirmGate),
    ]

    private static let sizes = ["mdns-name": 16, "mdns-host": 16, "beacon-minor": 2, "gatt-tag": 16]

    /// Returns the result of an operation from the HMAC's output.
    private static func shown(_ operation: String, _ bytes: ArraySlice<UInt8>) -> JSONObject {
        let part = Array(bytes.prefix(sizes[operation] ?? bytes.count))
        switch operation {
        case "mdns-name": return ["name": .hex(part.span)]
        case "mdns-host": return ["host": .hex(part.span)]
        case "beacon-minor": return ["minor": .integer(part.reduce(0) { $0 << 8 | Int($1) })]
        case "gatt-tag": return ["tag": .hex(part.span)]
        case "confirm-psk": return ["psk": .hex(part.span)]
        default: return ["key": .hex(part.span)]
        }
    }

    // MARK: Keys of a pair

    private static func publicKeys(_ operation: String, _ arguments: JSONObject) -> [Mistake] {
        guard let secret = arguments["secret"]?.text.flatMap(Hex.decode), secret.count == 32,
            let peer = arguments["peerPublic"]?.text.flatMap(Hex.decode), peer.count == 32
        else { return [] }
        let key = SecretBytes(copying: secret.span)
        var own: [UInt8] = []
        X25519.publicKey(of: key).withBytes { own.append($0) }
        let (first, second) =
            operation == "pair-root" && arguments["advertising"]?.flag == false ? (peer, own) : (own, peer)
        let ordered = first.lexicographicallyPrecedes(second) ? (first, second) : (second, first)
        let member = operation == "pair-root" ? "root" : "psk"
        let salt = operation == "pair-root" ? DerivationLabel.pairAudienceSalt : DerivationLabel.pairPSKSalt
        let label = operation == "pair-root" ? DerivationLabel.pairRoot : DerivationLabel.pairPSK
        var shared: [UInt8] = []
        if let octets = Octets32(peer.span) {
            try? X25519.agree(key, with: octets).withBytes { shared.append($0) }
        }
        func derived(_ material: [UInt8], _ context: [UInt8], salted: Bool = true) -> JSONObject {
            let extracted = salted ? extract(salt: salt, from: material.span) : SecretBytes(copying: material.span)
            return [member: .hex(derive(label, from: extracted) { $0.append(context.span) })]
        }
        var mistakes = [
            Mistake(
                result: derived(first + second, first + second),
                words: "only public keys are used: anyone can compute the value"),
            Mistake(
                result: derived(ordered.0 + ordered.1, ordered.0 + ordered.1),
                words: "only public keys are used: anyone can compute the value"),
            Mistake(
                result: derived(own, first + second), words: "the user's own public key is used, not the shared secret"),
        ]
        guard !shared.isEmpty else { return mistakes }
        mistakes += [
            Mistake(result: derived(shared, []), words: "the public keys are left out of the context"),
            Mistake(
                result: derived(shared, first + second, salted: false),
                words: "the shared secret is used as a key without Extract"),
            Mistake(result: [member: .hex(shared.span)], words: "the shared secret itself is returned"),
        ]
        let other = operation == "pair-root" ? ordered : (first, second)
        let words =
            operation == "pair-root"
            ? "the public keys are sorted, so that both directions share a root" : "the public keys are not sorted"
        mistakes.append(Mistake(result: derived(shared, other.0 + other.1), words: words))
        mistakes.append(
            Mistake(result: derived(shared, second + first), words: "the public keys are in the wrong order"))
        return mistakes
    }

    // MARK: Time

    private static func epochs(_ arguments: JSONObject) -> [Mistake] {
        guard let seconds = number64(arguments["unixSeconds"]) else { return [] }
        func mistake(_ epoch: Int64, _ period: Int64, _ words: String) -> Mistake {
            Mistake(result: ["epoch": .integer(epoch), "period": .integer(period)], words: words)
        }
        let epoch = seconds / 900
        let rounded = (seconds + 450) / 900
        let raised = (seconds + 899) / 900
        return [
            mistake(rounded, rounded >> 2, "the epoch is rounded to the nearest"),
            mistake(raised, raised >> 2, "the epoch is rounded up"),
            mistake(epoch, (epoch + 3) >> 2, "the period is rounded up"),
            mistake(epoch, seconds / 900, "the period is the epoch"),
            mistake(seconds / 600, seconds / 600 >> 2, "an epoch has 600 seconds"),
            mistake(seconds / 1800, seconds / 1800 >> 2, "an epoch has 1,800 seconds"),
        ]
    }

    private static func unscheduled(_ arguments: JSONObject) -> [Mistake] {
        guard let epoch = number64(arguments["epoch"]), let minutes = number64(arguments["minutes"]), minutes >= 15
        else { return [] }
        let count = minutes / 15
        return [
            Mistake(result: ["epoch": .integer(epoch)], words: "the length of the schedule is ignored"),
            Mistake(result: ["epoch": .integer(epoch / count)], words: "the quotient is returned, not the epoch"),
            Mistake(
                result: ["epoch": .integer((epoch + count - 1) / count * count)], words: "the epoch is rounded up"),
        ]
    }

    private static func withoutSkew(_ arguments: JSONObject) -> [Mistake] {
        guard let seconds = number64(arguments["unixSeconds"]), let skew = number64(arguments["skew"]) else {
            return []
        }
        let epoch = seconds / 900
        let offset = seconds % 900
        func mistake(_ lookUp: [Int64], _ answered: [Int64], _ words: String) -> Mistake {
            Mistake(
                result: [
                    "current": .integer(epoch), "lookUp": .list(lookUp.map { .integer($0) }),
                    "answer": .list(answered.map { .integer($0) }),
                ], words: words)
        }
        let before = epoch > 0 && offset < skew ? [epoch - 1] : []
        let after = offset >= 900 - skew ? [epoch + 1] : []
        let inclusive = epoch > 0 && offset <= skew ? [epoch - 1] : []
        return [
            mistake([epoch], [epoch], "the skew allowance is ignored"),
            mistake(before + [epoch] + after, before + [epoch] + after, "the next epoch is included"),
            mistake(inclusive + [epoch] + after, inclusive + [epoch], "an offset equal to the skew still counts"),
            mistake(
                before + [epoch] + (offset > 900 - skew ? [epoch + 1] : []), before + [epoch],
                "an offset of 900 s less the skew does not count"),
            mistake([epoch - 1, epoch, epoch + 1], [epoch - 1, epoch], "all neighbouring epochs always count"),
        ]
    }

    private static func number64(_ value: JSON?) -> Int64? { value?.integer ?? value?.text.flatMap { Int64($0) } }

    private static func number(_ value: JSON?) -> UInt32? { number64(value).flatMap { UInt32(exactly: $0) } }
}
