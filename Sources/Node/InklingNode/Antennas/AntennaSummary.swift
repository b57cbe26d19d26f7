internal import InklingKeys

/// The state of an antenna, for a user interface.
public struct AntennaSummary: Hashable, Sendable, Codable {
    /// The state of an antenna.
    public enum State: Hashable, Sendable, Codable {
        /// It has not started to listen.
        case connecting
        /// It listens, and hears something from time to time.
        case listening
        /// It has heard nothing for longer than is plausible.
        case deaf
        /// It does not listen, and will try again.
        case failed(AntennaError)
        /// Its source has ended.
        case ended
    }

    /// The antenna's fixed properties.
    public let facts: AntennaFacts
    /// The current state.
    public let state: State
    /// The numbers of beacons of the application and of other frames heard.
    public let beacons: UInt64, others: UInt64
    /// The number of malformed inputs that were ignored.
    public let refused: UInt64
    /// The number of inputs dropped unread because too many were waiting for the node.
    public let dropped: UInt64
    /// The time since the antenna last heard something, in milliseconds; nil if it never has.
    public let silentFor: UInt64?
}

/// A problem with an antenna.
public struct AntennaTrouble: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of problem.
    public enum Problem: Hashable, Sendable, Codable {
        /// It has heard nothing for longer than is plausible.
        case deaf
        /// It does not listen, and will try again.
        case failed(AntennaError)
        /// Its source has ended.
        case ended
    }

    /// The name of the antenna.
    public let antenna: String
    /// The problem.
    public let problem: Problem

    /// Creates a trouble.
    public init(_ antenna: String, _ problem: Problem) {
        self.antenna = antenna
        self.problem = problem
    }

    /// The problem in words.
    public var description: String {
        switch problem {
        case .deaf: "the antenna \(antenna) hears nothing at all"
        case .failed(let error): "the antenna \(antenna) does not listen: \(error)"
        case .ended: "the antenna \(antenna) has ended"
        }
    }
}
