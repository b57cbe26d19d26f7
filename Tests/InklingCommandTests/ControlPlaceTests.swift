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
    @Suite(.runsPrograms) struct `The place of the control socket` {
        /// A home whose configuration puts the socket elsewhere.
        private struct Machine {
            let folder: Folder
            let home: Home
            let file: String
            var socket: String { "\(folder.path)/control" }

            init(group: String) throws {
                folder = try Folder()
                home = try Home("Ada", in: folder)
                let text = """
                    [node]
                    home = "\(home.path)"
                    key-file = "\(home.keyFile)"
                    control = "\(folder.path)/control"
                    control-group = "\(group)"
                    [bluetooth]
                    use = "off"
                    """
                file = try folder.write("inkling.toml", Array(text.utf8))
            }

            func start(_ options: String...) throws -> Program {
                try Program(["run", "--demo-clock", "--config", file] + options)
            }

            /// Waits until a node replies to a command with these options, and returns what its socket is.
            func awaitReply(of node: Program, at socket: String, _ options: String...) throws -> stat {
                try node.waitForControl(at: socket)
                let status = try Program.run(["status"] + options)
                try #require(status.status == 0, "\(status)")
                var facts = stat()
                try unsafe #require(lstat(socket, &facts) == 0)
                return facts
            }
        }

        /// A group to which this process may give a file: for root another than its own.
        private static func group() throws -> (name: String, number: gid_t) {
            if geteuid() == 0 {
                let entry = try unsafe #require(getgrnam("daemon"))
                return unsafe ("daemon", entry.pointee.gr_gid)
            }
            let entry = try unsafe #require(getgrgid(getegid()))
            return unsafe (String(cString: entry.pointee.gr_name), getegid())
        }

        @Test func `is what the configuration says, and its group may use it`() throws {
            let group = try Self.group()
            let machine = try Machine(group: group.name)
            let node = try machine.start()
            let facts = try machine.awaitReply(of: node, at: machine.socket, "--config", machine.file)
            #expect(facts.st_mode == S_IFSOCK | 0o660)
            #expect(facts.st_gid == group.number)
            #expect(!exists("\(machine.home.path)/control"))
            // The home of the configuration, given by name, is not another home.
            let named = try Program.run("status", "--config", machine.file, "--home", machine.home.path)
            #expect(named.status == 0, "\(named)")
            node.interrupt()
            #expect(try node.finish().status == 0)
            #expect(!exists(machine.socket))
        }

        @Test func `is in the home of another node than that of the configuration`() throws {
            let machine = try Machine(group: try Self.group().name)
            let other = try Home("Bo", in: machine.folder)
            let node = try machine.start("--home", other.path, "--key-file", other.keyFile)
            let facts = try machine.awaitReply(of: node, at: "\(other.path)/control", "--home", other.path)
            #expect(facts.st_mode == S_IFSOCK | 0o600)
            #expect(!exists(machine.socket))
            // Commands for the other home do not reach the node of the configuration, nor the reverse.
            let status = try Program.run("status", "--config", machine.file)
            #expect(status.status == 69, "\(status)")
            #expect(status.errors.contains("no node runs in \(machine.home.path)"))
            node.interrupt()
            #expect(try node.finish().status == 0)
        }

        @Test func `a group that does not exist is refused, and leaves no socket`() throws {
            let machine = try Machine(group: "no such group")
            let outcome = try machine.start().finish()
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("there is no group 'no such group'"), "\(outcome)")
            #expect(!exists(machine.socket))
        }
    }
#endif
