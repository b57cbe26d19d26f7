internal import InklingKeys

/// What a user interface shows of an antenna.
public struct AntennaSummary: Hashable, Sendable, Codable {
    /// How an antenna is.
    public enum State: Hashable, Sendable, Codable {
        /// It has not listened yet.
        case connecting
        /// It listens, and hears something now and then.
        case listening
        /// It hears nothing, for longer than is likely.
        case deaf
        /// It does not listen, and tries again.
        case failed(AntennaError)
        /// Its source has ended.
        case ended
    }

    /// What the antenna is.
    public let facts: AntennaFacts
    /// How it is.
    public let state: State
    /// How many beacons of the application it has heard, and how many other frames.
    public let beacons: UInt64, others: UInt64
    /// How many inputs were left out because they were not what they should be.
    public let refused: UInt64
    /// How many inputs were dropped unread, because too many waited for the node.
    public let dropped: UInt64
    /// How long ago it heard something, in milliseconds; nil if it never has.
    public let silentFor: UInt64?
}

/// Something that is wrong with an antenna.
public struct AntennaTrouble: Hashable, Sendable, Codable, CustomStringConvertible {
    /// What is wrong.
    public enum Problem: Hashable, Sendable, Codable {
        /// It hears nothing, for longer than is likely.
        case deaf
        /// It does not listen, and tries again.
        case failed(AntennaError)
        /// Its source has ended.
        case ended
    }

    /// The name of the antenna.
    public let antenna: String
    /// What is wrong with it.
    public let problem: Problem

    /// Creates a trouble.
    public init(_ antenna: String, _ problem: Problem) {
        self.antenna = antenna
        self.problem = problem
    }

    /// What is wrong, in words.
    public var description: String {
        switch problem {
        case .deaf: "the antenna \(antenna) hears nothing at all"
        case .failed(let error): "the antenna \(antenna) does not listen: \(error)"
        case .ended: "the antenna \(antenna) has ended"
        }
    }
}
