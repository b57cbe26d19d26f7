import InklingKeys
import Testing

@testable import InklingLinux

struct NameTableTests {
    private let here = NameTable.Place(interface: 2, family: 0), there = NameTable.Place(interface: 2, family: 1)

    private func name(_ number: Int) -> OpaqueServiceName {
        OpaqueServiceName(Octets16(high: 7, low: UInt64(number)))
    }

    /// Covers INK-MDN-023.
    @Test func `a name that several interfaces and families report appears once and vanishes once`() {
        var table = NameTable()
        table.add(name(1), at: here)
        table.add(name(1), at: there)
        #expect(table.due(at: 0) == [name(1)])
        table.add(name(1), at: here)
        #expect(table.due(at: 0) == [])
        #expect(table.remove(name(1), at: here) == false)
        #expect(table.remove(name(1), at: there) == true)
        #expect(table.remove(name(1), at: there) == false)
    }

    @Test func `never reports a name that was withdrawn before its turn`() {
        var table = NameTable(perSecond: 1)
        table.add(name(1), at: here)
        table.add(name(2), at: here)
        #expect(table.due(at: 0) == [name(1)])
        #expect(table.remove(name(2), at: here) == false)
        #expect(table.due(at: 5_000) == [])
        #expect(table.count == 1)
    }

    /// Covers INK-MDN-025.
    @Test func `ten names a second are reported, in their order`() {
        var table = NameTable()
        for number in 0..<35 { table.add(name(number), at: here) }
        #expect(table.due(at: 1_000) == (0..<10).map(name))
        #expect(table.due(at: 1_000) == [])
        #expect(table.due(at: 1_100) == [name(10)])
        #expect(table.due(at: 2_100) == (11..<21).map(name))
        #expect(table.isWaiting)
        #expect(table.due(at: 60_000) == (21..<31).map(name))
        #expect(table.due(at: 120_000) == (31..<35).map(name))
        #expect(!table.isWaiting)
    }

    /// Covers INK-MDN-024.
    @Test func `a full table forgets the oldest name, and a forgotten name can appear again`() {
        var table = NameTable(limit: 3, perSecond: 10)
        for number in 0..<4 { table.add(name(number), at: here) }
        #expect(table.count == 3)
        #expect(table.due(at: 0) == [name(1), name(2), name(3)])
        #expect(table.remove(name(0), at: here) == false)
        table.add(name(0), at: here)
        #expect(table.due(at: 1_000) == [name(0)])
    }

    @Test func `any sequence of reports keeps the table within its bounds`() {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
        var state = seed
        var table = NameTable(limit: 16, perSecond: 10)
        var present: Set<OpaqueServiceName> = []
        var now: UInt64 = 0, reported = 0
        for _ in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let name = name(Int(state >> 40) % 40)
            switch state >> 33 & 3 {
            case 0, 1: table.add(name, at: here)
            case 2: if table.remove(name, at: here) { #expect(present.remove(name) != nil, "seed \(seed)") }
            default:
                now += state >> 50 & 63
                for name in table.due(at: now) {
                    present.insert(name)
                    reported += 1
                }
            }
            #expect(table.count <= 16, "seed \(seed)")
        }
        #expect(reported <= 10 + Int(now) / 100, "seed \(seed)")
    }
}
