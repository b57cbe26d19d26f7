/// The address of a node's dashboard. The token follows on a separate line.
struct DashboardFact: Codable, Hashable, Sendable {
    let address: String
}
