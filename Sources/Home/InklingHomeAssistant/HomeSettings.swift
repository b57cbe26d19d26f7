/// The settings under which a node appears in Home Assistant.
package struct HomeSettings: Hashable, Sendable {
    /// The topic prefix under which Home Assistant looks for descriptions.
    package var discoveryPrefix = "homeassistant"
    /// The name of the device.
    package var deviceName = "Inkling"
    /// The version of this program.
    package var version: String
    /// The age in seconds at which a presence becomes unknown unless it is republished.
    package var expireAfter: UInt32 = 600
    /// Whether the node has antennas and can report a contact's room.
    package var hasRooms = false
    /// The largest number of published contacts; those with the greatest ids are left out.
    package var contactLimit = 500

    package init(version: String) { self.version = version }

    /// The interval in milliseconds at which each presence is republished: a third of its expiry.
    var refreshInterval: UInt64 { UInt64(expireAfter) * 1000 / 3 }
}
