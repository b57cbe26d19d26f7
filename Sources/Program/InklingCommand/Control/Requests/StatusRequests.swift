import InklingAccess
import InklingEngine
import InklingJSON
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault

// The state of a node, and to whom it shows itself. Times are RFC 3339 in UTC.

extension Request {
    /// Reports the state of the node.
    struct Status: NodeRequest {
        static let name = "status", isBrief = true

        func run(on served: ServedNode, for peer: Peer<StatusFact>) async throws(Failure) {
            let status = await served.node.status()
            let audience = await served.fact(status.visibility)
            await peer.take(StatusFact(status, to: audience, lacking: ProcessHardening.gaps))
        }
    }

    /// Chooses to whom the node shows itself.
    struct Visible: NodeRequest {
        /// The choice, as the JSON names it.
        enum Choice: String, Codable {
            case all, nobody
            /// An audience or a contact.
            case named

            init(from decoder: any Decoder) throws {
                let text = try decoder.singleValueContainer().decode(String.self)
                guard let known = Choice(rawValue: text) else {
                    throw JSONShapeError(path: ["to"], what: "must be all, named or nobody")
                }
                self = known
            }
        }

        static let name = "visible", omitted: Set = ["name"]
        let to: Choice
        let name: String?

        /// Parses `all`, `nobody`, or the name of an audience or a contact.
        init(_ text: String) {
            to = text == "all" ? .all : text == "nobody" ? .nobody : .named
            name = to == .named ? text : nil
        }

        func check() throws(JSONShapeError) {
            guard to != .named || name != nil else { throw JSONShapeError(path: ["name"], what: "is missing") }
        }

        func run(on served: ServedNode, for peer: Peer<VisibilityFact>) async throws(Failure) {
            let visibility: Visibility
            switch to {
            case .all: visibility = .all
            case .nobody: visibility = .nobody
            case .named: visibility = try await self.visibility(on: served, named: name ?? "")
            }
            try await nodeFailure { () async throws(NodeError) in
                try await served.node.becomeVisible(to: visibility)
            }
            await peer.take(await served.fact(visibility))
        }

        /// Returns the visibility that a name denotes: an audience or a contact.
        ///
        /// - Throws: `Failure` when neither has the name, or both.
        private func visibility(on served: ServedNode, named name: String) async throws(Failure) -> Visibility {
            let audience = await served.node.audiences().first { $0.name == name }
            guard let audience else { return .contact(try await served.contact(name).user) }
            guard await !served.node.contacts().contains(where: { $0.name == name }) else {
                throw Failure(
                    .badData, "both an audience and a contact are named '\(printable(name))'",
                    remedy: .command("Use the id of the contact, or rename one", "contacts list --json"))
            }
            return .audience(audience.id)
        }
    }
}

/// The status of a running node.
struct StatusFact: NodeFact, Hashable {
    static let kind = "status"

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
struct VisibilityFact: NodeFact, Hashable {
    static let kind = "visibility"

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

/// An antenna beyond this machine's own Bluetooth.
struct AntennaFact: Codable, Hashable, Sendable {
    let name: String
    /// `lines`, `esphome`, `espresense` or `openmqttgateway`.
    let source: String
    /// The room in which it stands; null if its sightings name the room, or nothing does.
    let room: String?
    /// `connecting`, `listening`, `deaf`, `failed` or `ended`.
    let state: String
    /// The reason why it does not listen; null unless it has failed.
    let problem: String?
    /// The possible error of a sighting's time in seconds, either way.
    let clockError: Double
    let hasAddresses: Bool
    /// Whether sightings contain the advertising data as it was on the air.
    let hasData: Bool
    let canConnect: Bool
    /// The numbers of the application's beacons and of other frames heard since the node started.
    let beacons: UInt64
    let others: UInt64
    /// The number of invalid inputs that were skipped.
    let refused: UInt64
    /// The number of inputs dropped unread, because too many were waiting.
    let dropped: UInt64
    /// The seconds since it last heard something; null if it never has.
    let silentFor: Double?

    init(_ antenna: AntennaSummary) {
        name = antenna.facts.name
        source = antenna.facts.source.rawValue
        room = antenna.facts.room
        (state, problem) =
            switch antenna.state {
            case .connecting: ("connecting", nil)
            case .listening: ("listening", nil)
            case .deaf: ("deaf", nil)
            case .failed(let error): ("failed", error.description)
            case .ended: ("ended", nil)
            }
        clockError = antenna.facts.clockError / .seconds(1)
        hasAddresses = antenna.facts.hasAddresses
        hasData = antenna.facts.hasData
        canConnect = antenna.facts.canConnect
        beacons = antenna.beacons
        others = antenna.others
        refused = antenna.refused
        dropped = antenna.dropped
        silentFor = antenna.silentFor.map { Double($0) / 1000 }
    }

    /// The human-readable line.
    var line: String {
        let place = room.map { " in \(printable($0))" } ?? ""
        let heard = "\(plural(beacons, "beacon")), \(plural(others, "other frame"))"
        let left = (refused == 0 ? "" : ", \(refused) refused") + (dropped == 0 ? "" : ", \(dropped) dropped")
        return "\(printable(name))\(place): \(state)\(problem.map { ": \($0)" } ?? ""); \(heard)\(left)"
    }
}
