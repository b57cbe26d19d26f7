#if Node
    /// Which signals a stream has.
    struct BusRule: Hashable, Sendable {
        /// The well-known name of the sender. Signals of anyone but its owner are dropped: the system bus lets everyone
        /// send a signal to us.
        let sender: String
        let interface: String
        /// Nil for all.
        var member: String?
        /// Nil for every path; otherwise this path, or with `includesBelow` also those below it.
        var path: String?
        var includesBelow = false
        /// The first argument, if only signals with this string are wanted.
        var firstArgument: String?

        /// The rule in the language of the bus.
        var text: String {
            var text = "type='signal',sender='\(sender)',interface='\(interface)'"
            if let member { text += ",member='\(member)'" }
            if let path { text += includesBelow ? ",path_namespace='\(path)'" : ",path='\(path)'" }
            if let firstArgument { text += ",arg0='\(firstArgument)'" }
            return text
        }

        /// Returns whether a signal matches, apart from its sender.
        func matches(_ signal: BusSignal) -> Bool {
            guard signal.interface == interface, member == nil || member == signal.member,
                firstArgument == nil || signal.arguments.first == firstArgument.map({ .string($0) })
            else { return false }
            guard let path, path != signal.path else { return true }
            return includesBelow && (path == "/" || signal.path.hasPrefix(path + "/"))
        }
    }

    extension BusRule {
        /// The rule for changes of the owner of a well-known name.
        static func owner(of name: String) -> BusRule {
            BusRule(
                sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                path: "/org/freedesktop/DBus", firstArgument: name)
        }
    }

    /// A signal that was received.
    struct BusSignal: Hashable, Sendable {
        let path: String
        let interface: String
        let member: String
        /// Empty when they exceed the limits of `BusReader`.
        let arguments: [BusValue]
    }

    /// An element of a stream of signals.
    enum BusEvent: Hashable, Sendable {
        case signal(BusSignal)
        /// Signals were dropped because the consumer was too slow: what they said must be asked for.
        case lost
    }
#endif
