internal import InklingJSON
internal import InklingVectors

/// Runs one implementation through a suite: events of the program go in, effects come out.
///
/// Only one request is pending at a time, so that it is known at which case a program hangs or exits. The run reads no
/// clock and starts no process.
public struct ConformanceRun: Sendable {
    /// An event of the program under test.
    public enum Event: Sendable {
        /// The program was started.
        case started
        /// It sent a line, given without its line feed.
        case line([UInt8])
        /// It sent more than `replyLimit` bytes without a line feed.
        case overlongLine
        /// It ended, with this exit code or, as a negative number, this signal.
        case ended(status: Int32)
        /// It sent no line within the time limit.
        case overdue
    }

    /// An action for the caller; actions must be carried out in order.
    public enum Effect: Sendable {
        /// Start the program, and discard output of an earlier process.
        case start
        /// Send this line and a line feed, and restart the time limit.
        case send([UInt8])
        /// Kill the program.
        case stop
        /// Close its input, and report what it still sends until it ends.
        case close
        /// A result is final.
        case report(ConformanceResult)
        /// The run has finished.
        case finish
    }

    /// The program's reply to `capabilities`.
    public struct Capabilities: Hashable, Sendable {
        public let specVersion: String
        public let operations: Set<String>
    }

    /// The maximum length of a reply in bytes, without its line feed.
    public static let replyLimit = 8 << 20
    /// The maximum number of lines that are skipped while a reply is awaited.
    public static let strayLimit = 100
    /// The id of the request for the capabilities.
    static let capabilitiesID = "capabilities"

    private enum State {
        case asksCapabilities
        case asks(Int)
        case closing
        case finished
    }

    private let cases: [ConformanceCase]
    // The number of requests before each case, including the one for the capabilities; the last element is the total.
    private let requestsBefore: [Int]
    private let known: KnownFailures
    private var restarts: Int
    private var state = State.asksCapabilities
    /// The program's capabilities; `nil` until it has sent them.
    public private(set) var capabilities: Capabilities?
    // The first line before the capabilities that was not a reply.
    private var greeting: ConformanceFailure?
    // A second reply can still turn the latest result into a failure.
    private var latest: ConformanceResult?
    private var strays = 0
    /// The number of requests of a run in which every case is sent; a digest has one for each of its outputs.
    public var requestCount: Int { requestsBefore.last ?? 0 }
    /// The number of requests that no longer need a reply, including those of skipped cases.
    public var settledRequestCount: Int {
        switch state {
        case .asksCapabilities: 0
        case .asks(let place): requestsBefore[place] + Int(output)
        case .closing, .finished: requestCount
        }
    }
    // The outputs of a digest so far, and the index of the next one.
    private var outputs: [UInt8] = []
    private var output: UInt32 = 0

    /// Creates a run that restarts the program at most `restarts` times.
    public init(_ suite: ConformanceSuite, known: KnownFailures = KnownFailures(), restarts: Int = 20) {
        cases = suite.cases
        requestsBefore = cases.reduce(into: [1]) { sums, one in
            sums.append((sums.last ?? 0) + (one.accumulated.map { Int($0.count) } ?? 1))
        }
        self.known = known
        self.restarts = restarts
    }

    /// Returns the first effects.
    public func begin() -> [Effect] { [.start] }

    /// Handles an event of the program and returns the actions to carry out.
    public mutating func handle(_ event: Event) -> [Effect] {
        switch state {
        case .asksCapabilities: return handleBeforeCapabilities(event)
        case .asks(let place): return handle(event, at: place)
        case .closing: return handleWhileClosing(event)
        case .finished: return []
        }
    }

    // MARK: Capabilities

    private mutating func handleBeforeCapabilities(_ event: Event) -> [Effect] {
        switch event {
        case .started: return [.send(Self.question(listing: nil).line)]
        case .ended(let status): return giveUp(.ended(status: status), stop: false)
        case .overdue: return giveUp(greeting ?? .overdue)
        case .overlongLine: return giveUp(.tooLong)
        case .line(let line):
            let reply: JSONObject
            switch Self.reply(line, to: .text(Self.capabilitiesID)) {
            case .success(let object): reply = object
            case .failure(let fault):
                // A greeting is a failure, but the run continues.
                greeting = greeting ?? fault.failure
                strays += 1
                return strays > Self.strayLimit ? giveUp(.chatter) : []
            }
            guard let listed = Self.capabilities(in: reply) else { return giveUp(.difference(got: reply)) }
            capabilities = listed
            let question = Self.question(listing: reply["result"]?.object?["operations"])
            let isOurVersion = sameValue(.object(judged(reply)), .object(question.expected))
            let failure = greeting ?? (isOurVersion ? nil : .difference(got: reply))
            return settle(question, failure.map { .failed($0) } ?? .passed) + ask(from: 0)
        }
    }

    /// Returns the first request. A program may list any operations.
    private static func question(listing operations: JSON?) -> ConformanceCase {
        let result: JSONObject = [
            "specVersion": .text("inkling/\(Shim.specVersion)"), "operations": operations ?? .list([]),
        ]
        return ConformanceCase(
            id: capabilitiesID, family: "request", operation: nil, specification: "Specs/conformance.md",
            comment: "the capabilities of the program", requirements: ["INK-CNF-009"], arguments: nil,
            line: ConformanceCase.request(id: capabilitiesID, "capabilities", [:]),
            expected: ["id": .text(capabilitiesID), "result": .object(result)])
    }

    private static func capabilities(in reply: JSONObject) -> Capabilities? {
        guard let result = reply["result"]?.object, result.members.count == 2,
            let version = result["specVersion"]?.text, let names = result["operations"]?.list
        else { return nil }
        let operations = names.compactMap(\.text)
        return operations.count == names.count
            ? Capabilities(specVersion: version, operations: Set(operations)) : nil
    }

    private mutating func giveUp(_ failure: ConformanceFailure, stop: Bool = true) -> [Effect] {
        let question = Self.question(listing: nil)
        return (stop ? [.stop] : []) + settle(question, .failed(failure)) + reportLatest() + abandon(from: 0)
    }

    // MARK: Cases

    private mutating func handle(_ event: Event, at place: Int) -> [Effect] {
        switch event {
        case .started: return ask(from: place)
        case .ended(let status): return restart(after: place, .ended(status: status), stop: false)
        case .overdue: return restart(after: place, .overdue)
        case .overlongLine: return restart(after: place, .tooLong)
        case .line(let line): return take(line, at: place)
        }
    }

    private mutating func take(_ line: [UInt8], at place: Int) -> [Effect] {
        let question = cases[place]
        if let questions = question.accumulated { return takeOutput(line, of: question, questions, at: place) }
        let expectedID = question.expected["id"] ?? .null
        let outcome: ConformanceOutcome
        switch Self.reply(line, to: question.operation == nil ? nil : expectedID) {
        case .failure(.wrongID(let id)) where id == latest?.question.expected["id"] && id != .null:
            return skipStray(at: place)
        case .failure(let fault): outcome = .failed(fault.failure)
        case .success(let reply):
            if let own = reply["id"], own != .null, !sameValue(own, expectedID) {
                if own == latest?.question.expected["id"] { return skipStray(at: place) }
                outcome = .failed(.wrongID(own))
            } else if sameValue(.object(judged(reply)), .object(question.expected)) {
                outcome = .passed
            } else if reply["unsupported"] != nil, question.operation != nil {
                outcome = .failed(.unsupportedThoughListed)
            } else {
                outcome = .failed(.difference(got: reply))
            }
        }
        return settle(question, outcome) + ask(from: place + 1)
    }

    /// Handles the reply to one request of a digest; the last reply decides the case.
    private mutating func takeOutput(
        _ line: [UInt8], of question: ConformanceCase, _ questions: AccumulatedRequests, at place: Int
    ) -> [Effect] {
        let failure: ConformanceFailure
        var asked = questions.single(output, of: question)
        switch Self.reply(line, to: .text(questions.id(output))) {
        case .failure(.wrongID(let id)) where id == latest?.question.expected["id"] && id != .null:
            return skipStray(at: place)
        case .failure(let fault): failure = fault.failure
        case .success(let reply):
            guard let bytes = reply["result"]?.object.flatMap(questions.output) else {
                failure = reply["unsupported"] == nil ? .difference(got: reply) : .unsupportedThoughListed
                break
            }
            outputs += bytes
            output += 1
            if output < questions.count { return [.send(questions.line(output))] }
            let digest = AccumulatedRequests.digest(of: outputs)
            let got: JSONObject = ["id": .text(question.id), "result": .object(["digest": .text(digest)])]
            if sameValue(.object(got), .object(question.expected)) {
                return settle(question, .passed) + ask(from: place + 1)
            }
            guard let other = questions.firstOther(in: outputs) else {
                return settle(question, .failed(.difference(got: got))) + ask(from: place + 1)
            }
            asked = questions.single(other.index, of: question)
            failure = .difference(got: other.reply)
        }
        return settle(asked, .failed(failure)) + ask(from: place + 1)
    }

    /// Handles a second reply to the previous case: that case fails, and the current one still awaits its reply.
    private mutating func skipStray(at place: Int) -> [Effect] {
        if let result = latest, result.outcome == .passed {
            latest = self.result(result.question, .failed(.secondAnswer))
        }
        strays += 1
        return strays > Self.strayLimit ? restart(after: place, .chatter) : []
    }

    private mutating func settle(_ question: ConformanceCase, _ outcome: ConformanceOutcome) -> [Effect] {
        strays = 0
        defer { latest = result(question, outcome) }
        return latest.map { [.report($0)] } ?? []
    }

    private mutating func reportLatest() -> [Effect] {
        defer { latest = nil }
        return latest.map { [.report($0)] } ?? []
    }

    private func result(_ question: ConformanceCase, _ outcome: ConformanceOutcome) -> ConformanceResult {
        ConformanceResult(
            question: question, outcome: outcome, isKnown: outcome.failure != nil && known.contains(question))
    }

    /// Sends the request of the next case whose operation the program lists.
    private mutating func ask(from first: Int) -> [Effect] {
        var effects: [Effect] = []
        var place = first
        while place < cases.count, let operation = cases[place].operation,
            capabilities?.operations.contains(operation) != true
        {
            effects += settle(cases[place], .unsupported)
            place += 1
        }
        guard place < cases.count else {
            state = .closing
            return effects + [.close]
        }
        state = .asks(place)
        outputs = []
        output = 0
        return effects + [.send(cases[place].line)]
    }

    private mutating func restart(after place: Int, _ failure: ConformanceFailure, stop: Bool = true) -> [Effect] {
        let effects = (stop ? [Effect.stop] : []) + settle(cases[place], .failed(failure))
        guard place + 1 < cases.count else {
            state = .finished
            return effects + reportLatest() + [.finish]
        }
        guard restarts > 0 else { return effects + reportLatest() + abandon(from: place + 1) }
        restarts -= 1
        state = .asks(place + 1)
        return effects + reportLatest() + [.start]
    }

    private mutating func abandon(from place: Int) -> [Effect] {
        state = .finished
        return cases[place...].map { .report(result($0, .notRun)) } + [.finish]
    }

    private mutating func handleWhileClosing(_ event: Event) -> [Effect] {
        switch event {
        case .started: return []
        case .line, .overlongLine:
            // Every case has had its reply, so this line is surplus.
            if let result = latest, result.outcome == .passed {
                latest = self.result(result.question, .failed(.secondAnswer))
            }
            strays += 1
            guard strays > Self.strayLimit else { return [] }
            state = .finished
            return [.stop] + reportLatest() + [.finish]
        case .ended:
            state = .finished
            return reportLatest() + [.finish]
        case .overdue:
            // A shim need not notice the end of its input.
            state = .finished
            return [.stop] + reportLatest() + [.finish]
        }
    }

    // MARK: Replies

    private enum ReplyFault: Error {
        case notJSON(String)
        case noReply(JSON)
        case wrongID(JSON)

        var failure: ConformanceFailure {
            switch self {
            case .notJSON(let beginning): .notJSON(beginning: beginning)
            case .noReply(let json): .noReply(json)
            case .wrongID(let id): .wrongID(id)
            }
        }
    }

    /// Parses a reply to the request with this id; with nil, to any request.
    private static func reply(_ line: [UInt8], to id: JSON?) -> Result<JSONObject, ReplyFault> {
        guard let json = try? JSON(parsing: line) else {
            return .failure(.notJSON(shortened(String(decoding: line.prefix(400), as: UTF8.self))))
        }
        guard let reply = json.object, let own = reply["id"], isReply(reply) else { return .failure(.noReply(json)) }
        if let id, !sameValue(own, id) { return .failure(.wrongID(own)) }
        return .success(reply)
    }

    /// Returns whether the object has an id and one of a result, an error or `unsupported`, and no other members;
    /// a result may come with intermediate values.
    private static func isReply(_ reply: JSONObject) -> Bool {
        if reply["result"]?.object != nil {
            return reply.members.count == 2 || reply.members.count == 3 && reply["intermediates"]?.object != nil
        }
        return reply.members.count == 2 && (reply["error"]?.object != nil || reply["unsupported"]?.flag == true)
    }
}
