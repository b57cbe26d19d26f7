import InklingEngine
import InklingJSON
import InklingKeys
import InklingTerminal
import InklingWire

/// A package of Home Assistant's configuration by which a phone with the Companion app for Android shows minors made
/// for it (`Specs/home-assistant.md`, "Phones without a node"). It has no keys.
struct PhoneAutomation {
    /// The name of the automation.
    let name: String
    /// The action that sends notifications to the phone.
    let entity: NotifyEntity
    let profile: ApplicationProfile
    /// The first epoch.
    let first: Epoch
    /// The minors from the first epoch on, one for each.
    let minors: [BeaconMinor]

    /// The time after the last minor, in Unix seconds.
    var end: UInt64 { (UInt64(first.number) + UInt64(minors.count)) * Epoch.seconds }

    /// The text of the file, as YAML.
    var text: String {
        """
        # A package of Home Assistant's configuration: a phone without Inkling shows beacons that identify it, through the
        # Companion app for Android. Anyone with this file can recognise the phone until \(timestamp(end)); it contains no
        # keys. After that the phone goes silent: make the next file before then, with inkling phone renew.
        automation:
          - id: inkling_\(entity.action)
            alias: \(JSON.text("Inkling: \(name)").compact)
            mode: restart
            # Keep no traces: others could read the values there.
            trace:
              stored_traces: 0
            triggers:
              - trigger: time_pattern
                minutes: /15
                seconds: 0
              - trigger: homeassistant
                event: start
                id: start
              - trigger: event
                event_type: automation_reloaded
                id: start
            variables:
              first: \(first.number)
              minors: [
        \(rows)
              ]
            actions:
              # An unpredictable gap, then the minor of the epoch in which it ends.
              - delay:
                  milliseconds: "{{ range(0, 10001) | random }}"
              - variables:
                  place: "{{ (now().timestamp() // \(Epoch.seconds)) | int - first }}"
              - if: "{{ place < 0 or place >= minors | length }}"
                then:
        \(command("turn_off", indentation: 10))
                  - stop: "The minors have ended. Make the next file: inkling phone renew"
              - if: "{{ trigger.id == 'start' or place % 96 == 0 }}"
                then:
        \(command("ble_set_uuid", "ble_uuid", "\(profile.proximity)", indentation: 10))
        \(command("ble_set_major", "ble_major", "\(IBeacon.commonMajor)", indentation: 10))
        \(command("ble_set_measured_power", "ble_measured_power", "\(profile.measuredPower)", indentation: 10))
        \(command("ble_set_transmit_power", "ble_transmit", "ble_transmit_medium", indentation: 10))
        \(command("ble_set_minor", "ble_minor", "{{ minors[place] }}", indentation: 6))
        \(command("turn_on", indentation: 6))
              # Stop before the epoch ends, if the command arrives in time.
              - delay:
                  seconds: "{{ [\(Epoch.seconds - 10) - now().timestamp() % \(Epoch.seconds), 0] | max }}"
        \(command("turn_off", indentation: 6))

        """
    }

    /// The minors, one hour per line.
    private var rows: String {
        stride(from: 0, to: minors.count, by: 4).map { start in
            let row = minors[start..<min(start + 4, minors.count)].map { "\($0.value)" }
            return "        " + row.joined(separator: ", ")
        }.joined(separator: ",\n")
    }

    /// Returns a step that sends one command of the transmitter. A late command must not arrive at all.
    private func command(_ command: String, _ key: String? = nil, _ value: String = "", indentation: Int) -> String {
        let lines = [
            "- action: notify.\(entity.action)", "  data:", "    message: command_ble_transmitter", "    data:",
            "      command: \(command)", "      ttl: 0", "      priority: high",
        ]
        let last = key.map { ["      \($0): \"\(value)\""] } ?? []
        let space = String(repeating: " ", count: indentation)
        return (lines + last).map { space + $0 }.joined(separator: "\n")
    }
}

/// The action of Home Assistant that sends notifications to a phone, such as `notify.mobile_app_pixel`.
struct NotifyEntity: Hashable, Sendable {
    /// The name after `notify.`, of lower-case ASCII letters, digits and underscores.
    let action: String

    /// Creates the entity with this name; nil for any other form, or more than 255 characters.
    init?(_ text: String) {
        guard text.hasPrefix("notify.") else { return nil }
        let action = text.dropFirst("notify.".count)
        guard (1...255).contains(action.utf8.count),
            action.utf8.allSatisfy({
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        self.action = String(action)
    }
}
