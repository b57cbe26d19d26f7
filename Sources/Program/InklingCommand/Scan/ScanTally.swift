import InklingEngine
import InklingKeys
import InklingTerminal

/// The beacons that a scan has heard. A beacon is an address together with the minor that it showed, so that a device
/// that has begun its next epoch counts twice.
struct ScanTally {
    /// The reports of one beacon.
    struct Beacon: Hashable {
        let minor: BeaconMinor
        let address: DeviceAddress
        let judgement: BeaconJudge.Judgement
        /// The number of reports.
        fileprivate(set) var sightings = 1
        /// The strongest received power in dBm; nil when the adapter did not measure it.
        fileprivate(set) var rssi: Int8?
        /// The time at which it was first heard, in Unix seconds.
        let first: UInt64
    }

    private struct Key: Hashable {
        let minor: BeaconMinor
        let address: DeviceAddress
    }

    /// The maximum number of distinct beacons.
    static let limit = 4096

    private var places: [Key: Int] = [:]
    /// The beacons, in the order in which they were first heard.
    private(set) var beacons: [Beacon] = []
    /// The number of reports of beacons beyond the limit.
    private(set) var unlisted = 0
    /// The addresses of iPhones that showed the bit of the service, at most `limit`.
    private var phones: Set<DeviceAddress> = []

    /// The number of iPhones that showed the bit of the service. Other apps set it too.
    var phoneCount: Int { phones.count }

    /// Takes a report, and returns the beacon when it is heard for the first time.
    ///
    /// - Throws: the error of `judge`, which is asked only about a beacon that is new.
    mutating func take(
        _ sighting: BeaconSighting, judging judge: (BeaconSighting) throws(Failure) -> BeaconJudge.Judgement
    ) throws(Failure) -> Beacon? {
        let key = Key(minor: sighting.minor, address: sighting.address)
        // The weakest value stands for a power that was not measured, as in emulated adapters.
        let rssi = (-126...20).contains(sighting.rssi) ? sighting.rssi : nil
        if let place = places[key] {
            beacons[place].sightings += 1
            if let rssi { beacons[place].rssi = max(beacons[place].rssi ?? rssi, rssi) }
            return nil
        }
        guard beacons.count < Self.limit else {
            unlisted += 1
            return nil
        }
        let beacon = Beacon(
            minor: sighting.minor, address: sighting.address, judgement: try judge(sighting), rssi: rssi,
            first: sighting.observed.unixMilliseconds / 1000)
        places[key] = beacons.count
        beacons.append(beacon)
        return beacon
    }

    /// Takes a report of an iPhone that showed the bit of the service.
    mutating func takePhone(_ address: DeviceAddress) {
        if phones.count < Self.limit { phones.insert(address) }
    }
}
