#if Node
    /// The interfaces that every bus and most objects have.
    enum BusInterface {
        static let bus = "org.freedesktop.DBus"
        static let busPath = "/org/freedesktop/DBus"
        static let properties = "org.freedesktop.DBus.Properties"
        static let objectManager = "org.freedesktop.DBus.ObjectManager"
    }
#endif
