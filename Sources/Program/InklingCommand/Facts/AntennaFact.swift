import InklingNode
import InklingTerminal

/// An antenna beyond this machine's own Bluetooth.
struct AntennaFact: Codable, Hashable, Sendable {
    let name: String
    /// `lines`, `esphome`, `espresense` or `openmqttgateway`.
    let source: String
    /// The room in which it stands; null if its sightings name the room, or nothing does.
    let room: String?
    /// `connecting`, `listening`, `deaf`, `failed` or `ended`.
    let state: String
    /// The reason why it does not listen; null unless it has failed.
    let problem: String?
    /// The possible error of a sighting's time in seconds, either way.
    let clockError: Double
    let hasAddresses: Bool
    /// Whether sightings contain the advertising data as it was on the air.
    let hasData: Bool
    let canConnect: Bool
    /// The numbers of the application's beacons and of other frames heard since the node started.
    let beacons: UInt64
    let others: UInt64
    /// The number of invalid inputs that were skipped.
    let refused: UInt64
    /// The number of inputs dropped unread, because too many were waiting.
    let dropped: UInt64
    /// The seconds since it last heard something; null if it never has.
    let silentFor: Double?

    init(_ antenna: AntennaSummary) {
        name = antenna.facts.name
        source = antenna.facts.source.rawValue
        room = antenna.facts.room
        (state, problem) =
            switch antenna.state {
            case .connecting: ("connecting", nil)
            case .listening: ("listening", nil)
            case .deaf: ("deaf", nil)
            case .failed(let error): ("failed", error.description)
            case .ended: ("ended", nil)
            }
        clockError = antenna.facts.clockError / .seconds(1)
        hasAddresses = antenna.facts.hasAddresses
        hasData = antenna.facts.hasData
        canConnect = antenna.facts.canConnect
        beacons = antenna.beacons
        others = antenna.others
        refused = antenna.refused
        dropped = antenna.dropped
        silentFor = antenna.silentFor.map { Double($0) / 1000 }
    }

    /// The human-readable line.
    var line: String {
        let place = room.map { " in \(printable($0))" } ?? ""
        let heard = "\(plural(beacons, "beacon")), \(plural(others, "other frame"))"
        let left = (refused == 0 ? "" : ", \(refused) refused") + (dropped == 0 ? "" : ", \(dropped) dropped")
        return "\(printable(name))\(place): \(state)\(problem.map { ": \($0)" } ?? ""); \(heard)\(left)"
    }
}
