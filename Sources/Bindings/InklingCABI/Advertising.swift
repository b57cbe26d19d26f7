public import CInkling
internal import InklingKeys
internal import InklingWire

@c @implementation
public func inkling_uuid(
    _ use: UInt32, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let uuid: UUID128
        switch inkling_uuid_use(use) {
        case INKLING_UUID_PROXIMITY: uuid = .proximity
        case INKLING_UUID_SERVICE: uuid = .service
        case INKLING_UUID_TAG: uuid = .tagCharacteristic
        case INKLING_UUID_IN: uuid = .inCharacteristic
        case INKLING_UUID_OUT: uuid = .outCharacteristic
        default: throw Fault(INKLING_OUT_OF_RANGE)
        }
        var bytes: [UInt8] = []
        bytes.append(uuid.octets)
        try out.set(bytes.span)
    }
}

@c @implementation
public func inkling_advertisement_read(
    _ data: UnsafePointer<UInt8>?, _ count: Int, _ advertisement: UnsafeMutablePointer<inkling_advertisement>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutStructure(advertisement)
        let report = try unsafe withInput(data, count) { data throws(Fault) in try AdvertisingReport(parsing: data) }
        out.set { filled in
            filled.has_overflow_bit = report.hasOverflowBit ? 1 : 0
            filled.has_service = report.hasService ? 1 : 0
            guard let beacon = report.beacon else { return }
            filled.has_beacon = 1
            filled.is_ours = beacon.proximity == .proximity ? 1 : 0
            filled.major = beacon.major
            filled.minor = beacon.minor.value
            filled.measured_power = beacon.measuredPower
            write(beacon.proximity.octets, to: &filled.proximity)
        }
    }
}

@c @implementation
public func inkling_advertisement_of_minor(
    _ minor: UInt16, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        try unsafe OutBytes(start, capacity, needed: needed).set(IBeacon(minor: BeaconMinor(minor)).encoded().span)
    }
}

@c @implementation
public func inkling_advertisement_of_service(
    _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let data = try refusing { () throws(AdvertisingError) in try ServiceUUIDs([.full(.service)]).encoded() }
        try out.set(data.span)
    }
}

/// The parts of a scanner's report that concern Inkling.
struct AdvertisingReport {
    let beacon: IBeacon?
    let hasOverflowBit: Bool
    let hasService: Bool

    /// Parses a report; reports without an iBeacon frame are the normal case.
    ///
    /// - Throws: the `AdvertisingError` as a refusal.
    init(parsing data: Span<UInt8>) throws(Fault) {
        do throws(AdvertisingError) {
            let structures = try ADStructure.list(parsing: data)
            do throws(AdvertisingError) {
                beacon = try IBeacon(in: structures)
            } catch {
                guard error == .notIBeacon else { throw error }
                beacon = nil
            }
            let bit = OverflowBit(of: .service)
            hasOverflowBit = try OverflowArea.list(in: structures).contains { $0.contains(bit) }
            hasService = try ServiceUUIDs(in: structures).uuids.contains { $0.expanded == .service }
        } catch {
            throw Fault(error)
        }
    }
}

extension inkling_advertisement: Sized {
    static var leastSize: Int { 32 }
}
