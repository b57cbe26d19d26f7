import InklingAccess
import InklingJSON
import InklingKeys
import InklingNode
import InklingTerminal
import Synchronization

/// A request as a node carries it out.
///
/// The file of a noun in the folder `Requests` has its requests with their bounds and what each does on
/// a node, and the facts that they report with their words for people.
protocol NodeRequest: ControlRequest, Decodable {
    /// Whether the node answers at once and without changing anything, as for `inkling status`.
    static var isBrief: Bool { get }
    /// The facts that the node reports; `Never` for a request without facts.
    associatedtype Fact: Reported = Never

    /// Checks the bounds of members that have been decoded.
    func check() throws(JSONShapeError)

    /// Carries the request out, and reports each fact as it becomes known.
    func run(on served: ServedNode, for peer: Peer<Fact>) async throws(Failure)
}

/// A request whose line is followed by a line with a secret text.
protocol SecretRequest: NodeRequest {
    /// The text, which is not part of the JSON; nil until its line has arrived.
    var secret: SecretBox<SecretBytes>? { get set }
}

extension NodeRequest {
    static var isBrief: Bool { false }

    func check() throws(JSONShapeError) {}

    fileprivate init(_ json: JSON) throws(JSONShapeError) {
        self = try json.decoded()
        try check()
    }
}

/// The requests that a node takes; each is in the file of its noun.
enum Request {
    /// All of them. A request that is not listed is not understood.
    static let all: [any NodeRequest.Type] = [
        Status.self, Visible.self, Dashboard.self,
        Contacts.self, Contact.self, Rename.self, Delay.self, Remove.self, Reviewed.self, Presence.self,
        Revoke.self, Block.self, Unblock.self, Grant.self,
        Audiences.self, CreateAudience.self, RenameAudience.self, RemoveAudience.self, Assign.self, Renew.self,
        Recognisers.self,
        Card.self, AddCard.self, Invite.self, Accept.self,
        Devices.self, AddDevice.self, RemoveDevice.self,
        Send.self, Messages.self, Message.self, Acknowledge.self, RemoveMessage.self,
        SendFile.self, Files.self, ChangeFile.self,
        Explain.self, PredictionRequest.self, Events.self,
    ]

    private static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Returns the request of an object whose member `do` names it.
    ///
    /// - Throws: `JSONShapeError` when there is no such request, or when a member is missing or out of bounds.
    static func decoded(from json: JSON) throws(JSONShapeError) -> any NodeRequest {
        guard let member = json.object?["do"] else { throw JSONShapeError(path: ["do"], what: "is missing") }
        guard let name = member.text else { throw JSONShapeError(path: ["do"], what: "must be a string") }
        guard let type = named[name] else { throw JSONShapeError(path: [], what: "is invalid") }
        return try type.init(json)
    }
}

/// The sender of one request: a command at the other end of the socket, or a verb in this process.
struct Peer<Fact: Reported>: Sendable {
    /// Receives one fact.
    let take: @Sendable (Fact) async -> Void
    /// Shows an introduction to a person and returns whether the person agrees; false when no person can be asked.
    let ask: @Sendable (IntroductionFact) async -> Bool

    init(
        take: @escaping @Sendable (Fact) async -> Void,
        ask: @escaping @Sendable (IntroductionFact) async -> Bool = { _ in false }
    ) {
        self.take = take
        self.ask = ask
    }
}
