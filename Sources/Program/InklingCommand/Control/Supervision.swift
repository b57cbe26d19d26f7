#if Node
    import InklingLinux
    import InklingNode

    /// Tells systemd that the node runs, what it does, and that it is alive.
    struct Supervision: Sendable {
        let opened: OpenedNode

        /// Reports until the task is cancelled.
        ///
        /// The node counts as alive when it, the event loops of its links and the threads of its radio have answered since
        /// the last report: a part that is stuck for longer than the interval of the watchdog ends the process, and systemd
        /// starts it again.
        func run() async {
            ServiceNotification.send(.status(await status), .ready)
            // As systemd advises, twice as often as it must be.
            let interval = ServiceNotification.watchdogInterval.map { $0 / 2 }
            while (try? await Task.sleep(for: interval ?? .seconds(60))) != nil {
                for part in opened.answeringParts { await part.answer() }
                ServiceNotification.send(.status(await status), .alive)
            }
        }

        /// What the node does, without the name of anybody: `systemctl status` may be read by others.
        private var status: String {
            get async {
                let status = await opened.node.status()
                let shown = status.silence.map { "silent: \($0.sentence)" } ?? "visible"
                return "\(shown); \(status.present) of \(status.contacts) contacts present"
            }
        }
    }
#endif
