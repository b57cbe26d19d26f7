import Glibc
import Testing

/// A program that does nothing for a minute, and has every descriptor of this process that programs inherit.
struct SleepingProgram {
    private let process: pid_t

    init() throws {
        var process: pid_t = 0
        var words = unsafe [strdup("sleep"), strdup("60"), nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        try #require(unsafe posix_spawnp(&process, "sleep", nil, nil, &words, environ) == 0)
        self.process = process
    }

    func kill() {
        Glibc.kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}
