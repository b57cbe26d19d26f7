import InklingJSON

/// One line on the control socket. A client sends a request and answers; a node sends facts and questions, and last
/// `done` or `failed`.
enum ControlMessage {
    case request(ControlRequest)
    /// A request that this version does not understand.
    case invalidRequest(JSONShapeError)
    case answer(Bool)
    case fact(ControlFact)
    case question(IntroductionFact)
    case done
    case failed(Failure)

    /// The longest line in bytes, its line feed included.
    static let lineLimit = 65_536

    private enum Kind: String {
        case request, answer, fact, question, done, failed
    }

    /// Parses a line; nil for one that is not a message.
    init?(line: [UInt8]) {
        guard let object = (try? JSON(parsing: line))?.object, let member = object.members.first,
            object.members.count == 1, let kind = Kind(rawValue: member.name)
        else { return nil }
        switch (kind, member.value) {
        case (.request, .object):
            do throws(JSONShapeError) { self = .request(try member.value.decoded()) } catch {
                self = .invalidRequest(error)
            }
        case (.answer, .flag(let answer)): self = .answer(answer)
        case (.fact, .object):
            guard let fact: ControlFact = try? member.value.decoded() else { return nil }
            self = .fact(fact)
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

    /// The line, with its line feed.
    var line: String {
        func line(_ kind: Kind, _ value: JSON) -> String { JSON.object([kind.rawValue: value]).compact + "\n" }
        return switch self {
        case .request(let request): line(.request, JSON(encoding: request))
        case .invalidRequest: line(.request, .null)
        case .answer(let answer): line(.answer, .flag(answer))
        case .fact(let fact): line(.fact, JSON(encoding: fact))
        case .question(let question): line(.question, JSON(encoding: question))
        case .done: line(.done, .flag(true))
        case .failed(let failure): line(.failed, JSON(encoding: FailureFact(failure)))
        }
    }
}

/// A failure as it crosses the control socket.
private struct FailureFact: Codable {
    /// The exit code with which a command ends.
    let status: Int32
    /// What went wrong.
    let what: String
    /// What to do about it; with `command`, what the command is for.
    let remedy: String?
    /// A command, without `inkling` and without the home.
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
