public import InklingKeys
public import InklingSession

/// What Apple's CoreBluetooth is told so that a phone finds and is found (`Specs/apple.md`).
public enum BluetoothParameters {
    /// Whether the app is on the screen.
    public enum AppState: Sendable, CaseIterable {
        /// On the screen.
        case foreground
        /// Anywhere else.
        case background
    }

    /// `CBCentralManager.scanForPeripherals(withServices:options:)`.
    public struct Scan: Hashable, Sendable {
        /// `withServices`. Never empty: the system ignores a scan without services in the background, and finds phones in
        /// the background only for one that names the service.
        public let services: [UUID128]
        /// `CBCentralManagerScanOptionAllowDuplicatesKey`. In the foreground every report counts as heard again; in the
        /// background the system ignores the option.
        public let allowsDuplicates: Bool
    }

    /// `CBPeripheralManager.startAdvertising(_:)`. There is no way to say a local name here, on purpose.
    public enum Advertising: Hashable, Sendable {
        /// `CBAdvertisementDataServiceUUIDsKey` and no other key.
        case services([UUID128])
        /// The dictionary of `CLBeaconRegion.peripheralData(withMeasuredPower:)` of the region with these values and no
        /// other key; `measuredPower` is in dBm at one metre.
        case beacon(proximity: UUID128, major: UInt16, minor: BeaconMinor, measuredPower: Int8)
    }

    /// What to scan for in a state of the app.
    public static func scan(in state: AppState) -> Scan {
        Scan(services: [.service], allowsDuplicates: state == .foreground)
    }

    /// What to advertise in a state of the app, while the device shows `minor`.
    ///
    /// A beacon frame goes out in the foreground only and never together with a service, so the caller says whether the
    /// app should be met by observers of beacons (`prefersBeacon`) or by phones.
    public static func advertising(
        in state: AppState, minor: BeaconMinor, prefersBeacon: Bool = false
    ) -> Advertising {
        guard state == .foreground, prefersBeacon else { return .services([.service]) }
        return .beacon(
            proximity: .proximity, major: IBeacon.commonMajor, minor: minor,
            measuredPower: IBeacon.commonMeasuredPower)
    }
}
