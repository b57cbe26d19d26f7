import InklingConformance
import InklingJSON
import Testing

@Suite struct `Fresh cases` {
    private func suite(seed: UInt64, count: Int = 50) throws -> ConformanceSuite {
        var suite = try TestedShim.suite("beacon-minor.json", "grant-decode.json", "derive.json")
        suite.addFreshCases(seed: seed, count: count)
        return suite
    }

    @Test func `are the same for the same seed, and different for another`() throws {
        let ids = try suite(seed: 1).cases.map(\.line)
        #expect(try suite(seed: 1).cases.map(\.line) == ids)
        #expect(try suite(seed: 2).cases.map(\.line) != ids)
        #expect(try suite(seed: 1, count: 0).cases.count + 150 == ids.count)
    }

    @Test func `include results and refusals of every operation, under unique ids`() throws {
        let fresh = try suite(seed: 3).cases.filter { $0.id.hasPrefix("seed-3-") }
        #expect(Set(fresh.map(\.id)).count == 150)
        for operation in ["beacon-minor", "grant-decode", "derive"] {
            let own = fresh.filter { $0.operation == operation }
            #expect(own.contains { $0.expected["error"] != nil }, "\(operation)")
            #expect(own.contains { $0.expected["result"] != nil }, "\(operation)")
            #expect(own.allSatisfy { $0.expected["id"]?.text == $0.id })
        }
    }

    @Test func `are passed by the shim of this package, and not by one without a check`() throws {
        let suite = try suite(seed: 4)
        #expect(TestedShim.run(suite, by: TestedShim.right).report.failures.isEmpty)
        let lenient = TestedShim.changing { request in
            guard request["op"]?.text == "grant-decode", let id = request["id"]?.text, id.hasPrefix("seed-") else {
                return nil
            }
            let reply: JSONObject = ["id": .text(id), "result": .object([:])]
            return [.line(Array(JSON.object(reply).compact.utf8))]
        }
        #expect(TestedShim.run(suite, by: lenient).report.counts.failed == 50)
    }
}
