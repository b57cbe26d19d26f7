internal import Foundation
internal import InklingWorld

/// `inkling-world`: simulates worlds of whole nodes, and prints what the watch finds.
@main
struct WorldProgram {
    private static let usage = """
        usage: inkling-world [--seeds FIRST[-LAST]] [--hours N] [--nodes LOW-HIGH] [--fault NAME | --faults] [--twice N]
                             [--jobs N] | --years N

        Simulates one world for each seed, and exits with 1 when an invariant is broken.
          --seeds   1-50 by default
          --hours   simulated hours of each world, 24 by default
          --nodes   5-50 by default
          --fault   plants a fault, and exits with 1 unless a seed finds it
          --faults  plants each fault in turn
          --twice   runs every Nth seed twice and compares the digests, 25 by default; 0 for never
          --jobs    worlds at a time, 2 by default
          --years   instead of worlds, years of N single devices with wrong clocks, and of 200 N pairs who meet weekly

        """

    static func main() async {
        // The order of sets and dictionaries must be the same in every process.
        if unsafe getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
            unsafe setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
            var arguments: [UnsafeMutablePointer<CChar>?] = unsafe CommandLine.arguments.map { unsafe strdup($0) }
            unsafe arguments.append(nil)
            unsafe execv("/proc/self/exe", arguments)
            fail("cannot start again with reproducible sets")
        }
        guard let run = Run(Array(CommandLine.arguments.dropFirst())) else {
            print(usage, terminator: "")
            exit(64)
        }
        exit(await run.carriedOut() ? 0 : 1)
    }

    static func fail(_ words: String) -> Never {
        FileHandle.standardError.write(Data("inkling-world: \(words)\n".utf8))
        exit(70)
    }
}
