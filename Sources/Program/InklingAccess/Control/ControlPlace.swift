import InklingTerminal

/// The path of a home's control socket, and its users.
package struct ControlPlace: Hashable, Sendable {
    /// The home whose node serves it.
    package let home: String
    /// The path of the socket.
    package let path: String
    /// The group whose members may use it besides the owner of the home; nil for the owner alone.
    package let group: String?

    /// Creates a place inside a home, for its owner.
    package init(home: String) {
        self.home = home
        path = "\(home)/control"
        group = nil
    }

    /// Creates the place that the configuration of a home names.
    package init(home: String, _ configuration: Configuration) {
        self.home = home
        path = configuration.text(.control) ?? "\(home)/control"
        group = configuration.text(.controlGroup)
    }

    /// Its users, as the end of a sentence.
    package var users: String {
        guard let group else { return "as the user who owns the home" }
        return "as root or as a member of the group \(printable(group))"
    }
}
