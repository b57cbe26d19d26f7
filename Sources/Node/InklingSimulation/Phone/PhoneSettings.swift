internal import InklingEngine
public import InklingPlatforms

/// The settings of a simulated phone, its system and its peripheral. Times are used in whole milliseconds.
public struct PhoneSettings: Hashable, Sendable {
    /// The major version of the system, which selects the relaunch rules.
    public var version = 18
    /// The permissions at the beginning.
    public var permissions = Permissions(
        bluetooth: .allowed, location: .always, localNetwork: .denied, modes: [.central, .peripheral],
        wantsBackground: true)
    /// Whether the app uses state restoration, keeps a checkpoint, and requests missed records.
    public var hasRestoration = true, hasCheckpoint = true, hasReplay = true
    /// Whether the system keeps a link when the app ends; otherwise it keeps a pending call.
    public var keepsLinks = true
    /// Whether background scans find anything.
    public var scansInBackground = true
    /// Whether the peripheral shows a beacon. A phone does so only while its app is in the foreground.
    public var showsBeacon = true
    /// Whether the peripheral is bonded, so that its route stays the same.
    public var isBonded = true
    /// The time that a call takes to reach a peripheral that is near, in the foreground and in the background.
    public var callLatency: ClosedRange<Duration> = .milliseconds(50)...(.milliseconds(1500)),
        backgroundCallLatency: ClosedRange<Duration> = .seconds(30)...(.seconds(180))
    /// The time that a search takes to find a peripheral that is near; ten times as long in low power mode.
    public var scanLatency: ClosedRange<Duration> = .milliseconds(100)...(.seconds(1)),
        backgroundScanLatency: ClosedRange<Duration> = .seconds(2)...(.seconds(60))
    /// The duration of a reconnection step on a new link, in the foreground and in the background.
    public var stepLatency: ClosedRange<Duration> = .milliseconds(20)...(.milliseconds(80)),
        backgroundStepLatency: ClosedRange<Duration> = .milliseconds(50)...(.milliseconds(600))
    /// The time until the system reports the entry into a region, and the exit from it.
    public var regionEntry: ClosedRange<Duration> = .seconds(5)...(.seconds(30)),
        regionExit: ClosedRange<Duration> = .seconds(20)...(.seconds(60))
    /// The interval of notifications, in the foreground and in the background.
    public var burst: Duration = .milliseconds(100), backgroundBurst: Duration = .seconds(2)
    /// The time until a link is lost after its peripheral has gone.
    public var supervision: ClosedRange<Duration> = .milliseconds(500)...(.seconds(4))
    /// The interval at which the peripheral produces a record, and the number of records it keeps.
    public var recordInterval: Duration = .milliseconds(500), recordLimit = 20_000
    /// The duration of a flush to disk, and of writing a marker.
    public var flush: Duration = .milliseconds(120), mark: Duration = .milliseconds(20)
    /// Protocol time at the beginning, in Unix milliseconds.
    public var start: UInt64 = 1_795_255_200_000
    /// The seed of all randomness.
    public var seed: UInt64 = 1

    /// Creates the settings of a phone without faults.
    public init() {}
}

/// An event for a simulated phone, from its user, its system or its surroundings.
public enum PhoneEvent: Hashable, Sendable {
    /// The user opens the app, which is launched if it is not running.
    case opened
    /// The user leaves the app.
    case left
    /// The system needs memory and terminates the app unless it is in the foreground.
    case memoryPressure
    /// The app crashes.
    case crashed
    /// The user removes the app in the app switcher.
    case forceQuit
    /// The user switches Bluetooth off.
    case bluetoothOff
    /// The user switches Bluetooth on.
    case bluetoothOn
    /// The user turns on airplane mode, which turns Bluetooth off if `takesBluetooth`.
    case airplaneMode(takesBluetooth: Bool)
    /// The device restarts; with a passcode it is locked until `unlocked`.
    case restarted(hasPasscode: Bool)
    /// The user enters the passcode.
    case unlocked
    /// Low power mode is turned on or off.
    case lowPower(Bool)
    /// The display turns on.
    case displayWoke
    /// The user changes permissions.
    case permitted(Permissions)
    /// The peripheral comes near, goes away, loses its state, or changes its identity.
    case peripheralCame, peripheralWent, peripheralReset, peripheralChangedIdentity
}
