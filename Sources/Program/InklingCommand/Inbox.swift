/// What several tasks have for one consumer, in order. Who puts something in waits until it was processed, so that nothing
/// collects here.
struct Inbox<Element: Sendable>: Sendable {
    private struct Delivery: Sendable {
        let element: Element
        let processed: CheckedContinuation<Void, Never>?
    }

    private let stream: AsyncStream<Delivery>
    private let continuation: AsyncStream<Delivery>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Delivery.self) }

    /// Puts an element in, and returns when it was processed, or when nothing more is.
    func put(_ element: Element) async {
        await withCheckedContinuation { processed in
            guard case .enqueued = continuation.yield(Delivery(element: element, processed: processed)) else {
                return processed.resume()
            }
        }
    }

    /// Puts an element in without waiting, which is for one at a time.
    func post(_ element: Element) { continuation.yield(Delivery(element: element, processed: nil)) }

    /// Ends the inbox: what is in it is still processed.
    func finish() { continuation.finish() }

    /// Processes one element after the other until the inbox has ended.
    func process(_ body: (Element) async -> Void) async {
        for await delivery in stream {
            await body(delivery.element)
            delivery.processed?.resume()
        }
    }
}
