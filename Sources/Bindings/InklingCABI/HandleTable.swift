internal import CInkling
internal import InklingKeys
internal import Synchronization

/// The objects that callers hold, by handle.
///
/// A handle combines a place in the table with that place's generation, which rises with every freed object, so that a
/// freed handle never refers to a later object.
struct HandleTable: ~Copyable, Sendable {
    static let shared = HandleTable()

    /// The maximum number of simultaneous objects.
    static let limit = 1 << 20

    fileprivate struct Place {
        var generation: UInt32
        var object: (any Object)?
    }

    fileprivate struct Places {
        var places: [Place] = []
        var free: [UInt32] = []
        var count = 0
    }

    private let places = Mutex(Places())

    /// Adds an object and returns its handle.
    ///
    /// - Throws: `INKLING_FULL`.
    func add<Value: ~Copyable & Sendable>(_ value: consuming Value) throws(Fault) -> inkling_handle {
        let object = Held(value)
        return try places.withLock { places throws(Fault) in
            guard places.count < Self.limit else { throw Fault(INKLING_FULL) }
            places.count += 1
            if let index = places.free.popLast() {
                places.places[Int(index)].object = object
                return Self.handle(index, places.places[Int(index)].generation)
            }
            places.places.append(Place(generation: 1, object: object))
            return Self.handle(UInt32(places.places.count - 1), 1)
        }
    }

    /// Lends an object to `body`.
    ///
    /// - Throws: `INKLING_NO_SUCH_HANDLE`, `INKLING_WRONG_KIND`, `INKLING_BUSY`, and any error of `body`.
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

    /// Removes an object, unless a call is using it.
    ///
    /// - Throws: `INKLING_NO_SUCH_HANDLE`, `INKLING_BUSY`.
    func free(_ handle: inkling_handle) throws(Fault) {
        // The object is destroyed, and wiped, after the table is unlocked.
        let freed: (any Object)? = try places.withLock { places throws(Fault) in
            guard let index = places.place(of: handle), let object = places.places[index].object else {
                throw Fault(INKLING_NO_SUCH_HANDLE)
            }
            guard object.isIdle else { throw Fault(INKLING_BUSY) }
            places.places[index].object = nil
            places.count -= 1
            // A place whose generations are used up is not reused.
            if places.places[index].generation < .max {
                places.places[index].generation += 1
                places.free.append(UInt32(truncatingIfNeeded: index))
            }
            return object
        }
        _ = consume freed
    }

    /// The number of objects.
    var count: Int { places.withLock { $0.count } }

    private static func handle(_ index: UInt32, _ generation: UInt32) -> inkling_handle {
        inkling_handle(generation) << 32 | inkling_handle(index)
    }
}

extension HandleTable.Places {
    fileprivate func object(of handle: inkling_handle) -> (any Object)? {
        place(of: handle).flatMap { places[$0].object }
    }

    fileprivate func place(of handle: inkling_handle) -> Int? {
        let index = Int(UInt32(truncatingIfNeeded: handle))
        guard index < places.count, places[index].generation == UInt32(truncatingIfNeeded: handle >> 32) else {
            return nil
        }
        return index
    }
}

/// An object of any type, as seen by the table.
private protocol Object: AnyObject, Sendable {
    /// Whether no call is using it.
    var isIdle: Bool { get }
}

/// An object, and the lock that a call holds while it uses it. No call waits for the lock.
private final class Held<Value: ~Copyable & Sendable>: Object {
    let value: Mutex<Value>

    init(_ value: consuming sending Value) { self.value = Mutex(value) }

    var isIdle: Bool { value.withLockIfAvailable { _ in true } ?? false }
}
