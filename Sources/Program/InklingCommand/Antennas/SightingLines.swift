import Dispatch
import InklingJSON
import InklingKeys
import InklingNode
import InklingTerminal
import InklingWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The antenna whose sightings another program writes to standard input, one JSON object per line
/// (`Specs/antennas.md`).
struct SightingLines: Antenna {
    /// The maximum number of refused lines that are reported; all are counted.
    static let shownLimit = 100
    /// The number of lines read ahead of the node.
    private static let ahead = 256

    let facts = AntennaFacts(
        name: "stdin", source: .lines, clockError: .seconds(1), hasAddresses: true, hasData: true,
        patience: .seconds(900))
    private let clock: any NodeClock
    private let profile: ApplicationProfile
    private let descriptor: Int32

    /// Creates an antenna that reads a descriptor.
    init(clock: any NodeClock, profile: ApplicationProfile, descriptor: Int32 = STDIN_FILENO) {
        self.clock = clock
        self.profile = profile
        self.descriptor = descriptor
    }

    func listenAgain() {}

    func listen(_ report: @escaping @Sendable (AntennaReport) async -> Void) async {
        await report(.listening)
        var filter = AntennaFilter(profile)
        var number = 0
        var refused = 0
        // Starts at 0, because a semaphore traps when it is released below its initial value.
        let room = DispatchSemaphore(value: 0)
        for _ in 0..<Self.ahead { room.signal() }
        for await line in lines(room) {
            room.signal()
            number += 1
            let now = clock.read()
            do throws(SightingLineError) {
                guard let sighting = try SightingLine.parse(line, at: now, profile) else { continue }
                if let news = filter.report(sighting, at: now.tick) { await report(news) }
            } catch {
                refused += 1
                if refused <= Self.shownLimit {
                    NodeLog.write(
                        .warning, .sightingRefused, ["line": .integer(number), "reason": .text("\(error)")],
                        sentence: "inkling: sightings, line \(number): \(error)")
                }
                if refused == Self.shownLimit {
                    NodeLog.write(
                        .warning, .sightingsNotShown, [:],
                        sentence: "inkling: sightings: further refused lines are only counted (inkling status)")
                }
                await report(.refused(1))
            }
        }
        if !Task.isCancelled { await report(.ended) }
    }

    /// Returns the lines, read on a separate thread. Nothing interrupts a read, so the thread may last as long as the
    /// input.
    private func lines(_ room: DispatchSemaphore) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            DispatchQueue(label: "sightings").async { [descriptor] in
                var lines = InputLines(descriptor: descriptor, limit: SightingLine.byteLimit)
                while let line = lines.next() {
                    room.wait()
                    guard case .enqueued = continuation.yield(line) else { return }
                }
                continuation.finish()
            }
        }
    }
}
