#if Node
    internal import NIOCore

    /// The clock behind the limits of TCP links. Tests move their own by hand.
    protocol LinkClock: Sendable {
        var now: NIODeadline { get }

        /// Runs `body` on the loop at a moment, unless the timer is cancelled first. Call it on that loop.
        func schedule(
            at moment: NIODeadline, on loop: any EventLoop, _ body: @escaping @Sendable () -> Void
        ) -> LinkTimer
    }

    /// A scheduled action of a `LinkClock`.
    struct LinkTimer: Sendable {
        let cancel: @Sendable () -> Void
    }

    /// The clock of the event loops.
    struct LoopClock: LinkClock {
        var now: NIODeadline { .now() }

        func schedule(
            at moment: NIODeadline, on loop: any EventLoop, _ body: @escaping @Sendable () -> Void
        ) -> LinkTimer {
            let scheduled = loop.scheduleTask(deadline: moment, body)
            return LinkTimer { scheduled.cancel() }
        }
    }

    extension LinkClock {
        func schedule(
            in time: TimeAmount, on loop: any EventLoop, _ body: @escaping @Sendable () -> Void
        ) -> LinkTimer {
            schedule(at: now + time, on: loop, body)
        }
    }
#endif
