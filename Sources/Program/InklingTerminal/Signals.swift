package import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Calls `stop` when the process is told to end, by Ctrl-C, `kill` or a terminal that closes, until the sources are
/// cancelled.
package func onSignals(_ stop: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { stop() }
        source.resume()
        return source
    }
}

/// Makes a write fail when its reader has gone away, instead of ending the process.
package func outliveReaders() { signal(SIGPIPE, SIG_IGN) }
