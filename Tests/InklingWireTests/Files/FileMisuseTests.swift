import InklingKeys
import InklingTesting
import InklingWire
import Testing

/// A side that sends an exchange messages that no honest side sends.
@Suite struct FileMisuseTests {
    private let id = TransferID(Octets16(high: 1, low: 2))
    private let now = Tick(milliseconds: 5000)

    /// Returns the messages of an exchange, or the misuse that it finds.
    private func say(_ events: [FileExchange.Event], to exchange: inout FileExchange) -> (
        said: [FileWords], FileMisuse?
    ) {
        var said: [FileWords] = []
        for event in events {
            do throws(FileMisuse) {
                for effect in try exchange.handle(event, hasRoom: true, at: now) {
                    if case .say(let words) = effect { said.append(words) }
                }
            } catch {
                return (said, error)
            }
        }
        return (said, nil)
    }

    /// A receiver that has granted a file of 10,000 bytes over GATT, of which the first 4,000 are there.
    private func receiver() throws -> FileExchange {
        var exchange = FileExchange()
        exchange.limit = 1 << 20
        let (said, misuse) = say(
            [
                .sessionBegan(isRadio: true), .words(.offer(id, size: 10_000)), .found(id, .part),
                .incoming(id, .opened(offset: 4000, digest: digestOf([]))),
            ], to: &exchange)
        #expect(misuse == nil)
        let grant = FileGrant(offset: 4000, window: IncomingFile.radioWindow, digest: digestOf([]))
        #expect(said == [.grant(id, grant)])
        return exchange
    }

    private func chunk(_ offset: UInt64, _ count: Int) -> FileExchange.Event {
        .words(.chunk(id, offset: offset, [UInt8](repeating: 1, count: count)))
    }

    /// Covers INK-FIL-030.
    @Test func `a receiver ends the session at every chunk and end that has no place`() throws {
        let other = TransferID(Octets16(high: 9, low: 9))
        let cases: [([FileExchange.Event], FileMisuse)] = [
            ([chunk(4001, 10)], .outOfOrder), ([chunk(3999, 10)], .outOfOrder),
            ([chunk(4000, 100), chunk(4000, 100)], .outOfOrder), ([chunk(4000, 10), chunk(0, 10)], .outOfOrder),
            ([chunk(4000, 2001)], .longChunk),
            ([chunk(4000, 2000), chunk(6000, 2000), chunk(8000, 1900), chunk(9900, 101)], .beyondSize),
            ([chunk(0, 2000), chunk(2000, 2000), chunk(4000, 2000), chunk(6000, 2000), chunk(8000, 1)], .beyondWindow),
            ([.words(.end(id, digest: digestOf([])))], .earlyEnd),
            ([.words(.grant(id, FileGrant(offset: 0, window: 1, digest: digestOf([]))))], .unasked),
            ([.words(.taken(id, offset: 0))], .unasked), ([.words(.done(id))], .unasked),
            ([.words(.chunk(other, offset: 0, [1]))], .unasked),
            ([.words(.end(other, digest: digestOf([])))], .unasked),
        ]
        for (number, (events, expected)) in cases.enumerated() {
            var exchange = try receiver()
            #expect(say(events, to: &exchange).1 == expected, "case \(number)")
        }
    }

    /// Covers INK-FIL-003, INK-FIL-009, INK-FIL-018, INK-FIL-030.
    @Test func `a sender ends the session at every answer without a question`() {
        func grant(_ offset: UInt64) -> FileExchange.Event {
            .words(.grant(id, FileGrant(offset: offset, window: 4000, digest: digestOf([]))))
        }
        let sending: [FileExchange.Event] = [
            grant(0), .outgoing(id, .prefix(round: 1, digestOf([]))),
            .outgoing(id, .read(round: 1, Array(repeating: 0, count: 4000))),
        ]
        let cases: [([FileExchange.Event], FileMisuse)] = [
            ([.words(.taken(id, offset: 0))], .unasked), ([grant(10_001)], .beyondSize),
            ([grant(0), grant(0)], .unasked),
            (sending + [.words(.taken(id, offset: 4001))], .unasked),
            (sending + [.words(.taken(id, offset: 2000)), .words(.taken(id, offset: 1999))], .unasked),
            (sending + [.words(.done(id))], .unasked),
        ]
        for (number, (events, expected)) in cases.enumerated() {
            var exchange = FileExchange()
            #expect(say([.sessionBegan(isRadio: true), .send(id, size: 10_000)], to: &exchange).1 == nil)
            #expect(say(events, to: &exchange).1 == expected, "case \(number)")
        }
        // Without a grant nothing is read, and with one not more than the window.
        var exchange = FileExchange()
        #expect(
            say([.sessionBegan(isRadio: true), .send(id, size: 10_000)], to: &exchange).said == [
                .offer(id, size: 10_000)
            ])
        let said = say(sending, to: &exchange).said
        #expect(said.count == 2)
    }

    /// Covers INK-FIL-008, INK-FIL-009.
    @Test func `the end has the digest of the whole, and only its answer is a delivery`() throws {
        var exchange = FileExchange()
        let bytes: [UInt8] = [1, 2, 3]
        let (said, _) = say(
            [
                .sessionBegan(isRadio: false), .send(id, size: 3),
                .words(.grant(id, FileGrant(offset: 0, window: 100, digest: digestOf([])))),
                .outgoing(id, .prefix(round: 1, digestOf([]))), .outgoing(id, .read(round: 1, bytes)),
                .words(.taken(id, offset: 3)), .outgoing(id, .digest(round: 1, digestOf(bytes[...]))),
            ], to: &exchange)
        #expect(said.last == .end(id, digest: digestOf(bytes[...])))
        #expect(exchange.outgoingIDs == [id])
        #expect(say([.words(.done(id))], to: &exchange).1 == nil)
        #expect(exchange.outgoingIDs == [])
    }

    /// Covers INK-FIL-023.
    @Test func `a sender offers again a minute after the other side was busy`() throws {
        var exchange = FileExchange()
        _ = say([.sessionBegan(isRadio: false), .send(id, size: 3), .words(.stop(id, .busy))], to: &exchange)
        let due = try #require(exchange.due)
        #expect(now.duration(to: due) == .seconds(60))
        var said: [FileWords] = []
        for effect in try exchange.handle(.timerFired, hasRoom: true, at: due) {
            if case .say(let words) = effect { said.append(words) }
        }
        #expect(said == [.offer(id, size: 3)])
    }

    /// Covers INK-FIL-025.
    @Test func `a flood of offers is answered eight times and then not at all`() {
        var exchange = FileExchange()
        _ = say([.sessionBegan(isRadio: false)], to: &exchange)
        var busy = 0
        for number in 0..<1000 as Range<UInt64> {
            let (said, misuse) = say(
                [.words(.offer(TransferID(Octets16(high: number, low: 0)), size: 1))], to: &exchange)
            #expect(misuse == nil)
            busy += said.count { if case .stop(_, .busy) = $0 { true } else { false } }
        }
        #expect(busy == 24)
    }

    /// Covers INK-FIL-035.
    @Test func `a granted transfer in which nothing comes is interrupted`() throws {
        var exchange = try receiver()
        let due = try #require(exchange.due)
        #expect(now.duration(to: due) == .seconds(120))
        let effects = try exchange.handle(.timerFired, hasRoom: true, at: due)
        #expect(effects.contains(.say(.stop(id, .busy))))
        #expect(effects.contains(.incoming(id, size: 10_000, .close)))
        // A chunk that was on its way is no misuse.
        #expect(say([chunk(4000, 10)], to: &exchange).1 == nil)
    }

    /// Covers INK-FIL-010, INK-FIL-011, INK-FIL-013, INK-FIL-038.
    @Test func `nothing is granted beside another transfer, without room or above the limit`() throws {
        for (limit, found, asks) in [
            (0, FoundFile.nothing, true), (99, .nothing, true), (100, .nothing, false), (0, .part, false),
        ] as [(UInt64, FoundFile, Bool)] {
            var exchange = FileExchange()
            exchange.limit = limit
            let offer: [FileExchange.Event] = [.sessionBegan(isRadio: false), .words(.offer(id, size: 100))]
            #expect(say(offer, to: &exchange).said == [])
            let effects = try exchange.handle(.found(id, found), hasRoom: true, at: now)
            #expect(effects == (asks ? [.offered(id, size: 100)] : [.incoming(id, size: 100, .open)]))
        }
        var full = FileExchange()
        full.limit = 1000
        _ = say([.sessionBegan(isRadio: false), .words(.offer(id, size: 100))], to: &full)
        #expect(try full.handle(.found(id, .nothing), hasRoom: false, at: now) == [])
        #expect(try full.handle(.roomMade, hasRoom: true, at: now) == [.incoming(id, size: 100, .open)])
        // An empty file needs a limit, too.
        var empty = FileExchange()
        _ = say([.sessionBegan(isRadio: false), .words(.offer(id, size: 0))], to: &empty)
        #expect(try empty.handle(.found(id, .nothing), hasRoom: true, at: now) == [.offered(id, size: 0)])
    }
}
