import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tables for databases. `make verify-archives` reads them with the readers of databases.
extension `inkling-kit predict` {
    private static let hour = ["predict", "--from", "1785600000", "--hours", "1"]

    /// Covers INK-MAT-005, INK-MAT-007.
    @Test func `a table in CSV has the rows of the file of predictions, with labels in quotes`() throws {
        let folder = try Folder()
        let key = try folder.write("root", [UInt8](repeating: 0x11, count: 32))
        let words = Self.hour + ["--root-file", "Ada, \"A\"=\(key)"]
        let table = try Kit.run(words + ["--format", "csv"])
        #expect(table.status == 0, "\(table)")
        #expect(table.errors.contains("They contain no keys."))
        #expect(table.lines.first == "epoch,minor,name,contact,device")
        let rows = try Kit.run(words).facts().dropFirst().map { row in
            let (epoch, minor) = (row["epoch"]?.integer ?? 0, row["minor"]?.integer ?? 0)
            return "\(epoch),\(minor),\(row["name"]?.text ?? ""),\"Ada, \"\"A\"\"\",0"
        }
        #expect(rows.count == 6)
        #expect(Array(table.lines.dropFirst()) == rows)
        let broken = Self.hour + ["--root-file", "Ada\n=\(key)", "--format", "csv"]
        let refused = try Kit.run(broken)
        #expect(refused.status == 65 && refused.output.isEmpty, "\(refused)")
        #expect(refused.errors.contains("a control character") && refused.errors.contains("--numbers"))
        #expect(try Kit.run(broken + ["--numbers"]).lines.count == 7)
    }

    /// Runs `inkling-kit predict --format parquet` with a script in place of python3.
    private func predict(
        _ folder: Folder, with script: String?, to path: String
    ) throws -> Program.Outcome {
        if let script {
            let program = try folder.write("python3", Array("#!/bin/sh\n\(script)\n".utf8))
            #expect(unsafe chmod(program, 0o755) == 0)
        }
        // With a key, in whose presence the process can start no program.
        let key = try folder.write("root", [UInt8](repeating: 0x11, count: 32))
        return try Kit.run(
            Self.hour + ["--root-file", key, "--format", "parquet", "--output", path],
            environment: ["PATH": script == nil ? folder.path : "\(folder.path):/usr/bin:/bin"])
    }

    /// Covers INK-MAT-004.
    @Test func `Parquet is written by the module of Python, into a file that only the user can read`() throws {
        let folder = try Folder()
        let (path, binary) = ("\(folder.path)/table", "\(folder.path)/binary")
        let outcome = try predict(folder, with: "echo \"$@\"; cat", to: path)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("They contain no keys."))
        let key = ["--root-file", "\(folder.path)/root"]
        #expect(try Kit.run(Self.hour + key + ["--format", "binary", "--output", binary]).status == 0)
        #expect(
            try bytesOfFile(path) == Array("-P -m inkling.archive parquet\n".utf8) + (try bytesOfFile(binary)))
        var facts = stat()
        #expect(unsafe stat(path, &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
        let again = try predict(folder, with: "cat", to: path)
        #expect(again.status == 78 && again.errors.contains("File exists"), "\(again)")
    }

    @Test(
        arguments: [
            (nil, 69, "cannot start python3, which writes Parquet: "),
            (
                "echo 'inkling.archive: pyarrow is missing' >&2; exit 69", 69,
                "python3 has no pyarrow, which writes Parquet\n"
            ),
            (
                "echo \"Error while finding module (ModuleNotFoundError: No module named 'inkling')\" >&2; exit 1", 69,
                "python3 has no module inkling.archive, which writes Parquet\n"
            ),
            ("echo 'Unknown option: -P' >&2; exit 2", 69, "python3 is older than 3.11, and cannot write Parquet\n"),
            (
                "cat >/dev/null; yes 'line' | head -n 100000 >&2; printf 'no \\033 space' >&2; exit 74", 74,
                "python3 -m inkling.archive failed (74): no \u{fffd} space\n"
            ),
            ("kill -9 $$", 74, "python3 -m inkling.archive was ended by signal 9 (Killed): no reason given\n"),
            (
                "echo 'Fatal Python error: Bus error' >&2; echo '  in convert' >&2; ulimit -c 0; kill -7 $$", 74,
                "python3 -m inkling.archive was ended by signal 7 (Bus error): Fatal Python error: Bus error /   in convert\n"
            ),
        ] as [(String?, Int32, String)])
    func `without Parquet's writer there is no file, and a message says what to install`(
        script: String?, status: Int32, message: String
    ) throws {
        let folder = try Folder()
        let path = "\(folder.path)/table"
        let outcome = try predict(folder, with: script, to: path)
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errors.hasPrefix("inkling-kit: \(message)"), "\(outcome)")
        #expect(outcome.errors.contains("pip install pyarrow") == (status == 69))
        #expect(outcome.output.isEmpty)
        #expect(unsafe access(path, F_OK) != 0)
    }
}
