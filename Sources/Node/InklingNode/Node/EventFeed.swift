internal import InklingKeys
internal import Synchronization

/// An element of an `EventFeed`.
protocol FeedElement: Sendable {
    /// Returns the elements that a subscriber receives instead of this one if it has missed `count` elements just
    /// before.
    func after(missing count: Int) -> [Self]
}

/// A broadcast of published elements to every subscriber.
///
/// A subscriber receives the elements published after it subscribed, preceded by those retained for contacts, so that a
/// late subscriber knows the current state. Each subscriber has its own buffer. When it is full, the oldest elements
/// are dropped, and the subscriber learns how many it has missed. Offered elements are never dropped: a subscriber
/// whose buffer holds too many of them refuses further ones.
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

    /// Returns a new subscription that starts with the retained elements. Without `takesOffers` it receives no offered
    /// elements.
    func subscribe(takesOffers: Bool = true) -> NodeStream<Element> {
        state.withLock { state in
            let current = state.retained.sorted { $0.key < $1.key }.map(\.value)
            let stream = NodeStream(
                startingWith: current, capacity: current.count + capacity, takesOffers: takesOffers)
            if state.isFinished {
                stream.finish()
            } else {
                state.subscribers.append(Weak(stream: stream))
            }
            return stream
        }
    }

    func publish(_ element: Element) {
        // Hold the lock, so that all subscribers receive concurrent elements in the same order.
        state.withLock { state in
            state.subscribers.removeAll { $0.stream == nil }
            for subscriber in state.subscribers { subscriber.stream?.append(element) }
        }
    }

    /// Offers an element to every subscriber, and returns whether at least one has taken it.
    func offer(_ element: Element) -> Bool {
        state.withLock { state in
            state.subscribers.removeAll { $0.stream == nil }
            return state.subscribers.count { $0.stream?.offer(element) == true } > 0
        }
    }

    /// Retains `element` as the first one that later subscribers receive about a contact; nil removes it.
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

/// A subscription to a node's reports, from its creation on; an `AsyncSequence` for one consumer.
///
/// The buffer holds 1,024 elements. A consumer that falls further behind loses the oldest ones and learns how many,
/// from `NodeEvent.missed` or from the property `missed` of the next element. Texts are not lost: beyond 256 of them
/// the subscription refuses further ones, and a text that no subscription takes is not acknowledged to its sender. The
/// sequence ends when the node has stopped.
public final class NodeStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    /// An iterator over a subscription.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: NodeStream

        public mutating func next() async -> Element? { await stream.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await stream.next() }
    }

    private struct Buffered {
        let element: Element
        var isOffered = false
    }

    private struct State {
        var elements: [Buffered]
        /// The index of the first element that has not been delivered.
        var start = 0
        /// The number of offered elements in the buffer.
        var offered = 0
        var missed = 0
        var waiter: CheckedContinuation<Element?, Never>?
        var isFinished = false

        var isEmpty: Bool { start == elements.count }

        mutating func takeFirst() -> Buffered {
            let first = elements[start]
            start += 1
            if first.isOffered { offered -= 1 }
            if start > 512 || isEmpty {
                elements.removeFirst(start)
                start = 0
            }
            return first
        }

        /// Makes room for one more element by dropping the oldest that was not offered; returns false if there is none.
        mutating func makeRoom(capacity: Int) -> Bool {
            guard elements.count - start >= capacity else { return true }
            missed += 1
            guard let oldest = elements[start...].firstIndex(where: { !$0.isOffered }) else { return false }
            elements.remove(at: oldest)
            return true
        }
    }

    /// The maximum number of offered elements in the buffer.
    private static var offerLimit: Int { 256 }

    private let capacity: Int
    private let takesOffers: Bool
    private let expand: @Sendable (Element, Int) -> [Element]
    private let state: Mutex<State>

    init(startingWith elements: [Element], capacity: Int, takesOffers: Bool = true) where Element: FeedElement {
        self.capacity = capacity
        self.takesOffers = takesOffers
        expand = { element, missed in element.after(missing: missed) }
        state = Mutex(State(elements: elements.map { Buffered(element: $0) }))
    }

    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    func append(_ element: Element) {
        let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            if state.makeRoom(capacity: capacity) { state.elements.append(Buffered(element: element)) }
            return nil
        }
        waiter?.resume(returning: element)
    }

    /// Adds an element that will not be dropped; returns false if it is refused.
    func offer(_ element: Element) -> Bool {
        guard takesOffers else { return false }
        let (isTaken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Element?, Never>?) in
            guard !state.isFinished else { return (false, nil) }
            if let waiter = state.waiter {
                state.waiter = nil
                return (true, waiter)
            }
            guard state.offered < Self.offerLimit, state.offered < capacity, state.makeRoom(capacity: capacity) else {
                return (false, nil)
            }
            state.offered += 1
            state.elements.append(Buffered(element: element, isOffered: true))
            return (true, nil)
        }
        waiter?.resume(returning: element)
        return isTaken
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
                        // Mark all of them as offered if the first was: none may then be dropped before delivery.
                        let expanded = expand(first.element, state.missed).map {
                            Buffered(element: $0, isOffered: first.isOffered)
                        }
                        state.missed = 0
                        if first.isOffered { state.offered += expanded.count }
                        state.elements.insert(contentsOf: expanded, at: state.start)
                    }
                    if !state.isEmpty { return .some(.some(state.takeFirst().element)) }
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
