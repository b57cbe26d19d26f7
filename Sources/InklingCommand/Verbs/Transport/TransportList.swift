import ArgumentParser
import InklingPlatforms

/// Transports on the command line: `network,gatt`, or `all` for every transport that the platform allows.
struct TransportList: ExpressibleByArgument {
    /// The transports that this program implements; without the trait Node it connects to nothing.
    static var ofThisProgram: Set<Transport> {
        #if Node
            [.network, .exchange]
        #else
            []
        #endif
    }

    /// Nil for every transport that the platform allows.
    let transports: Set<Transport>?

    init?(argument: String) {
        if argument == "all" {
            transports = nil
            return
        }
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        let named = words.compactMap { Transport(rawValue: String($0)) }
        guard named.count == words.count else { return nil }
        transports = Set(named)
    }
}
