internal import InklingKeys
internal import InklingNode

extension NodeClock {
    /// The current monotonic time.
    var tick: Tick { read().tick }
}
