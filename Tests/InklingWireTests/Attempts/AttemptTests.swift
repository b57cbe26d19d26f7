import InklingKeys
import Testing

/// A short form of `Tests/Rigs/figures/check forgeries` and `replays`, which run the same sources.
@Suite struct `Forged and repeated messages` {
    @Test func `of a confirm handshake are refused, and the true ones are accepted`() throws {
        var forgeries = try ConfirmForgeries(seed: 1)
        try forgeries.run(3_000)
        #expect(forgeries.account.accepted == 0, "\(forgeries.account.text)")
        #expect(forgeries.account.hasControls, "\(forgeries.account.text)")
    }

    @Test func `of an invitation are refused, and the true ones are accepted`() throws {
        var forgeries = try InvitationForgeries(seed: 2)
        try forgeries.run(300)
        #expect(forgeries.account.accepted == 0, "\(forgeries.account.text)")
        #expect(forgeries.account.hasControls, "\(forgeries.account.text)")
    }

    @Test func `are accepted only once, by the party and in the step for which they were written`() throws {
        let account = try Replays(sessions: 1, seed: 3).run()
        #expect(account.attempts > 20_000)
        #expect(account.accepted == 0, "\(account.text)")
        #expect(account.hasControls, "\(account.text)")
    }

    @Test func `are found where no party remembers first messages`() throws {
        #expect(try Replays(sessions: 2, transports: [.tcp], seed: 3, remembers: false).run().accepted > 0)
    }
}
