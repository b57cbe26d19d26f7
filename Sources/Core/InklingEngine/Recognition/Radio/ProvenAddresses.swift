internal import InklingKeys

/// The addresses at which this device has confirmed a contact by a handshake of its own, each for the epoch of the
/// handshake. Their values stay evidence for that contact, whatever other addresses show (`Specs/bluetooth.md`).
struct ProvenAddresses: Sendable {
    private var entries: [DeviceAddress: (contact: ContactID, epoch: Epoch)] = [:]

    var count: Int { entries.count }

    mutating func insert(_ address: DeviceAddress, _ contact: ContactID, _ epoch: Epoch) {
        entries[address] = (contact, epoch)
    }

    /// Returns when the trace of a minor was last heard from an address at which the contact was confirmed; nil if
    /// never.
    func last(of contact: ContactID, in trace: Trace) -> Tick? {
        trace.sources.filter { source in
            entries[source.address].map { $0.contact == contact && $0.epoch == trace.epoch } ?? false
        }.map(\.last).max()
    }

    mutating func forget(_ address: DeviceAddress) { entries[address] = nil }

    mutating func forget(_ contact: ContactID) { entries = entries.filter { $0.value.contact != contact } }

    /// Forgets the epochs of which no trace is left in this epoch of the observer. The budget bounds the rest.
    mutating func advance(to epoch: Epoch) { entries = entries.filter { $0.value.epoch.number + 2 >= epoch.number } }
}
