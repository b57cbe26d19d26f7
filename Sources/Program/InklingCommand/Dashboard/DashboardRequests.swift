#if Node
    import InklingAccess
    import InklingJSON
    import InklingKeys
    import InklingNode
    import InklingTerminal
    import NIOHTTP1
    import Synchronization

    /// The requests that a page sends: one each, as on the control socket, and only those that the page needs.
    ///
    /// Nothing that changes keys, reads or writes files, or predicts what others show can be asked for here, so that
    /// who gets hold of a token cannot do so either.
    struct DashboardRequests: Sendable {
        /// The maximum length of a request in bytes.
        static let bodyLimit = 65_536
        /// The maximum number of requests that are carried out at a time.
        static let limit = 8
        /// The requests of the control socket that are carried out.
        static let permitted: Set<String> = [
            "audiences", "visible", "invite", "rename", "messages", "message", "acknowledge", "send",
        ]
        /// The interval of the empty lines by which a page that has gone is noticed, and its invitation withdrawn.
        private static let beat = Duration.seconds(1)

        private let served: ServedNode
        private let questions = OpenQuestions()
        private let places = DashboardPlaces(limit: DashboardRequests.limit)

        init(of served: ServedNode) { self.served = served }

        private func carryOut<Request: NodeRequest>(_ request: Request, for peer: PagePeer) async throws(Failure) {
            try await request.run(on: served, for: Peer(take: { peer.take($0.factLine) }, ask: { await peer.ask($0) }))
        }

        /// Answers the body of a request with the lines of its facts and questions, of which the last says `done` or
        /// `failed`. The request `answer` answers a question with its number, which another request has asked.
        func answer(_ body: [UInt8]) -> LoopbackAnswer {
            guard let json = try? JSON(parsing: body), let request = json.object, let name = request["do"]?.text else {
                return LoopbackAnswer(.badRequest, "a request is a JSON object with the member 'do'")
            }
            if name == "answer" {
                guard let number = request["question"]?.text, let agrees = request["agree"]?.flag else {
                    return LoopbackAnswer(.badRequest, "an answer has the members 'question' and 'agree'")
                }
                guard questions.answer(number, agrees) else {
                    return LoopbackAnswer(.conflict, "this question is not open any more")
                }
                return LoopbackAnswer(ControlMessage.done.line, type: Self.type)
            }
            guard Self.permitted.contains(name) else {
                return LoopbackAnswer(.forbidden, "the dashboard does not take this request")
            }
            let decoded: any NodeRequest
            do throws(JSONShapeError) { decoded = try Request.decoded(from: json) } catch {
                let failure = Failure(.usage, "invalid request: \(error)")
                return LoopbackAnswer(ControlMessage.failed(failure).line, type: Self.type)
            }
            guard places.enter() else {
                return LoopbackAnswer(.serviceUnavailable, "\(Self.limit) requests are already being carried out")
            }
            return LoopbackAnswer(lines(of: decoded), type: Self.type)
        }

        private static let type = "application/x-ndjson"

        private func lines(of request: any NodeRequest) -> AsyncStream<LoopbackAnswer.Piece> {
            AsyncStream { pieces in
                let working = Task {
                    let peer = PagePeer(pieces: pieces, questions: questions)
                    do throws(Failure) {
                        try await carryOut(request, for: peer)
                        pieces.yield(.text(ControlMessage.done.line))
                    } catch {
                        pieces.yield(.text(ControlMessage.failed(error).line))
                    }
                    pieces.finish()
                }
                let beating = Task {
                    while !Task.isCancelled {
                        try? await Task.sleep(for: Self.beat)
                        pieces.yield(.text("\n"))
                    }
                }
                pieces.onTermination = { [places] _ in
                    working.cancel()
                    beating.cancel()
                    places.leave()
                }
            }
        }
    }

    /// The person in front of a page.
    private struct PagePeer {
        let pieces: AsyncStream<LoopbackAnswer.Piece>.Continuation
        let questions: OpenQuestions

        func take(_ fact: FactLine) {
            if fact.kind == InvitationFact.kind, let text = fact.secret {
                pieces.yield(.secret(SecretBox(Self.line(of: fact.value, text.value))))
            } else {
                pieces.yield(.text(ControlMessage.fact(fact).line))
            }
        }

        func ask(_ question: IntroductionFact) async -> Bool {
            await questions.ask { number in
                guard var object = JSON(encoding: question).object else { return }
                object["number"] = .text(number)
                pieces.yield(.text(JSON.object(["question": .object(object)]).compact + "\n"))
            }
        }

        /// Returns the line of an invitation with its text and the modules of its QR code, which need no escapes.
        private static func line(of invitation: JSON, _ text: borrowing SecretBytes) -> SecretBytes {
            var line = SecretWriter()
            line.append("{\"fact\":{\"invitation\":{\"text\":\"")
            text.withBytes { line.append($0) }
            line.append("\",\"modules\":\"")
            if let code = QRModules(text) { code.digits.value.withBytes { line.append($0) } }
            line.append("\",")
            for byte in invitation.compact.utf8.dropFirst() { line.append(u8: byte) }
            line.append("}}\n")
            return line.finish()
        }
    }

    /// The questions that pages have not answered yet.
    final class OpenQuestions: Sendable {
        private let open = Mutex<[String: CheckedContinuation<Bool, Never>]>([:])

        /// Shows a question with its number, and returns the answer; no when the task is cancelled.
        func ask(_ show: (_ number: String) -> Void) async -> Bool {
            var generator = SystemRandomNumberGenerator()
            let number = String(generator.next() as UInt64, radix: 16)
            return await withTaskCancellationHandler {
                await withCheckedContinuation { answer in
                    open.withLock { $0[number] = answer }
                    show(number)
                    if Task.isCancelled { _ = self.answer(number, false) }
                }
            } onCancel: {
                _ = self.answer(number, false)
            }
        }

        /// Answers a question; returns whether it was open.
        func answer(_ number: String, _ agrees: Bool) -> Bool {
            let answer = open.withLock { $0.removeValue(forKey: number) }
            answer?.resume(returning: agrees)
            return answer != nil
        }
    }

    /// A limited number of places for what pages do at a time.
    final class DashboardPlaces: Sendable {
        private let limit: Int
        private let taken = Mutex(0)

        init(limit: Int) { self.limit = limit }

        /// Takes a place; returns whether there was one.
        func enter() -> Bool {
            taken.withLock { taken in
                guard taken < limit else { return false }
                taken += 1
                return true
            }
        }

        func leave() { taken.withLock { $0 -= 1 } }
    }
#endif
