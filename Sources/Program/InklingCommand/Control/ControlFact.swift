import InklingKeys
import InklingTerminal

/// A fact that a node reports to a command. `README.md` describes the JSON of each.
enum ControlFact: Sendable {
    case status(StatusFact)
    case contact(ContactFact)
    case visibility(VisibilityFact)
    case renamed(RenamedFact)
    case removed(RemovedFact)
    case card(CardFact)
    case sealedGrant(SealedGrantFact)
    /// The text is not part of the JSON; it is nil until its line has arrived.
    case invitation(InvitationFact, text: SecretBox<SecretBytes>?)
    case port(PortFact)
    case warning(WarningFact)
    case delivered(DeliveredFact)
    case device(DeviceFact)
    case message(MessageFact)
    case transfer(TransferFact)
    case explanation(ExplanationFact)
    case prediction(PredictionFact)
    case event(EventFact)
    case audience(AudienceFact)
    case recogniser(RecogniserFact)
    case revocation(RevocationFact)
    /// The token is not part of the JSON; it is nil until its line has arrived.
    case dashboard(DashboardFact, token: SecretBox<SecretBytes>?)
}

extension ControlFact: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case status, contact, visibility, renamed, removed, card, sealedGrant, invitation, port, warning, delivered,
            message, transfer, explanation, device, prediction, event, audience, recogniser, revocation, dashboard
    }

    /// Encodes an object with one member, named for the kind of the fact.
    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .status(let fact): try members.encode(fact, forKey: .status)
        case .contact(let fact): try members.encode(fact, forKey: .contact)
        case .visibility(let fact): try members.encode(fact, forKey: .visibility)
        case .renamed(let fact): try members.encode(fact, forKey: .renamed)
        case .removed(let fact): try members.encode(fact, forKey: .removed)
        case .card(let fact): try members.encode(fact, forKey: .card)
        case .sealedGrant(let fact): try members.encode(fact, forKey: .sealedGrant)
        case .invitation(let fact, _): try members.encode(fact, forKey: .invitation)
        case .port(let fact): try members.encode(fact, forKey: .port)
        case .warning(let fact): try members.encode(fact, forKey: .warning)
        case .delivered(let fact): try members.encode(fact, forKey: .delivered)
        case .device(let fact): try members.encode(fact, forKey: .device)
        case .message(let fact): try members.encode(fact, forKey: .message)
        case .transfer(let fact): try members.encode(fact, forKey: .transfer)
        case .explanation(let fact): try members.encode(fact, forKey: .explanation)
        case .prediction(let fact): try members.encode(fact, forKey: .prediction)
        case .event(let fact): try members.encode(fact, forKey: .event)
        case .audience(let fact): try members.encode(fact, forKey: .audience)
        case .recogniser(let fact): try members.encode(fact, forKey: .recogniser)
        case .revocation(let fact): try members.encode(fact, forKey: .revocation)
        case .dashboard(let fact, _): try members.encode(fact, forKey: .dashboard)
        }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = members.allKeys.first else { throw JSONShapeError(path: [], what: "is not a known fact") }
        switch key {
        case .status: self = .status(try members.decode(StatusFact.self, forKey: key))
        case .contact: self = .contact(try members.decode(ContactFact.self, forKey: key))
        case .visibility: self = .visibility(try members.decode(VisibilityFact.self, forKey: key))
        case .renamed: self = .renamed(try members.decode(RenamedFact.self, forKey: key))
        case .removed: self = .removed(try members.decode(RemovedFact.self, forKey: key))
        case .card: self = .card(try members.decode(CardFact.self, forKey: key))
        case .sealedGrant: self = .sealedGrant(try members.decode(SealedGrantFact.self, forKey: key))
        case .invitation: self = .invitation(try members.decode(InvitationFact.self, forKey: key), text: nil)
        case .port: self = .port(try members.decode(PortFact.self, forKey: key))
        case .warning: self = .warning(try members.decode(WarningFact.self, forKey: key))
        case .delivered: self = .delivered(try members.decode(DeliveredFact.self, forKey: key))
        case .device: self = .device(try members.decode(DeviceFact.self, forKey: key))
        case .message: self = .message(try members.decode(MessageFact.self, forKey: key))
        case .transfer: self = .transfer(try members.decode(TransferFact.self, forKey: key))
        case .explanation: self = .explanation(try members.decode(ExplanationFact.self, forKey: key))
        case .prediction: self = .prediction(try members.decode(PredictionFact.self, forKey: key))
        case .event: self = .event(try members.decode(EventFact.self, forKey: key))
        case .audience: self = .audience(try members.decode(AudienceFact.self, forKey: key))
        case .recogniser: self = .recogniser(try members.decode(RecogniserFact.self, forKey: key))
        case .revocation: self = .revocation(try members.decode(RevocationFact.self, forKey: key))
        case .dashboard: self = .dashboard(try members.decode(DashboardFact.self, forKey: key), token: nil)
        }
    }
}

extension ControlFact {
    /// The secret that belongs to the fact and is not part of its JSON.
    var secret: SecretBox<SecretBytes>? {
        switch self {
        case .invitation(_, let text): text
        case .dashboard(_, let token): token
        default: nil
        }
    }

    /// Whether a line with a secret follows the fact.
    var awaitsSecret: Bool {
        switch self {
        case .invitation(_, nil), .dashboard(_, nil): true
        default: false
        }
    }

    /// Returns the fact with the secret that it awaits.
    func with(_ secret: SecretBox<SecretBytes>) -> ControlFact {
        switch self {
        case .invitation(let fact, nil): .invitation(fact, text: secret)
        case .dashboard(let fact, nil): .dashboard(fact, token: secret)
        default: self
        }
    }
}
