/// How a node shows itself to Home Assistant.
package struct HomeSettings: Hashable, Sendable {
    /// Where Home Assistant looks for descriptions.
    package var discoveryPrefix = "homeassistant"
    /// What the device is called.
    package var deviceName = "Inkling"
    /// The version of this program.
    package var version: String
    /// After how many seconds without a message a presence is unknown.
    package var expireAfter: UInt32 = 600
    /// Whether the node has antennas, so that it can say in which room a contact is.
    package var hasRooms = false
    /// How many contacts are published; those with the greatest ids are left out.
    package var contactLimit = 500

    package init(version: String) { self.version = version }

    /// How often each presence is published again, in milliseconds: three times before it would expire.
    var refreshInterval: UInt64 { UInt64(expireAfter) * 1000 / 3 }
}
