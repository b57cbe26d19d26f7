/// The tables of Apple's two pages about relaunches (`Specs/lifecycle.md`).
public enum RelaunchTable {
    /// A column of the tables, which applies to some versions of the system.
    public enum Column: String, Hashable, Sendable, CaseIterable {
        /// QA1962, iOS 10.
        case ios10 = "ios-10"
        /// QA1962, iOS 11 to 14.
        case ios11 = "ios-11"
        /// TN3115, iOS 15 and later.
        case current

        /// Creates the column for a major version of iOS. Versions before 10 get the column of iOS 10, which has the
        /// fewest relaunches.
        public init(version: Int) {
            self = version < 11 ? .ios10 : version < 15 ? .ios11 : .current
        }
    }

    /// A row of the tables: an event of the app or the device.
    public enum Row: String, Hashable, Sendable, CaseIterable {
        /// The app was suspended and is still in memory.
        case suspended
        /// The system removed the app from memory.
        case removed
        /// The app crashed.
        case crashed
        /// The user removed the app in the app switcher.
        case forceQuit = "force-quit"
        /// Bluetooth was switched off and on.
        case bluetoothToggled = "bluetooth-toggled"
        /// Airplane mode was switched on and off, and Bluetooth stayed on.
        case airplaneMode = "airplane-mode"
        /// The device was restarted.
        case restarted
    }

    /// A cell of the tables.
    public enum Answer: Hashable, Sendable {
        /// The system relaunches the app.
        case yes
        /// The system does not relaunch the app.
        case no
        /// The app is in memory and is activated, so that no relaunch is needed.
        case needsNone
    }

    /// A note of a row.
    public enum Note: String, Hashable, Sendable, CaseIterable {
        /// The app is in memory and is activated without a relaunch.
        case noRelaunchNeeded = "no-relaunch-needed"
        /// Bluetooth counts as toggled by Settings, Control Center and airplane mode alike.
        case waysOfToggling = "ways-of-toggling"
        /// The row of airplane mode applies only if Bluetooth stays on.
        case onlyIfBluetoothStays = "only-if-bluetooth-stays"
        /// On a device with a passcode, the row applies only after the first unlock.
        case firstUnlock = "first-unlock"
    }

    /// Returns the cell of a row and a column.
    public static func answer(_ row: Row, in column: Column) -> Answer {
        switch row {
        case .suspended: .needsNone
        case .removed, .crashed: .yes
        case .forceQuit, .bluetoothToggled: .no
        case .airplaneMode, .restarted: column == .ios10 ? .no : .yes
        }
    }

    /// Returns the note of a row; nil if it has none.
    public static func note(_ row: Row, in column: Column) -> Note? {
        switch row {
        case .suspended: .noRelaunchNeeded
        case .removed, .crashed, .forceQuit: nil
        case .bluetoothToggled: column == .ios10 ? nil : .waysOfToggling
        case .airplaneMode: column == .ios10 ? nil : .onlyIfBluetoothStays
        case .restarted: column == .ios10 ? nil : .firstUnlock
        }
    }

    /// Returns the source of a row.
    public static func source(_ row: Row, in column: Column) -> FactSource {
        switch column {
        case .ios10: FactSource(.qa1962, "iOS 10, \(row.rawValue)")
        case .ios11: FactSource(.qa1962, "iOS 11, \(row.rawValue)")
        case .current: FactSource(.tn3115, row.rawValue)
        }
    }
}
