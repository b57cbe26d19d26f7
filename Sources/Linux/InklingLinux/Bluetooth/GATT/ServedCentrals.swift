#if Node
    internal import InklingKeys

    /// Decides which connected devices stay, and which of them may be notified.
    ///
    /// A notification of OUT goes to every subscribed device: BlueZ before 5.76 has no other way. So OUT belongs to one
    /// device at a time, and nothing is notified while another is subscribed. A device gets OUT once its first message
    /// has authenticated, never for connecting or subscribing, so that a stranger cannot hold it. From then on every
    /// other subscribed device is disconnected. A confirmed device that has been idle gives way to the next; a busy one
    /// keeps OUT, and the next is disconnected and may call again.
    struct ServedCentrals: Sendable {
        /// The path of a device's object.
        typealias Device = String

        struct Limits: Hashable, Sendable {
            /// The largest number of unauthenticated devices; above it the oldest is disconnected, or else the new one.
            var unauthenticated = 8
            /// The time after connecting in which an unauthenticated device does not have to give way.
            var grace: Duration = .seconds(2)
            /// The largest number of devices in total; further ones are disconnected.
            var total = 32
            /// The idle time after which a confirmed device gives OUT to another.
            var idle: Duration = .seconds(15)
            /// The longest time that a notification waits for other subscribed devices to go. A device can stay
            /// connected long after it was told to go; what it then hears, anyone nearby can hear.
            var exclusion: Duration = .seconds(3)

            init() {}
        }

        enum Effect: Hashable, Sendable {
            /// End the link and disconnect the device.
            case disconnect(Device)
            /// Notify the fragments that this device's link has requested since.
            case release(Device)
        }

        /// The permission to notify a fragment.
        enum Permission: Hashable, Sendable {
            case now
            /// `release` will follow.
            case later
            /// OUT belongs to another device.
            case never
        }

        private struct Central: Sendable {
            let device: Device
            let since: Tick
            var isSubscribed = false
            var isPassed = false
            var isAuthenticated = false
            var isLeaving = false
            var lastUse: Tick
        }

        private let limits: Limits
        // In order of arrival.
        private var centrals: [Central] = []
        private var owner: Device?
        /// The time at which the owner's held fragment is notified although others are still there; past once that
        /// happened. An owner that has not subscribed by then has lost it.
        private var release: Tick?
        private var isReleased = false

        init(limits: Limits = Limits()) { self.limits = limits }

        /// The connected devices, earliest first.
        var devices: [Device] { centrals.map(\.device) }
        /// The time at which `timerFired` is due.
        var due: Tick? { isReleased ? nil : release }

        /// Adds a connected device; a known one is ignored.
        mutating func arrived(_ device: Device, at now: Tick) -> [Effect] {
            guard index(of: device) == nil else { return [] }
            guard centrals.count < limits.total else { return [.disconnect(device)] }
            var effects: [Effect] = []
            let strangers = centrals.filter { !$0.isAuthenticated && !$0.isLeaving }
            centrals.append(Central(device: device, since: now, lastUse: now))
            if strangers.count >= max(limits.unauthenticated, 1) {
                let old = strangers.filter { now >= $0.since.advanced(by: limits.grace) }
                effects += leave((old.first { !$0.isPassed } ?? old.first)?.device ?? device)
            }
            return effects
        }

        /// Notes that a device has enabled notifications.
        mutating func subscribed(_ device: Device) -> [Effect] {
            guard let place = index(of: device) else { return [] }
            centrals[place].isSubscribed = true
            guard let owner, owner != device else { return releaseIfFree() }
            return leave(device)
        }

        /// Notes that a device has written.
        mutating func used(_ device: Device, at now: Tick) {
            if let place = index(of: device) { centrals[place].lastUse = now }
        }

        /// Notes that a device's first message has authenticated: the device gets OUT or is disconnected.
        mutating func passed(_ device: Device, at now: Tick) -> [Effect] {
            guard let place = index(of: device), !centrals[place].isLeaving else { return [] }
            centrals[place].isPassed = true
            centrals[place].lastUse = now
            guard owner != device else { return [] }
            var effects: [Effect] = []
            if let owner, let holder = index(of: owner), !centrals[holder].isLeaving {
                guard centrals[holder].isAuthenticated,
                    now >= centrals[holder].lastUse.advanced(by: limits.idle)
                else { return leave(device) }
                effects += leave(owner)
            }
            owner = device
            endExclusion()
            for other in centrals where other.device != device && other.isSubscribed { effects += leave(other.device) }
            return effects
        }

        /// Notes that the session with a device is confirmed.
        mutating func authenticated(_ device: Device) {
            if let place = index(of: device) { centrals[place].isAuthenticated = true }
        }

        /// Returns whether a fragment for this device may be notified.
        mutating func mayNotify(_ device: Device, at now: Tick) -> Permission {
            guard owner == device, let place = index(of: device), !centrals[place].isLeaving else { return .never }
            centrals[place].lastUse = now
            // Before it has subscribed, it would miss the beginning.
            guard isContested || !centrals[place].isSubscribed else { return .now }
            if release == nil { release = now.advanced(by: limits.exclusion) }
            return isReleased ? .now : .later
        }

        /// Disconnects the device of a link that has closed itself.
        mutating func ended(_ device: Device) -> [Effect] { leave(device) }

        /// Removes a device that is no longer connected.
        mutating func gone(_ device: Device) -> [Effect] {
            centrals.removeAll { $0.device == device }
            if owner == device {
                owner = nil
                endExclusion()
            }
            return releaseIfFree()
        }

        /// Handles the moment `due`.
        mutating func timerFired(at now: Tick) -> [Effect] {
            guard let release, now >= release, !isReleased, let owner else { return [] }
            isReleased = true
            return [.release(owner)]
        }

        /// Whether another device would receive the notification.
        private var isContested: Bool { centrals.contains { $0.device != owner && $0.isSubscribed } }

        private mutating func releaseIfFree() -> [Effect] {
            guard let owner, release != nil, !isContested, index(of: owner).map({ centrals[$0].isSubscribed }) == true
            else { return [] }
            endExclusion()
            return [.release(owner)]
        }

        private mutating func endExclusion() {
            release = nil
            isReleased = false
        }

        private mutating func leave(_ device: Device) -> [Effect] {
            guard let place = index(of: device), !centrals[place].isLeaving else { return [] }
            centrals[place].isLeaving = true
            return [.disconnect(device)]
        }

        private func index(of device: Device) -> Int? { centrals.firstIndex { $0.device == device } }
    }
#endif
