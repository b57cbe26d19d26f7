/// What is simulated in one run.
package struct WorldSettings: Sendable {
    /// The seed of everything that is drawn.
    package var seed: UInt64
    /// The simulated hours, at least 2.
    package var hours: UInt64
    /// From how many to how many nodes there are; most worlds are near the lower number.
    package var nodes: ClosedRange<Int>
    /// A fault that is planted in a port of the nodes, which the watch must find.
    package var fault: PlantedFault?

    /// Creates settings.
    package init(seed: UInt64, hours: UInt64, nodes: ClosedRange<Int>, fault: PlantedFault? = nil) {
        self.seed = seed
        self.hours = hours
        self.nodes = nodes
        self.fault = fault
    }
}

/// A fault in a port of a node, or in what is told of it. Each breaks one of the invariants.
package enum PlantedFault: String, CaseIterable, Sendable {
    /// `save` returns before what it saved would survive a crash.
    case savesLate = "saves-late"
    /// After a restart the randomness is that of the run before.
    case repeatsRandomness = "repeats-randomness"
    /// The high-water mark and the latest accepted time are not among what is saved.
    case forgetsTime = "forgets-time"
    /// The host name of the first epoch is announced in every epoch.
    case keepsName = "keeps-name"
    /// The radio has the same address in every epoch.
    case keepsAddress = "keeps-address"
    /// A second device runs with a stolen copy of a node's secrets.
    case isCopied = "is-copied"
    /// Every third text reaches the application twice.
    case deliversTwice = "delivers-twice"
    /// Every third text with a receipt never reaches the application.
    case losesTexts = "loses-texts"
    /// The message store reports what it has not synced.
    case forgetsMessages = "forgets-messages"
    /// The message store takes what a malicious contact sent for texts of others.
    case confusesSenders = "confuses-senders"
    /// A vault has an audience that its user has not created.
    case addsAudience = "adds-audience"
    /// Links of strangers are kept without a limit.
    case keepsStrangers = "keeps-strangers"
    /// Multicast DNS reports no names.
    case isDeaf = "is-deaf"
}

/// What must hold in every world.
package enum Invariant: String, CaseIterable, Sendable {
    /// A contact is confirmed only if its own node took part in the same epoch.
    case confirmation
    /// A first message is answered at most once.
    case replay
    /// Nothing that a key and a number protect is sent twice, and no random value is.
    case reuse
    /// No epoch is shown after a later one, or under two secrets.
    case rotation
    /// No value is shown in two epochs.
    case linkage
    /// A text that was queued, and a file that its receiver has reported as kept, are delivered.
    case acknowledged
    /// A text and a file are delivered once, and none that nobody sent.
    case once
    /// Texts of one sender are delivered in the order in which they were sent.
    case order
    /// What a malicious contact says adds no contact and no audience.
    case trust
    /// No table grows beyond its limit.
    case bounds
    /// Two contacts on one network without faults recognise each other within two epochs.
    case liveness
}

/// A broken invariant.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    package let invariant: Invariant
    /// Milliseconds since the world began.
    package let time: UInt64
    package let words: String

    package var description: String { "\(invariant.rawValue) at \(time / 1000) s: \(words)" }
}

/// The result of one world.
package struct WorldReport: Sendable {
    package let seed: UInt64
    package let nodes: Int
    package let hours: UInt64
    /// A digest of all events and packets, in order. Two runs of one seed have the same.
    package let digest: UInt64
    package let violations: [Violation]
    package let counts: WorldCounts
}

/// How often things happened; a world in which nothing happens finds nothing.
package struct WorldCounts: Sendable {
    package var events = 0, packets = 0, frames = 0
    package var confirmations = 0, showings = 0
    package var texts = 0, receipts = 0, deliveries = 0, files = 0, filesKept = 0
    /// Sessions that a malicious contact had, and records that it said in them.
    package var hostileSessions = 0, hostileRecords = 0
    package var crashes = 0, restarts = 0, sleeps = 0, clockSteps = 0, resets = 0, removals = 0, attacks = 0
    package var lostSaves = 0, moves = 0, meetings = 0
    /// Replayed first messages that were sent, and pairs that a calm expected to recognise each other.
    package var replays = 0, expected = 0
    /// Grants of generations that were begun with a clock that was ahead, which nobody accepts yet.
    package var earlyGrants = 0

    package init() {}

    package static func += (sum: inout WorldCounts, other: WorldCounts) {
        sum.events += other.events
        sum.packets += other.packets
        sum.frames += other.frames
        sum.confirmations += other.confirmations
        sum.showings += other.showings
        sum.texts += other.texts
        sum.receipts += other.receipts
        sum.deliveries += other.deliveries
        sum.files += other.files
        sum.filesKept += other.filesKept
        sum.hostileSessions += other.hostileSessions
        sum.hostileRecords += other.hostileRecords
        sum.crashes += other.crashes
        sum.restarts += other.restarts
        sum.sleeps += other.sleeps
        sum.clockSteps += other.clockSteps
        sum.resets += other.resets
        sum.removals += other.removals
        sum.earlyGrants += other.earlyGrants
        sum.attacks += other.attacks
        sum.lostSaves += other.lostSaves
        sum.moves += other.moves
        sum.meetings += other.meetings
        sum.replays += other.replays
        sum.expected += other.expected
    }
}
