// The local network part of one node, controlled by lines on standard input; the rig starts one in each network namespace.
// Every reply is a line: the time in Unix seconds, then what happened.
#if Node
    import Glibc
    import InklingEngine
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingWire

    @main
    struct NetworkPeer {
        static func main() async {
            let peer = Peer()
            while let line = readLine() {
                let words = line.split(separator: " ").map(String.init)
                guard let verb = words.first else { continue }
                do {
                    try await peer.perform(verb, Array(words.dropFirst()))
                } catch {
                    say("error \(verb) \(error)")
                }
            }
            await peer.close(goodbye: false)
        }
    }

    actor Peer {
        private let transport = TCPTransport()
        private let discovery = MulticastDiscovery()
        private var session: (any DiscoverySession)?

        func perform(_ verb: String, _ words: [String]) async throws {
            switch verb {
            case "open":
                // open browse|quiet [+name,host,port] [-name,host,port ...] [=name,host,port ...]: announced, answered, known
                var publication = Publication(announced: nil, browses: words.first == "browse")
                for word in words.dropFirst() where !word.hasPrefix("=") {
                    guard let instance = ServiceInstance(word.dropFirst()) else { return say("error open instance") }
                    if word.hasPrefix("+") {
                        publication.announced = instance
                    } else {
                        publication.answered.append(instance)
                    }
                }
                let opened = try await discovery.open(publication, recognising: known(in: words))
                session = opened
                say("opened")
                Task {
                    for await event in opened.events { say(event) }
                    say("ended")
                }
            case "know":
                // know =name,host,port ...: takes the place of what was known.
                await session?.recognise(known(in: words))
                say("knowing")
            case "search":
                // search name [host]: with a host, it is asked for on the network.
                guard let name = words.first.flatMap({ OpaqueServiceName($0) }) else { return say("error name") }
                say("searching \(name)")
                await session?.search(name, at: words.dropFirst().first.flatMap { OpaqueHostName($0) })
            case "answer":
                await session?.answer(words.compactMap { ServiceInstance($0.dropFirst()) })
                say("answering")
            case "close":
                await close(goodbye: words.first == "goodbye")
                say("closed")
            case "cycle":
                // cycle count +name,host,port: opens and closes servers, at random moments of their first milliseconds.
                guard let count = words.first.flatMap(Int.init),
                    let instance = words.last.flatMap({ ServiceInstance($0.dropFirst()) })
                else { return say("error cycle") }
                for round in 0..<count {
                    let session = try await MulticastDiscovery().open(
                        Publication(announced: instance), recognising: KnownNames())
                    await session.search(
                        OpaqueServiceName(Octets16(high: 1, low: UInt64(round))),
                        at: OpaqueHostName(instance.host.octets))
                    try await Task.sleep(for: .microseconds(round % 40 * 5_000))
                    await session.close(goodbye: round % 2 == 0)
                }
                say("cycled \(count)")
            case "watch":
                let changes = NetlinkMonitor().changes()
                say("watching")
                Task { for await _ in changes { say("changed") } }
            case "listen":
                let listener = try await transport.listen()
                say("listening \(listener.port)")
                Task {
                    for await link in listener.links {
                        say("accepted \(link.route)")
                        await link.markAuthenticated()
                        while let packet = try? await link.receive(upTo: 65_535, within: .seconds(30)) {
                            try? await link.send(packet)
                        }
                        await link.close()
                    }
                }
            case "connect":
                let endpoint = try Endpoint(text: words.first ?? "")
                let link = try await transport.connect(to: endpoint, within: .seconds(5))
                try await link.send([1, 2, 3])
                say("echoed \(try await link.receive(upTo: 3, within: .seconds(5)))")
                await link.close()
            case "memory":
                say("memory \(residentKilobytes())")
            default:
                say("error verb")
            }
        }

        func close(goodbye: Bool) async {
            await session?.close(goodbye: goodbye)
            session = nil
        }
    }

    private func say(_ event: DiscoveryEvent) {
        switch event {
        case .established: say("established")
        case .appeared(let name): say("appeared \(name)")
        case .vanished(let name): say("vanished \(name)")
        case .found(let name, let endpoints):
            say("found \(name) " + endpoints.map(\.description).joined(separator: ","))
        case .notFound(let name): say("not-found \(name)")
        case .asked(let name): say("asked \(name)")
        case .imitated: say("imitated")
        case .failed(let error): say("failed \(error)")
        }
    }

    private func say(_ text: String) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        let micro = String(now.tv_nsec / 1000)
        let line = "\(now.tv_sec).\(String(repeating: "0", count: 6 - micro.count))\(micro) \(text)\n"
        let bytes = Array(line.utf8)
        unsafe write(1, bytes, bytes.count)
    }

    private func residentKilobytes() -> Int {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe fclose(file) }
        var text = [CChar](repeating: 0, count: 128)
        _ = unsafe fgets(&text, 128, file)
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * 4 : 0
    }

    private func known(in words: [String]) -> KnownNames {
        let instances = words.filter { $0.hasPrefix("=") }.compactMap { ServiceInstance($0.dropFirst()) }
        return KnownNames(literal: Dictionary(instances.map { ($0.name, $0.host) }, uniquingKeysWith: { $1 }))
    }

    extension ServiceInstance {
        fileprivate init?(_ text: Substring) {
            let parts = text.split(separator: ",")
            guard parts.count == 3, let name = OpaqueServiceName(String(parts[0])),
                let host = OpaqueHostName(String(parts[1])), let port = UInt16(parts[2])
            else { return nil }
            self.init(name: name, host: host, port: port)
        }
    }
#else
    @main
    struct NetworkPeer {
        static func main() { print("built without the trait Node") }
    }
#endif
