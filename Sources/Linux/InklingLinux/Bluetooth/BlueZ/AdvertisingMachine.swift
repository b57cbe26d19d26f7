#if Node
    internal import InklingNode

    /// The content of one advertising set.
    struct AdvertisingSet: Hashable, Sendable {
        /// Whether the set is connectable.
        var isConnectable: Bool
        /// Apple manufacturer data, without the company identifier; empty for none.
        var appleData: [UInt8] = []
        /// 128-bit service UUIDs in their text form.
        var services: [String] = []
    }

    /// Decides when sets are registered and withdrawn: all sets of one epoch end before any of another begins. Each set
    /// is a new object with a new path, and so gets a new address.
    struct AdvertisingMachine: Sendable {
        enum Event: Hashable, Sendable {
            /// Show these sets, in this order; only when nothing is shown.
            case show([AdvertisingSet])
            /// Withdraw everything.
            case hide
            case registered(path: String)
            /// The set was not registered.
            case refused(path: String, RadioError)
            /// It is unknown whether the set was registered.
            case unanswered(path: String, RadioError)
            case unregistered(path: String)
            /// It is unknown whether the set was withdrawn.
            case unconfirmed(path: String)
        }

        enum Effect: Hashable, Sendable {
            case register(path: String, AdvertisingSet)
            case unregister(path: String)
            /// The object is no longer needed.
            case forget(path: String)
            /// Close the connection to the bus, which makes `bluetoothd` end every set.
            case disconnect
            /// All sets are being advertised.
            case shown
            /// Nothing is advertised any more, as requested.
            case hidden
            /// Nothing is advertised, because of a failure.
            case failed(RadioError)
        }

        private enum State {
            case off
            case registering(path: String, then: [AdvertisingSet], on: [String])
            case on([String])
            /// Withdrawing the first of these; then off, with the error if there is one.
            case withdrawing([String], RadioError?)
            /// The connection was closed; the machine cannot be used again.
            case ended
        }

        private var state = State.off
        private var count: UInt64 = 0
        private let prefix: String

        /// Creates a machine whose objects have paths below this one.
        init(prefix: String) { self.prefix = prefix }

        /// Handles an event and returns the actions to carry out, in order. Unexpected events have no effect.
        mutating func handle(_ event: Event) -> [Effect] {
            switch (state, event) {
            case (.off, .show(let sets)): return registerNext(of: sets, on: [])
            case (.off, .hide), (.ended, .hide): return [.hidden]
            case (.registering(let path, let rest, let on), .registered(let answered)) where answered == path:
                return registerNext(of: rest, on: on + [path])
            case (.registering(let path, _, let on), .refused(let answered, let error)) where answered == path:
                return [.forget(path: path)] + withdraw(on, because: error)
            case (.registering(let path, _, _), .unanswered(let asked, let error)) where asked == path:
                state = .ended
                return [.disconnect, .failed(error)]
            case (.on(let paths), .hide): return withdraw(paths, because: nil)
            case (.withdrawing(let paths, let error), .unregistered(let path)) where paths.first == path:
                return [.forget(path: path)] + withdraw(Array(paths.dropFirst()), because: error)
            case (.withdrawing(let paths, let error), .unconfirmed(let path)) where paths.first == path:
                state = .ended
                return [.disconnect, error.map { .failed($0) } ?? .hidden]
            default: return []
            }
        }

        private mutating func registerNext(of sets: [AdvertisingSet], on: [String]) -> [Effect] {
            guard let next = sets.first else {
                state = .on(on)
                return [.shown]
            }
            count += 1
            let path = "\(prefix)\(count)"
            state = .registering(path: path, then: Array(sets.dropFirst()), on: on)
            return [.register(path: path, next)]
        }

        private mutating func withdraw(_ paths: [String], because error: RadioError?) -> [Effect] {
            guard let first = paths.first else {
                state = .off
                return [error.map { .failed($0) } ?? .hidden]
            }
            state = .withdrawing(paths, error)
            return [.unregister(path: first)]
        }
    }
#endif
