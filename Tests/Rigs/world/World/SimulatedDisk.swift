internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingSimulation
internal import InklingVault
internal import Synchronization

/// The disk of a host: it takes time to save, can be full, and loses at a crash what was not saved completely.
actor SimulatedDisk: ContentsKeeper {
    /// What would be read after a crash now.
    private(set) var contents: VaultContents
    /// How many saves were under way at a crash and did not survive it.
    private(set) var lost = 0
    private let clock: SimulatedClock
    private let fault: PlantedFault?
    private var generator: SimulationGenerator
    private var isFull = false
    private var slowness: UInt64 = 0
    /// Counts the lives of what runs on the host: a save of an earlier life has no effect.
    private var life = 0
    /// Contents that were accepted and are not written yet, which only a faulty disk has.
    private var unwritten: VaultContents?
    /// The contents of the save that is under way.
    private var underWay: VaultContents?

    init(_ contents: VaultContents, clock: SimulatedClock, seed: UInt64, fault: PlantedFault?) {
        self.contents = contents
        self.clock = clock
        self.fault = fault
        generator = SimulationGenerator(seed: seed)
    }

    /// Makes every save fail from now on, or ends that.
    func setFull(_ isFull: Bool) { self.isFull = isFull }

    /// How many milliseconds a save takes from now on.
    func setSlowness(_ milliseconds: UInt64) { slowness = milliseconds }

    /// Lets no save take longer from now on.
    func limitSlowness(to milliseconds: UInt64) { slowness = min(slowness, milliseconds) }

    func save(_ contents: VaultContents) async throws(VaultError) {
        let own = life
        guard !isFull else { throw VaultError(.diskFull, "disk") }
        underWay = contents
        if slowness > 0 {
            let due = clock.read().tick.advanced(byMilliseconds: slowness)
            do { try await clock.sleep(until: due) } catch {}
        }
        guard own == life else { throw VaultError(.readOnly, "disk") }
        underWay = nil
        if fault == .savesLate {
            unwritten = contents
            return
        }
        write(contents)
    }

    private func write(_ contents: VaultContents) {
        self.contents = contents
        if fault == .addsAudience, let now = Epoch(containing: clock.read().unixSeconds)?.period {
            self.contents.audiences.append(Audience(from: now, using: &generator))
        }
        guard fault == .forgetsTime else { return }
        self.contents.highWaterEpoch = nil
        self.contents.latestAcceptedTime = nil
    }

    /// What runs on the host has ended in an orderly way.
    func end() {
        if let unwritten { write(unwritten) }
        unwritten = nil
        life += 1
    }

    /// The host has lost its power. A save that was under way has survived or has not: a rename can have reached the disk.
    func crash() {
        life += 1
        unwritten = nil
        guard let underWay else { return }
        self.underWay = nil
        if Bool.random(using: &generator) { write(underWay) } else { lost += 1 }
    }
}
