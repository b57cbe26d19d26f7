internal import InklingKeys
internal import InklingNode
internal import Synchronization

extension SimulatedAir {
    struct TagWaiter {
        let number: Int
        let continuation: CheckedContinuation<Result<RecognitionTag, LinkError>, Never>
    }

    func readTag(at end: LinkEnd, within timeout: Duration) async throws(LinkError) -> RecognitionTag {
        let number = state.withLock { $0.nextNumber() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<RecognitionTag, LinkError>, Never>) in
                let began = state.withLock { state -> (clock: SimulatedClock, there: UInt64, isLost: Bool)? in
                    guard end.side == 0, let connection = state.connections[end.connection],
                        connection.ends[0].isUsable, connection.ends[0].tagWaiter == nil
                    else { return nil }
                    state.connections[end.connection]?.log.exchanges.append(
                        AirExchange(time: timeline.now, kind: .readTag))
                    state.connections[end.connection]?.ends[0].tagWaiter = TagWaiter(
                        number: number, continuation: continuation)
                    return (
                        state.stations[connection.ends[0].station].clock, state.linkDelay(), state.isLost(connection)
                    )
                }
                guard let began, !Task.isCancelled else {
                    if began == nil { return continuation.resume(returning: .failure(.closed)) }
                    return resumeTag(number, at: end, .failure(.closed))
                }
                let due = began.clock.read().tick.advanced(byMilliseconds: timeout.milliseconds)
                began.clock.schedule(at: due) { [self] in resumeTag(number, at: end, .failure(.timedOut)) }
                guard !began.isLost else { return }
                answerTag(number, at: end, after: began.there)
            }
        } onCancel: {
            resumeTag(number, at: end, .failure(.closed))
        }
        return try result.get()
    }

    private func answerTag(_ number: Int, at end: LinkEnd, after delay: UInt64) {
        guard let stations = state.withLock({ $0.connections[end.connection]?.log.stations }),
            let server = stations.last
        else { return }
        deliver(to: server, after: delay) { [self] in
            let back = state.withLock { state -> (tag: RecognitionTag?, delay: UInt64)? in
                guard let connection = state.connections[end.connection], !connection.ends[1].isClosed else {
                    return nil
                }
                let tag = state.sessions[connection.session]?.publication?.tag
                state.connections[end.connection]?.log.exchanges.append(
                    AirExchange(time: timeline.now, kind: .tag(tag)))
                return (tag, state.linkDelay())
            }
            guard let back else { return }
            deliver(to: stations[0], after: back.delay) { [self] in
                resumeTag(number, at: end, back.tag.map { .success($0) } ?? .failure(.closed))
            }
        }
    }

    /// Resumes the waiter for the tag at an end: the reading with this number, or any.
    func resumeTag(_ number: Int?, at end: LinkEnd, _ result: Result<RecognitionTag, LinkError>) {
        let waiter = state.withLock { state -> TagWaiter? in
            guard let waiter = state.connections[end.connection]?.ends[end.side].tagWaiter,
                number == nil || waiter.number == number
            else { return nil }
            state.connections[end.connection]?.ends[end.side].tagWaiter = nil
            return waiter
        }
        waiter?.continuation.resume(returning: result)
    }
}
