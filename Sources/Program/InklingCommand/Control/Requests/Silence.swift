import InklingAccess
import InklingEngine
import InklingKeys
import InklingNode
import InklingTerminal

/// The cause of the silence of a node or one of its link technologies, and what ends it.
struct SilenceFact: Codable, Hashable, Sendable {
    /// A command that ends the silence, and when to run it.
    struct Remedy: Codable, Hashable, Sendable {
        /// The condition or the purpose, as words before a colon.
        let purpose: String
        /// A command for a shell.
        let command: String
    }

    /// The cause in one word, for programs.
    let cause: String
    /// Whether the silence ends by itself.
    let passes: Bool
    /// The steps that a person can take; empty if there are none.
    let remedies: [Remedy]

    /// Whether the commands are for the primary device, where this home is unknown.
    private var isForPrimary: Bool { cause == "unconfirmed" || cause == "no-keys" }

    /// Returns the fact with the home, as the person named it in `options`, in the commands of this program.
    func naming(_ options: HomeOptions) -> SilenceFact {
        guard !isForPrimary else { return self }
        return SilenceFact(
            cause: cause, passes: passes,
            remedies: remedies.map { remedy in
                guard remedy.command.hasPrefix("inkling ") else { return remedy }
                let words = String(remedy.command.dropFirst("inkling ".count))
                return Remedy(purpose: remedy.purpose, command: options.hint(words))
            })
    }

    /// A line for each remedy.
    var lines: [String] { remedies.map { "          \($0.purpose): \($0.command)" } }
}

extension SilenceFact {
    /// Creates the fact of a reason. Its sentence is `NodeEvent.SilenceReason.sentence`.
    init(_ reason: NodeEvent.SilenceReason) {
        let synchronise = Remedy(purpose: "if the clock is wrong", command: "timedatectl set-ntp true")
        let trust = Remedy(purpose: "if it is right, stop the node, then", command: "inkling run --trust-clock")
        let recover = Remedy(
            purpose: "if it is right now and was ahead before, stop the node, then", command: "inkling recover --clock")
        let diagnose = Remedy(purpose: "to see what to fix", command: "inkling doctor")
        switch reason {
        case .gap: self.init(cause: "gap", passes: true, remedies: [])
        case .networkChanged: self.init(cause: "network-changed", passes: true, remedies: [])
        case .clock(.unsupported):
            self.init(
                cause: "clock-unsupported", passes: false,
                remedies: [Remedy(purpose: "to synchronise it", command: synchronise.command), trust])
        case .clock(.behind): self.init(cause: "clock-behind", passes: false, remedies: [synchronise, recover])
        case .clock(.ahead): self.init(cause: "clock-ahead", passes: true, remedies: [synchronise, trust])
        case .highWater: self.init(cause: "high-water", passes: true, remedies: [synchronise, recover])
        case .noKeys:
            self.init(
                cause: "no-keys", passes: false,
                remedies: [
                    Remedy(purpose: "on the primary device, to link this one again", command: "inkling device add")
                ])
        case .unconfirmed(nil):
            self.init(
                cause: "unconfirmed", passes: false,
                remedies: [
                    Remedy(purpose: "on your primary device, near this one", command: "inkling run"),
                    Remedy(purpose: "if this one is not linked to it, there", command: "inkling device add"),
                ])
        case .unconfirmed: self.init(cause: "confirmed", passes: true, remedies: [])
        case .discovery(.noNetwork): self.init(cause: "no-network", passes: false, remedies: [diagnose])
        case .discovery(.server): self.init(cause: "discovery", passes: false, remedies: [diagnose])
        case .links: self.init(cause: "links", passes: false, remedies: [diagnose])
        case .radio(let error): self.init(error, diagnose)
        case .vault: self.init(cause: "vault", passes: false, remedies: [diagnose])
        case .asleep: self.init(cause: "asleep", passes: true, remedies: [])
        case .inviting: self.init(cause: "inviting", passes: true, remedies: [])
        case .invisible:
            self.init(
                cause: "invisible", passes: false,
                remedies: [Remedy(purpose: "to be visible to all contacts", command: "inkling visible all")])
        case .stopped:
            self.init(
                cause: "stopped", passes: false, remedies: [Remedy(purpose: "to start it", command: "inkling run")])
        }
    }

    private init(_ error: RadioError, _ diagnose: Remedy) {
        let start = Remedy(purpose: "to start Bluetooth", command: "systemctl start bluetooth")
        switch error {
        case .bus: self.init(cause: "bluetooth-bus", passes: false, remedies: [diagnose])
        case .notUsed:
            self.init(
                cause: "bluetooth-not-used", passes: false,
                remedies: [
                    Remedy(purpose: "to use it too, stop the node, then", command: "inkling run --bluetooth auto")
                ])
        case .noDaemon: self.init(cause: "bluetooth-no-daemon", passes: false, remedies: [start, diagnose])
        case .noReply:
            self.init(
                cause: "bluetooth-no-reply", passes: false,
                remedies: [
                    Remedy(purpose: "if that persists, to restart it", command: "systemctl restart bluetooth"),
                    diagnose,
                ])
        case .noAdapter: self.init(cause: "bluetooth-no-adapter", passes: false, remedies: [diagnose])
        case .poweredOff:
            self.init(
                cause: "bluetooth-off", passes: false,
                remedies: [
                    Remedy(purpose: "to switch it on", command: "bluetoothctl power on"),
                    Remedy(purpose: "if it is blocked", command: "rfkill unblock bluetooth"),
                ])
        case .notPermitted: self.init(cause: "bluetooth-not-permitted", passes: false, remedies: [diagnose])
        case .refused: self.init(cause: "bluetooth-refused", passes: false, remedies: [diagnose])
        case .exposed: self.init(cause: "bluetooth-setting", passes: false, remedies: [diagnose])
        }
    }
}

extension NodeEvent.SilenceReason {
    /// The reason why a node is silent, and what a person can do about it.
    var sentence: String {
        switch self {
        case .gap: "between two epochs"
        case .networkChanged: "the network changed; visible again after a short gap"
        case .clock(.unsupported):
            "the clock is not synchronised: synchronise it, or run with --trust-clock if it is right"
        case .clock(.behind(let seconds)):
            "the clock is \(seconds) s behind the latest accepted time: set it, or run inkling recover --clock"
        case .clock(.ahead(let seconds)):
            "the clock is \(seconds) s ahead of the latest accepted time: set it, or run with --trust-clock"
        case .highWater(let epoch):
            "the clock went back: identifiers for \(timestamp(epoch.start)) have already been shown, so earlier ones are not"
        case .noKeys: "there are no keys for this time: the primary device has sent none that are still valid"
        case .unconfirmed(nil):
            "your primary device has not confirmed this tag recently; the tag only listens, and shows itself again from the epoch after a confirmation"
        case .unconfirmed(let epoch?):
            "your primary device has confirmed this tag, which shows itself from \(timestamp(epoch.start)) on"
        case .discovery(let error): error.sentence
        case .links(let error): "no port to listen on: \(error.sentence)"
        case .radio(let error): error.description
        case .vault(let error): "the vault cannot be saved: \(error)"
        case .asleep: "the machine is about to sleep"
        case .inviting: "an invitation is shown instead; contacts see this device again when it is over"
        case .invisible: "invisible, as asked"
        case .stopped: "stopped"
        }
    }
}

extension OwnerConfirmation.State {
    /// The nearness of a tag device's owner, in words.
    var sentence: String {
        switch self {
        case .nearOwner: "near: your primary device has confirmed this tag in the last 30 minutes"
        case .separated: "away: this tag is silent over Bluetooth until your primary device confirms it"
        case .unconfirmed: "away: this tag shows nothing until your primary device confirms it"
        }
    }
}

/// Returns the end of a period as RFC 3339 in UTC.
func timestamp(endOf period: Period) -> String { timestamp((UInt64(period.number) + 1) * Period.seconds) }
