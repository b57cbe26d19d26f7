#if Node
    /// A part of a node with threads of its own, which a watchdog can ask whether they are stuck.
    public protocol AnsweringPart: Sendable {
        /// Returns when the threads of the part have had a turn. While one of them is stuck it does not return.
        func answer() async
    }
#endif
