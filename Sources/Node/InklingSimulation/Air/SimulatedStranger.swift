public import InklingEngine
public import InklingKeys
public import InklingNode
internal import InklingWire

/// A radio without a node, for attacks: it sends any frame under any address, and connects at will.
public final class SimulatedStranger: Sendable {
    /// The radio, by which the stranger can be put out of range of others.
    public let radio: SimulatedRadio

    init(radio: SimulatedRadio) { self.radio = radio }

    /// Sends one beacon that looks like a node's. Every radio in range hears it, unless its scan misses it.
    public func show(_ minor: BeaconMinor, from address: DeviceAddress, rssi: Int8 = -60, isConnectable: Bool = true) {
        radio.air.inject(
            AirBroadcast(
                address, address.randomType, minor: minor, bytes: IBeacon(minor: minor).encoded(),
                isConnectable: isConnectable, at: radio.air.timeline.now, from: radio.station),
            rssi: rssi)
    }

    /// Sends one frame of the overflow area with the bit of Inkling's service, like an iPhone in the background.
    public func showOverflow(from address: DeviceAddress, rssi: Int8 = -60) {
        let bit = OverflowBit(of: .service)
        // Apple's manufacturer data, type 1, then the bitmap.
        let map = (0..<16).map { $0 == bit.byte ? bit.mask : 0 }
        radio.air.inject(
            AirBroadcast(
                address, address.randomType, minor: nil, bytes: [0x14, 0xff, 0x4c, 0x00, 0x01] + map,
                isConnectable: true,
                at: radio.air.timeline.now, from: radio.station),
            rssi: rssi)
    }

    /// Goes on the air like a node: shows a beacon under this address, and accepts links on which it shows the tag.
    ///
    /// - Throws: `RadioError.refused` while an earlier session of the stranger is open.
    public func open(
        _ publication: RadioPublication, at address: DeviceAddress
    ) throws(RadioError) -> SimulatedRadioSession {
        try radio.air.open(publication, on: radio.station, at: address)
    }

    /// Connects without being on the air.
    ///
    /// - Throws: `LinkError.timedOut` after `timeout`, or `.closed` if the task is cancelled.
    public func connect(
        to address: DeviceAddress, within timeout: Duration = .seconds(10)
    ) async throws(LinkError) -> SimulatedAirLink {
        try await radio.air.connect(from: radio.station, to: address, within: timeout, isStranger: true)
    }
}

extension DeviceAddress {
    /// The type of this address, if it is a random one.
    var randomType: AirAddressType {
        AirAddressType.allCases.first { $0.prefix == value >> 46 } ?? .publicAddress
    }
}
