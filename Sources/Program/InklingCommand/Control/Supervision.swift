#if Node
    import InklingAccess
    import InklingLinux
    import InklingNode
    import InklingTerminal

    /// The reports to systemd: that the node runs, what it does, and that it is alive.
    struct Supervision: Sendable {
        let opened: OpenedNode

        /// Reports until the task is cancelled.
        ///
        /// The node counts as alive if it, the event loops of its links and the threads of its radio have answered
        /// since the last report: if a part hangs for longer than the watchdog interval, systemd ends the process and
        /// restarts it.
        func run() async {
            ServiceNotification.send(.status(await status), .ready)
            // systemd advises reporting at half the watchdog interval.
            let interval = ServiceNotification.watchdogInterval.map { $0 / 2 }
            while (try? await Task.sleep(for: interval ?? .seconds(60))) != nil {
                for part in opened.answeringParts { await part.answer() }
                ServiceNotification.send(.status(await status), .alive)
            }
        }

        /// The state of the node, without names: others may read `systemctl status`.
        private var status: String {
            get async {
                let status = await opened.node.status()
                let shown = status.silence.map { "silent: \($0.sentence)" } ?? "visible"
                return "\(shown); \(status.present) of \(status.contacts) contacts present"
            }
        }
    }
#endif
