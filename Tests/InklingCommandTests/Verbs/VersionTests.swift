import InklingJSON
import InklingProgramTesting
import Testing

@Suite(.runsPrograms) struct `inkling version` {
    @Test func `prints the version on one line or as JSON`() throws {
        let spoken = try Program.run("version")
        #expect(spoken.status == 0)
        #expect(spoken.lines.count == 1)
        let facts = try #require(try Program.run("version", "--json").facts().first)
        #expect(facts.names == ["version", "specification", "node"])
        #expect(spoken.output.contains(try #require(facts["version"]?.text)))
        #expect(spoken.output.contains(try #require(facts["specification"]?.text)))
    }

    @Test func `--version prints the number alone`() throws {
        let option = try Program.run("--version")
        #expect(option.status == 0)
        let fact = try #require(try Program.run("version", "--json").facts().first)
        #expect(option.output == "\(fact["version"]?.text ?? "")\n")
    }

    @Test func `says whether the node is built in`() throws {
        let facts = try #require(try Program.run("version", "--json").facts().first)
        #expect(facts["node"]?.flag == true)
    }
}
