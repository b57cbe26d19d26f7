package import InklingKeys

// Packets of others: their questions, their instances, and their imitations of ours.
extension MDNSMachine {
    /// Processes a packet that came to the group, and returns the effects to carry out, in order.
    ///
    /// `host` returns the host that goes with a known name, and nil for every other name. It is called before anything
    /// is stored, so that the names of strangers cost a lookup and nothing else.
    ///
    /// - Throws: `MDNSMessageError` for a packet that is dropped because it is malformed.
    package mutating func receive(
        _ packet: Span<UInt8>, from source: Source, at now: Tick, using generator: inout some RandomNumberGenerator,
        host: (OpaqueServiceName) -> OpaqueHostName?
    ) throws(MDNSMessageError) -> [Effect] {
        guard phase == .running, let interface = interfaces[source.path.interface],
            interface.families.contains(source.path.family), !echoes.take(packet, on: source.path, at: now)
        else { return [] }
        let message = try MDNSMessage(parsing: packet, of: service)
        var effects: [Effect] = []
        if message.isResponse {
            // RFC 6762 section 6 and section 11.
            guard source.endpoint.port == Self.port, source.hopLimit == 255 else { return [] }
            effects = hear(message, from: source, on: interface, at: now, host: host)
            // Strangers' announcements change nothing, and cost no more than this.
            if effects.isEmpty, searches.isEmpty, !imitates(message) { return [] }
        } else {
            answer(message, from: source, on: interface, at: now, using: &generator)
            effects = noteAsked(by: message, on: interface)
        }
        if imitates(message) { effects += defend(on: interface, at: now) }
        return effects + rescheduled(at: now)
    }

    private mutating func answer(
        _ message: MDNSMessage, from source: Source, on interface: MDNSInterface, at now: Tick,
        using generator: inout some RandomNumberGenerator
    ) {
        let isLegacy = source.endpoint.port != Self.port
        for (question, instance) in wanted(by: message) {
            let key = ResponseSchedule.Key(path: source.path, name: instance.name)
            guard packet(of: key, for: .answer) != nil else { continue }
            // Our names belong to us alone; the service type belongs to everybody.
            let isProbe =
                message.hasAuthority && question.type == MDNSMessage.RecordType.any && question.name != .serviceType
            let delay = isProbe ? 0 : Self.draw(&generator)
            if isLegacy || question.wantsUnicast {
                // A reply goes to the link only: an address from elsewhere is forged.
                guard (try? interface.reachable(source.endpoint.address)) != nil else { continue }
                responses.reply(
                    key, to: source.endpoint, for: isLegacy ? .legacy(id: message.id, question) : .answer, at: now,
                    delay: delay)
            } else if isProbe || instance != announced || activities[interface.index]?.announcements.isEmpty != false {
                let count = census.count(at: now)
                responses.ask(key, at: now, delay: delay, nameCount: count, isProbe: isProbe)
            }
        }
    }

    /// Records the answered instances whose SRV record a query asks for.
    private mutating func noteAsked(by message: MDNSMessage, on interface: MDNSInterface) -> [Effect] {
        guard interface.isShown, !interface.published.isEmpty else { return [] }
        var effects: [Effect] = []
        for question in message.questions {
            guard case .instance(let name) = question.name,
                [MDNSMessage.RecordType.service, MDNSMessage.RecordType.any].contains(question.type),
                answered.contains(where: { $0.name == name }), asked.insert(name).inserted
            else { continue }
            effects.append(.asked(name))
        }
        return effects
    }

    /// Returns our instances that a query asks about, each once, with the first question about it.
    private func wanted(by message: MDNSMessage) -> [(MDNSMessage.Question, ServiceInstance)] {
        var wanted: [(MDNSMessage.Question, ServiceInstance)] = []
        for question in message.questions {
            let isAny = question.type == MDNSMessage.RecordType.any
            let instance: ServiceInstance? =
                switch question.name {
                case .serviceType where isAny || question.type == MDNSMessage.RecordType.pointer:
                    announced.flatMap { isKnown($0.name, in: message) ? nil : $0 }
                case .instance(let name)
                where isAny || question.type == MDNSMessage.RecordType.service
                    || question.type == MDNSMessage.RecordType.text:
                    own(name)
                case .host(let host)
                where isAny || question.type == MDNSMessage.RecordType.a || question.type == MDNSMessage.RecordType.aaaa:
                    ([announced].compactMap(\.self) + answered).first { $0.host == host }
                default: nil
                }
            if let instance, !wanted.contains(where: { $0.1 == instance }) { wanted.append((question, instance)) }
        }
        return wanted
    }

    /// Whether the querier knows the name already, for at least half of its time (RFC 6762 section 7.1).
    private func isKnown(_ name: OpaqueServiceName, in message: MDNSMessage) -> Bool {
        message.records.contains {
            $0.section == .answer && $0.content == .pointer(name) && $0.timeToLive >= ServicePacket.timeToLive / 2
        }
    }

    private mutating func hear(
        _ message: MDNSMessage, from source: Source, on interface: MDNSInterface, at now: Tick,
        host: (OpaqueServiceName) -> OpaqueHostName?
    ) -> [Effect] {
        var effects: [Effect] = []
        for record in message.records {
            if case .pointer(let name) = record.content, own(name) == nil { census.note(name, at: now) }
            guard case .service(let name, .some(let target), let port) = record.content, port != 0, own(name) == nil,
                expectedHost(of: name, host) == target,
                let address = address(of: target, in: message, from: source, on: interface)
            else { continue }
            let isNew = heard.hear(
                name, at: Endpoint(address: address, port: port), from: source.endpoint.address, on: interface.index,
                now: now)
            guard isNew else { continue }
            // A name that was searched for is in no table.
            if var search = searches[name] {
                search.questions = []
                search.end = min(search.end, now.advanced(byMilliseconds: Self.gathering))
                searches[name] = search
            } else {
                effects.append(.appeared(name))
            }
        }
        return effects
    }

    private mutating func expectedHost(
        of name: OpaqueServiceName, _ host: (OpaqueServiceName) -> OpaqueHostName?
    ) -> OpaqueHostName? {
        if let search = searches[name] { return search.host }
        guard browses else { return nil }
        if let known = hosts[name] { return known }
        guard let found = host(name) else { return nil }
        if hosts.count >= HeardNames.nameLimit { hosts = [:] }
        hosts[name] = found
        return found
    }

    /// Returns the address to call: the packet's sender if the packet names it, else the first on the link.
    private func address(
        of host: OpaqueHostName, in message: MDNSMessage, from source: Source, on interface: MDNSInterface
    ) -> Endpoint.Address? {
        var first: Endpoint.Address?
        for record in message.records {
            guard case .address(host, let address) = record.content,
                let reachable = try? interface.reachable(address)
            else { continue }
            if reachable == source.endpoint.address { return reachable }
            first = first ?? reachable
        }
        return first
    }

    mutating func endHeard(at now: Tick) -> [Effect] {
        heard.prune(at: now, keeping: Set(interfaces.keys)).map(Effect.vanished)
    }

    /// Whether a record shows our announced name with data that are not ours: a name of 128 random bits is not taken by
    /// chance. An instance that is only answered is not defended, because that would reveal it.
    private func imitates(_ message: MDNSMessage) -> Bool {
        guard let announced else { return false }
        return message.records.contains { record in
            // Known answers only repeat what others believe, and a withdrawal shows nothing.
            guard message.isResponse || record.section == .authority, record.timeToLive > 0 || !message.isResponse
            else { return false }
            return switch record.content {
            case .service(announced.name, let host, let port): host != announced.host || port != announced.port
            case .text(announced.name, let isVersion1): !isVersion1
            case .address(announced.host, let address): !isOwn(address)
            default: false
            }
        }
    }

    private func isOwn(_ address: Endpoint.Address) -> Bool {
        ownAddresses.contains { own in
            switch (own, address) {
            case (.v4(let mine), .v4(let other)): mine == other
            case (.v6(let mine, _), .v6(let other, _)): mine == other
            default: false
            }
        }
    }

    /// Reports once that we are imitated, and shows our records once more (a deviation from RFC 6762 section 9).
    private mutating func defend(on interface: MDNSInterface, at now: Tick) -> [Effect] {
        guard !isImitated else { return [] }
        isImitated = true
        return [.imitated] + announce(on: interface, at: now)
    }
}
