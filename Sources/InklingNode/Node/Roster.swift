internal import InklingEngine
internal import InklingKeys

/// Which small number of the engine stands for which user.
struct Roster: Sendable {
    private var users: [ContactID: UserID] = [:]
    private var numbers: [UserID: ContactID] = [:]
    private var next: UInt32 = 0

    /// Every number given, ascending.
    var ids: [ContactID] { users.keys.sorted() }

    /// The number of a user, given now if there was none.
    @discardableResult
    mutating func enroll(_ user: UserID) -> ContactID {
        if let id = numbers[user] { return id }
        let id = ContactID(rawValue: next)
        next += 1
        users[id] = user
        numbers[user] = id
        return id
    }

    /// Forgets a user; the number is never given again.
    mutating func remove(_ user: UserID) {
        if let id = numbers.removeValue(forKey: user) { users[id] = nil }
    }

    subscript(id: ContactID) -> UserID? { users[id] }
    subscript(user: UserID) -> ContactID? { numbers[user] }
}
