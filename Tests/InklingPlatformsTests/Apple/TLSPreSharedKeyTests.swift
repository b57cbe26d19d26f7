import InklingKeys
import InklingPlatforms
import InklingTesting
import Testing

@testable import InklingSession

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
    @Test func `derives the key for each transport once`() throws {
        var session = try session()
        let tcp = try session.takeTLSKey(for: .tcp, handshake: epoch(10))
        let nan = try session.takeTLSKey(for: .nan, handshake: epoch(10))
        #expect(tcp.transport == .tcp)
        #expect(nan.transport == .nan)
        for transport in [Transport.tcp, .nan] {
            do throws(TLSKeyError) {
                let handshake = Epoch(10) ?? tcp.lastEpoch
                _ = try session.takeTLSKey(for: transport, handshake: handshake)
                Issue.record("derived a second time")
            } catch {
                #expect(error == .taken(transport))
                #expect([error.stage, error.reason] == ["tls", "taken"])
            }
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
        #expect(one.1 == Array(first.exporter.tlsIdentity(for: .tcp).description.utf8))
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

    /// Covers INK-APL-002.
    @Test func `the suite and the version are those of TLS 1_2 with a pre-shared key`() {
        #expect(TLSPreSharedKey.cipherSuite == 0x00a8)
        #expect(TLSPreSharedKey.protocolVersion == 0x0303)
    }
}
