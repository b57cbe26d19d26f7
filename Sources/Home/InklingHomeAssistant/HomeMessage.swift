/// A message for the broker.
package struct HomeMessage: Hashable, Sendable {
    /// Where it is published; without wildcards.
    package let topic: String
    /// What is published; an empty payload that is retained removes what the broker has kept.
    package let payload: String
    /// Whether the broker keeps it for later subscribers.
    package let isRetained: Bool

    package init(_ topic: String, _ payload: String, isRetained: Bool = true) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
