#if Node
    import Foundation
    import InklingTesting
    import Testing

    /// The checks of `Tests/Rigs/network/run.py`, each by its name.
    ///
    /// They judge the times of multicast DNS on a network, and so need a machine that does nothing else. They need root,
    /// `ip netns` and `tcpdump`. Elsewhere they are reported as skipped, with this reason, and must run where the package is
    /// released: `python3 Tests/Rigs/network/run.py` names every check that was not run. Each has hosts of its own and
    /// mostly waits, so that the parts run side by side, and the checks of a part in turn.
    @Suite(
        .tags(.realTime), .hangDetector,
        .enabled(
            if: Rig.canRun, "needs root, ip netns and tcpdump: Tests/Rigs/network/run.py --list names what was not run")
    )
    struct NetworkNamespaceRealTimeTests {
        @Suite(.serialized)
        struct Finding {
            @Test(
                arguments: [
                    "Two hosts hear each other and connect",
                    "Without IPv4 a peer is reached at its link-local address with the scope of the interface",
                    "A host whose only address was made from its hardware address publishes nothing",
                    "On a machine with no other interface two nodes meet over loopback",
                    "Addresses that come and go are no boundary; another hardware address and another network are",
                ])
            func `a check of how nodes find each other passes`(name: String) async throws {
                try await NetworkNamespaceRealTimeTests.pass(name)
            }
        }

        @Suite(.serialized)
        struct Telling {
            @Test(
                arguments: [
                    "A capture shows the five records, nothing of the machine, and a goodbye that ends it",
                    "A close without goodbye sends nothing, and the name expires",
                    "A new server joins no group, and unicast packets stay with the machine's other responder",
                    "A new server sends nothing that an earlier one has heard",
                    "An instance that is not announced is silent until its exact name is asked for",
                    "A host that shows the announced name with other data is reported once, and changes nothing",
                ])
            func `a check of what a node tells, and when, passes`(name: String) async throws {
                try await NetworkNamespaceRealTimeTests.pass(name)
            }
        }

        @Suite(.serialized)
        struct Enduring {
            @Test(
                arguments: [
                    "A response from another network is ignored",
                    "Impossible addresses, hosts and ports are ignored, and at most eight endpoints are kept",
                    "Two hundred servers that are closed at any moment of their first 0.2 s leave no thread, descriptor or memory",
                    "Thousands of malformed packets leave discovery working and memory bounded",
                    "Invented names cost no memory and no report, and a known name is heard in the midst of them",
                    "The system takes no connections of a neighbour that began too many, and takes those of others, until half a minute is over",
                ])
            func `a check of what a node endures passes`(name: String) async throws {
                try await NetworkNamespaceRealTimeTests.pass(name)
            }
        }

        fileprivate static func pass(_ name: String) async throws {
            let (code, output) = try await Rig.run(name)
            #expect(code == 0, "\(output)")
            #expect(output.contains("1 ok, 0 failed, 0 not run"), "\(output)")
        }
    }

    private enum Rig {
        static let canRun: Bool = {
            guard getuid() == 0, (try? execute("/usr/bin/env", ["tcpdump", "--version"]).code) == 0 else {
                return false
            }
            let name = "inkprobe\(getpid())"
            guard (try? execute("/usr/bin/env", ["ip", "netns", "add", name]).code) == 0 else { return false }
            return (try? execute("/usr/bin/env", ["ip", "netns", "del", name]).code) == 0
        }()

        static func run(_ check: String) async throws -> (code: Int32, output: String) {
            // The test bundle lies beside the peer's program.
            let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            let built = products.appendingPathComponent("InklingNetworkPeer").path
            let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            let peer =
                FileManager.default.isExecutableFile(atPath: built)
                ? built : package.appendingPathComponent(".build/debug/InklingNetworkPeer").path
            let script = package.appendingPathComponent("Tests/Rigs/network/run.py").path
            let arguments = ["python3", script, "--peer", peer, "--rounds", "1", check]
            return try await onOwnThread { Result { try execute("/usr/bin/env", arguments) } }.get()
        }

        static func execute(_ program: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: output, as: UTF8.self))
        }
    }
#endif
