#if Node
    /// A reason for the failure of a call over the bus.
    enum BusError: Error, Hashable, Sendable {
        /// The bus cannot be reached; `code` is the system's error number.
        case unreachable(code: Int32)
        /// The connection has ended, or `close` was called.
        case closed
        /// The reply did not come in time, or the called program has gone.
        case noReply
        /// The called program replied with the error of this name.
        case refused(name: String)
        /// The reply has this unexpected signature.
        case wrongSignature(String)
        /// A message exceeds the limits of `BusReader`.
        case tooLarge
        /// An argument cannot be sent: a path or a signature is invalid.
        case invalidArgument
    }

    /// The error names that Inkling reads or sends.
    enum BusErrorName {
        static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
        static let failed = "org.freedesktop.DBus.Error.Failed"
        static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
        static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
        static let noReply = "org.freedesktop.DBus.Error.NoReply"
        static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
        static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
        static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
        static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
        static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
        static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    }

    extension BusError {
        /// Creates the error for an error reply of this name.
        init(replied name: String) { self = name == BusErrorName.noReply ? .noReply : .refused(name: name) }
    }
#endif
