internal import InklingEngine
public import InklingPlatforms

/// What a simulated phone, its system and the peripheral that it wants are like; latencies are in milliseconds.
public struct PhoneSettings: Hashable, Sendable {
    /// Major version of the system, for the relaunch rules.
    public var version = 18
    /// What the user permits at the beginning.
    public var permissions = Permissions(
        bluetooth: .allowed, location: .always, localNetwork: .denied, modes: [.central, .peripheral],
        wantsBackground: true)
    /// What the app can do; each can be taken away to see what it was good for.
    public var hasRestoration = true, hasCheckpoint = true, hasReplay = true
    /// Whether the system keeps a link over the end of the app; otherwise it keeps a call.
    public var keepsLinks = true
    /// Whether scans of an app that is not on the screen find anything.
    public var scansInBackground = true
    /// Whether the peripheral shows a beacon: a phone does so while our app is on its screen, other devices always.
    public var showsBeacon = true
    /// Whether the peripheral keeps its route, whatever happens.
    public var isBonded = true
    /// How long a call takes to reach a peripheral that is near.
    public var callLatency: ClosedRange<UInt64> = 50...1500,
        backgroundCallLatency: ClosedRange<UInt64> = 30_000...180_000
    /// How long a search takes to find a peripheral that is near; ten times as long in low power mode.
    public var scanLatency: ClosedRange<UInt64> = 100...1000, backgroundScanLatency: ClosedRange<UInt64> = 2000...60_000
    /// How long a step on a fresh link takes.
    public var stepLatency: ClosedRange<UInt64> = 20...80, backgroundStepLatency: ClosedRange<UInt64> = 50...600
    /// How long the system takes to tell of an entry into a region, and of an exit.
    public var regionEntry: ClosedRange<UInt64> = 5000...30_000, regionExit: ClosedRange<UInt64> = 20_000...60_000
    /// How often notifications are delivered, on the screen and otherwise.
    public var burst: UInt64 = 100, backgroundBurst: UInt64 = 2000
    /// How long a link outlives the reach of its peripheral.
    public var supervision: ClosedRange<UInt64> = 500...4000
    /// How often the peripheral makes a record, and how many it keeps.
    public var recordInterval: UInt64 = 500, recordLimit = 20_000
    /// How long a flush takes, and how long writing a marker.
    public var flush: UInt64 = 120, mark: UInt64 = 20
    /// Protocol time at the beginning, in Unix milliseconds.
    public var start: UInt64 = 1_795_255_200_000
    /// Decides everything that is left to chance.
    public var seed: UInt64 = 1

    /// A phone of the year 2026 in good order.
    public init() {}
}

/// What its user, its system and the world do to a simulated phone.
public enum PhoneEvent: Hashable, Sendable {
    /// The user opens the app; it is launched if it does not run.
    case opened
    /// The user leaves the app.
    case left
    /// The system needs memory and removes the app, unless it is on the screen.
    case memoryPressure
    /// The app ends by a fault of its own.
    case crashed
    /// The user removes the app in the app switcher.
    case forceQuit
    /// The user switches Bluetooth off.
    case bluetoothOff
    /// The user switches Bluetooth on.
    case bluetoothOn
    /// Airplane mode, which takes Bluetooth along or not.
    case airplaneMode(takesBluetooth: Bool)
    /// The device starts anew; with a passcode it is locked until `unlocked`.
    case restarted(hasPasscode: Bool)
    /// The user enters the passcode.
    case unlocked
    /// Low power mode begins or ends.
    case lowPower(Bool)
    /// The display wakes.
    case displayWoke
    /// The user changes what is permitted.
    case permitted(Permissions)
    /// The peripheral comes, goes, loses its state, or shows itself under another identity.
    case peripheralCame, peripheralWent, peripheralReset, peripheralChangedIdentity
}
