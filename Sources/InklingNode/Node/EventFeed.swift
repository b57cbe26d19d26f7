internal import InklingKeys
internal import Synchronization

/// An element of an `EventFeed`.
protocol FeedElement: Sendable {
    /// Returns the elements that a subscriber receives instead of this one when it has missed `count` elements just
    /// before it.
    func after(missing count: Int) -> [Self]
}

/// Delivers published elements to every subscriber.
///
/// A subscriber receives what is published after it subscribed, preceded by the elements retained for contacts, so that
/// a late subscriber knows the current state. Each subscriber has its own buffer. When the buffer is full, the oldest
/// elements are dropped, and the subscriber learns how many it has missed.
final class EventFeed<Element: FeedElement>: Sendable {
    private struct State {
        var subscribers: [Weak] = []
        var retained: [UserID: Element] = [:]
        var isFinished = false
    }

    private struct Weak {
        weak var stream: NodeStream<Element>?
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Creates a feed whose subscribers buffer up to `capacity` elements each.
    init(capacity: Int = 1024) { self.capacity = capacity }

    /// Returns a new subscription; it starts with the retained elements.
    func subscribe() -> NodeStream<Element> {
        state.withLock { state in
            let current = state.retained.sorted { $0.key < $1.key }.map(\.value)
            let stream = NodeStream(startingWith: current, capacity: current.count + capacity)
            if state.isFinished {
                stream.finish()
            } else {
                state.subscribers.append(Weak(stream: stream))
            }
            return stream
        }
    }

    func publish(_ element: Element) {
        // Under the lock, so that all subscribers receive concurrent elements in the same order.
        state.withLock { state in
            state.subscribers.removeAll { $0.stream == nil }
            for subscriber in state.subscribers { subscriber.stream?.append(element) }
        }
    }

    /// Retains `element` as the first that later subscribers receive about a contact; nil retains nothing.
    func retain(_ element: Element?, for user: UserID) { state.withLock { $0.retained[user] = element } }

    /// Ends every subscription after its buffered elements.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            for subscriber in state.subscribers { subscriber.stream?.finish() }
            state.subscribers = []
        }
    }
}

/// A subscription to a node's reports, from the moment it was created; an `AsyncSequence` for one consumer.
///
/// The buffer holds 1,024 elements. A consumer that falls further behind loses the oldest ones and learns how many,
/// from `NodeEvent.missed` or from the property `missed` of the next element. The sequence ends when the node has
/// stopped.
public final class NodeStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    /// Iterates over a subscription.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: NodeStream

        public mutating func next() async -> Element? { await stream.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await stream.next() }
    }

    private struct State {
        var elements: [Element]
        /// The index of the first element that has not been delivered.
        var start = 0
        var missed = 0
        var waiter: CheckedContinuation<Element?, Never>?
        var isFinished = false

        var isEmpty: Bool { start == elements.count }

        mutating func takeFirst() -> Element {
            defer {
                start += 1
                if start > 512 || isEmpty {
                    elements.removeFirst(start)
                    start = 0
                }
            }
            return elements[start]
        }
    }

    private let capacity: Int
    private let expand: @Sendable (Element, Int) -> [Element]
    private let state: Mutex<State>

    init(startingWith elements: [Element], capacity: Int) where Element: FeedElement {
        self.capacity = capacity
        expand = { element, missed in element.after(missing: missed) }
        state = Mutex(State(elements: elements))
    }

    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    func append(_ element: Element) {
        let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            if state.elements.count - state.start >= capacity {
                _ = state.takeFirst()
                state.missed += 1
            }
            state.elements.append(element)
            return nil
        }
        waiter?.resume(returning: element)
    }

    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    private func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let next: Element?? = state.withLock { state in
                    if state.missed > 0, !state.isEmpty {
                        let first = state.takeFirst()
                        let expanded = expand(first, state.missed)
                        state.missed = 0
                        state.elements.insert(contentsOf: expanded, at: state.start)
                    }
                    if !state.isEmpty { return .some(.some(state.takeFirst())) }
                    // A second consumer would take elements from the first.
                    if state.isFinished || Task.isCancelled || state.waiter != nil { return .some(nil) }
                    state.waiter = continuation
                    return nil
                }
                if let next { continuation.resume(returning: next) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: nil)
        }
    }
}
