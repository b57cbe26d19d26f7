import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `A pair audience` {
    private let ada = Person(1)
    private let bo = Person(2)

    private func root(_ own: Person, _ peer: Person, advertising: Bool) throws -> String {
        hex(try PairAudience.root(own: own.presence, peer: peer.presence.publicKey, advertising: advertising))
    }

    @Test func `has the same root on both sides`() throws {
        #expect(try root(ada, bo, advertising: true) == root(bo, ada, advertising: false))
        #expect(try root(bo, ada, advertising: true) == root(ada, bo, advertising: false))
    }

    @Test func `has a different root in each direction and for each contact`() throws {
        let eve = Person(3)
        let roots = [
            try root(ada, bo, advertising: true), try root(bo, ada, advertising: true),
            try root(ada, eve, advertising: true), try root(eve, ada, advertising: true),
            try root(bo, eve, advertising: true),
        ]
        #expect(Set(roots).count == roots.count)
    }

    @Test func `yields a pairwise key that both sides share and no one else has`() throws {
        func key(_ own: Person, _ peer: Person) throws -> String {
            hex(try PairAudience.staticPairwiseKey(own: own.presence, peer: peer.presence.publicKey))
        }
        #expect(try key(ada, bo) == key(bo, ada))
        #expect(try key(ada, bo) != key(ada, Person(3)))
        #expect(try key(ada, bo) != root(ada, bo, advertising: true))
    }

    @Test(arguments: lowOrderPoints)
    func `is not created with a point of small order`(point: String) throws {
        let peer = try octets32(point)
        for advertising in [true, false] {
            #expect(throws: KeyAgreementError.lowOrderPoint) {
                _ = try PairAudience.root(own: ada.presence, peer: peer, advertising: advertising)
            }
        }
        #expect(throws: KeyAgreementError.lowOrderPoint) {
            _ = try PairAudience.staticPairwiseKey(own: ada.presence, peer: peer)
        }
    }
}
