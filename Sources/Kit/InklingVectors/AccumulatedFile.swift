package import InklingJSON
internal import InklingKeys

/// A vector file in which each case is a digest of many outputs of one derivation (`Specs/conformance.md`).
public struct AccumulatedFile: Sendable {
    static let schema = "schema/accumulated.schema.json"

    /// A digest of many outputs.
    public struct Case: Sendable {
        /// The id, unique in the file and stable over time.
        public let id: String
        /// A description of the case.
        public let comment: String
        /// The operation whose outputs are digested.
        public let operation: String
        /// The number of outputs.
        public let count: Int
        /// The digest: 64 hexadecimal digits of SHA-256 over the outputs in order.
        public let digest: String
    }

    /// The page that specifies the operations.
    public let specification: String
    /// A description of the file in one sentence.
    public let description: String
    /// The digests, in the order of the file.
    public let cases: [Case]

    init(_ file: JSONObject) throws(VectorFileError) {
        for name in file.names where !["schema", "specification", "description", "caseCount", "cases"].contains(name) {
            throw .unknownMember(name, in: "the file")
        }
        specification = try VectorFile.text("specification", of: file, in: "the file")
        description = try VectorFile.text("description", of: file, in: "the file")
        cases = try VectorDocument.cases(of: file, id: \.id) { members, place throws(VectorFileError) in
            let id = try VectorFile.text("id", of: members, in: place)
            for name in members.names where !["id", "comment", "operation", "count", "digest"].contains(name) {
                throw .unknownMember(name, in: id)
            }
            guard let count = members["count"]?.integer, (1...0xffff_ffff).contains(count) else {
                throw .missing("count", in: id)
            }
            return Case(
                id: id, comment: try VectorFile.text("comment", of: members, in: id),
                operation: try VectorFile.text("operation", of: members, in: id), count: Int(count),
                digest: try VectorFile.text("digest", of: members, in: id))
        }
    }
}

extension AccumulatedFile.Case {
    /// Computes the digest with this implementation; `nil` for an operation without a schedule of inputs.
    public func computedDigest() -> String? {
        guard let output = AccumulatedSchedule.outputs[operation] else { return nil }
        return sha256 { digest in
            for index in 0..<UInt32(count) { output(index, &digest) }
        }.description
    }
}

/// The inputs of accumulated digests: hashes of the input's name and the output's index.
package enum AccumulatedSchedule {
    typealias Output = @Sendable (_ index: UInt32, _ digest: inout HashInput) -> Void

    static let outputs: [String: Output] = [
        "derive": { index, digest in
            var label: [UInt8] = []
            hash("label", index).withBytes { label.append($0.extracting(first: 4)) }
            var context: [UInt8] = []
            hash("context", index).withBytes { context.append($0.extracting(first: Int(index % 33))) }
            let name = Array(Hex.encode(label.span).utf8)
            InklingKeys.derive(label: name, from: secret("derive", index), context: context)
                .withBytes { digest.append($0) }
        },
        "tree-node": { index, digest in
            let depth = UInt8(hash("depth", index).withBytes { $0[0] } % 21)
            AudienceTree.descend(
                from: secret("tree-node", index), steps: depth, path: number("prefix", index) % (1 << UInt32(depth))
            )
            .withBytes { digest.append($0) }
        },
        "mdns-name": { index, digest in
            guard let epoch = epoch(index) else { return }
            let name = EpochKey<MDNSUse>(secret("mdns-name", index)).serviceName(epoch)
            digest.append(Array(name.description.utf8).span)
        },
        "mdns-host": { index, digest in
            guard let epoch = epoch(index) else { return }
            let host = EpochKey<MDNSUse>(secret("mdns-host", index)).hostName(epoch)
            digest.append(Array(host.description.utf8).span)
        },
        "beacon-minor": { index, digest in
            guard let epoch = epoch(index) else { return }
            digest.append(u16: EpochKey<BeaconUse>(secret("beacon-minor", index)).minor(epoch).value)
        },
        "gatt-tag": { index, digest in
            guard let epoch = epoch(index) else { return }
            digest.append(EpochKey<GATTUse>(secret("gatt-tag", index)).tag(epoch).octets)
        },
        "confirm-psk": { index, digest in
            guard let epoch = epoch(index) else { return }
            EpochKey<ConfirmUse>(secret("confirm-psk", index)).preSharedKey(epoch).withBytes { digest.append($0) }
        },
    ]

    /// Returns input `index` of an operation, as the arguments of a request.
    package static func arguments(_ operation: String, _ index: UInt32) -> JSONObject {
        let key = JSON.text(
            sha256 { input in
                input.append(Array(operation.utf8).span)
                input.append(u32: index)
            }.description)
        switch operation {
        case "derive":
            var label: [UInt8] = []
            hash("label", index).withBytes { label.append($0.extracting(first: 4)) }
            var context: [UInt8] = []
            hash("context", index).withBytes { context.append($0.extracting(first: Int(index % 33))) }
            return [
                "key": key, "label": .text(Hex.encode(label.span)), "context": .text(Hex.encode(context.span)),
            ]
        case "tree-node":
            let depth = hash("depth", index).withBytes { $0[0] } % 21
            return [
                "root": key, "depth": .integer(Int(depth)),
                "prefix": .integer(number("prefix", index) % (1 << UInt32(depth))),
            ]
        default: return ["key": key, "epoch": .integer(number("epoch", index) % Epoch.limit)]
        }
    }

    private static func hash(_ name: StaticString, _ index: UInt32) -> Octets32 {
        sha256 { input in
            input.append(name)
            input.append(u32: index)
        }
    }

    private static func secret(_ name: StaticString, _ index: UInt32) -> SecretBytes {
        hash(name, index).withBytes { SecretBytes(copying: $0) }
    }

    private static func number(_ name: StaticString, _ index: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: hash(name, index).first.high >> 32)
    }

    private static func epoch(_ index: UInt32) -> Epoch? { Epoch(number("epoch", index) % Epoch.limit) }
}
