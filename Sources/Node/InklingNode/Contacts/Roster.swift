internal import InklingEngine
internal import InklingKeys

/// A map between users and the small numbers by which the engine identifies contacts.
struct Roster: Sendable {
    private var users: [ContactID: UserID] = [:]
    private var numbers: [UserID: ContactID] = [:]
    private var next: UInt32 = 0

    /// All numbers of current users, ascending.
    var ids: [ContactID] { users.keys.sorted() }

    /// Returns the number of a user, assigning one if there is none.
    @discardableResult
    mutating func enroll(_ user: UserID) -> ContactID {
        if let id = numbers[user] { return id }
        let id = ContactID(rawValue: next)
        next += 1
        users[id] = user
        numbers[user] = id
        return id
    }

    /// Removes a user; the number is not reused.
    mutating func remove(_ user: UserID) {
        if let id = numbers.removeValue(forKey: user) { users[id] = nil }
    }

    subscript(id: ContactID) -> UserID? { users[id] }
    subscript(user: UserID) -> ContactID? { numbers[user] }
}
