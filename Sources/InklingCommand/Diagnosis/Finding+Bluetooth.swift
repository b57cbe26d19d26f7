import InklingLinux
import InklingNode

extension Finding {
    /// Judges Bluetooth.
    ///
    /// - Parameter wanted: the adapter that a node would use; nil for the first one.
    static func bluetooth(_ observation: BluetoothObservation, adapter wanted: String? = nil) -> [Finding] {
        let hardware = observation.hardware
        guard !hardware.adapters.isEmpty || !observation.adapters.isEmpty || wanted != nil else {
            return [Finding(.adapter, .advice, "no Bluetooth adapter: a node uses the local network only")]
        }
        switch observation.service {
        case .noBus(let code):
            return [
                Finding(
                    .bluetooth, .fault, "the system bus cannot be reached: \(systemMessage(code))",
                    remedies: [
                        .command("systemctl start dbus"),
                        .sentence("In a container, share /run/dbus/system_bus_socket with it."),
                    ])
            ]
        case .noDaemon:
            let isInstalled = hardware.packageVersion != nil || hardware.daemon != nil
            return [
                reachable,
                Finding(
                    .bluetoothd, .fault, "does not run",
                    remedies: (isInstalled ? [] : [.command("apt install bluez")])
                        + [.command("systemctl enable --now bluetooth")]),
            ]
        case .notPermitted:
            return [
                Finding(
                    .bluetooth, .fault, "the policy of the system bus forbids this user to use Bluetooth",
                    remedies: [
                        .command("usermod -a -G bluetooth $USER"),
                        .sentence("Log in again after that. If it is not enough, allow the user in a policy:"),
                        .line(
                            #"<allow send_destination="org.bluez"/>"#, section: nil,
                            file: "/etc/dbus-1/system.d/bluetooth.conf"),
                    ])
            ]
        case .silent:
            return [
                reachable,
                Finding(
                    .bluetoothd, .fault, "does not reply as it should", remedy: .command("systemctl restart bluetooth")),
            ]
        case .runs: break
        }
        let version = observation.version.map { "runs, version \($0)" } ?? "runs; its version is not known"
        let adapter = adapter(of: observation, wanted)
        return [reachable, Finding(.bluetoothd, .ok, printable(version)), adapter.finding]
            + (adapter.found.map { found in
                // Without power, bluetoothd says nothing of advertising.
                (found.isPowered ? [advertising(found), scanning(found)] : []) + layouts(of: observation, found)
            } ?? [])
    }

    private static var reachable: Finding { Finding(.bluetooth, .ok, "the system bus can be used") }

    // MARK: The adapter

    private static func adapter(
        of observation: BluetoothObservation, _ wanted: String?
    ) -> (finding: Finding, found: BluetoothObservation.Adapter?) {
        let all = observation.adapters
        guard let found = wanted.map({ name in all.first { $0.name == name } }) ?? all.first else {
            let names = all.map(\.name).joined(separator: ", ")
            let text =
                wanted.map { "there is no \(printable($0))\(all.isEmpty ? "" : "; there is \(names)")" }
                ?? "bluetoothd does not know \(observation.hardware.adapters.joined(separator: ", "))"
            let remedy: Remedy =
                all.isEmpty ? .command("systemctl restart bluetooth") : .sentence("Give one of these with --adapter.")
            return (Finding(.adapter, .fault, text, remedy: remedy), nil)
        }
        let name = printable(found.name)
        if let block = observation.hardware.switches.first(where: { $0.name == found.name }) {
            if block.isBlockedByHardware {
                return (
                    Finding(
                        .adapter, .fault, "\(name) is blocked by a switch of this machine",
                        remedy: .sentence("Use the switch or the key for radios, or the settings of the firmware.")),
                    found
                )
            }
            if block.isBlocked {
                return (
                    Finding(.adapter, .fault, "\(name) is blocked", remedy: .command("rfkill unblock bluetooth")), found
                )
            }
        }
        guard found.isPowered else {
            return (
                Finding(
                    .adapter, .fault, "\(name) is switched off",
                    remedies: [
                        .command("bluetoothctl power on"),
                        .line("AutoEnable = true", section: "Policy", file: observation.settingsPath),
                    ]), found
            )
        }
        let kind = found.isExtended ? "extended advertising" : "legacy advertising"
        return (Finding(.adapter, .ok, "\(name) is on; \(kind)"), found)
    }

    private static func advertising(_ adapter: BluetoothObservation.Adapter) -> Finding {
        let canAdvertise = adapter.roles.contains("peripheral") || adapter.roles.contains("central-peripheral")
        guard let free = adapter.freeSets, canAdvertise || adapter.roles.isEmpty else {
            return Finding(
                .advertising, .fault, "the adapter cannot advertise",
                remedy: .sentence("Use an adapter with Bluetooth 4.0 or later."))
        }
        guard free > 0 else {
            return Finding(
                .advertising, .fault, "all \(plural(adapter.usedSets, "advertising set")) are in use",
                remedy: .sentence("End a program that advertises, or stop the node that runs."))
        }
        let sets = "\(plural(free, "free advertising set")), \(adapter.usedSets) in use"
        guard free > 1 else {
            return Finding(
                .advertising, .advice, "\(sets): enough for a beacon, links need two",
                remedy: .sentence("End a program that advertises, or use another adapter."))
        }
        return Finding(.advertising, .ok, sets)
    }

    private static func scanning(_ adapter: BluetoothObservation.Adapter) -> Finding {
        guard !adapter.scansPassively else { return Finding(.scanning, .ok, "possible without sending anything") }
        return Finding(
            .scanning, .advice, "bluetoothd offers no passive scan: a node hears nobody",
            remedies: [
                .sentence("Start bluetoothd with the option -E (systemctl edit bluetooth)."),
                .sentence("Or allow scan requests, which show that somebody listens: --active-scan"),
            ])
    }

    // MARK: The settings

    private static func layouts(
        of observation: BluetoothObservation, _ adapter: BluetoothObservation.Adapter
    ) -> [Finding] {
        let path = observation.settingsPath
        guard let settings = observation.settings else {
            return [
                Finding(.links, .unknown, "\(path) cannot be read", remedy: .command("ls -l \(shellQuoted(path))"))
            ]
        }
        let state = RadioSettings(settings, adapter)
        let links = links(state, path)
        guard links.verdict != .ok else { return [links] }
        if state.isBeaconSafe {
            return [links, Finding(.beacon, .ok, "a beacon can be shown under a new address each time")]
        }
        return [
            links,
            Finding(
                .beacon, .fault, "this adapter shows a beacon under an address that stays the same",
                remedies: [line(.beaconPrivacy, path), .command("systemctl restart bluetooth")]),
        ]
    }

    private static func links(_ state: RadioSettings, _ path: String) -> Finding {
        let missing = state.missingForLinks
        let restart = Remedy.command("systemctl restart bluetooth")
        var remedies: [Remedy] = missing.map { line($0, path) }
        if !state.cachesNothing {
            remedies.append(.line("Cache = no", section: "GATT", file: path))
        }
        guard !missing.isEmpty else {
            guard state.isStale else {
                return remedies.isEmpty
                    ? Finding(.links, .ok, "links can be made and accepted")
                    : Finding(
                        .links, .advice, "links can be made and accepted; bluetoothd keeps what it reads of others",
                        remedies: remedies + [restart])
            }
            return Finding(
                .links, .advice, "no links: bluetoothd runs with other settings than those in \(path)",
                remedies: state.hasOtherAlias ? [restart, .command("bluetoothctl system-alias inkling")] : [restart])
        }
        let names = missing.map(\.rawValue).joined(separator: ", ")
        return Finding(
            .links, .advice, "no links, a beacon only; a node would show what lasts (\(names))",
            remedies: remedies + [restart])
    }

    private static func line(_ setting: RadioSetting, _ path: String) -> Remedy {
        // "[General] Privacy = device": the section, and what to write into it.
        let parts = setting.line.split(separator: "]", maxSplits: 1)
        guard parts.count == 2 else { return .line(setting.line, section: nil, file: path) }
        return .line(String(parts[1].drop(while: \.isWhitespace)), section: String(parts[0].dropFirst()), file: path)
    }
}

/// What the settings of `bluetoothd` allow on one adapter (`Specs/bluetooth.md`).
private struct RadioSettings {
    /// The settings that links need and that are not written, in the order of `RadioSetting`.
    let missingForLinks: [RadioSetting]
    /// Whether a beacon has another address in each epoch.
    let isBeaconSafe: Bool
    /// Whether bluetoothd keeps nothing of the services of others.
    let cachesNothing: Bool
    /// Whether the adapter shows a name of its own.
    let hasOtherAlias: Bool
    /// Whether the adapter shows something else than the file says, although the file is right.
    let isStale: Bool

    init(_ settings: KeyFile, _ adapter: BluetoothObservation.Adapter) {
        let privacy = settings[section: "General", key: "Privacy"] ?? "off"
        let name = settings[section: "General", key: "Name"]
        let device = settings[section: "General", key: "DeviceID"]
        let channels = settings[section: "GATT", key: "Channels"]
        var missing: [RadioSetting] = []
        if privacy != "device" { missing.append(.privacy) }
        if name != "inkling" { missing.append(.name) }
        if device != "false" { missing.append(.services) }
        if channels != "1" { missing.append(.channels) }
        missingForLinks = missing
        isBeaconSafe = adapter.isExtended || privacy == "off"
        cachesNothing = settings[section: "GATT", key: "Cache"] == "no"
        hasOtherAlias = adapter.alias != "inkling"
        isStale = missing.isEmpty && (adapter.alias != "inkling" || adapter.modalias != nil)
    }
}
