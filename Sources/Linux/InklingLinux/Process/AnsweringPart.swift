#if Node
    /// A part of a node with its own threads, which a watchdog can probe.
    public protocol AnsweringPart: Sendable {
        /// Returns once the part's threads have had a turn; does not return while one is stuck.
        func answer() async
    }
#endif
