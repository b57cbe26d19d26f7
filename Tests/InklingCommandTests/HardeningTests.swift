import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The kernel's report of a process in `/proc`.
private struct ReportedProcess {
    private let status: [String: String]
    private let limits: String

    init(_ program: Program) throws {
        var status: [String: String] = [:]
        for line in String(decoding: try bytesOfFile("/proc/\(program.number)/status"), as: UTF8.self).split(
            separator: "\n")
        {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { status[String(parts[0])] = parts[1].filter { !$0.isWhitespace } }
        }
        self.status = status
        limits = String(decoding: try bytesOfFile("/proc/\(program.number)/limits"), as: UTF8.self)
    }

    subscript(name: String) -> String? { status[name] }

    var forbidsCoreFiles: Bool {
        limits.split(separator: "\n").contains { line in
            line.hasPrefix("Max core file size") && line.split(separator: " ").filter { $0 == "0" }.count == 2
        }
    }

    var lockedKibibytes: Int { Int((status["VmLck"] ?? "").filter(\.isNumber)) ?? 0 }
}

/// Covers INK-VLT-031, INK-VLT-032.
@Suite(.runsPrograms) struct `The process that holds keys` {
    private func expectHardened(_ program: Program) throws {
        let process = try ReportedProcess(program)
        #expect(process["NoNewPrivs"] == "1")
        #expect(process["Seccomp"] == "2")
        #expect(process.forbidsCoreFiles)
        #expect(process.lockedKibibytes >= 64)
        // Its memory and its files belong to root, so that no other process of the user can open them.
        var owner = stat()
        try unsafe #require(stat("/proc/\(program.number)/environ", &owner) == 0)
        #expect(owner.st_uid == 0)
    }

    @Test func `is hardened before init has read a passphrase`() throws {
        let folder = try Folder()
        let arguments = ["init", "--name", "Ada", "--home", "\(folder.path)/h", "--passphrase-file", "-"]
        // Not as root, to which every process of root seems to belong.
        let user: uid_t = 65_534
        let program: Program
        if geteuid() == 0 {
            try unsafe #require(chown(folder.path, user, user) == 0)
            let words = ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", Program.path]
            program = try Program(words + arguments, input: .later, program: "/usr/bin/setpriv")
        } else {
            program = try Program(arguments, input: .later)
        }
        // It waits for the passphrase, which is the last thing that it needs. The filter comes before the locked memory.
        try wait {
            guard let process = try? ReportedProcess(program) else { return false }
            return process["Seccomp"] == "2" && process.lockedKibibytes >= 64
        }
        try expectHardened(program)
        program.send("correct horse\n")
        #expect(try program.finish().status == 0)
    }

    #if Node
        @Test func `is hardened while a node runs, and its status has no warning`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run", "--invisible")
            try node.waitForControl(of: home)
            try expectHardened(node)
            #expect(try home.facts("status").first?["unprotected"]?.list?.isEmpty == true)
            #expect(try !home.run("status").output.contains("warning"))
        }

        /// With the second limit the first piece of memory can be locked, and no further one.
        @Test(arguments: [0, 65_536])
        func `says in its status which keys cannot be locked, and why`(limit: Int) throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            // Root may lock memory whatever the limit is, unless it has given that up.
            let limited =
                ["prlimit", "--memlock=\(limit):\(limit)", Program.path]
                + home.words(["run", "--invisible"])
            let node =
                geteuid() == 0
                ? try Program(
                    ["--bounding-set", "-ipc_lock", "--inh-caps", "-ipc_lock"] + limited, program: "/usr/bin/setpriv")
                : try Program(limited, program: "/usr/bin/env")
            try node.waitForControl(of: home)
            #expect(try ReportedProcess(node).lockedKibibytes == limit / 1024)
            let gaps = try #require(try home.facts("status").first?["unprotected"]?.list)
            #expect(gaps.count == 1)
            #expect(gaps.first?.text?.contains("of secrets are not locked in memory") == true)
            #expect(gaps.first?.text?.contains("the limit is \(limit) bytes") == true)
            #expect(try home.run("status").output.contains("warning   "))
        }
    #endif
}
