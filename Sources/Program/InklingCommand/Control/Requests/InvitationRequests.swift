import InklingAccess
import InklingJSON
import InklingKeys
import InklingNode
import InklingTerminal
import InklingWire
import Synchronization

// First contacts: an invitation is shown or accepted, and two people compare what they see.

extension Request {
    /// Opens an invitation, and reports the contact whom it made.
    struct Invite: NodeRequest {
        static let name = "invite"
        let minutes: UInt64

        func check() throws(JSONShapeError) { try checkLife(ofInvitation: minutes) }

        func run(on served: ServedNode, for peer: Peer<InvitationNews<ContactFact>>) async throws(Failure) {
            let node = served.node
            // Subscribe first, so that no event is missed.
            let events = node.eventsWithoutTexts()
            let port = InvitationPort()
            let opened = try await nodeFailure { () async throws(NodeError) in
                try await node.invite(lasting: .seconds(minutes * 60), portChanged: { port.change(to: $0) }) {
                    introduction in await peer.ask(IntroductionFact(introduction))
                }
            }
            port.begin(with: opened.port)
            await peer.take(.opened(try InvitationFact(opened, as: .invitation)))
            if let warning = await node.status().silence.flatMap({ WarningFact($0, port: port.current) }) {
                await peer.take(.warning(warning))
            }
            let warnings = Task {
                for await case .silent(let reason, .lan) in events {
                    if let warning = WarningFact(reason, port: port.current) { await peer.take(.warning(warning)) }
                }
            }
            defer { warnings.cancel() }
            let moves = Task { for await next in port.changes { await peer.take(.port(PortFact(port: next))) } }
            defer { moves.cancel() }
            let outcome = await node.untilWithdrawn { () async throws(NodeError) in
                try await node.invitationOutcome()
            }
            let contact = try await nodeFailure { () throws(NodeError) in try outcome.get() }
            await peer.take(.agreed(await served.fact(contact)))
        }
    }

    /// Accepts an invitation, whose text follows on a line of its own.
    struct Accept: SecretRequest {
        static let name = "accept"
        let address: String?
        var secret: SecretBox<SecretBytes>?

        private enum CodingKeys: String, CodingKey {
            case address = "at"
        }

        func run(on served: ServedNode, for peer: Peer<ContactFact>) async throws(Failure) {
            guard let secret else { throw Failure(.usage, "the text of the invitation is missing") }
            let object = try secret.value.withBytes { text throws(Failure) in try ObjectText(text) }
            guard object.kind == .invitation else {
                throw Failure(.badData, "not an invitation", remedy: .command("Add a card with", "card add"))
            }
            let minute = await served.node.minute()
            let invitation: Invitation
            do throws(InvitationError) {
                invitation = try object.content.value.withBytes { bytes throws(InvitationError) in
                    try Invitation(parsing: bytes, minute: minute)
                }
            } catch {
                throw Failure(
                    .badData, "the invitation is invalid: \(error)",
                    remedy: error == .ended ? "Ask for a new one." : nil)
            }
            let hint = try await endpoint(address)
            let contact = try await nodeFailure { () async throws(NodeError) in
                try await served.node.accept(invitation, at: hint) { await peer.ask(IntroductionFact($0)) }
            }
            await peer.take(await served.fact(contact))
        }
    }
}

extension Request.Accept {
    private enum SecretKeys: String, CodingKey {
        case text
    }

    init(from decoder: any Decoder) throws {
        guard try !decoder.container(keyedBy: SecretKeys.self).contains(.text) else {
            throw JSONShapeError(path: [SecretKeys.text.rawValue], what: "must follow on a line of its own")
        }
        address = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .address)
    }
}

/// Checks the minutes for which an invitation or a device link is open.
func checkLife(ofInvitation minutes: UInt64) throws(JSONShapeError) {
    let longest = UInt64(Invitation.longestLife / .seconds(60))
    guard (1...longest).contains(minutes) else {
        throw JSONShapeError(path: ["minutes"], what: "must be 1 to \(longest)")
    }
}

extension Node {
    /// Waits for the outcome of an invitation, and withdraws it when the command stops waiting.
    nonisolated func untilWithdrawn<Outcome: Sendable>(
        _ outcome: () async throws(NodeError) -> Outcome
    ) async -> Result<Outcome, NodeError> {
        await withTaskCancellationHandler {
            do throws(NodeError) { return .success(try await outcome()) } catch { return .failure(error) }
        } onCancel: {
            Task { await withdrawInvitation() }
        }
    }
}

/// The course of an invitation or a device link, until two people have agreed.
enum InvitationNews<Outcome: NodeFact>: Reported {
    case opened(InvitationFact)
    case port(PortFact)
    case warning(WarningFact)
    case agreed(Outcome)

    static func isFollowedBySecret(_ kind: String) -> Bool { InvitationFact.isFollowedBySecret(kind) }

    var factLine: FactLine {
        switch self {
        case .opened(let fact): fact.factLine
        case .port(let fact): fact.factLine
        case .warning(let fact): fact.factLine
        case .agreed(let fact): fact.factLine
        }
    }

    init(_ line: FactLine) throws(JSONShapeError) {
        switch line.kind {
        case InvitationFact.kind: self = .opened(try InvitationFact(line))
        case PortFact.kind: self = .port(try PortFact(line))
        case WarningFact.kind: self = .warning(try WarningFact(line))
        default: self = .agreed(try Outcome(line))
        }
    }
}

/// An open invitation or device link. Its text follows on a separate line.
struct InvitationFact: SecretFact {
    static let kind = "invitation"

    let port: UInt16
    /// In Unix seconds.
    let expires: UInt64
    var secret: SecretBox<SecretBytes>?

    private enum CodingKeys: String, CodingKey {
        case port, expires
    }

    /// Creates the fact of what a node has opened.
    ///
    /// - Throws: `Failure` when it is too long for the text form.
    init(_ opened: (invitation: Invitation, port: UInt16), as form: TextForm.Kind) throws(Failure) {
        port = opened.port
        expires = UInt64(opened.invitation.expiryMinute) * 60
        secret = SecretBox(try ObjectText.encode(opened.invitation, as: form))
    }
}

/// The TCP port on which an open invitation is accepted from now on.
struct PortFact: NodeFact, Hashable {
    static let kind = "port"

    let port: UInt16

    /// The human-readable line.
    var line: String { "The port is now \(port).\n" }
}

/// A warning for a person whose request waits.
struct WarningFact: NodeFact, Hashable {
    static let kind = "warning"

    let warning: String

    /// Creates a warning that multicast cannot find the invitation; nil for other reasons for silence.
    init?(_ reason: NodeEvent.SilenceReason, port: UInt16) {
        guard case .discovery(let error) = reason else { return nil }
        warning = "multicast does not work here: \(error.sentence); the other side must add --at HOST:\(port)"
    }

    /// The human-readable line.
    var line: String { "Warning: \(warning).\n" }
}

/// The TCP port of an open invitation, which changes at the end of an epoch, and when the node starts over for another
/// reason.
final class InvitationPort: Sendable {
    private let port = Mutex<UInt16>(0)
    private let changed: AsyncStream<UInt16>.Continuation
    /// The later ports; only the newest is buffered.
    let changes: AsyncStream<UInt16>

    init() { (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    var current: UInt16 { port.withLock { $0 } }

    /// Sets the initial port, unless a later one is already known.
    func begin(with first: UInt16) { port.withLock { if $0 == 0 { $0 = first } } }

    func change(to next: UInt16) {
        port.withLock { $0 = next }
        changed.yield(next)
    }
}
