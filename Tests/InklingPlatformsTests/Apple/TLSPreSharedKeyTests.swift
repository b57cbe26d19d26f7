import InklingKeys
import InklingPlatforms
import InklingTesting
import Testing

@testable import InklingWire

private func secret(_ byte: UInt8) -> SecretBytes {
    SecretBytes(copying: [UInt8](repeating: byte, count: 32).span)
}

private func session() throws -> EstablishedSession {
    let hash = try #require(secret(3).withBytes { Octets32($0) })
    return EstablishedSession(
        role: .initiator, peerKey: hash, introduction: .newDevice,
        keys: TransportKeys(handshakeHash: hash, initiator: secret(1), responder: secret(2)))
}

private func epoch(_ number: UInt32) throws -> Epoch { try #require(Epoch(number)) }

@Suite struct `TLS keys of a session` {
    /// Covers INK-APL-005, INK-HSK-039.
    @Test(arguments: [Transport.tcp, .nan], TLSVersion.allCases)
    func `derives the key for each transport and version once`(_ transport: Transport, _ version: TLSVersion) throws {
        var session = try session()
        let handshake = try epoch(10)
        // The keys of the other transport and versions do not count.
        for other in [Transport.tcp, .nan] where other != transport {
            for version in TLSVersion.allCases {
                _ = try session.takeTLSKey(for: other, version: version, handshake: handshake)
            }
        }
        for other in TLSVersion.allCases where other != version {
            _ = try session.takeTLSKey(for: transport, version: other, handshake: handshake)
        }
        let key = try session.takeTLSKey(for: transport, version: version, handshake: handshake)
        #expect(key.transport == transport)
        #expect(key.version == version)
        do throws(TLSKeyError) {
            _ = try session.takeTLSKey(for: transport, version: version, handshake: handshake)
            Issue.record("derived a second time")
        } catch {
            #expect(error == .taken(transport, version))
            #expect([error.stage, error.reason] == ["tls", "taken"])
        }
    }

    /// Covers INK-APL-005.
    @Test func `derives no key after the end of the session`() throws {
        var session = try session()
        session.end()
        let handshake = try epoch(10)
        do throws(TLSKeyError) {
            _ = try session.takeTLSKey(for: .tcp, handshake: handshake)
            Issue.record("given")
        } catch {
            #expect(error == .ended)
            #expect([error.stage, error.reason] == ["tls", "ended"])
        }
    }

    @Test func `there is no key for GATT`() throws {
        var session = try session()
        let handshake = try epoch(10)
        do throws(TLSKeyError) {
            _ = try session.takeTLSKey(for: .gatt, handshake: handshake)
            Issue.record("given")
        } catch {
            #expect(error == .noTLS)
        }
    }

    @Test func `both sides have the same key and the same identity, in hexadecimal digits`() throws {
        var first = try session()
        var second = try session()
        let one = try first.takeTLSKey(for: .tcp, handshake: epoch(10)).use(in: epoch(11)) { key, identity in
            (hex(key.indices.map { key[$0] }), identity.indices.map { identity[$0] })
        }
        let two = try second.takeTLSKey(for: .tcp, handshake: epoch(10)).use(in: epoch(10)) { key, identity in
            (hex(key.indices.map { key[$0] }), identity.indices.map { identity[$0] })
        }
        #expect(one.0 == two.0)
        #expect(one.1 == two.1)
        #expect(one.0.count == 64)
        #expect(one.1 == Array(first.exporter.tlsIdentity(for: .tcp, version: .tls12).description.utf8))
    }

    @Test func `each transport and version has a key and an identity of its own`() throws {
        var keys: Set<String> = []
        var identities: Set<[UInt8]> = []
        var session = try session()
        for transport in [Transport.tcp, .nan] {
            for version in TLSVersion.allCases {
                let taken = try session.takeTLSKey(for: transport, version: version, handshake: epoch(10))
                let (key, identity) = try taken.use(in: epoch(10)) { key, identity in
                    (hex(key.indices.map { key[$0] }), identity.indices.map { identity[$0] })
                }
                keys.insert(key)
                identities.insert(identity)
            }
        }
        #expect(keys.count == 4)
        #expect(identities.count == 4)
    }

    /// Covers INK-APL-003, INK-HSK-039.
    @Test func `a key expires after the epoch that follows the handshake's`() throws {
        var session = try session()
        let key = try session.takeTLSKey(for: .tcp, handshake: epoch(10))
        let (last, now) = (try epoch(11), try epoch(12))
        #expect(key.lastEpoch == last)
        do throws(TLSKeyError) {
            _ = try key.use(in: now) { _, _ in Issue.record("used an expired key") }
        } catch {
            #expect(error == .expired(last: last, now: now))
            #expect([error.stage, error.reason] == ["tls", "expired"])
        }
    }

    /// Covers INK-APL-002, INK-APL-007.
    @Test func `each version has the one suite of the specification`() {
        #expect(TLSVersion.tls12.rawValue == 0x0303)
        #expect(TLSVersion.tls12.cipherSuite == 0x00a8)
        #expect(TLSVersion.tls13.rawValue == 0x0304)
        #expect(TLSVersion.tls13.cipherSuite == 0x1301)
    }

    /// Covers INK-APL-008.
    @Test func `without an agreement the key is one for TLS 1_2`() throws {
        var session = try session()
        let key = try session.takeTLSKey(for: .tcp, handshake: epoch(10))
        #expect(key.version == .tls12)
    }
}
