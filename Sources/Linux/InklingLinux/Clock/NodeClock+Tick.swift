internal import InklingKeys
internal import InklingNode

extension NodeClock {
    /// Monotonic time.
    var tick: Tick { read().tick }
}
