/// Requested saves and the save in progress: one at a time, always of the latest contents.
///
/// Saves requested during a save are combined into the next one. A follow-up describes what to do with the outcome.
struct Saving<FollowUp> {
    private var wanted: [FollowUp] = []
    private var underWay: [FollowUp] = []
    private(set) var isUnderWay = false

    /// All follow-ups that await an outcome, oldest first.
    var open: [FollowUp] { underWay + wanted }

    /// Requests a save.
    mutating func want(_ followUp: FollowUp) { wanted.append(followUp) }

    /// Begins a save and returns its follow-ups; returns nil if none is requested or one is in progress.
    mutating func begin() -> [FollowUp]? {
        guard !isUnderWay, !wanted.isEmpty else { return nil }
        isUnderWay = true
        underWay = wanted
        wanted = []
        return underWay
    }

    /// Ends the save in progress and returns its follow-ups.
    mutating func end() -> [FollowUp] {
        isUnderWay = false
        defer { underWay = [] }
        return underWay
    }
}
