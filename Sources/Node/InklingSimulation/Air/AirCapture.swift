public import InklingEngine
public import InklingKeys
internal import InklingWire

/// The type of a Bluetooth address, which an observer reads in every frame.
public enum AirAddressType: String, Hashable, Sendable, CaseIterable {
    /// The address of the hardware.
    case publicAddress = "public"
    /// A random address that may never change.
    case staticRandom = "static-random"
    /// A private address; to devices that are not paired, it looks random.
    case resolvablePrivate = "resolvable-private"
    /// A private address that reveals nothing to anybody.
    case nonResolvablePrivate = "non-resolvable-private"

    /// The two highest bits of a random address of this type; nil for a public one.
    var prefix: UInt64? {
        switch self {
        case .publicAddress: nil
        case .staticRandom: 0b11
        case .resolvablePrivate: 0b01
        case .nonResolvablePrivate: 0b00
        }
    }
}

/// Frames with the same content under one address, as an observer could have heard them.
public struct AirBroadcast: Hashable, Sendable {
    /// The address of the sender.
    public let address: DeviceAddress
    /// The type of that address.
    public let addressType: AirAddressType
    /// The minor in the frame; nil for a frame of the overflow area.
    public let minor: BeaconMinor?
    /// The advertising data.
    public let bytes: [UInt8]
    /// Whether the frames are connectable.
    public let isConnectable: Bool
    /// Milliseconds from the beginning of the simulation to the first frame.
    public let first: UInt64
    /// Milliseconds from the beginning of the simulation to the last frame so far.
    public internal(set) var last: UInt64
    /// The number of frames so far.
    public internal(set) var frames = 1
    package let station: Int
    /// The profile of the frame, given by its proximity UUID; radios of other profiles do not report it.
    let proximity: UUID128

    init(
        _ address: DeviceAddress, _ addressType: AirAddressType, minor: BeaconMinor?, bytes: [UInt8],
        isConnectable: Bool, at time: UInt64, from station: Int, proximity: UUID128 = .proximity
    ) {
        self.proximity = proximity
        self.address = address
        self.addressType = addressType
        self.minor = minor
        self.bytes = bytes
        self.isConnectable = isConnectable
        first = time
        last = time
        self.station = station
    }
}

/// A transmission by one side of a link, as an observer reads it: links are not encrypted.
public struct AirExchange: Hashable, Sendable {
    /// The kind of an exchange, with its content.
    public enum Kind: Hashable, Sendable {
        /// The request to read the tag.
        case readTag
        /// The answer to that request; nil for an error.
        case tag(RecognitionTag?)
        /// A value that the initiator wrote: a fragment of a packet.
        case write([UInt8])
        /// A value that the advertiser notified: a fragment of a packet.
        case notify([UInt8])
    }

    /// Milliseconds since the simulation began.
    public let time: UInt64
    /// The kind, with the content.
    public let kind: Kind

    /// The fragment; nil for the exchanges of a tag.
    public var fragment: [UInt8]? {
        switch kind {
        case .write(let value), .notify(let value): value
        case .readTag, .tag: nil
        }
    }
}

/// A link that an observer could have followed.
public struct AirLink: Hashable, Sendable {
    /// The address from which the link was made.
    public let initiator: DeviceAddress
    /// The type of that address.
    public let initiatorType: AirAddressType
    /// The address to which the link was made.
    public let advertiser: DeviceAddress
    /// Milliseconds from the beginning of the simulation to the request.
    public let first: UInt64
    /// Milliseconds from the beginning of the simulation to the end of the link; nil while it lasts.
    public internal(set) var last: UInt64?
    /// The transmissions, in order.
    public internal(set) var exchanges: [AirExchange] = []
    package let stations: [Int]

    init(
        from initiator: DeviceAddress, _ initiatorType: AirAddressType, to advertiser: DeviceAddress, at time: UInt64,
        between stations: [Int]
    ) {
        self.initiator = initiator
        self.initiatorType = initiatorType
        self.advertiser = advertiser
        first = time
        self.stations = stations
    }
}

/// A radio's attempt to connect, successful or not. An observer sees only successful ones.
public struct AirCall: Hashable, Sendable {
    /// Milliseconds since the simulation began.
    public let time: UInt64
    /// The address that was called.
    public let target: DeviceAddress
    let station: Int
}

/// A radio's attempt to go on the air.
struct AirOpening: Hashable {
    let time: UInt64
    let station: Int
}

/// The conditions of the simulated air; a change affects everything afterwards.
public struct AirConditions: Hashable, Sendable {
    /// The interval between two frames of a radio in milliseconds, to which 0 to 10 ms are added each time.
    public var interval: UInt64 = 1000
    /// The share of time, 0 to 1, during which a radio's scan listens.
    public var duty = 0.5
    /// The probability that a frame is lost, for each receiver, and that a value on a link is delayed.
    public var loss = 0.0
    /// The probability, for each frame that arrives, that the scan then stops for `pause`.
    public var pauses = 0.0
    /// The duration of a scan's pause in milliseconds, uniformly distributed.
    public var pause: ClosedRange<UInt64> = 2000...10_000
    /// Milliseconds from a frame to its report, uniformly distributed.
    public var reportDelay: ClosedRange<UInt64> = 0...20
    /// Milliseconds to make a link, uniformly distributed: a frame of the other side, and service discovery.
    public var connectDelay: ClosedRange<UInt64> = 200...1500
    /// Milliseconds from one side of a link to the other, uniformly distributed.
    public var linkDelay: ClosedRange<UInt64> = 8...45
    /// The received power in dBm, varied by up to 6 dB either way.
    public var rssi: Int8 = -60
    /// The ATT MTU of links in bytes, 23 to 517.
    public var mtu = 247

    /// Creates the conditions of a room with few devices.
    public init() {}

    /// The time in which a device that is near is heard, with a probability of 0.9999.
    var gap: Duration {
        let missed = 1 - min(max(duty * (1 - loss), 0), 1)
        var rest = 1.0
        var frames: UInt64 = 0
        while rest > 0.0001, frames < 600 {
            rest *= missed
            frames += 1
        }
        return .milliseconds(frames * interval + (pauses > 0 ? pause.upperBound : 0))
    }
}
