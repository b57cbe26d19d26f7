public import InklingKeys
public import InklingWire

/// The arguments for Apple's Core Bluetooth with which phones find each other (`Specs/apple.md`).
///
/// Every state of the app except `foreground` counts as the background.
public enum BluetoothParameters {
    /// `CBCentralManager.scanForPeripherals(withServices:options:)`.
    public struct Scan: Hashable, Sendable {
        /// `withServices`. Never empty, because in the background the system ignores a scan without services, and only
        /// a scan for the service finds phones whose app is in the background.
        public let services: [UUID128]
        /// `CBCentralManagerScanOptionAllowDuplicatesKey`. In the foreground, repeated reports show that a device is
        /// still near; in the background the system ignores the option.
        public let allowsDuplicates: Bool
    }

    /// The argument of `CBPeripheralManager.startAdvertising(_:)`. It has no local name, which would identify the
    /// device.
    public enum Advertising: Hashable, Sendable {
        /// A dictionary with `CBAdvertisementDataServiceUUIDsKey` and no other key.
        case services([UUID128])
        /// The dictionary that `CLBeaconRegion.peripheralData(withMeasuredPower:)` returns for a region with these
        /// values, and no other key; `measuredPower` is in dBm at one metre.
        case beacon(proximity: UUID128, major: UInt16, minor: BeaconMinor, measuredPower: Int8)
    }

    /// Returns the scan for a state of the app.
    public static func scan(in state: AppState) -> Scan {
        Scan(services: [.service], allowsDuplicates: state == .foreground)
    }

    /// Returns the advertising for a state of the app, while the device shows `minor`.
    ///
    /// The system sends a beacon only in the foreground and never together with a service, so the caller must choose:
    /// with `prefersBeacon`, observers of beacons can find the app, otherwise phones that scan can.
    public static func advertising(
        in state: AppState, minor: BeaconMinor, prefersBeacon: Bool = false
    ) -> Advertising {
        guard state == .foreground, prefersBeacon else { return .services([.service]) }
        return .beacon(
            proximity: .proximity, major: IBeacon.commonMajor, minor: minor,
            measuredPower: IBeacon.commonMeasuredPower)
    }
}
