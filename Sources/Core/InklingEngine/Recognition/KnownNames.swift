public import InklingKeys

/// The names that contacts may show now, each with its host. Discovery first looks up here every name that it hears
/// (`Specs/mdns.md`), so that a stranger's name costs one lookup.
///
/// It holds the grants that the hosts are derived from; replace it when periods are forgotten.
public struct KnownNames: Sendable {
    private let table: PredictedTable
    private let grants: [ContactID: [HeldGrant]]
    private let literal: [OpaqueServiceName: OpaqueHostName]

    /// Creates the names of a table that was made from these contacts.
    public init(_ table: PredictedTable = PredictedTable(), of contacts: [PredictedContact] = []) {
        self.table = table
        grants = Dictionary(contacts.map { ($0.contact, $0.grants) }, uniquingKeysWith: { first, _ in first })
        literal = [:]
    }

    /// Creates names with their hosts, without contacts: for tests of discovery.
    package init(literal: [OpaqueServiceName: OpaqueHostName]) {
        table = PredictedTable()
        grants = [:]
        self.literal = literal
    }

    /// Returns the host that goes with a name, or nil for a name that no contact shows.
    public func host(of name: OpaqueServiceName) -> OpaqueHostName? {
        var found = literal[name]
        // Usually one prediction; several for keys that a contact has passed on, whose host is the same.
        table.forEachPrediction(for: name) { prediction in
            if found == nil { found = host(of: name, by: prediction) }
        }
        return found
    }

    private func host(of name: OpaqueServiceName, by prediction: Prediction) -> OpaqueHostName? {
        for grant in grants[prediction.contact, default: []] where grant.audience == prediction.audience {
            guard let period = grant.tree.value.periodKey(prediction.epoch.period) else { continue }
            let keys = period.deviceKeys(prediction.device)
            if keys.mdns.serviceName(prediction.epoch) == name { return keys.mdns.hostName(prediction.epoch) }
        }
        return nil
    }
}
