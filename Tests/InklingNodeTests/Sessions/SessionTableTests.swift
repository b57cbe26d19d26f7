import InklingEngine
import InklingKeys
import InklingWire
import Testing

@testable import InklingNode

private let small = Octets32(first: Octets16(high: 0, low: 1), second: Octets16(high: 0, low: 1))
private let great = Octets32(first: Octets16(high: 9, low: 1), second: Octets16(high: 0, low: 1))
private let start = Tick(milliseconds: 1_000_000)

private func device(_ user: UInt64 = 1, _ index: UInt8 = 0) throws -> KnownDevice {
    KnownDevice(user: UserID(Octets16(high: 0, low: user)), device: try #require(DeviceIndex(index)))
}

private func entry(
    _ peer: KnownDevice, _ role: Role = .initiator, technology: LinkTechnologyID = .lan
) -> SessionTable.Entry {
    SessionTable.Entry(
        peer: peer, technology: technology, role: role, peerKey: great,
        route: .endpoint(Endpoint(address: .v4(0x0a00_0001), port: 4000)))
}

private let marker = MoveMarker(number: 7)

/// Describes effects in words, because replies cannot be compared.
private func words(_ effects: [SessionTable.Effect]) -> [String] {
    effects.map { effect in
        switch effect {
        case .close(let id, nil): "close \(id.number)"
        case .close(let id, .boundary?): "close \(id.number) with CLOSE"
        case .close(let id, let reason?): "close \(id.number) with CLOSE \(reason)"
        case .say(let id, .move(let marker)): "move \(marker.number) in \(id.number)"
        case .say(let id, .moved(let marker)): "moved \(marker.number) in \(id.number)"
        case .handedOver(let device, let old, let new):
            "handed over \(device.device.number) from \(old.rawValue) to \(new.rawValue)"
        case .deviceLeft(let device): "left \(device.device.number)"
        case .goodbye(let device): "goodbye \(device.device.number)"
        case .lost(let device, let route): "lost \(device.device.number) at \(route.technology.rawValue)"
        case .release(let device): "release \(device.device.number)"
        }
    }
}

@Suite struct SessionTableTests {
    @Test func `of two crossing sessions, both sides keep the one initiated by the smaller key`() throws {
        for (own, survivorRole) in [(small, Role.initiator), (great, .responder)] {
            var table = SessionTable(ownKey: own)
            let peerKey = own == small ? great : small
            var ids: [Role: SessionID] = [:]
            for role in [Role.initiator, .responder] {
                let new = SessionTable.Entry(
                    peer: try device(), technology: .lan, role: role, peerKey: peerKey,
                    route: .endpoint(Endpoint(address: .v4(1), port: 1)))
                let added = table.add(new)
                let id = try #require(added)
                ids[role] = id
                _ = table.heard(id, at: start, marker: marker)
            }
            #expect(table[try #require(ids[survivorRole])]?.isSuperseded == false)
            #expect(table.route(to: try device().user) == ids[survivorRole])
            let end = start.advanced(by: CrossingRule.closeDelay)
            #expect(table.due == end)
            #expect(words(table.timerFired(at: Tick(milliseconds: end.milliseconds - 1))) == [])
            let loser = try #require(ids.first { $0.key != survivorRole }).value
            #expect(words(table.timerFired(at: end)) == ["close \(loser.number) with CLOSE replaced"])
            #expect(table.openCount == 1)
        }
    }

    @Test func `a session that begins after the crossing window replaces the earlier one`() throws {
        var table = SessionTable(ownKey: small)
        let old = try #require(table.add(entry(try device(), .initiator)))
        _ = table.heard(old, at: start, marker: marker)
        let new = try #require(table.add(entry(try device(), .responder)))
        let effects = table.heard(
            new, at: start.advanced(by: CrossingRule.window + .milliseconds(1)), marker: marker)
        #expect(words(effects) == ["move 7 in 1"])
        #expect(table[old]?.isSuperseded == true)
        #expect(table.route(to: try device().user) == new)
    }

    @Test func `sessions with two devices of one user do not cross`() throws {
        var table = SessionTable(ownKey: small)
        for index: UInt8 in 0...1 {
            let id = try #require(table.add(entry(try device(1, index))))
            _ = table.heard(id, at: start, marker: marker)
        }
        #expect(table.ids.allSatisfy { table[$0]?.isSuperseded == false })
        #expect(table.due == nil)
    }

    @Test func `the table holds 32 sessions, and has room again when one ends`() throws {
        var table = SessionTable(ownKey: small)
        for user: UInt64 in 1...32 { #expect(table.add(entry(try device(user))) != nil) }
        #expect(!table.hasRoom)
        #expect(table.add(entry(try device(33))) == nil)
        #expect(words(table.end(SessionID(number: 1), nil)) == ["close 1", "left 0"])
        // Numbers are not reused.
        #expect(table.add(entry(try device(33)))?.number == 33)
    }

    @Test func `a device has left when its last session ends, and a link lost without CLOSE is reported`() throws {
        var table = SessionTable(ownKey: small)
        let one = try #require(table.add(entry(try device())))
        let other = try #require(table.add(entry(try device())))
        #expect(words(table.linkEnded(one)) == ["close 1"])
        #expect(words(table.linkEnded(other)) == ["close 2", "left 0", "lost 0 at lan"])
        #expect(words(table.linkEnded(other)) == [])
        let third = try #require(table.add(entry(try device())))
        #expect(words(table.closed(third)) == ["release 0", "close 3", "left 0"])
    }

    /// Covers INK-RCG-082.
    @Test func `CLOSE with the reason that the device leaves is a goodbye in its newest session alone`() throws {
        var table = SessionTable(ownKey: small)
        let old = try #require(table.add(entry(try device())))
        let new = try #require(table.add(entry(try device(), technology: .bluetooth)))
        let other = try #require(table.add(entry(try device(2))))
        for id in [old, new, other] { _ = table.heard(id, at: start, marker: marker) }
        #expect(words(table.closed(old, .leaving)).contains("goodbye 0") == false)
        #expect(words(table.closed(new, .leaving)) == ["goodbye 0", "release 0", "close 2", "left 0"])
        for reason in CloseReason.allCases where reason != .leaving {
            let id = try #require(table.add(entry(try device(3))))
            #expect(words(table.closed(id, reason)).contains("goodbye 0") == false)
        }
        #expect(words(table.endAll(over: .lan, .leaving)) == ["close 3 with CLOSE leaving", "left 0"])
    }

    @Test func `a contact is not reachable until one of its records has been opened`() throws {
        var table = SessionTable(ownKey: small)
        let user = try device().user
        let id = try #require(table.add(entry(try device())))
        #expect(table.technologies(with: user).isEmpty)
        #expect(table.route(to: user) == nil)
        _ = table.heard(id, at: start, marker: marker)
        #expect(table.technologies(with: user) == [.lan])
        #expect(table.route(to: user) == id)
    }

    @Test func `a boundary ends every session over its technology with CLOSE`() throws {
        var table = SessionTable(ownKey: small)
        for user: UInt64 in 1...2 { _ = table.add(entry(try device(user))) }
        let effects = words(table.endAll(over: .lan))
        #expect(effects == ["close 1 with CLOSE", "left 0", "close 2 with CLOSE", "left 0"])
        #expect(table.openCount == 0)
    }
}
