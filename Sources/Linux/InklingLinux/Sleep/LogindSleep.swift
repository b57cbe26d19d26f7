#if Node
    public import InklingNode

    /// Sleep announcements from systemd-logind: its signal `PrepareForSleep`, and a `delay` inhibitor that holds up
    /// sleep until the node is silent (INK-ROT-017).
    ///
    /// Without logind there are no announcements, and the node notices waking by its clock.
    public struct LogindSleep: SleepMonitor {
        static let service = "org.freedesktop.login1"
        static let path = "/org/freedesktop/login1"
        static let interface = "org.freedesktop.login1.Manager"
        /// The pause before another connection to the bus.
        private static let retryInterval = Duration.seconds(60)

        private let busAddress: String?
        private let busLimit: Bus.Limit

        /// Creates a monitor; `announcements` opens the connection.
        public init() { self.init(busAddress: nil, limit: { $1 }) }

        /// Creates a monitor of the logind on this bus, for tests.
        init(busAddress: String?, limit: @escaping Bus.Limit) { (self.busAddress, busLimit) = (busAddress, limit) }

        public func announcements() -> AsyncStream<SleepAnnouncement> {
            AsyncStream { continuation in
                let task = Task {
                    while !Task.isCancelled {
                        if let bus = try? await Bus.open(busAddress, limit: busLimit) {
                            await watch(bus) { continuation.yield($0) }
                            await bus.close()
                        }
                        try? await Task.sleep(for: Self.retryInterval)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        /// Announces sleep until the connection ends.
        private func watch(_ bus: Bus, announce: (SleepAnnouncement) -> Void) async {
            let signals = bus.signals([
                BusRule(
                    sender: Self.service, interface: Self.interface, member: "PrepareForSleep", path: Self.path)
            ])
            var inhibitor = await inhibitor(on: bus)
            for await event in signals {
                guard case .signal(let signal) = event, case .bool(let isNear)? = signal.arguments.first else {
                    continue
                }
                if isNear {
                    let held = inhibitor
                    inhibitor = nil
                    // Sleep proceeds once the descriptor is closed.
                    announce(.near { held?.close() })
                } else {
                    announce(.over)
                    inhibitor = await self.inhibitor(on: bus)
                }
            }
        }

        /// Requests a sleep inhibitor; returns `nil` without logind or if it refuses.
        private func inhibitor(on bus: Bus) async -> BusDescriptor? {
            let reply = try? await bus.call(
                Self.service, Self.path, Self.interface, "Inhibit",
                [
                    .string("sleep"), .string("inkling"),
                    .string("What is shown to others is withdrawn before the machine sleeps"), .string("delay"),
                ], expecting: "h")
            guard case .descriptor(let descriptor)? = reply?.first else { return nil }
            return descriptor
        }
    }

    extension BusDescriptor {
        /// Closes the descriptor, unless it was taken.
        fileprivate func close() {
            if let number = take() { _ = BusDescriptor(owning: number) }
        }
    }
#endif
