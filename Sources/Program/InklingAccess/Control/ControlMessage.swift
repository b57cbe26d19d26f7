package import InklingJSON
package import InklingKeys
package import InklingTerminal

/// A message on the control socket. A client sends a request and answers; a node sends facts and questions, and finally
/// `done` or `failed`. An invitation or a token follows its request or fact on a separate line, so that neither side
/// keeps it in memory that is not wiped.
package enum ControlMessage {
    /// The JSON of a request, which the node may not understand, and the text that follows it.
    case request(JSON, secret: SecretBox<SecretBytes>?)
    /// A line that is not JSON: the text of an invitation, or a token.
    case text(SecretBox<SecretBytes>)
    case answer(Bool)
    case fact(FactLine)
    case question(IntroductionFact)
    case done
    case failed(Failure)

    /// The maximum length of a line in bytes, including its line feed.
    package static let lineLimit = 65_536

    private enum Kind: String {
        case request, answer, fact, question, done, failed
    }

    /// Parses a line; nil if it is not a message.
    package init?(line: consuming SecretBytes) {
        let first = line.withBytes { bytes in bytes.isEmpty ? nil : bytes[0] }
        guard let first else { return nil }
        guard first == UInt8(ascii: "{") else {
            self = .text(SecretBox(line))
            return
        }
        self.init(json: line.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    }

    private init?(json line: [UInt8]) {
        guard let object = (try? JSON(parsing: line))?.object, let member = object.members.first,
            object.members.count == 1, let kind = Kind(rawValue: member.name)
        else { return nil }
        switch (kind, member.value) {
        case (.request, .object): self = .request(member.value, secret: nil)
        case (.answer, .flag(let answer)): self = .answer(answer)
        case (.fact, .object(let fact)):
            guard let member = fact.members.first, fact.members.count == 1 else { return nil }
            self = .fact(FactLine(kind: member.name, value: member.value))
        case (.question, .object):
            guard let question: IntroductionFact = try? member.value.decoded() else { return nil }
            self = .question(question)
        case (.done, .flag(true)): self = .done
        case (.failed, .object):
            guard let failure: FailureFact = try? member.value.decoded(), let failed = Failure(failure) else {
                return nil
            }
            self = .failed(failed)
        default: return nil
        }
    }

    /// The line of the message and that of its secret, if it has one, with their line feeds.
    package var bytes: SecretBytes {
        var writer = SecretWriter()
        for byte in line.utf8 { writer.append(u8: byte) }
        if let secret {
            secret.value.withBytes { writer.append($0) }
            writer.append(u8: 0x0a)
        }
        return writer.finish()
    }

    /// The secret in the message, which is not part of `line`.
    package var secret: SecretBox<SecretBytes>? {
        switch self {
        case .text(let text): text
        case .request(_, let secret): secret
        case .fact(let fact): fact.secret
        default: nil
        }
    }

    /// The line of JSON, with its line feed; empty for a text.
    package var line: String {
        func line(_ kind: Kind, _ value: JSON) -> String { JSON.object([kind.rawValue: value]).compact + "\n" }
        return switch self {
        case .request(let request, _): line(.request, request)
        case .text: ""
        case .answer(let answer): line(.answer, .flag(answer))
        case .fact(let fact): line(.fact, .object([fact.kind: fact.value]))
        case .question(let question): line(.question, JSON(encoding: question))
        case .done: line(.done, .flag(true))
        case .failed(let failure): line(.failed, JSON(encoding: FailureFact(failure)))
        }
    }
}

/// A failure on the control socket.
private struct FailureFact: Codable {
    /// The exit code of the command.
    let status: Int32
    /// The failure in words.
    let what: String
    /// The remedy; with `command`, the purpose of that command.
    let remedy: String?
    /// A command without `inkling` and the home.
    let command: String?
    /// The code of a refusal, `stage/reason`.
    let refusal: String?

    init(_ failure: Failure) {
        status = failure.status.rawValue
        what = failure.what
        refusal = failure.refusal
        switch failure.remedy {
        case .sentence(let text): (remedy, command) = (text, nil)
        case .command(let purpose, let text): (remedy, command) = (purpose, text)
        case nil: (remedy, command) = (nil, nil)
        }
    }
}

extension Failure {
    fileprivate init?(_ fact: FailureFact) {
        guard let status = Status(rawValue: fact.status) else { return nil }
        let remedy: Remedy? = fact.remedy.map { text in fact.command.map { .command(text, $0) } ?? .sentence(text) }
        self.init(status, fact.what, remedy: remedy, refusal: fact.refusal)
    }
}
