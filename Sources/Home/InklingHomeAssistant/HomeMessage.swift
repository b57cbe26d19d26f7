/// A message for the broker.
package struct HomeMessage: Hashable, Sendable {
    /// The topic, without wildcards.
    package let topic: String
    /// The payload; an empty retained payload deletes the broker's retained message.
    package let payload: String
    /// Whether the broker retains the message for later subscribers.
    package let isRetained: Bool

    package init(_ topic: String, _ payload: String, isRetained: Bool = true) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
