#if Node
    internal import InklingKeys

    /// Decides which of the devices that are connected to this one stay, and which of them may be notified.
    ///
    /// A notification of OUT goes to every device that has subscribed: BlueZ before 5.76 has no other way. So OUT belongs to
    /// one device at a time, and nothing is notified while another one is subscribed. OUT is given to a device whose first
    /// message has authenticated, never for connecting or subscribing, so that a stranger cannot hold it. From then on
    /// every other device that is subscribed, or subscribes, is disconnected. A confirmed device that has been idle gives
    /// way to the next one; a busy one keeps OUT, and the next one is disconnected and may call again.
    struct ServedCentrals: Sendable {
        /// The path of a device's object.
        typealias Device = String

        struct Limits: Hashable, Sendable {
            /// The largest number of devices that are unauthenticated; the oldest gives way, or else the new one.
            var unauthenticated = 8
            /// How long after it has connected a device that is unauthenticated does not give way.
            var grace: Duration = .seconds(2)
            /// The largest number of devices in total; a further one is disconnected.
            var total = 32
            /// How long a confirmed device must have been idle before it gives OUT to another.
            var idle: Duration = .seconds(15)
            /// How long a notification waits for other subscribed devices to go. A device can stay connected for long
            /// after it was told to go, and what it hears then is what anyone near hears.
            var exclusion: Duration = .seconds(3)

            init() {}
        }

        enum Effect: Hashable, Sendable {
            /// End the link and disconnect the device.
            case disconnect(Device)
            /// Notify the fragments that this device's link has asked for since.
            case release(Device)
        }

        /// Whether a fragment may be notified now.
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
        // In the order of their arrival.
        private var centrals: [Central] = []
        private var owner: Device?
        /// When the owner's held fragment is notified although others are still there; the past once that has happened.
        /// An owner that has not subscribed by then has lost it.
        private var release: Tick?
        private var isReleased = false

        init(limits: Limits = Limits()) { self.limits = limits }

        /// The devices that are connected, the earliest first.
        var devices: [Device] { centrals.map(\.device) }
        /// When `timerFired` is due.
        var due: Tick? { isReleased ? nil : release }

        /// A device has connected. Ignores one that is there.
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

        /// A device has enabled notifications.
        mutating func subscribed(_ device: Device) -> [Effect] {
            guard let place = index(of: device) else { return [] }
            centrals[place].isSubscribed = true
            guard let owner, owner != device else { return releaseIfFree() }
            return leave(device)
        }

        /// A device has written.
        mutating func used(_ device: Device, at now: Tick) {
            if let place = index(of: device) { centrals[place].lastUse = now }
        }

        /// The first message of a device has authenticated: it gets OUT, or is disconnected.
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

        /// The session with a device is confirmed.
        mutating func authenticated(_ device: Device) {
            if let place = index(of: device) { centrals[place].isAuthenticated = true }
        }

        /// Asks whether a fragment for this device may be notified.
        mutating func mayNotify(_ device: Device, at now: Tick) -> Permission {
            guard owner == device, let place = index(of: device), !centrals[place].isLeaving else { return .never }
            centrals[place].lastUse = now
            // Before it has subscribed, it would miss the beginning.
            guard isContested || !centrals[place].isSubscribed else { return .now }
            if release == nil { release = now.advanced(by: limits.exclusion) }
            return isReleased ? .now : .later
        }

        /// A link has closed itself: its device must go.
        mutating func ended(_ device: Device) -> [Effect] { leave(device) }

        /// A device is no longer connected.
        mutating func gone(_ device: Device) -> [Effect] {
            centrals.removeAll { $0.device == device }
            if owner == device {
                owner = nil
                endExclusion()
            }
            return releaseIfFree()
        }

        /// The moment `due` has come.
        mutating func timerFired(at now: Tick) -> [Effect] {
            guard let release, now >= release, !isReleased, let owner else { return [] }
            isReleased = true
            return [.release(owner)]
        }

        /// Whether somebody else would hear what is notified.
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
