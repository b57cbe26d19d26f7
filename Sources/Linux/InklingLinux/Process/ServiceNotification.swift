#if Node
    internal import CSystemd

    /// What a service tells the program that started it, by the notification protocol of systemd (sd_notify(3)). Without
    /// `$NOTIFY_SOCKET` nothing is sent.
    public enum ServiceNotification: Hashable, Sendable {
        /// The service does its work.
        case ready
        /// The service ends.
        case stopping
        /// What it does now, in a line for `systemctl status`.
        case status(String)
        /// It is alive; without this in each `watchdogInterval` it is ended and started again.
        case alive

        /// Sends notifications, in order.
        public static func send(_ notifications: ServiceNotification...) {
            let state = notifications.map(\.text).joined(separator: "\n")
            // A supervisor that is gone cannot be told anything.
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

        /// How often the supervisor wants to know that the service is alive; nil when it does not.
        public static var watchdogInterval: Duration? {
            var microseconds: UInt64 = 0
            guard unsafe sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
            return .microseconds(Int64(clamping: microseconds))
        }
    }
#endif
