/// Where a node serves its dashboard. The token follows on a line of its own.
struct DashboardFact: Codable, Hashable, Sendable {
    let address: String
}
