internal import InklingKeys
internal import InklingWire

extension Device {
    /// Adds what is heard of the device on a network while it shows an epoch: what the machine of multicast DNS sends, with
    /// a neighbour who browses, and another who is no multicast DNS implementation.
    ///
    /// Every device has the same address: addresses are not part of the games.
    func showOnNetwork(_ shown: Shown, in bundle: inout Bundle, using draws: inout Draws) throws {
        let own = try own(shown.epoch, over: .tcp)
        let port = leaks.port ?? UInt16.random(in: 32_768...60_999, using: &draws)
        let instance = ServiceInstance(name: own.instance, host: leaks.host ?? own.host, port: port)
        let path = MDNSPath(interface: 1, family: .v4)
        let address = Endpoint.Address.v4(0xc000_020a), neighbour = Endpoint.Address.v4(0xc000_0214)
        let interface = MDNSInterface(
            index: 1, families: [.v4], published: [address], prefixes: [.init(address, length: 24)])
        var machine = MDNSMachine(announced: instance)
        var wake: Tick?
        /// Hands a packet to the machine, as it comes from the group.
        func receive(_ packet: [UInt8], from sender: Endpoint, at now: Double) throws {
            let source = MDNSMachine.Source(path: path, endpoint: sender, hopLimit: 255)
            let effects = try machine.receive(packet.span, from: source, at: Self.tick(now), using: &draws) { _ in nil }
            try take(effects, at: now)
        }
        func take(_ effects: [MDNSMachine.Effect], at now: Double) throws {
            for effect in effects {
                switch effect {
                case .send(let packet, _, let destination):
                    bundle.add(Self.kind(of: packet, to: destination), at: now, packet)
                    // The system hands our own packets back.
                    guard destination == .multicast else { continue }
                    try receive(packet, from: Endpoint(address: address, port: MDNSMachine.port), at: now)
                case .wake(let moment): wake = moment
                case .appeared, .vanished, .found, .notFound, .asked, .imitated: break
                }
            }
        }
        // Questions of others, at moments of their own.
        var questions: [(time: Double, port: UInt16)] = []
        var next = shown.begin
        while true {
            next += 120_000 * draws.unit()
            guard next < shown.end else { break }
            questions.append((next, draws.happens(0.1) ? 40_000 : MDNSMachine.port))
        }
        for event in [MDNSMachine.Event.interfacesChanged([interface]), .started] {
            try take(machine.handle(event, at: Self.tick(shown.begin), using: &draws), at: shown.begin)
        }
        var asked = questions[...]
        while true {
            let due = wake.map { Double($0.milliseconds) } ?? .infinity
            if let question = asked.first, question.time <= due {
                asked.removeFirst()
                let sender = Endpoint(address: neighbour, port: question.port)
                try receive(ServicePacket.browseQuery(), from: sender, at: question.time)
            } else if due < shown.end {
                wake = nil
                try take(machine.handle(.timerFired, at: Self.tick(due), using: &draws), at: due)
            } else {
                break
            }
        }
        let end = machine.handle(.stopped(goodbye: shown.hasGoodbye), at: Self.tick(shown.end), using: &draws)
        for case .send(let packet, _, _) in end { bundle.add("goodbye", at: shown.end, packet) }
    }

    private static func tick(_ time: Double) -> Tick { Tick(milliseconds: UInt64(time)) }

    private static func kind(of packet: [UInt8], to destination: MDNSMachine.Destination) -> String {
        guard destination == .multicast else { return "reply" }
        return packet[2] & 0x80 == 0 ? "query" : "response"
    }
}
