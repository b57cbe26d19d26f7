import InklingEngine
import InklingKeys
import InklingTesting
import Testing

@testable import InklingNode
@testable import InklingVault

private let start = ClockReading(tick: Tick(milliseconds: 1_000_000), unixMilliseconds: 1_800_000_060_000)

private func later(seconds: UInt64) -> ClockReading {
    ClockReading(
        tick: start.tick.advanced(byMilliseconds: seconds * 1000),
        unixMilliseconds: start.unixMilliseconds + seconds * 1000)
}

/// Creates an invitation of five minutes that waits for its port.
private func invitation(
    _ answer: Answer<(invitation: Invitation, port: UInt16)> = .init(), number: UInt64 = 1
) throws -> OpenInvitation {
    var randomness = SeededGenerator(seed: 1)
    let now = try #require(Epoch(containing: start.unixSeconds)).period
    let contents = try NodeIdentity.makeContents(name: "Ada", now: now, using: &randomness)
    let card = try contents.ownCard(now: now)
    return OpenInvitation(
        Invitation(to: card, transports: .tcp, lasting: .seconds(300), from: start.unixSeconds, using: &randomness),
        number: number, ownCard: card, answer: answer, portChanged: { _ in }, confirm: { _ in true })
}

private func words(_ effects: [OpenInvitation.Effect]) -> [String] {
    effects.map { effect in
        switch effect {
        case .opened(_, .success(let opened)): "opened on \(opened.port)"
        case .opened(_, .failure(let error)): "not opened: \(error)"
        case .moved(_, let port): "moved to \(port)"
        case .concluded(_, .success): "concluded with a contact"
        case .concluded(_, .failure(let error)): "concluded: \(error)"
        case .closed: "closed"
        }
    }
}

@Suite struct OpenInvitationTests {
    @Test func `an invitation opens only once, when it gets a port`() throws {
        var invitation = try invitation()
        #expect(words(invitation.listening(.success(4000))) == ["opened on 4000"])
        #expect(words(invitation.listening(.success(4000))) == [])
        #expect(invitation.isOpen)
    }

    @Test func `another port is told once, and only while the invitation waits for a joiner`() throws {
        var invitation = try invitation()
        _ = invitation.listening(.success(4000))
        #expect(words(invitation.listening(.success(4001))) == ["moved to 4001"])
        #expect(words(invitation.listening(.success(4001))) == [])
        #expect(words(invitation.listening(.failure(.closed))) == [])
        #expect(words(invitation.listening(.success(4000))) == ["moved to 4000"])
        _ = invitation.conclude(.failure(.declined))
        #expect(words(invitation.listening(.success(4002))) == [])
    }

    @Test func `an invitation without a port is not opened, and can be dropped at once`() throws {
        var invitation = try invitation()
        #expect(
            words(invitation.listening(.failure(.closed))) == [
                "not opened: no link could be made: the link is closed", "closed",
            ])
        #expect(!invitation.isOpen)
        #expect(invitation.isTaken)
    }

    @Test func `an invitation ends at its expiry, and keeps its outcome until it is delivered`() throws {
        var invitation = try invitation()
        _ = invitation.listening(.success(4000))
        #expect(words(invitation.update(at: later(seconds: 299)).effects) == [])
        #expect(words(invitation.update(at: later(seconds: 300)).effects) == ["closed"])
        #expect(!invitation.isOpen)
        #expect(!invitation.isTaken)
        #expect(words(invitation.awaitOutcome(.init())) == ["concluded: the invitation has ended"])
        #expect(invitation.isTaken)
    }

    @Test func `only one request can wait for the outcome`() throws {
        var invitation = try invitation()
        _ = invitation.listening(.success(4000))
        #expect(words(invitation.awaitOutcome(.init())) == [])
        #expect(words(invitation.awaitOutcome(.init())) == ["concluded: an invitation is open already"])
        #expect(
            words(invitation.conclude(.failure(.declined))) == ["closed", "concluded: one of the two people declined"])
        // A later outcome is ignored.
        #expect(words(invitation.conclude(.failure(.stopped))) == [])
    }

    @Test func `the name of an invitation is reported as new once in each epoch`() throws {
        var invitation = try invitation()
        _ = invitation.listening(.success(4000))
        #expect(invitation.update(at: start).hasNewName)
        #expect(!invitation.update(at: later(seconds: 1)).hasNewName)
        let boundary = later(seconds: 840)
        #expect(invitation.names(at: boundary.unixSeconds) != invitation.names(at: start.unixSeconds))
    }

    @Test func `an end that has passed since the last look is due at once, and not with the next epoch`() throws {
        var invitation = try invitation()
        _ = invitation.listening(.success(4000))
        _ = invitation.update(at: later(seconds: 299))
        #expect(invitation.due(after: later(seconds: 299)) == later(seconds: 300).tick)
        #expect(invitation.due(after: later(seconds: 300)) == later(seconds: 300).tick)
        #expect(invitation.due(after: later(seconds: 301)) == later(seconds: 301).tick)
        #expect(words(invitation.update(at: later(seconds: 301)).effects) == ["closed"])
        #expect(invitation.due(after: later(seconds: 301)) == nil)
    }

    @Test func `an invitation that waits for its port is due when the epoch changes, whenever that is noticed`() throws
    {
        var invitation = try invitation()
        _ = invitation.update(at: start)
        #expect(invitation.due(after: start) == later(seconds: 840).tick)
        #expect(invitation.due(after: later(seconds: 400)) == later(seconds: 840).tick)
        #expect(invitation.due(after: later(seconds: 841)) == later(seconds: 841).tick)
        _ = invitation.update(at: later(seconds: 841))
        #expect(invitation.due(after: later(seconds: 841)) == later(seconds: 840 + 900).tick)
    }

    @Test func `a late outcome of an earlier invitation does not conclude the current one`() throws {
        var contacts = FirstContacts()
        var randomness = SeededGenerator(seed: 1)
        let now = try #require(Epoch(containing: start.unixSeconds)).period
        let card = try NodeIdentity.makeContents(name: "Ada", now: now, using: &randomness).ownCard(now: now)
        for _ in 0..<2 {
            _ = contacts.end(.invitationEnded)
            contacts.open(
                Invitation(
                    to: card, transports: .tcp, lasting: .seconds(300), from: start.unixSeconds, using: &randomness),
                ownCard: card, answer: .init(), portChanged: { _ in }, confirm: { _ in true })
        }
        #expect(words(contacts.conclude(1, .failure(.declined))) == [])
        #expect(contacts.isInviting)
        #expect(
            words(contacts.conclude(2, .failure(.declined))) == [
                "not opened: one of the two people declined", "closed",
            ])
        #expect(!contacts.isInviting)
    }

    @Test func `the outcome of a withdrawn invitation does not conclude the next one`() throws {
        var firstContacts = FirstContacts()
        for number: UInt64 in 1...2 {
            var randomness = SeededGenerator(seed: number)
            let now = try #require(Epoch(containing: start.unixSeconds)).period
            let contents = try NodeIdentity.makeContents(name: "Ada", now: now, using: &randomness)
            let card = try contents.ownCard(now: now)
            firstContacts.open(
                Invitation(
                    to: card, transports: .tcp, lasting: .seconds(300), from: start.unixSeconds, using: &randomness),
                ownCard: card, answer: .init(), portChanged: { _ in }, confirm: { _ in true })
            #expect(firstContacts.invitation?.number == number)
            if number == 1 { _ = firstContacts.end(.invitationEnded) }
        }
        #expect(words(firstContacts.conclude(1, .failure(.declined))) == [])
        #expect(firstContacts.isInviting)
        #expect(words(firstContacts.conclude(2, .failure(.declined))).last == "closed")
        #expect(!firstContacts.isInviting)
    }
}
