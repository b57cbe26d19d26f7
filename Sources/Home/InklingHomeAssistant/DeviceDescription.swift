internal import InklingJSON

/// The description of a node for Home Assistant's discovery: one device, with several entities per contact.
struct DeviceDescription {
    /// The entities of a contact. Their raw values end the keys and unique ids.
    enum Entity: String, CaseIterable {
        case presence, tracker, confidence
        case lastSeen = "last_seen"
        case room, visits

        /// The platform of Home Assistant to which the entity belongs.
        var platform: String {
            switch self {
            case .presence: "binary_sensor"
            case .tracker: "device_tracker"
            case .confidence, .lastSeen, .room: "sensor"
            case .visits: "event"
            }
        }
    }

    /// The longest payload that is read, in bytes; 500 contacts with long names stay below it.
    static let readLimit = 2 << 20

    let topics: HomeTopics
    let settings: HomeSettings

    /// Returns the payload for these contacts; it still lists the entities of removed contacts, to delete them.
    func payload(_ contacts: [(id: OpaqueID, name: String)], removed: [OpaqueID]) -> String {
        var components = JSONObject()
        components["running"] = .object(running)
        for contact in contacts {
            for entity in Entity.allCases {
                // A node that had antennas before must delete the room entities.
                components[Self.key(of: contact.id, entity)] = .object(
                    entity == .room && !settings.hasRooms
                        ? Self.absent(entity) : component(entity, contact.id, contact.name))
            }
        }
        for contact in removed {
            for entity in Entity.allCases {
                components[Self.key(of: contact, entity)] = .object(Self.absent(entity))
            }
        }
        let description: JSONObject = [
            "device": .object([
                "identifiers": .list([.text("inkling_\(topics.node)")]), "name": .text(settings.deviceName),
                "manufacturer": "Inkling", "model": "Node", "sw_version": .text(settings.version),
            ]),
            "origin": .object(["name": "Inkling", "sw_version": .text(settings.version)]),
            "components": .object(components),
        ]
        return JSON.object(description).compact
    }

    /// Returns the contacts with entities in a payload, or `nil` if it is not a description.
    static func contacts(in payload: [UInt8]) -> [OpaqueID]? {
        guard payload.count <= readLimit, let object = (try? JSON(parsing: payload))?.object,
            let components = object["components"]?.object
        else { return nil }
        var found: [OpaqueID] = []
        for key in components.names {
            let parts = key.split(separator: "_", maxSplits: 1)
            guard parts.count == 2, let id = OpaqueID(String(parts[0])), Entity(rawValue: String(parts[1])) != nil,
                found.last != id
            else { continue }
            found.append(id)
        }
        return found
    }

    private static func key(of contact: OpaqueID, _ entity: Entity) -> String { "\(contact)_\(entity.rawValue)" }

    /// Returns the component that makes Home Assistant remove an entity.
    private static func absent(_ entity: Entity) -> JSONObject { ["platform": .text(entity.platform)] }

    /// The entity for whether the node runs, the only one not about a contact.
    private var running: JSONObject {
        [
            "platform": "binary_sensor", "unique_id": .text("inkling_\(topics.node)_running"), "name": "Running",
            "device_class": "connectivity", "entity_category": "diagnostic",
            "state_topic": .text(topics.availability), "payload_on": "online", "payload_off": "offline",
        ]
    }

    private func component(_ entity: Entity, _ contact: OpaqueID, _ name: String) -> JSONObject {
        var component: JSONObject = [
            "platform": .text(entity.platform),
            "unique_id": .text("inkling_\(topics.node)_\(contact)_\(entity.rawValue)"),
        ]
        switch entity {
        case .presence:
            component["name"] = .text(name)
            component["device_class"] = "presence"
            component["state_topic"] = .text(topics.of(contact, .presence))
            component["expire_after"] = .integer(settings.expireAfter)
        case .tracker:
            component["name"] = .text(name)
            component["source_type"] = "bluetooth_le"
            // Home Assistant 2026.11 takes the state from its own topic alone, and shows `in_zones` as an attribute.
            component["state_topic"] = .text(topics.of(contact, .tracker))
            component["value_template"] = "{{ 'home' if value_json.in_zones else 'not_home' }}"
            component["json_attributes_topic"] = .text(topics.of(contact, .tracker))
        case .confidence:
            component["name"] = .text("\(name) confidence")
            component["state_topic"] = .text(topics.of(contact, .facts))
            component["value_template"] = "{{ value_json.confidence }}"
            component["unit_of_measurement"] = "%"
            component["state_class"] = "measurement"
            component["entity_category"] = "diagnostic"
        case .lastSeen:
            component["name"] = .text("\(name) last seen")
            component["state_topic"] = .text(topics.of(contact, .facts))
            component["value_template"] = "{{ value_json.last_seen }}"
            component["device_class"] = "timestamp"
            component["entity_category"] = "diagnostic"
        case .room:
            component["name"] = .text("\(name) room")
            component["state_topic"] = .text(topics.of(contact, .room))
            component["value_template"] = "{{ value_json.room }}"
        case .visits:
            component["name"] = .text("\(name) visits")
            component["state_topic"] = .text(topics.of(contact, .event))
            component["event_types"] = .list(["arrived", "left"])
        }
        component["availability"] = .list([
            .object(["topic": .text(topics.availability)]),
            .object(["topic": .text(topics.of(contact, .availability))]),
        ])
        component["availability_mode"] = "all"
        return component
    }
}
