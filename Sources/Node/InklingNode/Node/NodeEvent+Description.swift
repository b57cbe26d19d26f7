internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingVault
internal import InklingWire

// Descriptions for logs, without names, message texts, keys and addresses. Contacts are identified by user id.

extension NodeEvent: CustomStringConvertible {
    /// The event in a few words. The text of a message is left out.
    public var description: String {
        switch self {
        case .visibility(let choice): "visible to \(choice)"
        case .showing(let epoch, let technology): "showing epoch \(epoch.number) over \(technology.rawValue)"
        case .silent(let reason, let technology): "silent over \(technology.rawValue): \(reason)"
        case .presence(let user, let state): "\(user.octets): \(state.word)"
        case .arrived(let user): "\(user.octets): arrived"
        case .left(let user): "\(user.octets): left"
        case .planned(let user, let plan):
            "\(user.octets): planned \(plan.steps.map(\.transport.rawValue).joined(separator: ", "))"
        case .confirmed(let user, let technology, let taken?):
            "\(user.octets): confirmed over \(technology.rawValue) after \(taken)"
        case .confirmed(let user, let technology, nil):
            "\(user.octets): confirmed over \(technology.rawValue), started by the contact"
        case .handedOver(let user, let old, let new):
            "\(user.octets): handed over from \(old.rawValue) to \(new.rawValue)"
        case .outsideWindow(let user): "\(user.octets): an identifier was seen outside its window"
        case .contested(let user): "\(user.octets): a minor is shown at two addresses"
        case .imitated: "another device shows this node's name"
        case .replayed: "names of contacts are called that do not confirm"
        case .renewed(let user): "\(user.octets): card or grant renewed"
        case .message(let user, let text): "\(user.octets): text of \(text.utf8.count) bytes"
        case .delivered(let user, let id): "\(user.octets): message \(id) delivered"
        case .expired(let user, let id): "\(user.octets): message \(id) expired"
        case .messagesSkipped(let user, let count): "\(user.octets): \(count) messages are missing"
        case .file(let file):
            "\(file.contact.octets): file \(file.direction.rawValue) of \(file.size) bytes \(file.state.rawValue)"
        case .trouble(let trouble): "\(trouble)"
        case .missed(let count): "\(count) events missed"
        }
    }
}

extension NodeEvent.SilenceReason: CustomStringConvertible {
    /// The reason in a few words.
    public var description: String {
        switch self {
        case .gap: "between two epochs"
        case .clock(let refusal): "\(refusal)"
        case .highWater(let epoch): "\(epoch) has been shown already"
        case .noKeys: "there are no keys for this time"
        case .unconfirmed(nil): "no device of its owner has confirmed this tag device lately"
        case .unconfirmed(let epoch?): "confirmed by a device of its owner, and shown from \(epoch) on"
        case .discovery(let error): "discovery failed: \(error)"
        case .links(let error): "no port to listen on: \(error)"
        case .radio(let error): "\(error)"
        case .vault(let error): "the vault cannot be saved: \(error.fault)"
        case .networkChanged: "an interface or an address changed"
        case .asleep: "the machine is about to sleep"
        case .inviting: "an invitation is shown instead"
        case .invisible: "invisible, as the user asked"
        case .stopped: "stopped"
        }
    }
}

extension NodeEvent.Trouble: CustomStringConvertible {
    /// The failure in a few words.
    public var description: String {
        switch self {
        case .notSaved(let error): "not saved: \(error.fault)"
        case .certificateNotRenewed(let error): "certificate not renewed: \(error.stage), \(error.reason)"
        case .refused(let user, let stage, let reason): "\(user.octets): card or grant rejected: \(stage), \(reason)"
        case .radioDeaf(.scanAgain): "Bluetooth hears nothing: the scan begins again"
        case .radioDeaf(.powerCycle): "Bluetooth hears nothing: the adapter is switched off and on"
        case .radioDeaf(.none): "Bluetooth hears nothing, and nothing helped"
        case .messages(let error): "messages cannot be used: \(error.fault)"
        case .messagesFound(let finding): "\(finding)"
        case .radioCrowded: "Bluetooth hears too many strangers, and listens for contacts alone"
        case .antenna(let trouble): trouble.description
        }
    }
}

extension PresenceChange: CustomStringConvertible {
    /// The contact's id and both states.
    public var description: String { "\(contact.octets): \(from.word) to \(to.word)" }
}

extension ReceivedMessage: CustomStringConvertible {
    /// The contact's id and the length of the text; the text itself is left out.
    public var description: String { "\(contact.octets): text of \(text.utf8.count) bytes" }
}
