#if Node
    /// A match rule of a stream of signals.
    struct BusRule: Hashable, Sendable {
        /// The well-known name of the sender. Signals of anyone but its owner are dropped, because the system bus lets
        /// everyone send us signals.
        let sender: String
        let interface: String
        /// The signal's name; `nil` for all.
        var member: String?
        /// The object path; `nil` for all. With `includesBelow`, also the paths below it.
        var path: String?
        var includesBelow = false
        /// The required first argument, if any.
        var firstArgument: String?

        /// The rule in D-Bus syntax.
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
        /// Returns the rule for changes of a well-known name's owner.
        static func owner(of name: String) -> BusRule {
            BusRule(
                sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                path: "/org/freedesktop/DBus", firstArgument: name)
        }
    }

    /// A received signal.
    struct BusSignal: Hashable, Sendable {
        let path: String
        let interface: String
        let member: String
        /// The arguments; empty if they exceed the limits of `BusReader`.
        let arguments: [BusValue]
    }

    /// An element of a stream of signals.
    enum BusEvent: Hashable, Sendable {
        case signal(BusSignal)
        /// Signals were dropped because the consumer was too slow; the state must be queried again.
        case lost
    }
#endif
