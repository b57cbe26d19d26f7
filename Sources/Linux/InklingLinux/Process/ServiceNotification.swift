#if Node
    internal import CSystemd

    /// A notification from a service to its supervisor, by the protocol of systemd (sd_notify(3)). Without
    /// `$NOTIFY_SOCKET` nothing is sent.
    public enum ServiceNotification: Hashable, Sendable {
        /// The service is ready.
        case ready
        /// The service is stopping.
        case stopping
        /// The current activity, as one line for `systemctl status`.
        case status(String)
        /// A sign of life; without one in each `watchdogInterval` the supervisor restarts the service.
        case alive

        /// Sends notifications, in order.
        public static func send(_ notifications: ServiceNotification...) {
            let state = notifications.map(\.text).joined(separator: "\n")
            // Without a supervisor the message is simply lost.
            _ = unsafe sd_notify(0, state)
        }

        private var text: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .status(let line): "STATUS=" + line.filter { !$0.isNewline }
            case .alive: "WATCHDOG=1"
            }
        }

        /// The interval at which the supervisor expects a sign of life; `nil` if it expects none.
        public static var watchdogInterval: Duration? {
            var microseconds: UInt64 = 0
            guard unsafe sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
            return .microseconds(Int64(clamping: microseconds))
        }
    }
#endif
