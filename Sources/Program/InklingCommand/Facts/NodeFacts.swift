import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault

// The facts of a node. The text for people, `--json` and the lines of the control socket are made from the same value.

/// The status of a running node. Times are RFC 3339 in UTC.
struct StatusFact: Codable, Hashable, Sendable {
    let visible: Bool
    /// The visibility of the node while it shows itself.
    let visibility: VisibilityFact
    let epoch: UInt32?
    /// The time at which the next identifiers replace those shown now.
    let visibleUntil: String?
    /// The reason for the silence in words; null while it is visible.
    let silence: String?
    /// The cause of the silence and what ends it; null while it is visible.
    var silenceCause: SilenceFact?
    /// The state of each link technology, the local network first.
    var technologies: [Technology]
    let contacts: Int
    /// The number of contacts that are waiting or half-finished.
    let unfinished: Int
    let present: Int
    let sessions: Int
    let refusedMessages: UInt64
    let certifiedUntil: String?
    /// The missing parts of the process's protection, in words.
    let unprotected: [String]
    /// The antennas beyond this machine's own Bluetooth.
    let antennas: [AntennaFact]
    /// The nearness of this tag device's owner, as far as it knows; null for a node that is not a tag device.
    let owner: OwnerConfirmation.State?

    /// The state of one link technology.
    struct Technology: Codable, Hashable, Sendable {
        let technology: LinkTechnologyID
        let epoch: UInt32?
        /// The reason why nothing is shown, in words; null while visible.
        let silence: String?
        /// The cause of the silence and what ends it; null while visible.
        var silenceCause: SilenceFact?
        /// Whether connections can be made now; false for Bluetooth that only shows a beacon.
        let carriesLinks: Bool
    }

    init(_ status: NodeStatus, to audience: VisibilityFact, lacking gaps: [ProcessHardening.Gap]) {
        visible = status.showing != nil
        visibility = audience
        epoch = status.showing?.number
        visibleUntil = status.showing.map { timestamp($0.end) }
        silence = status.silence?.sentence
        silenceCause = status.silence.map { SilenceFact($0) }
        technologies = status.technologies.map {
            Technology(
                technology: $0.technology, epoch: $0.showing?.number, silence: $0.silence?.sentence,
                silenceCause: $0.silence.map { SilenceFact($0) }, carriesLinks: $0.carriesLinks)
        }
        contacts = status.contacts
        unfinished = status.unfinished
        present = status.present
        sessions = status.sessions
        refusedMessages = status.refusedMessages
        certifiedUntil = status.certifiedUntil.map(timestamp(endOf:))
        unprotected = gaps.map(\.description)
        antennas = status.antennas.map { AntennaFact($0) }
        owner = status.owner
    }

    /// The human-readable lines.
    var text: String {
        let shown =
            visibleUntil.map { "visible\(visibility.suffix); the next identifiers follow at \($0)" }
            ?? "silent: \(silence ?? "")"
        let over =
            technologies.count < 2
            ? []
            : technologies.flatMap { one in
                // Show remedies common to all only once.
                let remedies = one.silenceCause == silenceCause ? [] : one.silenceCause?.lines ?? []
                return ["          \(one.line)"] + remedies
            }
        let lines =
            ["node      \(shown)"] + (silenceCause?.lines ?? []) + over
            + (owner.map { ["owner     \($0.sentence)"] } ?? []) + [
                "sessions  \(sessions)   refused messages \(refusedMessages)",
                "contacts  \(contacts), \(present) present\(unfinished == 0 ? "" : ", \(unfinished) not complete")",
            ] + antennas.map { "antenna   \($0.line)" } + unprotected.map { "warning   \($0)" }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension StatusFact {
    /// Returns the fact with the home in the commands that end a silence.
    func naming(_ options: HomeOptions) -> StatusFact {
        var named = self
        named.silenceCause = silenceCause?.naming(options)
        named.technologies = technologies.map { one in
            var technology = one
            technology.silenceCause = one.silenceCause?.naming(options)
            return technology
        }
        return named
    }
}

extension StatusFact.Technology {
    /// The technology in words.
    fileprivate var line: String {
        let name = technology == .lan ? "local network" : "Bluetooth"
        if let silence { return "\(name): silent: \(silence)" }
        return "\(name): visible" + (carriesLinks ? "" : ", as a beacon to which nobody can connect")
    }
}

/// The contacts to whom a node shows itself, and for whom it looks.
struct VisibilityFact: Codable, Hashable, Sendable {
    enum Audience: String, Codable {
        case all, audience, contact, nobody
    }

    let to: Audience
    /// The user's name for the audience; null for the others.
    let audience: String?
    /// The name and the id of the one contact; null for the others.
    let contact: String?
    let id: String?

    /// Creates the fact of a choice; `name` returns the name of a contact, and `audience` that of an audience.
    init(_ visibility: Visibility, name: (UserID) -> String, audience: (AudienceID) -> String = { _ in "" }) {
        switch visibility {
        case .all: (to, self.audience, contact, id) = (.all, nil, nil, nil)
        case .audience(let one): (to, self.audience, contact, id) = (.audience, audience(one), nil, nil)
        case .contact(let user): (to, self.audience, contact, id) = (.contact, nil, name(user), user.octets.description)
        case .nobody: (to, self.audience, contact, id) = (.nobody, nil, nil, nil)
        }
    }

    /// The words after "visible"; empty for all contacts.
    var suffix: String {
        switch to {
        case .all: ""
        case .audience: " to the audience \(printable(audience ?? "")) only"
        case .contact: " to \(printable(contact ?? "")) only"
        case .nobody: " to nobody"
        }
    }

    /// The choice as a sentence.
    var sentence: String { to == .all ? "visible to all contacts" : "visible\(suffix)" }
}

/// A contact that was renamed.
struct RenamedFact: Codable, Hashable, Sendable {
    let contact: String
    let was: String
}

/// A contact that was removed.
struct RemovedFact: Codable, Hashable, Sendable {
    let removed: String
    /// The time until which the contact can recognise this node unless the audiences are renewed; null if no grant has
    /// left.
    let recognisesUsUntil: String?
    /// The audiences by which it can do so.
    let audiences: [String]
    /// The numbers of other contacts that need a new grant if these audiences are renewed, and of those among them that
    /// get it at the next meeting because this node recognises them.
    let holdersOfGrants: Int
    let holdersWhomWeRecognise: Int

    init(_ name: String, _ removal: Removal, audiences: [String]) {
        removed = name
        self.audiences = audiences
        recognisesUsUntil = removal.recognisesUsUntil.map(timestamp(endOf:))
        holdersOfGrants = removal.holdersOfGrants
        holdersWhomWeRecognise = removal.holdersWhomWeRecognise
    }

    /// Returns the human-readable lines, with the cost of ending the recognition now.
    func text(for options: HomeOptions) -> String {
        let removed = "\(printable(removed)) is no longer a contact.\n"
        guard let recognisesUsUntil else { return removed }
        let others = holdersOfGrants - holdersWhomWeRecognise
        let price =
            holdersOfGrants == 0
            ? "No other contact holds a grant."
            : "\(plural(holdersOfGrants, "other contact")) then need a new grant: \(holdersWhomWeRecognise) at the next "
                + "meeting, \(others) on a common network, by an invitation or a sealed grant."
        return removed + "It can recognise you until \(recognisesUsUntil). To end that now: "
            + "\(options.hint(renewal))\n\(price)\n"
    }

    /// The command that ends the recognition now.
    private var renewal: String {
        "contacts renew" + audiences.map { " --audience \(shellQuoted($0))" }.joined()
    }
}

/// The node's own card.
struct CardFact: Codable, Hashable, Sendable {
    let name: String
    let id: String
    let card: String
}

/// A sealed grant for one device of a contact, in its text form.
struct SealedGrantFact: Codable, Hashable, Sendable {
    let sealedGrant: String
}

/// An open invitation.
struct InvitationFact: Codable, Hashable, Sendable {
    let port: UInt16
    /// In Unix seconds.
    let expires: UInt64
}

/// The TCP port on which an open invitation is accepted from now on.
struct PortFact: Codable, Hashable, Sendable {
    let port: UInt16

    /// The human-readable line.
    var line: String { "The port is now \(port).\n" }
}

/// A warning for a person whose request waits.
struct WarningFact: Codable, Hashable, Sendable {
    let warning: String
}

/// A text that was queued, and whether the contact's node has acknowledged it.
struct DeliveredFact: Codable, Hashable, Sendable {
    let delivered: Bool
    let contact: String
    let message: String
}

/// The facts that two people compare before they become contacts.
struct IntroductionFact: Codable, Hashable, Sendable {
    let name: String
    let fingerprint: String
    /// Whether this person is a contact already.
    let known: Bool

    init(_ introduction: Introduction) {
        name = introduction.name
        fingerprint = introduction.fingerprint
        known = introduction.isKnown
    }
}

/// The values of a contact, or of this node itself, in an epoch.
struct PredictionFact: Codable, Hashable, Sendable {
    let epoch: UInt32
    /// Empty for this node itself.
    let contact: String
    let device: UInt8
    let name: String
    let minor: UInt16
    /// Whether this node itself shows it.
    let own: Bool

    init(_ entry: Forecast.Entry, of contact: String, own: Bool = false) {
        epoch = entry.prediction.epoch.number
        self.contact = contact
        device = entry.prediction.device.number
        name = entry.name.description
        minor = entry.minor.value
        self.own = own
    }

    /// Returns the entry for a contact with this number; nil when a value is out of range.
    func entry(of number: Int) -> Forecast.Entry? {
        guard let epoch = Epoch(epoch), let device = DeviceIndex(device),
            let name = OpaqueServiceName(parsing: Array(name.utf8).span)
        else { return nil }
        // The fact does not name the audience, which matters only to a holder of its keys.
        let prediction = Prediction(
            contact: ContactID(rawValue: UInt32(clamping: number)), device: device, audience: .granted(0), epoch: epoch)
        return Forecast.Entry(prediction: prediction, name: name, minor: BeaconMinor(minor))
    }
}
