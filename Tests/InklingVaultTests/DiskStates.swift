import Synchronization

@testable import InklingVault

/// The files of a home, by their names.
typealias DiskState = [String: [UInt8]]

extension TemporaryHome {
    /// The files on the disk.
    private var state: DiskState {
        var state: DiskState = [:]
        for name in names where name != "lock" { state[name] = contents(of: path(name)) }
        return state
    }

    /// Creates a home as a process that was killed has left it.
    convenience init(_ state: DiskState) throws {
        try self.init()
        for (name, bytes) in state { try put(bytes, at: path(name)) }
    }

    /// Runs `change`, and returns what a process that is killed at any moment of it would leave: the files before each step
    /// that changes them, with half of what a step writes, and at the end.
    func states(_ change: () throws -> Void) rethrows -> [DiskState] {
        let seen = Mutex<[DiskState]>([])
        try VaultHome.$beforeStep.withValue({ seen.withLock { $0.append(self.state) } }, operation: change)
        let states = seen.withLock { $0 } + [state]
        return zip(states, states.dropFirst()).flatMap { state, next in
            // Only a new file is written in parts; the counter fits in a sector.
            let written = next.first { name, bytes in state[name] == [] && !bytes.isEmpty }
            guard let written else { return [state] }
            return [state, state.merging([written.key: Array(written.value.prefix(written.value.count / 2))]) { $1 }]
        } + states.suffix(1)
    }
}
