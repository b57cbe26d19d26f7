public import InklingKeys
public import InklingSession

/// The values for Apple's CoreBluetooth with which a phone finds and is found (`Specs/apple.md`).
///
/// Every state of the app but `foreground` counts as the background.
public enum BluetoothParameters {
    /// `CBCentralManager.scanForPeripherals(withServices:options:)`.
    public struct Scan: Hashable, Sendable {
        /// `withServices`. Never empty: the system ignores a scan without services in the background, and finds phones in
        /// the background only for one that names the service.
        public let services: [UUID128]
        /// `CBCentralManagerScanOptionAllowDuplicatesKey`. In the foreground every report counts as heard again; in the
        /// background the system ignores the option.
        public let allowsDuplicates: Bool
    }

    /// `CBPeripheralManager.startAdvertising(_:)`. It has no local name, on purpose.
    public enum Advertising: Hashable, Sendable {
        /// `CBAdvertisementDataServiceUUIDsKey` and no other key.
        case services([UUID128])
        /// The dictionary of `CLBeaconRegion.peripheralData(withMeasuredPower:)` of the region with these values and no
        /// other key; `measuredPower` is in dBm at one metre.
        case beacon(proximity: UUID128, major: UInt16, minor: BeaconMinor, measuredPower: Int8)
    }

    /// Returns what to scan for in a state of the app.
    public static func scan(in state: AppState) -> Scan {
        Scan(services: [.service], allowsDuplicates: state == .foreground)
    }

    /// Returns what to advertise in a state of the app, while the device shows `minor`.
    ///
    /// The system sends a beacon in the foreground only and never together with a service, so the caller chooses whether
    /// observers of beacons (`prefersBeacon`) or phones can find the app.
    public static func advertising(
        in state: AppState, minor: BeaconMinor, prefersBeacon: Bool = false
    ) -> Advertising {
        guard state == .foreground, prefersBeacon else { return .services([.service]) }
        return .beacon(
            proximity: .proximity, major: IBeacon.commonMajor, minor: minor,
            measuredPower: IBeacon.commonMeasuredPower)
    }
}
