import InklingAccess
import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

@testable import InklingCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if Node
    /// Returns an address of the loopback interface.
    private func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private func withSocketAddress<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// A port on which nobody listens.
    func freePort() throws -> UInt16 {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        var address = loopback(port: 0)
        let code = unsafe withSocketAddress(&address) { unsafe bind(probe, $0, $1) }
        try #require(code == 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe getsockname(probe, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Returns a connection to a port.
    func connection(to port: UInt16) throws -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: port)
        let code = unsafe withSocketAddress(&address) { unsafe connect(client, $0, $1) }
        try #require(code == 0)
        return client
    }

    /// Sends one request and returns all that comes back until the end of the connection.
    private func reply(to request: String, at port: UInt16) throws -> String {
        let client = try connection(to: port)
        defer { close(client) }
        let bytes = Array(request.utf8)
        try #require(unsafe send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(client, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            answer += chunk[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private func get(_ path: String, host: String = "127.0.0.1", method: String = "GET") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    }

    @Suite(.runsPrograms) struct `Figures for Prometheus` {
        @Test func `a running node serves its figures, without the name of anybody`() throws {
            let folder = try Folder()
            let (ada, _) = try acquaintances(in: folder)
            let port = try freePort()
            let run = try ada.start(
                "run", "--json", "--bluetooth", "off", "--metrics", "127.0.0.1:\(port)")
            _ = try run.fact { $0["event"]?.text == "visible" }
            let answer = try reply(to: get("/metrics"), at: port)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
            #expect(answer.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
            for line in [
                "# TYPE inkling_contacts gauge", "inkling_contacts 1", "inkling_contacts_present 0",
                "inkling_visible{technology=\"lan\"} 1", "# TYPE process_cpu_seconds_total counter",
                "inkling_events_total{event=\"visible\"} 1",
            ] {
                #expect(answer.contains("\n\(line)\n"), "\(line) in \(answer)")
            }
            #expect(!answer.contains("Bo"))
            #expect(answer.split(separator: "\n").allSatisfy { $0.utf8.count < 300 })
            run.interrupt()
            #expect(try run.finish().status == 0)
        }

        @Test func `contacts have figures of their own when the configuration says so`() throws {
            let folder = try Folder()
            let (ada, _) = try acquaintances(in: folder)
            let port = try freePort()
            let file = try folder.write(
                "inkling.toml", Array("[metrics]\nlisten = \"127.0.0.1:\(port)\"\ncontacts = true\n".utf8))
            let run = try ada.start("run", "--json", "--bluetooth", "off", "--config", file)
            _ = try run.fact { $0["event"]?.text == "visible" }
            #expect(try reply(to: get("/metrics"), at: port).contains("\ninkling_contact_present{contact=\"Bo\"} 0\n"))
        }

        @Test func `a page in a browser that leads its name to the address gets nothing, and other requests neither`()
            throws
        {
            let folder = try Folder()
            let (ada, _) = try acquaintances(in: folder)
            let port = try freePort()
            let run = try ada.start(
                "run", "--json", "--bluetooth", "off", "--metrics", "127.0.0.1:\(port)")
            _ = try run.fact { $0["event"]?.text == "visible" }
            for host in [
                "evil.example", "evil.example:\(port)", "127.0.0.1.evil.example", "192.0.2.1", "", "localhost.x",
            ] {
                let answer = try reply(to: get("/metrics", host: host), at: port)
                #expect(answer.hasPrefix("HTTP/1.1 421 "), "\(host): \(answer)")
                #expect(!answer.contains("inkling_"))
            }
            for host in ["localhost", "localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "127.1.2.3"] {
                #expect(try reply(to: get("/metrics", host: host), at: port).hasPrefix("HTTP/1.1 200 "), "\(host)")
            }
            #expect(try reply(to: get("/"), at: port).hasPrefix("HTTP/1.1 404 "))
            #expect(try reply(to: get("/metrics", method: "POST"), at: port).hasPrefix("HTTP/1.1 405 "))
            #expect(!(try reply(to: get("/metrics", method: "HEAD"), at: port).contains("inkling_")))
            #expect(!(try reply(to: "nonsense\r\n\r\n", at: port).contains("inkling_")))
        }

        @Test(arguments: ["0.0.0.0:9760", "192.0.2.1:9760", "localhost:9760", "127.0.0.1", "127.0.0.1:0", "[::]:9760"])
        func `an address that others can reach is refused`(address: String) throws {
            let outcome = try Program.run("run", "--metrics", address)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("must be a loopback address with a port"))
        }

        @Test func `labels are escaped, and figures without samples are left out`() {
            var metrics = Metrics()
            metrics.add("a", .gauge, "b\\\n\"c\"", [([("contact", "\"Bo\"\\\n")], 0.5)])
            metrics.add("d", .counter, "e", [])
            #expect(
                metrics.text == """
                    # HELP inkling_a b\\\\\\n"c"
                    # TYPE inkling_a gauge
                    inkling_a{contact="\\"Bo\\"\\\\\\n"} 0.5

                    """)
        }
    }
#endif
