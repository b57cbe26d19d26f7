import InklingNode

/// An antenna beyond this machine's own Bluetooth.
struct AntennaFact: Codable, Hashable, Sendable {
    let name: String
    /// `lines`, `esphome`, `espresense` or `openmqttgateway`.
    let source: String
    /// The room in which it stands; null if its sightings say that, or nothing does.
    let room: String?
    /// `connecting`, `listening`, `deaf`, `failed` or `ended`.
    let state: String
    /// Why it does not listen; null unless it has failed.
    let problem: String?
    /// By how many seconds the time of a sighting may be wrong, either way.
    let clockError: Double
    let hasAddresses: Bool
    /// Whether sightings have the advertising data as it was on the air.
    let hasData: Bool
    let canConnect: Bool
    /// How many beacons of the application it has heard since the node started, and how many other frames.
    let beacons: UInt64
    let others: UInt64
    /// How many inputs were left out because they were not what they should be.
    let refused: UInt64
    /// How many inputs were dropped unread, because too many waited.
    let dropped: UInt64
    /// How many seconds ago it heard something; null if it never has.
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

    /// The antenna in a line for a person.
    var line: String {
        let place = room.map { " in \(printable($0))" } ?? ""
        let heard = "\(plural(beacons, "beacon")), \(plural(others, "other frame"))"
        let left = (refused == 0 ? "" : ", \(refused) refused") + (dropped == 0 ? "" : ", \(dropped) dropped")
        return "\(printable(name))\(place): \(state)\(problem.map { ": \($0)" } ?? ""); \(heard)\(left)"
    }
}
