import InklingEngine
import InklingKeys
import InklingNode
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The words in which a node's reports are shown to people.

extension LinkTechnologyID {
    /// The prefix of a report about this technology; empty for the local network, which every node has.
    var prefix: String { self == .lan ? "" : "Bluetooth: " }
    /// The suffix of an action over this technology.
    var suffix: String { self == .lan ? "" : " over Bluetooth" }
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

extension DiscoveryError {
    /// The reason why multicast DNS cannot be used, in words.
    var sentence: String {
        switch self {
        case .noNetwork: "there is no network interface to use"
        case .server(let code): "multicast DNS does not start (error \(code)); trying again"
        }
    }
}

extension LinkError {
    /// The reason why a link failed, in words.
    var sentence: String {
        switch self {
        case .unreachable(let code): systemMessage(code)
        case .closed: "the other side closed it"
        case .timedOut: "no answer in time"
        case .oversized(let announced, let limit): "a packet must have at most \(limit) bytes, got \(announced)"
        }
    }
}

extension NodeEvent.Trouble {
    /// The description of the trouble.
    var sentence: String {
        switch self {
        case .notSaved(let error): "not saved: \(error)"
        case .certificateNotRenewed(let error): "your own card could not be renewed: \(error)"
        case .refused(_, let stage, let reason):
            "rejected a card or grant of the contact: \(RefusalCode(stage: stage, reason: reason).objectSentence)"
        case .radioDeaf(.scanAgain): "Bluetooth hears nothing: the scan begins again"
        case .radioDeaf(.powerCycle): "Bluetooth hears nothing: the adapter is switched off and on"
        case .radioDeaf(.none): "Bluetooth hears nothing, and nothing helped; run inkling doctor"
        case .messages(let error): "messages cannot be used: \(error)"
        case .messagesFound(let finding): "\(finding); messages may be lost or duplicated"
        case .radioCrowded:
            "Bluetooth hears too many strangers: it listens only for contacts until the next silent gap"
        case .antenna(let trouble): trouble.sentence
        }
    }

    /// The code of the refusal; nil for other troubles.
    var refusal: RefusalCode? {
        switch self {
        case .notSaved, .certificateNotRenewed, .radioDeaf, .radioCrowded, .antenna, .messages,
            .messagesFound:
            nil
        case .refused(_, let stage, let reason): RefusalCode(stage: stage, reason: reason)
        }
    }

    /// The contact concerned; nil for other troubles.
    var user: UserID? {
        switch self {
        case .notSaved, .certificateNotRenewed, .radioDeaf, .radioCrowded, .antenna, .messages,
            .messagesFound:
            nil
        case .refused(let user, _, _): user
        }
    }
}

/// Returns the end of a period as RFC 3339 in UTC.
func timestamp(endOf period: Period) -> String { timestamp((UInt64(period.number) + 1) * Period.seconds) }

extension AntennaTrouble {
    /// The description of the trouble.
    var sentence: String {
        let name = printable(antenna)
        return switch problem {
        case .deaf: "the antenna \(name) hears nothing at all"
        case .failed(let error): "the antenna \(name) does not listen: \(error)"
        case .ended: "the antenna \(name) has ended"
        }
    }
}
