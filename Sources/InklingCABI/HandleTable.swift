internal import CInkling
internal import InklingKeys
internal import Synchronization

/// The objects that callers hold, by number.
///
/// A number is the place in the table and how many objects had that place before, so that a freed number never comes
/// to mean a later object.
struct HandleTable: ~Copyable, Sendable {
    static let shared = HandleTable()

    /// The most objects at once.
    static let limit = 1 << 20

    fileprivate struct Place {
        var turn: UInt32
        var object: (any Object)?
    }

    fileprivate struct Places {
        var places: [Place] = []
        var free: [UInt32] = []
        var count = 0
    }

    private let places = Mutex(Places())

    /// Takes an object in.
    ///
    /// - Throws: `INKLING_FULL`.
    func add<Value: ~Copyable & Sendable>(_ value: consuming Value) throws(Fault) -> inkling_handle {
        let object = Held(value)
        return try places.withLock { places throws(Fault) in
            guard places.count < Self.limit else { throw Fault(INKLING_FULL) }
            places.count += 1
            if let index = places.free.popLast() {
                places.places[Int(index)].object = object
                return Self.handle(index, places.places[Int(index)].turn)
            }
            places.places.append(Place(turn: 1, object: object))
            return Self.handle(UInt32(places.places.count - 1), 1)
        }
    }

    /// Lends an object for the length of a call.
    ///
    /// - Throws: `INKLING_NO_SUCH_HANDLE`, `INKLING_WRONG_KIND`, `INKLING_BUSY`, and what `body` throws.
    func with<Value: ~Copyable & Sendable, Result: ~Copyable & Sendable>(
        _ handle: inkling_handle, _ kind: Value.Type, _ body: (inout Value) throws(Fault) -> Result
    ) throws(Fault) -> Result {
        let found = places.withLock { $0.object(of: handle) }
        guard let found else { throw Fault(INKLING_NO_SUCH_HANDLE) }
        guard let object = found as? Held<Value> else { throw Fault(INKLING_WRONG_KIND) }
        let result = try object.value.withLockIfAvailable { value throws(Fault) in try body(&value) }
        guard let result else { throw Fault(INKLING_BUSY) }
        return result
    }

    /// Forgets an object, unless a call is using it.
    ///
    /// - Throws: `INKLING_NO_SUCH_HANDLE`, `INKLING_BUSY`.
    func free(_ handle: inkling_handle) throws(Fault) {
        // The object goes, and is wiped, only after the table was unlocked.
        let freed: (any Object)? = try places.withLock { places throws(Fault) in
            guard let index = places.place(of: handle), let object = places.places[index].object else {
                throw Fault(INKLING_NO_SUCH_HANDLE)
            }
            guard object.isIdle else { throw Fault(INKLING_BUSY) }
            places.places[index].object = nil
            places.count -= 1
            // A place whose turns are used up is not used again.
            if places.places[index].turn < .max {
                places.places[index].turn += 1
                places.free.append(UInt32(truncatingIfNeeded: index))
            }
            return object
        }
        _ = consume freed
    }

    /// How many objects there are.
    var count: Int { places.withLock { $0.count } }

    private static func handle(_ index: UInt32, _ turn: UInt32) -> inkling_handle {
        inkling_handle(turn) << 32 | inkling_handle(index)
    }
}

extension HandleTable.Places {
    fileprivate func object(of handle: inkling_handle) -> (any Object)? {
        place(of: handle).flatMap { places[$0].object }
    }

    fileprivate func place(of handle: inkling_handle) -> Int? {
        let index = Int(UInt32(truncatingIfNeeded: handle))
        guard index < places.count, places[index].turn == UInt32(truncatingIfNeeded: handle >> 32) else { return nil }
        return index
    }
}

/// What the table knows of every object.
private protocol Object: AnyObject, Sendable {
    /// Whether no call is using it.
    var isIdle: Bool { get }
}

/// One object, and the lock that a call holds while it uses it. Nobody ever waits for that lock.
private final class Held<Value: ~Copyable & Sendable>: Object {
    let value: Mutex<Value>

    init(_ value: consuming sending Value) { self.value = Mutex(value) }

    var isIdle: Bool { value.withLockIfAvailable { _ in true } ?? false }
}
