import InklingJSON

/// One line on the control socket. A client sends a request and answers; a node sends facts and questions, and at last
/// that it is done or why it failed.
enum ControlMessage {
    case request(JSONObject)
    case answer(Bool)
    case fact(JSONObject)
    case question(JSONObject)
    case done
    case failed(Failure)

    /// The longest line in bytes.
    static let lineLimit = 65_536

    /// Reads a line; nil for one that is no message.
    init?(line: [UInt8]) {
        guard let object = (try? JSON(parsing: line))?.object, let member = object.members.first,
            object.members.count == 1
        else { return nil }
        switch (member.name, member.value) {
        case ("request", .object(let request)): self = .request(request)
        case ("answer", .flag(let answer)): self = .answer(answer)
        case ("fact", .object(let fact)): self = .fact(fact)
        case ("question", .object(let question)): self = .question(question)
        case ("done", .flag(true)): self = .done
        case ("failed", .object(let failure)):
            guard let code = failure["status"]?.integer, let status = Failure.Status(rawValue: Int32(clamping: code)),
                let what = failure["what"]?.text
            else { return nil }
            self = .failed(Failure(status, what, remedy: failure["remedy"]?.text))
        default: return nil
        }
    }

    /// The line, with its line feed.
    var line: String {
        let object: JSONObject =
            switch self {
            case .request(let request): ["request": .object(request)]
            case .answer(let answer): ["answer": .flag(answer)]
            case .fact(let fact): ["fact": .object(fact)]
            case .question(let question): ["question": .object(question)]
            case .done: ["done": .flag(true)]
            case .failed(let failure):
                [
                    "failed": .object([
                        "status": .integer(failure.status.rawValue), "what": .text(failure.what),
                        "remedy": failure.remedy.map(JSON.text) ?? .null,
                    ])
                ]
            }
        return JSON.object(object).compact + "\n"
    }
}
