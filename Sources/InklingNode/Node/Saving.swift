/// Which saves are wanted and which one is under way: one at a time, in order, and always of the latest contents.
///
/// What is wanted while a save is under way waits for the next one, which serves all of it. A follow-up says what the
/// outcome of the save means for whoever wanted it.
struct Saving<FollowUp> {
    private var wanted: [FollowUp] = []
    private var underWay: [FollowUp] = []
    private(set) var isUnderWay = false

    /// Every follow-up without an outcome, oldest first.
    var open: [FollowUp] { underWay + wanted }

    /// Notes that the contents are to be saved.
    mutating func want(_ followUp: FollowUp) { wanted.append(followUp) }

    /// Begins a save of all that is wanted; nil when there is nothing to do, or one is under way.
    mutating func begin() -> [FollowUp]? {
        guard !isUnderWay, !wanted.isEmpty else { return nil }
        isUnderWay = true
        underWay = wanted
        wanted = []
        return underWay
    }

    /// Ends the save that is under way and returns whom its outcome concerns.
    mutating func end() -> [FollowUp] {
        isUnderWay = false
        defer { underWay = [] }
        return underWay
    }
}
