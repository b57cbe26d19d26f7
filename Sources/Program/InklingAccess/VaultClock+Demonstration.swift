package import InklingTerminal
package import InklingVault

extension VaultClock {
    /// Parses RATE@SECONDS: a clock that runs at `RATE` times real time and agrees with it at that Unix second.
    ///
    /// - Throws: `Failure` when the text has another form or the rate is not 2 to 3600.
    package init(demonstration text: String) throws(Failure) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let rate = UInt32(parts[0]), VaultClock.rates.contains(rate),
            let seconds = UInt64(parts[1]), seconds < 1 << 40
        else {
            throw Failure(
                .usage, "invalid demonstration clock '\(printable(text))'",
                remedy: "Write RATE@SECONDS, for example 30@1785600000, with a rate from 2 to 3600.")
        }
        self = .accelerated(rate: rate, anchor: seconds * 1000)
    }
}
