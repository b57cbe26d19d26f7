import InklingConformance
import InklingKeys
import InklingLinux
import InklingNode

// Finding the node under test.
extension LiveRun {
    func find() throws(Failure) {
        let begun = LiveSockets.now()
        var asked = 0
        let pauses: [Int64] = [0, 1_000, 3_000]
        while LiveSockets.now() - begun < settings.search * 1000 {
            let waited = LiveSockets.now() - begun
            if asked < pauses.count ? waited >= pauses[asked] : waited >= Int64(asked) * 3_000 {
                asked += 1
                sockets.ask([DNSMessage.Question(ServiceNames.type, DNSMessage.RecordType.ptr)])
            }
            progress.show("looking for the node")
            sockets.watch(milliseconds: 250)
            if try choose(since: begun) { return }
        }
        // A contact whose name is nowhere may show a wrong one.
        if let name = candidates(since: begun).first, candidates(since: begun).count == 1, resolve(name) { return }
        if let address = settings.address {
            endpoint = address
            return
        }
        throw Failure(
            .unavailable, "no node showed itself within \(settings.search) s",
            remedy: "Is it visible, on this network, on --interface? Or name it with --address HOST:PORT.")
    }

    /// Chooses the node among those that are there.
    private func choose(since begun: Int64) throws(Failure) -> Bool {
        let present = candidates(since: begun)
        if let contact, let epoch {
            let near = [epoch, epoch.previous, epoch.next].compactMap(\.self)
            let name = near.flatMap { contact.devices(in: $0) }.first { present.contains($0.name) }?.name
            return name.map(resolve) ?? false
        }
        // Somebody else may answer a moment later.
        guard let name = present.first, LiveSockets.now() - begun > 2_000 else { return false }
        if let address = settings.address { return present.contains { resolve($0) && published($0, at: address) } }
        guard present.count == 1 else {
            throw Failure(
                .usage, "\(present.count) nodes are here: \(present.map(printable).joined(separator: ", "))",
                remedy: "Name one with --node NAME.")
        }
        return resolve(name)
    }

    /// The names that were announced since a moment and may be the node's: once it was found, those of its machine.
    private func candidates(since begun: Int64) -> [String] {
        let recent = sockets.packets.filter { $0.at >= begun }
        let present = recent.present(at: LiveSockets.now())
        guard let shown else { return settings.node.map { node in present.filter { $0 == node } } ?? present }
        let sources = sockets.packets.sources(of: shown.name).subtracting(sockets.ownAddresses)
        return present.filter { sources.isEmpty || !recent.sources(of: $0).isDisjoint(with: sources) }
    }

    private func published(_ name: String, at address: Endpoint) -> Bool {
        sockets.packets.lastShown(name).flatMap(endpoint(of:)) == address
    }

    /// Finds out where a name leads; false when nobody answers.
    func resolve(_ name: String) -> Bool {
        let instance = ServiceNames.instance(name)
        for _ in 0..<3 {
            if let found = sockets.packets.lastShown(name) {
                sockets.ask([
                    DNSMessage.Question(found.host, DNSMessage.RecordType.a),
                    DNSMessage.Question(found.host, DNSMessage.RecordType.aaaa),
                ])
                sockets.watch(milliseconds: 1_000) { !self.sockets.packets.addresses(of: found.host).isEmpty }
                shown = found
                endpoint = settings.address ?? self.endpoint(of: found)
                return endpoint != nil
            }
            sockets.ask([
                DNSMessage.Question(instance, DNSMessage.RecordType.srv),
                DNSMessage.Question(instance, DNSMessage.RecordType.txt),
            ])
            sockets.watch(milliseconds: 1_000) { self.sockets.packets.lastShown(name) != nil }
        }
        return false
    }

    private func endpoint(of shown: ShownInstance) -> Endpoint? {
        for address in sockets.packets.addresses(of: shown.host) {
            if case .address4(let bytes) = address {
                return Endpoint(address: .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) }), port: shown.port)
            }
        }
        // The sender of the records has the right interface in its address.
        return sockets.packets.sources(of: shown.name).sorted().compactMap { source in
            try? Endpoint(text: source.contains(":") ? "[\(source)]:\(shown.port)" : "\(source):\(shown.port)")
        }.first
    }

    /// Asks for everything that a node answers for, and for what it must not; and for more, if wanted.
    func describe(and more: [DNSMessage.Question] = []) {
        guard let shown else { return }
        progress.show("asking for the records")
        let instance = ServiceNames.instance(shown.name)
        for _ in 0..<2 {
            sockets.ask([
                DNSMessage.Question(instance, DNSMessage.RecordType.srv),
                DNSMessage.Question(instance, DNSMessage.RecordType.txt),
                DNSMessage.Question(shown.host, DNSMessage.RecordType.any),
                DNSMessage.Question(ServiceNames.type, DNSMessage.RecordType.ptr),
                DNSMessage.Question(ServiceNames.meta, DNSMessage.RecordType.ptr),
            ])
            sockets.ask(
                sockets.packets.addresses(of: shown.host).compactMap(Self.reverse).map {
                    DNSMessage.Question($0, DNSMessage.RecordType.ptr)
                } + more)
            sockets.watch(milliseconds: 1_100)
        }
    }

    private static func reverse(_ address: DNSMessage.Record.Content) -> DNSName? {
        switch address {
        case .address4(let bytes): DNSName(bytes.reversed().map(String.init) + ["in-addr", "arpa"])
        case .address6(let bytes):
            DNSName(
                bytes.reversed().flatMap { [String($0 & 15, radix: 16), String($0 >> 4, radix: 16)] } + ["ip6", "arpa"])
        default: nil
        }
    }
}
