import ArgumentParser
import InklingPlatforms

/// A list of transports on the command line: `network,gatt`, or `all` for every transport that the platform allows.
struct TransportList: ExpressibleByArgument {
    /// The transports that `inkling` implements; none without the trait Node.
    static var ofInkling: Set<TransportOption> {
        #if Node
            [.network, .exchange]
        #else
            []
        #endif
    }

    /// The transports; nil for all that the platform allows.
    let transports: Set<TransportOption>?

    init?(argument: String) {
        if argument == "all" {
            transports = nil
            return
        }
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        let named = words.compactMap { TransportOption(rawValue: String($0)) }
        guard named.count == words.count else { return nil }
        transports = Set(named)
    }
}
