/// An ordered queue from several producers to one consumer; `put` waits until its element has been processed, so that
/// nothing accumulates.
package struct Inbox<Element: Sendable>: Sendable {
    private struct Delivery: Sendable {
        let element: Element
        let processed: CheckedContinuation<Void, Never>?
    }

    private let stream: AsyncStream<Delivery>
    private let continuation: AsyncStream<Delivery>.Continuation

    package init() { (stream, continuation) = AsyncStream.makeStream(of: Delivery.self) }

    /// Adds an element, and returns when it has been processed, or at once after `finish`.
    package func put(_ element: Element) async {
        await withCheckedContinuation { processed in
            guard case .enqueued = continuation.yield(Delivery(element: element, processed: processed)) else {
                return processed.resume()
            }
        }
    }

    /// Adds an element without waiting; only for elements that come one at a time.
    package func post(_ element: Element) { continuation.yield(Delivery(element: element, processed: nil)) }

    /// Ends the inbox; the elements in it are still processed.
    package func finish() { continuation.finish() }

    /// Processes one element after the other until the inbox has ended.
    package func process(_ body: (Element) async -> Void) async {
        for await delivery in stream {
            await body(delivery.element)
            delivery.processed?.resume()
        }
    }
}
