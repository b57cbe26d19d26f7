import InklingLinux
import InklingNode
import InklingTerminal

extension Finding {
    /// Judges Bluetooth on the adapter `wanted` or, if nil, on the one that a node would use.
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
                // Without power, bluetoothd does not report advertising.
                (found.isPowered ? [advertising(found), scanning(found)] : []) + layouts(of: observation, found)
            } ?? [])
    }

    private static var reachable: Finding { Finding(.bluetooth, .ok, "the system bus can be used") }

    // MARK: The adapter

    private static func adapter(
        of observation: BluetoothObservation, _ wanted: String?
    ) -> (finding: Finding, found: BluetoothObservation.Adapter?) {
        let all = observation.adapters
        let first = all.first(where: \.isPowered) ?? all.first
        guard let found = wanted.map({ name in all.first { $0.name == name } }) ?? first else {
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
            .scanning, .advice, "bluetoothd offers no passive scan, so a node hears nothing",
            remedies: [
                .sentence("Start bluetoothd with the options -E \(RadioSetting.plugins) (systemctl edit bluetooth)."),
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
        let links = links(on: adapter, settings, path)
        guard !adapter.linksLack.isEmpty else { return [links] }
        guard !adapter.beaconLack.isEmpty else {
            return [links, Finding(.beacon, .ok, "a beacon can be shown, each time under a new address")]
        }
        return [
            links,
            Finding(
                .beacon, .fault, "this adapter shows a beacon under an address that stays the same",
                remedies: beaconRemedies(on: adapter, path)),
        ]
    }

    private static func links(
        on adapter: BluetoothObservation.Adapter, _ settings: KeyFile, _ path: String
    ) -> Finding {
        guard adapter.isExtended else {
            return Finding(
                .links, .advice, "not with this adapter, whose address never changes: only a beacon",
                remedy: .sentence("For links, use an adapter with extended advertising (Bluetooth 5)."))
        }
        guard adapter.linksLack.isEmpty else {
            let cache: [Remedy] = settings.keepsServices ? [.line("Cache = no", section: "GATT", file: path)] : []
            let names = adapter.linksLack.map(\.rawValue).joined(separator: ", ")
            return Finding(
                .links, .advice, "disabled, because a node would reveal lasting values (\(names))",
                remedies: cache + linksRemedies(on: adapter, settings, path))
        }
        if adapter.modalias != nil {
            return Finding(
                .links, .advice, "bluetoothd has not loaded the current settings in \(path)", remedy: restart)
        }
        if settings.keepsServices {
            return Finding(
                .links, .advice, "possible, but bluetoothd caches the services of other devices",
                remedies: [.line("Cache = no", section: "GATT", file: path), restart])
        }
        return Finding(.links, .ok, "can be made and accepted")
    }

    private static let restart = Remedy.command("systemctl restart bluetooth")

    /// Returns the missing lines and the commands to run for links.
    private static func linksRemedies(
        on adapter: BluetoothObservation.Adapter, _ settings: KeyFile, _ path: String
    ) -> [Remedy] {
        var lines: [Remedy] = []
        var commands: [Remedy] = []
        for setting in adapter.linksLack {
            guard let (section, key, value) = setting.parts else {
                commands += servicesRemedies(adapter.foreignServices)
                continue
            }
            if setting == .appearance {
                commands.append(
                    .sentence("Or, to keep BR/EDR, start bluetoothd with the option \(RadioSetting.plugins)."))
            }
            if settings[section: section, key: key] != value {
                lines.append(.line("\(key) = \(value)", section: section, file: path))
            } else if setting == .name {
                // An adapter keeps a name that was given to it, regardless of the file.
                commands.append(.command("bluetoothctl system-alias inkling"))
            }
        }
        if adapter.isDiscoverable { commands.append(hide) }
        return lines + [restart] + commands
    }

    /// Returns the remedies for foreign services. bluetoothd does not say who registered them.
    private static func servicesRemedies(_ services: [String]) -> [Remedy] {
        let base = "-0000-1000-8000-00805f9b34fb"
        // Volume, media, broadcast and telephone services of LE Audio, which bluetoothd itself serves.
        let isOwn = { (service: String) in
            service.hasSuffix(base) && ("00001843"..."00001858").contains(service.prefix(8))
        }
        let others = services.filter { !isOwn($0) }.map(printable).joined(separator: ", ")
        return
            (services.contains(where: isOwn)
            ? [.sentence("Start bluetoothd with the option \(RadioSetting.plugins) (systemctl edit bluetooth).")] : [])
            + (others.isEmpty ? [] : [.sentence("End the program that serves \(others).")])
    }

    private static func beaconRemedies(on adapter: BluetoothObservation.Adapter, _ path: String) -> [Remedy] {
        var remedies: [Remedy] = []
        if adapter.beaconLack.contains(.beaconPrivacy), let (section, key, value) = RadioSetting.beaconPrivacy.parts {
            remedies += [.line("\(key) = \(value)", section: section, file: path), restart]
        }
        return remedies + (adapter.isDiscoverable ? [hide] : [])
    }

    private static let hide = Remedy.command("bluetoothctl discoverable off")
}

extension RadioSetting {
    /// The section, key and value of a line such as `[General] Privacy = device`; nil without a line.
    fileprivate var parts: (section: String, key: String, value: String)? {
        guard let words = line?.split(separator: " "), words.count == 4 else { return nil }
        return (String(words[0].dropFirst().dropLast()), String(words[1]), String(words[3]))
    }
}

extension KeyFile {
    /// Whether bluetoothd caches the services of other devices.
    fileprivate var keepsServices: Bool { self[section: "GATT", key: "Cache"] != "no" }
}
