internal import Foundation
internal import InklingWorld

/// What the arguments ask for.
struct Run {
    private var seeds: ClosedRange<UInt64> = 1...50
    private var hours: UInt64 = 24
    private var nodes = 5...50
    private var faults: [PlantedFault] = []
    private var repetition: UInt64 = 25
    private var jobs = 2
    private var histories: Int?

    /// Reads arguments; nil when they make no sense.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--faults" {
                faults = PlantedFault.allCases
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--seeds":
                guard let range: ClosedRange<UInt64> = Self.range(value) else { return nil }
                seeds = range
            case "--nodes":
                guard let range: ClosedRange<UInt64> = Self.range(value), range.lowerBound >= 2, range.upperBound <= 200
                else { return nil }
                nodes = Int(range.lowerBound)...Int(range.upperBound)
            case "--hours":
                guard let number = UInt64(value), number >= 2, number <= 10_000 else { return nil }
                hours = number
            case "--fault":
                guard let fault = PlantedFault(rawValue: value) else { return nil }
                faults = [fault]
            case "--years":
                guard let number = Int(value), (10...10_000_000).contains(number) else { return nil }
                histories = number
            case "--twice":
                guard let number = UInt64(value) else { return nil }
                repetition = number
            case "--jobs":
                guard let number = Int(value), (1...64).contains(number) else { return nil }
                jobs = number
            default: return nil
            }
        }
    }

    private static func range(_ text: String) -> ClosedRange<UInt64>? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard let first = parts.first ?? nil, let last = parts.last ?? nil, parts.count <= 2, first <= last else {
            return nil
        }
        return first...last
    }

    /// Runs every world, and returns whether all is as it should be.
    func carriedOut() async -> Bool {
        if let histories { return Years.carriedOut(histories: histories) }
        guard !faults.isEmpty else { return await sound() }
        var areFound = true
        for fault in faults where await !found(fault) { areFound = false }
        return areFound
    }

    private func command(_ seed: UInt64, _ fault: PlantedFault? = nil) -> String {
        "inkling-world --seeds \(seed) --hours \(hours) --nodes \(nodes.lowerBound)-\(nodes.upperBound)"
            + (fault.map { " --fault \($0.rawValue)" } ?? "")
    }

    private func settings(_ seed: UInt64, _ fault: PlantedFault? = nil) -> WorldSettings {
        WorldSettings(seed: seed, hours: hours, nodes: nodes, fault: fault)
    }

    private enum Outcome: Sendable {
        case judged(WorldReport, again: UInt64?)
        case failed(UInt64, String)
    }

    private func outcome(of seed: UInt64) async -> Outcome {
        do {
            let report = try await World.run(settings(seed))
            let isRepeated = repetition > 0 && (seed % repetition == 0 || !report.violations.isEmpty)
            return .judged(report, again: isRepeated ? try await World.run(settings(seed)).digest : nil)
        } catch {
            return .failed(seed, "\(error)")
        }
    }

    private func sound() async -> Bool {
        let began = Date()
        var tally = Tally()
        await withTaskGroup(of: Outcome.self) { group in
            var next = seeds.lowerBound
            func add() {
                guard next <= seeds.upperBound else { return }
                let seed = next
                next += 1
                group.addTask { await outcome(of: seed) }
            }
            for _ in 0..<jobs { add() }
            for await outcome in group {
                tally.add(outcome, replay: command)
                add()
                if tally.worlds % 25 == 0 { tally.progress(of: seeds.count, since: began) }
            }
        }
        tally.summary(since: began)
        return tally.isSound
    }

    private struct Tally {
        var worlds = 0, nodes = 0, repeated = 0
        var hours: UInt64 = 0
        var nodeHours: UInt64 = 0
        var counts = WorldCounts()
        var broken = 0
        var digest: UInt64 = 0
        /// Whether no invariant broke, and every world that ran twice was the same.
        var isSound: Bool { broken == 0 }

        mutating func add(_ outcome: Outcome, replay: (UInt64, PlantedFault?) -> String) {
            worlds += 1
            switch outcome {
            case .failed(let seed, let words):
                broken += 1
                print("seed \(seed) could not be simulated: \(words)\n  again: \(replay(seed, nil))")
            case .judged(let report, let again):
                nodes += report.nodes
                hours += report.hours
                nodeHours += report.hours * UInt64(report.nodes)
                counts += report.counts
                digest ^= report.digest &* (report.seed | 1)
                let isOther = again.map { $0 != report.digest } ?? false
                repeated += again == nil ? 0 : 1
                if isOther || !report.violations.isEmpty { broken += 1 }
                if let again, isOther {
                    print("seed \(report.seed) is not reproducible: \(hex(report.digest)), then \(hex(again))")
                }
                guard !report.violations.isEmpty else { return }
                print("seed \(report.seed), \(report.nodes) nodes, digest \(hex(report.digest)):")
                for violation in report.violations { print("  \(violation)") }
                print("  again: \(replay(report.seed, nil))")
            }
            fflush(nil)
        }

        func progress(of total: Int, since began: Date) {
            let seconds = max(Date().timeIntervalSince(began), 0.001)
            print("\(worlds) of \(total) worlds in \(Int(seconds)) s, \(nodes) nodes")
            fflush(nil)
        }

        func summary(since began: Date) {
            let seconds = max(Date().timeIntervalSince(began), 0.001)
            let used = Double(clock()) / Double(CLOCKS_PER_SEC)
            print(
                """
                \(worlds) worlds, \(nodes) nodes, \(hours) simulated hours (\(nodeHours) of nodes) in \(Int(seconds)) s \
                and \(Int(used)) s of processor time: \(Int(Double(hours) * 3600 / max(used, 0.001))) times real time per core
                \(counts.events) events, \(counts.packets) packets, \(counts.frames) frames, \(counts.showings) epochs shown, \
                \(counts.confirmations) confirmations
                \(counts.texts) texts, \(counts.receipts) receipts, \(counts.deliveries) delivered; \(counts.files) files, \
                \(counts.filesKept) kept
                \(counts.hostileSessions) sessions of malicious contacts, with \(counts.hostileRecords) hostile records
                \(counts.crashes) crashes (\(counts.lostSaves) lost a save), \(counts.restarts) starts, \(counts.sleeps) sleeps, \
                \(counts.clockSteps) clock steps, \(counts.resets) operator resets, \(counts.moves) moves, \
                \(counts.removals) removals, \(counts.earlyGrants) grants from a clock that was ahead
                \(counts.attacks) attacks, \(counts.replays) first messages replayed, \(counts.expected) meetings expected in calms
                \(repeated) worlds run twice; digest of all worlds \(hex(digest))
                figure: worlds without a broken invariant = \(worlds - broken) of \(worlds)
                """)
        }
    }

    /// Returns whether one of the seeds finds a fault.
    private func found(_ fault: PlantedFault) async -> Bool {
        var next = seeds.lowerBound
        while next <= seeds.upperBound {
            let batch = next...min(next + UInt64(jobs) - 1, seeds.upperBound)
            next = batch.upperBound + 1
            let finding = await withTaskGroup(of: (UInt64, Violation?).self) { group in
                for seed in batch {
                    group.addTask {
                        let report = try? await World.run(settings(seed, fault))
                        return (seed, report?.violations.first)
                    }
                }
                var findings: [(UInt64, Violation)] = []
                for await (seed, violation) in group { if let violation { findings.append((seed, violation)) } }
                return findings.min { $0.0 < $1.0 }
            }
            if let (seed, violation) = finding {
                defer { fflush(nil) }
                return isFound(fault.rawValue, by: "seed \(seed): \(violation)")
            }
        }
        return isFound(fault.rawValue, by: nil)
    }
}

private func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
