import CSHA256Lanes
import InklingTesting
import Testing

@testable import InklingKeys

#if os(Linux)
    import Glibc
#endif

@Suite struct `Keys in lanes` {
    static let paths = LanePath.allCases.filter(\.isAvailable)

    private func message(_ bytes: [UInt8]) throws -> LaneMessage {
        try #require(LaneMessage { $0 += bytes })
    }

    private func keys(_ count: Int, seed: UInt64) -> [[UInt8]] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) } }
    }

    private func lanes(_ keys: [[UInt8]]) -> KeyLanes {
        var lanes = KeyLanes(count: keys.count)
        for (index, key) in keys.enumerated() { lanes.set(index, to: key.span) }
        return lanes
    }

    // RFC 4231, section 4: the cases whose key has at most 32 bytes, padded with zeros as HMAC does.
    @Test(arguments: paths)
    func `return the published HMACs`(path: LanePath) throws {
        let cases: [(key: [UInt8], message: [UInt8], code: String)] = [
            (
                [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                [UInt8](1...25), [UInt8](repeating: 0xcd, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
        ]
        for (key, text, code) in cases {
            var lanes = lanes([key + [UInt8](repeating: 0, count: 32 - key.count)])
            lanes.derive(try message(text), by: path)
            let given = hex(try unwrap(lanes.key(0)))
            #expect(given == code)
        }
    }

    @Test(arguments: paths)
    func `return the same HMACs as keys one at a time for all message lengths and many numbers of keys`(
        path: LanePath
    ) throws {
        for length in 0...LaneMessage.longest {
            let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
            let message = try message(text)
            // Up to 14 blocks: a path takes several at a time when there are enough.
            let count = length * 37 % 220
            let keys = keys(count, seed: UInt64(length))
            let codes = keys.map { key in hmacSHA256(key: key.span) { $0.append(text.span) }.withBytes { $0.array } }
            let lanes = lanes(keys)
            let derived = lanes.derived(message, by: path)
            let whole = try (0..<count).map { try unwrap(derived.key($0)).withBytes { $0.array } }
            #expect(whole == codes)
            let states = lanes.states(by: path)
            let (first16, first2) = (states.first16(message, by: path), states.first2(message, by: path))
            #expect(first16.map(\.description) == codes.map { hex($0.prefix(16)) })
            #expect(first2 == codes.map { UInt16($0[0]) << 8 | UInt16($0[1]) })
        }
    }

    @Test func `are picked in any order and repeatedly, with zeros for missing ones`() throws {
        let keys = keys(40, seed: 1)
        let places = [39, 0, 17, 17, 40, -1]
        let picked = lanes(keys).picked(places)
        let found = try places.indices.map { try unwrap(picked.key($0)).withBytes { $0.array } }
        #expect(found == places.map { keys.indices.contains($0) ? keys[$0] : [UInt8](repeating: 0, count: 32) })
    }

    @Test func `reject a message that does not fit into a block of SHA-256 with its padding`() {
        #expect(LaneMessage { $0 += [UInt8](repeating: 0, count: 56) } == nil)
    }

    @Test func `ignore a key of another length or at an index out of range`() throws {
        var lanes = KeyLanes(count: 2)
        lanes.set(2, to: [UInt8](repeating: 1, count: 32).span)
        lanes.set(-1, to: [UInt8](repeating: 1, count: 32).span)
        lanes.set(0, to: [UInt8](repeating: 1, count: 31).span)
        let first = hex(try unwrap(lanes.key(0)))
        #expect(first == String(repeating: "0", count: 64))
        let others = [lanes.key(2) == nil, lanes.key(-1) == nil]
        #expect(others == [true, true])
    }

    #if os(Linux) && arch(x86_64)
        // Compares with the list of the kernel, because the other tests skip the paths that are not available.
        @Test(arguments: [
            (LanePath.avx2, ["avx2"]), (.shaNI, ["sha_ni"]), (.avx512, ["avx512f"]),
            (.shaNIWithAVX512, ["sha_ni", "avx512f", "avx512vl"]),
        ])
        func `are computed with every kind of instruction that the processor supports`(path: LanePath, wanted: [String])
        {
            guard let file = unsafe fopen("/proc/cpuinfo", "r") else {
                Issue.record("/proc/cpuinfo cannot be read")
                return
            }
            defer { unsafe fclose(file) }
            var flags: Set<Substring> = []
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            defer { unsafe free(line) }
            while flags.isEmpty, unsafe getline(&line, &capacity, file) > 0, let start = unsafe line {
                let text = unsafe String(cString: start)
                if text.hasPrefix("flags") { flags = Set(text.split { $0 == " " || $0 == "\n" }) }
            }
            #expect(path.isAvailable == wanted.allSatisfy { flags.contains(Substring($0)) })
            #expect(HashPath.instructions.isAvailable == flags.contains("sha_ni"))
        }
    #endif

    @Test func `use a path that the processor supports, and always the same one`() {
        #expect(LanePath.best.isAvailable)
        let codes = (0..<100).map { _ in sha256_lanes_best() }
        #expect(codes.allSatisfy { $0 == LanePath.best.code })
    }
}

extension Span<UInt8> {
    fileprivate var array: [UInt8] { indices.map { self[$0] } }
}
