import InklingLinux
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Finding {
    /// Judges the interfaces, the machines heard, and the programs that share the port.
    static func multicast(_ observation: MulticastObservation?) -> [Finding] {
        guard let observation else {
            return [Finding(.network, .unknown, "cannot list the network interfaces")]
        }
        return [network(observation)] + (observation.canHear ? [heard(observation)] : []) + [responders(observation)]
    }

    private static func network(_ observation: MulticastObservation) -> Finding {
        let interfaces = observation.interfaces
        guard !interfaces.isEmpty else {
            return Finding(
                .network, .fault, "no interface can be used: a node stays silent",
                remedy: .sentence("Connect this machine to a network, and look at: ip address"))
        }
        let names = interfaces.map { printable($0.name) }.joined(separator: ", ")
        if let failed = interfaces.first(where: { $0.error != nil }), let error = failed.error {
            let isTaken = error == EADDRINUSE
            let holder = observation.users.compactMap(\.program).first.map(printable) ?? "another program"
            return Finding(
                .network, .fault,
                isTaken
                    ? "\(holder) holds UDP port 5353 exclusively"
                    : "no socket for multicast DNS on \(printable(failed.name)): \(systemMessage(error))",
                remedy: isTaken
                    ? .sentence("End \(holder), or let it share the port.")
                    : .sentence("Allow this user to use multicast on the interface."))
        }
        guard interfaces.contains(where: \.showsAddress) else {
            return Finding(
                .network, .fault, "\(names): no address that a node may reveal, so it stays silent",
                remedy: .sentence("Give the interface an IPv4 address, or a temporary IPv6 address."))
        }
        guard interfaces.contains(where: { !$0.isLoopback }) else {
            return Finding(
                .network, .advice, "only loopback can be used: no other machine is near on the network",
                remedy: .sentence("Connect this machine to a network, and look at: ip address"))
        }
        return Finding(.network, .ok, names)
    }

    private static func heard(_ observation: MulticastObservation) -> Finding {
        guard observation.packets == 0 else {
            return Finding(
                .multicast, .ok,
                "\(plural(observation.packets, "packet")) of \(plural(observation.senders, "other machine")) in "
                    + "\(observation.seconds) s")
        }
        return Finding(
            .multicast, .advice, "no other machine heard in \(observation.seconds) s",
            remedies: [
                .sentence("A quiet network is silent for longer: listen again with --listen 60."),
                .sentence(
                    "If others are there, switch off client isolation, or the guest network, at the access point."),
            ])
    }

    private static func responders(_ observation: MulticastObservation) -> Finding {
        guard !observation.users.isEmpty else {
            return Finding(.responders, .ok, "no other program uses the port of multicast DNS")
        }
        let names = observation.users.map { user in
            user.program.map(printable) ?? "a program of user \(user.user)"
        }
        return Finding(
            .responders, .ok,
            "\(names.joined(separator: ", ")) \(names.count == 1 ? "uses" : "use") the port of multicast DNS too; "
                + "a node works beside \(names.count == 1 ? "it" : "them")")
    }
}

extension MulticastObservation {
    /// Whether other machines could be heard at all.
    fileprivate var canHear: Bool {
        seconds > 0 && interfaces.contains { !$0.isLoopback && $0.error == nil }
    }
}
