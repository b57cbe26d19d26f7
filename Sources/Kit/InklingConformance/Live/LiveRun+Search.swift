internal import InklingKeys
internal import InklingNode
internal import InklingWire

// The search for the node under test.
extension LiveRun {
    /// Searches for the node under test.
    ///
    /// - Throws: `LiveError.noNode` or `severalNodes`.
    func find() throws(LiveError) {
        let begun = network.now
        var asked = 0
        let pauses: [Int64] = [0, 1_000, 3_000]
        while network.now - begun < settings.search * 1000 {
            let waited = network.now - begun
            if asked < pauses.count ? waited >= pauses[asked] : waited >= Int64(asked) * 3_000 {
                asked += 1
                network.ask([DNSMessage.Question(ServiceNames.type, DNSMessage.RecordType.ptr)])
            }
            progress("searching for the node", begun + settings.search * 1000 - network.now)
            network.watch(milliseconds: 250)
            if try choose(since: begun) { return }
        }
        // If the predicted name is missing, the contact may publish a wrong one.
        if let name = candidates(since: begun).first, candidates(since: begun).count == 1, resolve(name) { return }
        if let address = settings.address {
            endpoint = address
            return
        }
        throw .noNode(seconds: settings.search)
    }

    /// Chooses the node among those present.
    ///
    /// - Returns: whether a node was chosen.
    private func choose(since begun: Int64) throws(LiveError) -> Bool {
        let present = candidates(since: begun)
        if let contact, let epoch {
            let near = [epoch, epoch.previous, epoch.next].compactMap(\.self)
            let name = near.flatMap { contact.devices(in: $0) }.first { present.contains($0.name) }?.name
            return name.map(resolve) ?? false
        }
        // Another node may respond a moment later.
        guard let name = present.first, network.now - begun > 2_000 else { return false }
        if let address = settings.address { return present.contains { resolve($0) && published($0, at: address) } }
        guard present.count == 1 else { throw .severalNodes(present) }
        return resolve(name)
    }

    /// Returns the names announced since `begun` that may be the node's; once it is found, those announced by its
    /// machine.
    private func candidates(since begun: Int64) -> [String] {
        let recent = network.packets.filter { $0.at >= begun }
        let present = recent.present(at: network.now)
        guard let shown else { return settings.node.map { node in present.filter { $0 == node } } ?? present }
        let sources = network.ownAddresses.others(of: network.packets.sources(of: shown.name))
        return present.filter { sources.isEmpty || !recent.sources(of: $0).isDisjoint(with: sources) }
    }

    private func published(_ name: String, at address: Endpoint) -> Bool {
        network.packets.lastShown(name).flatMap(endpoint(of:)) == address
    }

    /// Finds the endpoint of a name.
    ///
    /// - Returns: whether a record of the name was received.
    func resolve(_ name: String) -> Bool {
        let instance = ServiceNames.instance(name)
        for _ in 0..<3 {
            if let found = network.packets.lastShown(name) {
                network.ask([
                    DNSMessage.Question(found.host, DNSMessage.RecordType.a),
                    DNSMessage.Question(found.host, DNSMessage.RecordType.aaaa),
                ])
                network.watch(milliseconds: 1_000) { !self.network.packets.addresses(of: found.host).isEmpty }
                shown = found
                endpoint = settings.address ?? self.endpoint(of: found)
                return endpoint != nil
            }
            network.ask([
                DNSMessage.Question(instance, DNSMessage.RecordType.srv),
                DNSMessage.Question(instance, DNSMessage.RecordType.txt),
            ])
            network.watch(milliseconds: 1_000) { self.network.packets.lastShown(name) != nil }
        }
        return false
    }

    private func endpoint(of shown: ShownInstance) -> Endpoint? {
        for address in network.packets.addresses(of: shown.host) {
            if case .address4(let bytes) = address {
                return Endpoint(address: .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) }), port: shown.port)
            }
        }
        // The sender address of the records has the right interface as its scope.
        return network.packets.sourcesInOrder(of: shown.name).first.map { Endpoint(address: $0, port: shown.port) }
    }

    /// Asks for every record of the node, for those it must not have, and for `more`.
    func describe(and more: [DNSMessage.Question] = []) {
        guard let shown else { return }
        progress("asking for the records", nil)
        let instance = ServiceNames.instance(shown.name)
        for _ in 0..<2 {
            network.ask([
                DNSMessage.Question(instance, DNSMessage.RecordType.srv),
                DNSMessage.Question(instance, DNSMessage.RecordType.txt),
                DNSMessage.Question(shown.host, DNSMessage.RecordType.any),
                DNSMessage.Question(ServiceNames.type, DNSMessage.RecordType.ptr),
                DNSMessage.Question(ServiceNames.meta, DNSMessage.RecordType.ptr),
            ])
            network.ask(
                network.packets.addresses(of: shown.host).compactMap(Self.reverse).map {
                    DNSMessage.Question($0, DNSMessage.RecordType.ptr)
                } + more)
            network.watch(milliseconds: 1_100)
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
