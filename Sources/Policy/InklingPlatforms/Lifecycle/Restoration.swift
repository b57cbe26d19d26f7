/// A machine that takes a Core Bluetooth manager from the launch of the process to the point where commands can be
/// given (`Specs/lifecycle.md`).
///
/// An app with both roles has one of these for each. Pass the restored peripherals on to ``Reconnection``.
public struct Restoration<Route: Hashable & Sendable>: Sendable {
    /// An event that the caller reports.
    public enum Event: Hashable, Sendable {
        /// The process was launched for this cause.
        case launched(LaunchCause)
        /// The system restores the state of a central: peripherals, and the services of its scan.
        case restoredCentral([RestoredPeripheral], scanning: [String])
        /// The system restores the services that a peripheral had published.
        case restoredPeripheral(services: [String])
        /// The manager reported its state.
        case radio(RadioState)
    }

    /// A restored peripheral.
    public struct RestoredPeripheral: Hashable, Sendable {
        /// The identifier that the system gave to the peripheral.
        public let route: Route
        /// Whether the peripheral is connected; false while it is still connecting.
        public let isLinked: Bool

        /// Creates a restored peripheral.
        public init(_ route: Route, isLinked: Bool) {
            self.route = route
            self.isLinked = isLinked
        }
    }

    /// An action for the caller. The order matters.
    public enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// This identifier is not used, because it differs from that of the last run and nothing would be restored
        /// under it.
        case refuseIdentifier(String)
        /// Store the identifier for the next run.
        case storeIdentifier(String)
        /// Create the manager under this identifier. This effect comes once.
        case createManager(String)
        /// Open an execution window, because the system launched the app in the background.
        case openWindow
        /// Set the delegate, which restoration does not set, and report the route to ``Reconnection`` as `restored`.
        case adopt(Route)
        /// Connect the peripheral, or renew its subscriptions if it is linked.
        case resume(Route, isLinked: Bool)
        /// Scan for these services.
        case scan([String])
        /// Publish a service that was not restored.
        case addService(String)
        /// Withdraw a restored service that the app no longer has.
        case removeService(String)
        /// Advertise these services.
        case advertise([String])
        /// Commands can be given.
        case ready
        /// The radio is gone, so that links, scans and published services are void.
        case unready
        /// The event was out of order and was ignored.
        case ignore(RestorationFault)

        /// The effect in words, for a log.
        public var description: String {
            switch self {
            case .refuseIdentifier(let identifier): "refuse the restoration identifier \(identifier)"
            case .storeIdentifier(let identifier): "store the restoration identifier \(identifier)"
            case .createManager(let identifier): "create the manager \(identifier)"
            case .openWindow: "open a window of execution"
            case .adopt(let route): "adopt \(route)"
            case .resume(let route, isLinked: true): "renew the subscriptions of \(route)"
            case .resume(let route, isLinked: false): "connect \(route)"
            case .scan(let services): "scan for \(services.joined(separator: ", "))"
            case .addService(let service): "publish \(service)"
            case .removeService(let service): "withdraw \(service)"
            case .advertise(let services): "advertise \(services.joined(separator: ", "))"
            case .ready: "commands can be given"
            case .unready: "links, scans and published services are void"
            case .ignore(let fault): "ignored: \(fault.rawValue)"
            }
        }
    }

    private enum Phase: Hashable, Sendable {
        case unlaunched
        /// The manager exists, and the system may still restore its state.
        case created
        /// The radio was reported in a state other than `on`.
        case off
        case on
    }

    private let role: RestorationRole
    private let identifier: String
    private let lastIdentifier: String?
    private let services: [String]
    private var phase = Phase.unlaunched
    private var hasRestored = false
    private var peripherals: [RestoredPeripheral] = []
    private var scanning: [String] = []
    private var published: [String] = []

    /// Creates the restoration of a manager; report `launched` first.
    ///
    /// - Parameters:
    ///   - role: the role of the manager.
    ///   - identifiers: the identifiers of this run.
    ///   - lastIdentifier: the identifier of the last `storeIdentifier`; nil on the first run.
    ///   - services: the services that a peripheral publishes and advertises.
    public init(
        _ role: RestorationRole, identifiers: RestorationIdentifiers, lastIdentifier: String?, services: [String] = []
    ) {
        self.role = role
        identifier = role == .central ? identifiers.central : identifiers.peripheral
        self.lastIdentifier = lastIdentifier
        self.services = services
    }

    /// Handles one event and returns the effects to carry out, in order.
    public mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .launched(let cause): return launch(cause)
        case .restoredCentral(let peripherals, let scanning):
            if let fault = fault(of: .central) { return [.ignore(fault)] }
            hasRestored = true
            (self.peripherals, self.scanning) = (peripherals, scanning)
            return peripherals.map { .adopt($0.route) }
        case .restoredPeripheral(let services):
            if let fault = fault(of: .peripheral) { return [.ignore(fault)] }
            hasRestored = true
            published = services
            return []
        case .radio(let state): return tune(state)
        }
    }

    private mutating func launch(_ cause: LaunchCause) -> [Effect] {
        guard phase == .unlaunched else { return [.ignore(.secondManager)] }
        phase = .created
        var effects: [Effect] = []
        if let lastIdentifier {
            if lastIdentifier != identifier { effects.append(.refuseIdentifier(identifier)) }
        } else {
            effects.append(.storeIdentifier(identifier))
        }
        effects.append(.createManager(lastIdentifier ?? identifier))
        return effects + (cause == .user ? [] : [.openWindow])
    }

    private func fault(of role: RestorationRole) -> RestorationFault? {
        if role != self.role { return .otherRole }
        if phase == .unlaunched { return .notLaunched }
        if hasRestored { return .repeated }
        return phase == .created ? nil : .late
    }

    private mutating func tune(_ state: RadioState) -> [Effect] {
        switch (phase, state) {
        case (.unlaunched, _): return [.ignore(.notLaunched)]
        // `unknown` is no state yet, so the restored state is kept.
        case (.created, .unknown): return []
        case (.on, .on): return []
        case (_, .on):
            phase = .on
            let effects = role == .central ? resume() : publish()
            forget()
            return effects + [.ready]
        default:
            let wasOn = phase == .on
            phase = .off
            forget()
            return wasOn ? [.unready] : []
        }
    }

    private func resume() -> [Effect] {
        peripherals.map { .resume($0.route, isLinked: $0.isLinked) } + (scanning.isEmpty ? [] : [.scan(scanning)])
    }

    private func publish() -> [Effect] {
        published.filter { !services.contains($0) }.map { .removeService($0) }
            + services.filter { !published.contains($0) }.map { .addService($0) }
            // Advertise even if the system restored advertising, because some versions do not resume it.
            + (services.isEmpty ? [] : [.advertise(services)])
    }

    private mutating func forget() {
        peripherals = []
        scanning = []
        published = []
    }
}

/// The role of a manager of Core Bluetooth.
public enum RestorationRole: String, Hashable, Sendable, CaseIterable {
    /// The role that scans and connects.
    case central
    /// The role that advertises and accepts connections.
    case peripheral
}

/// The cause of a launch.
public enum LaunchCause: String, Hashable, Sendable, CaseIterable {
    /// The user opened the app.
    case user
    /// Bluetooth has an event for the central.
    case bluetoothCentral = "bluetooth-central"
    /// Bluetooth has an event for the peripheral.
    case bluetoothPeripheral = "bluetooth-peripheral"
    /// The device entered or left a region.
    case location
}

/// The state of Bluetooth as a manager reports it.
public enum RadioState: String, Hashable, Sendable, CaseIterable {
    /// The state is not known yet.
    case unknown
    /// The system is resetting Bluetooth; another state follows.
    case resetting
    /// The device does not support the role.
    case unsupported
    /// The user does not allow Bluetooth.
    case unauthorized
    /// Bluetooth is switched off.
    case off
    /// Bluetooth is switched on and can be used.
    case on
}

/// The reason an event was ignored.
public enum RestorationFault: String, Hashable, Sendable, CaseIterable {
    /// `launched` has not been reported.
    case notLaunched = "not-launched"
    /// `launched` was reported again, and a process has only one manager for each role.
    case secondManager = "second-manager"
    /// The event is for a manager of the other role.
    case otherRole = "other-role"
    /// The state was restored already, which happens once in a process.
    case repeated
    /// The state of the radio was reported already, and nothing is restored after that.
    case late
}
