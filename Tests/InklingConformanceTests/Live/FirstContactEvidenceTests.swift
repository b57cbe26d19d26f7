import InklingConformance
import Testing

@Suite struct `First contacts with a withheld message` {
    private func outcome(_ withheld: WithheldMessage, _ said: [FirstContactEvidence.Said]) -> LiveVerdict.Outcome {
        var evidence = FirstContactEvidence(withheld)
        evidence.said = said
        return evidence.verdict.outcome
    }

    private func passes(_ withheld: WithheldMessage, _ said: FirstContactEvidence.Said...) -> Bool {
        if case .passed = outcome(withheld, said) { true } else { false }
    }

    private func fails(_ withheld: WithheldMessage, _ said: FirstContactEvidence.Said...) -> Bool {
        if case .failed = outcome(withheld, said) { true } else { false }
    }

    @Test func `pass for a node that grants nothing before both have accepted, and 48 periods after that`() {
        #expect(passes(.accept, .accept) && passes(.accept, .accept, .close))
        #expect(passes(.hello, .accept, .hello))
        #expect(passes(.grant, .accept, .hello, .grant(periods: 48)))
        #expect(passes(.grant, .accept, .hello, .card, .grant(periods: 48)))
    }

    @Test func `fail for a node that says more than it may`() {
        #expect(fails(.accept, .accept, .hello))
        #expect(fails(.accept, .accept, .grant(periods: 48)))
        #expect(fails(.accept, .accept, .decline))
        #expect(fails(.accept, .hello))
        #expect(fails(.hello, .accept, .hello, .grant(periods: 1)))
        #expect(fails(.hello, .accept))
        #expect(fails(.grant, .accept, .hello, .grant(periods: 49)))
        #expect(fails(.grant, .accept, .hello, .grant(periods: nil)))
    }

    @Test func `are skipped when the user has not answered or no message came`() {
        guard case .skipped = outcome(.accept, []) else { return #expect(Bool(false), "not skipped") }
        var evidence = FirstContactEvidence(.grant)
        evidence.fault = "no message 2 was received"
        #expect(evidence.verdict.outcome == .skipped("no message 2 was received"))
    }

    @Test func `have one check for each message`() {
        #expect(LiveCheck.withheld.map(\.id) == WithheldMessage.allCases.map(\.check))
        for check in LiveCheck.withheld { #expect(LiveCheck.named(check.id) == check) }
    }
}
