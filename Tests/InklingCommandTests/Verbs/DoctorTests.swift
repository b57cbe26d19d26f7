import InklingJSON
import InklingKeys
import InklingLinux
import InklingNode
import InklingProgramTesting
import InklingTerminal
import InklingTesting
import Testing

@testable import InklingCommand

@Suite(.runsPrograms) struct `inkling doctor` {
    // MARK: The clock

    private let reading = ClockReading(tick: Tick(milliseconds: 60_000), unixMilliseconds: 1_785_600_000_000)

    @Test func `a synchronised clock is fine, and one that only a battery confirms is advice`() {
        let synchronised = ClockEvidence(kernelMaximumError: 12_000, batteryClock: nil)
        #expect(Finding.clock(synchronised, at: reading, latest: nil).verdict == .ok)
        #expect(Finding.clock(synchronised, at: reading, latest: nil).text.contains("0.012 s"))
        let battery = ClockEvidence(kernelMaximumError: 16_000_000, batteryClock: 1_785_600_100)
        #expect(Finding.clock(battery, at: reading, latest: nil).verdict == .advice)
    }

    @Test func `a clock that nothing confirms, or that is far from the accepted time, must be mended`() {
        let none = ClockEvidence(kernelMaximumError: 16_000_000, batteryClock: nil)
        let unsupported = Finding.clock(none, at: reading, latest: nil)
        #expect(unsupported.verdict == .fault)
        #expect(unsupported.remedies.first == .command("timedatectl set-ntp true"))
        let synchronised = ClockEvidence(kernelMaximumError: 12_000, batteryClock: nil)
        let behind = Finding.clock(synchronised, at: reading, latest: 1_785_600_500)
        #expect(behind.verdict == .fault)
        #expect(behind.text.contains("500 s behind"))
        #expect(behind.remedies.contains(.inkling("recover --clock")))
        #expect(Finding.clock(synchronised, at: reading, latest: 1_780_000_000).text.contains("ahead"))
    }

    // MARK: Memory

    @Test func `memory for about a thousand contacts is enough, and less is advice with the line for the unit`() {
        #expect(Finding.memory(limit: nil).verdict == .ok)
        #expect(Finding.memory(limit: 8 << 20).text.contains("about 1000 contacts"))
        let little = Finding.memory(limit: 64 << 10)
        #expect(little.verdict == .advice)
        #expect(little.text.contains("64 KiB"))
        #expect(
            little.remedies.first
                == .line("LimitMEMLOCK=64M", section: "Service", file: "the unit of the node"))
    }

    @Test func `what the process lacks of its protection is named`() {
        #expect(Finding.protection(lacking: []).verdict == .ok)
        let gap = Finding.protection(lacking: [.coreDumps(code: 1), .systemCalls(code: 38)])
        #expect(gap.verdict == .advice)
        #expect(gap.text.contains("core files are not disabled"))
        #expect(gap.text.contains("no system calls are refused"))
    }

    // MARK: Multicast

    @Test func `interfaces that are heard and responders beside the node are fine`() {
        let found = Finding.multicast(
            MulticastObservation(
                interfaces: [.init(name: "eth0"), .init(name: "wlan0")], seconds: 3, packets: 7, senders: 2,
                users: [PortUser(program: "avahi-daemon", user: 106), PortUser(program: nil, user: 5)]))
        #expect(found.map(\.check) == [.network, .multicast, .responders])
        #expect(found.allSatisfy { $0.verdict == .ok && $0.remedies.isEmpty })
        #expect(found[0].text == "eth0, wlan0")
        #expect(found[1].text == "7 packets of 2 other machines in 3 s")
        #expect(found[2].text.hasPrefix("avahi-daemon, a program of user 5 use"))
        #expect(found[2].text.hasSuffix("a node works beside them"))
    }

    @Test func `a network on which nobody is heard is advice that names client isolation`() throws {
        let found = Finding.multicast(
            MulticastObservation(
                interfaces: [.init(name: "eth0")], seconds: 3, packets: 0, senders: 0, users: []))
        let heard = try #require(found.first { $0.check == .multicast })
        #expect(heard.verdict == .advice)
        #expect(heard.text == "no other machine heard in 3 s")
        #expect(heard.remedies.contains { "\($0)".contains("client isolation") })
    }

    @Test func `it is not listened without a network, and not said that nobody is heard`() {
        for interfaces in [[], [.init(name: "lo", isLoopback: true)]] as [[MulticastObservation.Interface]] {
            let found = Finding.multicast(
                MulticastObservation(interfaces: interfaces, seconds: 3, packets: 0, senders: 0, users: []))
            #expect(!found.contains { $0.check == .multicast })
            #expect(found.first?.verdict == (interfaces.isEmpty ? .fault : .advice))
        }
        #expect(Finding.multicast(nil).map(\.verdict) == [.unknown])
    }

    @Test func `a program that has the port for itself alone is named`() throws {
        let taken = MulticastObservation(
            interfaces: [.init(name: "eth0", error: 98)], seconds: 3, packets: 0, senders: 0,
            users: [PortUser(program: "selfish", user: 0)])
        let network = try #require(Finding.multicast(taken).first)
        #expect(network.verdict == .fault)
        #expect(network.text == "selfish holds UDP port 5353 exclusively")
        let forbidden = MulticastObservation(
            interfaces: [.init(name: "eth0", error: 1)], seconds: 3, packets: 0, senders: 0, users: [])
        #expect(Finding.multicast(forbidden).first?.text.contains("Operation not permitted") == true)
        let hidden = MulticastObservation(
            interfaces: [.init(name: "eth0", showsAddress: false)], seconds: 0, packets: 0, senders: 0, users: [])
        #expect(Finding.multicast(hidden).first?.verdict == .fault)
    }

    // MARK: Bluetooth

    private static let links =
        "[General]\nName = inkling\nDeviceID = false\nPrivacy = device\n[GATT]\nCache = no\nChannels = 1\n"

    private func observation(
        _ settings: String = links, _ adapter: BluetoothObservation.Adapter = .init(name: "hci0"),
        service: BluetoothObservation.Service = .runs
    ) -> BluetoothObservation {
        BluetoothObservation(
            service: service, adapters: service == .runs ? [adapter] : [],
            hardware: RadioHardware(adapters: ["hci0"], packageVersion: "5.66-1"), settings: KeyFile(parsing: settings))
    }

    private func finding(_ check: Finding.Check, _ observation: BluetoothObservation) throws -> Finding {
        try #require(Finding.bluetooth(observation).first { $0.check == check })
    }

    @Test func `a machine with every setting has nothing to mend`() {
        let found = Finding.bluetooth(observation())
        #expect(found.map(\.check) == [.bluetooth, .bluetoothd, .adapter, .advertising, .scanning, .links])
        #expect(found.allSatisfy { $0.verdict == .ok && $0.remedies.isEmpty }, "\(found)")
    }

    @Test func `a machine without an adapter gets advice and no fault`() {
        let none = BluetoothObservation(service: .noBus(code: 2), hardware: RadioHardware(adapters: []))
        #expect(Finding.bluetooth(none).map(\.verdict) == [.advice])
        #expect(Finding.bluetooth(none, adapter: "hci0").map(\.verdict) == [.fault])
    }

    @Test func `no bus, no daemon, no permission and no reply are faults with a remedy each`() throws {
        let faults: [(BluetoothObservation.Service, Finding.Check, Finding.Remedy)] = [
            (.noBus(code: 2), .bluetooth, .command("systemctl start dbus")),
            (.noDaemon, .bluetoothd, .command("systemctl enable --now bluetooth")),
            (.notPermitted, .bluetooth, .command("usermod -a -G bluetooth $USER")),
            (.silent, .bluetoothd, .command("systemctl restart bluetooth")),
        ]
        for (service, check, remedy) in faults {
            let finding = try finding(check, observation(service: service))
            #expect(finding.verdict == .fault)
            #expect(finding.remedies.contains(remedy), "\(finding)")
        }
        var bare = observation(service: .noDaemon)
        bare.hardware = RadioHardware(adapters: ["hci0"])
        #expect(try finding(.bluetoothd, bare).remedies.first == .command("apt install bluez"))
    }

    @Test func `an adapter that is off or blocked is a fault with its own remedy`() throws {
        let off = observation(Self.links, .init(name: "hci0", isPowered: false))
        #expect(try finding(.adapter, off).remedies.first == .command("bluetoothctl power on"))
        #expect(!Finding.bluetooth(off).contains { $0.check == .advertising })
        for (isHard, remedy) in [(false, "rfkill"), (true, "switch")] {
            var blocked = off
            blocked.hardware = RadioHardware(
                adapters: ["hci0"],
                switches: [.init(name: "hci0", isBlocked: true, isBlockedByHardware: isHard)])
            #expect("\(try finding(.adapter, blocked).remedies)".contains(remedy))
        }
    }

    @Test func `an adapter that does not exist is named with those that do`() throws {
        let found = try #require(Finding.bluetooth(observation(), adapter: "hci7").first { $0.check == .adapter })
        #expect(found.verdict == .fault)
        #expect(found.text == "there is no hci7; there is hci0")
    }

    @Test func `what an adapter cannot do is said`() throws {
        #expect(
            try finding(.advertising, observation(Self.links, .init(name: "hci0", freeSets: nil))).verdict == .fault)
        #expect(try finding(.advertising, observation(Self.links, .init(name: "hci0", freeSets: 0))).verdict == .fault)
        #expect(try finding(.advertising, observation(Self.links, .init(name: "hci0", freeSets: 1))).verdict == .advice)
        let central = BluetoothObservation.Adapter(name: "hci0", roles: ["central"])
        #expect(try finding(.advertising, observation(Self.links, central)).verdict == .fault)
        let active = BluetoothObservation.Adapter(name: "hci0", scansPassively: false)
        #expect(try finding(.scanning, observation(Self.links, active)).verdict == .advice)
    }

    @Test(arguments: [
        (RadioSetting.name, "Name = inkling\n", "General", "Name = inkling"),
        (.services, "DeviceID = false\n", "General", "DeviceID = false"),
        (.privacy, "Privacy = device\n", "General", "Privacy = device"),
        (.channels, "Channels = 1\n", "GATT", "Channels = 1"),
    ])
    func `exactly the line that is missing is named`(
        setting: RadioSetting, line: String, section: String, written: String
    ) throws {
        let adapter = BluetoothObservation.Adapter(name: "hci0", linksLack: [setting])
        let links = try finding(.links, observation(without(line), adapter))
        #expect(links.verdict == .advice)
        #expect(links.text.hasSuffix("(\(setting.rawValue))"))
        let path = "/etc/bluetooth/main.conf"
        #expect(
            links.remedies == [
                .line(written, section: section, file: path), .command("systemctl restart bluetooth"),
            ])
    }

    @Test(arguments: [
        (["00001844-0000-1000-8000-00805f9b34fb"], ["Start bluetoothd with the option --noplugin"]),
        (
            ["00001850-0000-1000-8000-00805f9b34fb", "0000180f-0000-1000-8000-00805f9b34fb"],
            ["Start bluetoothd with the option --noplugin", "0000180f-0000-1000-8000-00805f9b34fb"]
        ),
        (["6e400001-b5a3-f393-e0a9-e50e24dcca9e"], ["6e400001-b5a3-f393-e0a9-e50e24dcca9e"]),
    ])
    func `services of bluetoothd and of other programs are named, with what ends them`(
        services: [String], words: [String]
    ) throws {
        let adapter = BluetoothObservation.Adapter(
            name: "hci0", foreignServices: services, linksLack: [.otherServices])
        let links = try finding(.links, observation(Self.links, adapter))
        #expect(links.text.hasSuffix("(other-services)"))
        let sentences = links.remedies.compactMap { if case .sentence(let text) = $0 { text } else { nil as String? } }
        #expect(sentences.count == words.count)
        for (sentence, word) in zip(sentences, words) { #expect(sentence.contains(word)) }
    }

    @Test func `an appearance that differs needs a line, or an option of bluetoothd`() throws {
        let adapter = BluetoothObservation.Adapter(name: "hci0", linksLack: [.appearance])
        let remedies = try finding(.links, observation(Self.links, adapter)).remedies
        #expect(
            remedies.first == .line("ControllerMode = le", section: "General", file: "/etc/bluetooth/main.conf"))
        #expect("\(remedies)".contains("--noplugin=hostname"))
    }

    @Test func `what bluetoothd keeps of others is advice`() throws {
        let links = try finding(.links, observation(without("Cache = no\n")))
        #expect(links.verdict == .advice)
        #expect(links.remedies.first == .line("Cache = no", section: "GATT", file: "/etc/bluetooth/main.conf"))
    }

    @Test func `an adapter that keeps its address gets no lines for links`() throws {
        let legacy = BluetoothObservation.Adapter(name: "hci0", isExtended: false, linksLack: [.privacy])
        let links = try finding(.links, observation("", legacy))
        #expect(links.verdict == .advice)
        #expect(!links.remedies.contains { if case .line = $0 { true } else { false } })
        #expect(try finding(.beacon, observation("", legacy)).verdict == .ok)
    }

    @Test func `neither links nor a beacon is a fault, with the line for a beacon`() throws {
        let legacy = BluetoothObservation.Adapter(
            name: "hci0", isExtended: false, linksLack: [.privacy], beaconLack: [.beaconPrivacy])
        let beacon = try finding(.beacon, observation(Self.links, legacy))
        #expect(beacon.verdict == .fault)
        #expect(
            beacon.remedies == [
                .line("Privacy = off", section: "General", file: "/etc/bluetooth/main.conf"),
                .command("systemctl restart bluetooth"),
            ])
        let found = BluetoothObservation.Adapter(
            name: "hci0", isDiscoverable: true, linksLack: [.privacy], beaconLack: [.privacy])
        #expect(
            try finding(.beacon, observation(Self.links, found)).remedies
                == [.command("bluetoothctl discoverable off")])
        #expect(
            try finding(.links, observation(Self.links, found)).remedies
                == [.command("systemctl restart bluetooth"), .command("bluetoothctl discoverable off")])
    }

    @Test func `settings that bluetoothd has not read, or that cannot be read, are told apart`() throws {
        let renamed = BluetoothObservation.Adapter(name: "hci0", alias: "laptop", linksLack: [.name])
        #expect(
            try finding(.links, observation(Self.links, renamed)).remedies == [
                .command("systemctl restart bluetooth"), .command("bluetoothctl system-alias inkling"),
            ])
        let stale = BluetoothObservation.Adapter(name: "hci0", modalias: "usb:v1D6Bp0246d0542")
        #expect(
            try finding(.links, observation(Self.links, stale)).remedies == [.command("systemctl restart bluetooth")])
        var unread = observation()
        unread.settings = nil
        #expect(try finding(.links, unread).verdict == .unknown)
    }

    private func without(_ line: String) -> String {
        Self.links.split(separator: "\n").filter { "\($0)\n" != line }.joined(separator: "\n")
    }

    // MARK: The program

    @Test func `a home that others may enter must be mended, with the command that does it`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        _ = try Program(["go+rx", home.path], program: "/bin/chmod").finish()
        let outcome = try home.run("doctor", "--listen", "0", "--without-bluetooth", "--json")
        #expect(outcome.status == 1)
        let found = try finding("home", in: outcome)
        #expect(found["verdict"]?.text == "fault")
        #expect(outcome.output.contains("chmod go-rwx \(home.path)"))
        #expect(outcome.errors.contains("something that must be fixed"))
        let text = try home.run("doctor", "--listen", "0", "--without-bluetooth")
        #expect(text.output.contains("✗ home"))
        #expect(text.output.contains("→ run: chmod go-rwx \(home.path)\n"))
    }

    @Test func `a vault is opened with a key that is given, and no passphrase is asked for`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let opened = try home.run("doctor", "--listen", "0", "--without-bluetooth", "--json")
        #expect(try finding("vault", in: opened)["text"]?.text == "opens; 0 contacts")
        #expect(try finding("node", in: opened)["verdict"]?.text == "ok")
        let locked = try Program.run("doctor", "--listen", "0", "--without-bluetooth", "--json", "--home", home.path)
        #expect(try finding("vault", in: locked)["verdict"]?.text == "unknown")
        let wrong = try folder.write("other", [UInt8](repeating: 7, count: 32))
        let refused = try Program.run(
            "doctor", "--listen", "0", "--without-bluetooth", "--json", "--home", home.path, "--key-file", wrong)
        #expect(try finding("vault", in: refused)["verdict"]?.text == "fault")
        #expect(refused.status == 1)
    }

    @Test func `a home whose profile cannot be read must be mended`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let profile = try folder.write("Ada/profile.json", Array("{}".utf8))
        let found = try Program.run("doctor", "--listen", "0", "--without-bluetooth", "--json", "--home", home.path)
        #expect(found.status == 1)
        let fault = try #require(
            try found.facts().first { $0["check"]?.text == "home" && $0["verdict"]?.text == "fault" }, "\(found)")
        #expect(fault["text"]?.text?.contains(profile) == true, "\(found)")
    }

    @Test func `a home that does not exist yet is advice with the command that creates it`() throws {
        let folder = try Folder()
        let outcome = try Program.run(
            "doctor", "--listen", "0", "--without-bluetooth", "--home", "\(folder.path)/none")
        #expect(outcome.output.contains("! home"))
        #expect(outcome.output.contains("→ run: inkling init --name NAME --home \(folder.path)/none\n"))
    }

    @Test func `the exit code is 1 exactly when a finding is a fault`() throws {
        let folder = try Folder()
        let outcome = try Program.run(
            "doctor", "--listen", "0", "--without-bluetooth", "--json", "--home", "\(folder.path)/none")
        let hasFault = try outcome.facts().contains { $0["verdict"]?.text == "fault" }
        #expect(outcome.status == (hasFault ? 1 : 0), "\(outcome)")
        #expect(try outcome.facts().first?["check"]?.text == "clock")
    }

    @Test func `the text and the JSON of a finding are the same`() throws {
        let finding = Finding(
            .links, .advice, "no links",
            remedies: [
                .line("Privacy = device", section: "General", file: "/etc/x"), .command("a b"), .sentence("Do."),
            ])
        let fact = FindingFact(finding, for: nil)
        #expect(
            fact.lines == """
                ! links          no links
                                 → write in /etc/x, below [General]: Privacy = device
                                 → run: a b
                                 → Do.

                """)
        #expect(
            JSON(encoding: fact).compact
                == #"{"check":"links","verdict":"advice","text":"no links","remedies":[{"command":null,"#
                + #""line":"Privacy = device","section":"General","file":"/etc/x","sentence":null},"#
                + #"{"command":"a b","line":null,"section":null,"file":null,"sentence":null},"#
                + #"{"command":null,"line":null,"section":null,"file":null,"sentence":"Do."}]}"#)
    }

    private func finding(_ check: String, in outcome: Program.Outcome) throws -> JSONObject {
        try #require(try outcome.facts().first { $0["check"]?.text == check }, "\(outcome)")
    }
}
