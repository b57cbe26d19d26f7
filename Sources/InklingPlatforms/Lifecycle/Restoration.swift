/// The steps of a manager from the launch of the process until commands can be given (`Specs/lifecycle.md`).
///
/// An app with both roles has two of these. Give the restored peripherals to ``Reconnection``.
public struct Restoration<Route: Hashable & Sendable>: Sendable {
    /// An event.
    public enum Event: Hashable, Sendable {
        /// The process began, for this cause.
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
        /// The identifier that the system gave it.
        public let route: Route
        /// Whether it is connected; one that is still being connected is not.
        public let isLinked: Bool

        /// Creates a restored peripheral.
        public init(_ route: Route, isLinked: Bool) {
            self.route = route
            self.isLinked = isLinked
        }
    }

    /// What the caller must do, in the order of the list.
    public enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// The identifier differs from that of the last run and is not used, since nothing would be restored.
        case refuseIdentifier(String)
        /// Store the identifier for the next run.
        case storeIdentifier(String)
        /// Create the manager under this identifier, once.
        case createManager(String)
        /// Open a window of execution: the system launched the app in the background.
        case openWindow
        /// Set the delegate, which restoration leaves empty, and report the route to ``Reconnection`` as restored.
        case adopt(Route)
        /// Connect a peripheral that is not linked; renew the subscriptions of one that is.
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
        /// Links, scans and published services are void.
        case unready
        /// The event came in a wrong order and was ignored.
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
        /// The state of the radio was reported, and it is not on.
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

    /// Creates a manager before the launch.
    ///
    /// - Parameters:
    ///   - role: the role of the manager.
    ///   - identifiers: the identifiers of this run.
    ///   - lastIdentifier: the identifier that `storeIdentifier` stored last, if any.
    ///   - services: the services that the peripheral publishes and advertises.
    public init(
        _ role: RestorationRole, identifiers: RestorationIdentifiers, lastIdentifier: String?, services: [String] = []
    ) {
        self.role = role
        identifier = role == .central ? identifiers.central : identifiers.peripheral
        self.lastIdentifier = lastIdentifier
        self.services = services
    }

    /// Handles one event and returns what the caller must do, in order.
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
        // Not a state yet: what was restored still waits for one.
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
            // Restored or not: some systems do not advertise again by themselves.
            + (services.isEmpty ? [] : [.advertise(services)])
    }

    private mutating func forget() {
        peripherals = []
        scanning = []
        published = []
    }
}

/// The role of a manager.
public enum RestorationRole: String, Hashable, Sendable, CaseIterable {
    /// The one that scans and connects.
    case central
    /// The one that advertises and is connected to.
    case peripheral
}

/// The cause of a launch.
public enum LaunchCause: String, Hashable, Sendable, CaseIterable {
    /// The user opened the app.
    case user
    /// An event for the central.
    case bluetoothCentral = "bluetooth-central"
    /// An event for the peripheral.
    case bluetoothPeripheral = "bluetooth-peripheral"
    /// The entry into a region, or the exit from it.
    case location
}

/// The state of a manager.
public enum RadioState: String, Hashable, Sendable, CaseIterable {
    /// Not reported yet.
    case unknown
    /// The system resets Bluetooth; another state follows.
    case resetting
    /// The device does not support the role.
    case unsupported
    /// The user does not allow Bluetooth.
    case unauthorized
    /// Bluetooth is switched off.
    case off
    /// Commands can be given.
    case on
}

/// The reason why an event was ignored.
public enum RestorationFault: String, Hashable, Sendable, CaseIterable {
    /// No launch came before it.
    case notLaunched = "not-launched"
    /// A second launch in one process would create a second manager.
    case secondManager = "second-manager"
    /// It is for the other manager.
    case otherRole = "other-role"
    /// It came before; it comes once in a process.
    case repeated
    /// Nothing is restored after the state of the radio was reported.
    case late
}
