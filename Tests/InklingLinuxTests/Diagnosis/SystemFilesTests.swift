import Glibc
import InklingTesting
import Testing

@testable import InklingLinux

@Suite struct SystemFilesTests {
    @Test func `a responder of another user is named when it is known by its name`() throws {
        let system = try PlantedSystem()
        try system.write("/proc/net/udp", sockets([(5353, 106, 4711), (68, 0, 4712)]))
        try system.write("/proc/31/comm", "avahi-daemon\n")
        try system.write("/proc/32/comm", "other\n")
        let owner = try #require(system.files.owner(of: "/proc/31"))
        try system.write("/proc/net/udp6", sockets([(5353, owner, 4713)]))
        #expect(
            system.files.users(ofPort: 5353, except: 1).sorted { $0.user < $1.user }
                == [PortUser(program: "avahi-daemon", user: owner), PortUser(program: nil, user: 106)]
                .sorted { $0.user < $1.user })
        #expect(system.files.users(ofPort: 5354, except: 1).isEmpty)
    }

    @Test func `a program is found by the sockets that it has open, and the process itself is left out`() throws {
        let system = try PlantedSystem()
        try system.write("/proc/31/comm", "resolver\n")
        try system.write("/proc/32/comm", "inkling\n")
        try system.link("/proc/31/fd/5", to: "socket:[4711]")
        try system.link("/proc/32/fd/9", to: "socket:[4712]")
        let owner = try #require(system.files.owner(of: "/proc/31"))
        try system.write("/proc/net/udp", sockets([(5353, owner, 4711), (5353, owner, 4712)]))
        #expect(system.files.users(ofPort: 5353, except: 32) == [PortUser(program: "resolver", user: owner)])
        #expect(
            system.files.users(ofPort: 5353, except: 1)
                == [PortUser(program: "resolver", user: owner), PortUser(program: "inkling", user: owner)])
    }

    @Test(arguments: [
        "", "heading only\n", "heading\n  1: 0100007F:14E9\n", "heading\n  1: x y z\n",
        "heading\n  1: 0100007F:XXXX 0 0 0 0 0 0 0 0 0\n", "heading\n  1: 01:14E9 0 0 0 0 0 -1 0 7\n",
    ])
    func `lines of another form name nobody`(text: String) {
        #expect(UDPSocket.list(parsing: text).isEmpty)
    }

    @Test func `this machine's own table can be read`() throws {
        let text = try #require(SystemFiles().text("/proc/net/udp"))
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, 16) }
        }
        try #require(bound == 0)
        let after = try #require(SystemFiles().text("/proc/net/udp"))
        #expect(UDPSocket.list(parsing: after).count > UDPSocket.list(parsing: text).count || !text.isEmpty)
        #expect(SystemFiles().programs().contains { $0.process == getpid() })
    }

    @Test func `adapters, switches, the daemon and its version are read`() throws {
        let system = try PlantedSystem()
        try system.write("/sys/class/bluetooth/hci0/type", "")
        try system.write("/sys/class/bluetooth/hci0:64/type", "")
        try system.write("/sys/class/rfkill/rfkill0/type", "wlan\n")
        try system.write("/sys/class/rfkill/rfkill1/type", "bluetooth\n")
        try system.write("/sys/class/rfkill/rfkill1/name", "hci0\n")
        try system.write("/sys/class/rfkill/rfkill1/soft", "1\n")
        try system.write("/sys/class/rfkill/rfkill1/hard", "0\n")
        try system.write("/proc/77/comm", "bluetoothd\n")
        try system.write("/proc/77/cmdline", "/usr/libexec/bluetooth/bluetoothd\0-f\0/run/main.conf\0")
        try system.write(
            "/var/lib/dpkg/status",
            "Package: bluetooth\nStatus: install ok installed\nVersion: 1\n\nPackage: bluez\n"
                + "Status: install ok installed\nArchitecture: amd64\nVersion: 5.66-1+deb12u2\n")
        let hardware = RadioHardware(files: system.files)
        #expect(hardware.adapters == ["hci0"])
        #expect(hardware.switches == [.init(name: "hci0", isBlocked: true, isBlockedByHardware: false)])
        #expect(hardware.packageVersion == "5.66-1+deb12u2")
        #expect(hardware.daemon.bluetoothSettingsPath == "/run/main.conf")
    }

    @Test(
        arguments: [
            ("bluetoothd\0", "/etc/bluetooth/main.conf"), ("bluetoothd\0-n\0-f\0/run/main.conf\0", "/run/main.conf"),
            ("bluetoothd\0-f/run/main.conf\0", "/run/main.conf"),
            ("bluetoothd\0--configfile\0/run/main.conf\0-n\0", "/run/main.conf"),
            ("bluetoothd\0--configfile=/run/main.conf\0", "/run/main.conf"),
            ("bluetoothd\0-f\0", "/etc/bluetooth/main.conf"),
            (nil, "/etc/bluetooth/main.conf"),
        ] as [(String?, String)])
    func `the checks and the radio read the file that bluetoothd was started with`(
        arguments: String?, path: String
    ) throws {
        let system = try PlantedSystem()
        try system.write("/etc/bluetooth/main.conf", "[General]\nName = usual\n")
        try system.write("/run/main.conf", "[General]\nName = other\n")
        if let arguments {
            try system.write("/proc/77/comm", "bluetoothd\n")
            try system.write("/proc/77/cmdline", arguments)
        }
        #expect(RadioHardware(files: system.files).daemon.bluetoothSettingsPath == path)
        #if Node
            let name = path == "/run/main.conf" ? "other" : "usual"
            #expect(BlueZSettings(readingFrom: system.files).name == name)
        #endif
    }

    @Test func `a package that was removed has no version`() {
        let text =
            "Package: bluez\nStatus: deinstall ok config-files\nVersion: 5.66\n\nPackage: x\nStatus: install ok installed\n"
        #expect(RadioHardware.version(inPackages: text) == nil)
    }

    @Test func `the version of bluetoothd is in its default modalias`() {
        #expect(BluetoothObservation.version(inModalias: "usb:v1D6Bp0246d0542") == "5.66")
        #expect(BluetoothObservation.version(inModalias: "usb:v1D6Bp0246d0505") == "5.05")
        #expect(BluetoothObservation.version(inModalias: "usb:v1D6Bp0001d0542") == nil)
        #expect(BluetoothObservation.version(inModalias: "usb:v1D6Bp0246dXXXX") == nil)
    }

    @Test func `settings are read in their sections, the last one counts, and comments are none`() {
        let file = KeyFile(
            parsing: "Name = a\n[General]\n#Privacy = device\n Name=b\nName = inkling \n[GATT]\nChannels=1\n=\nX")
        #expect(file[section: "General", key: "Name"] == "inkling")
        #expect(file[section: "General", key: "Privacy"] == nil)
        #expect(file[section: "GATT", key: "Channels"] == "1")
        #expect(file[section: "GATT", key: "Name"] == nil)
    }

    private func sockets(_ rows: [(port: UInt16, user: UInt32, inode: UInt64)]) -> String {
        "  sl  local_address rem_address st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n"
            + rows.map { row in
                let port = String(row.port, radix: 16, uppercase: true)
                return "  7: 00000000:\(String(repeating: "0", count: 4 - port.count))\(port) 00000000:0000 07 "
                    + "00000000:00000000 00:00000000 00000000 \(row.user) 0 \(row.inode) 2 0 0\n"
            }.joined()
    }
}

/// A folder with copies of the system's files; removed with the value.
private final class PlantedSystem {
    private let root: String
    private var made: [String] = []

    init() throws {
        var template = Array("/tmp/inkling-XXXXXX".utf8CString)
        try unsafe #require(mkdtemp(&template) != nil)
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for path in made.reversed() { unsafe remove(path) }
        unsafe rmdir(root)
    }

    var files: SystemFiles { SystemFiles(root: root) }

    func write(_ path: String, _ text: String) throws {
        try makeFolders(of: path)
        let file = unsafe open(root + path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        made.append(root + path)
        let bytes = Array(text.utf8)
        try #require(unsafe Glibc.write(file, bytes, bytes.count) == bytes.count)
    }

    func link(_ path: String, to target: String) throws {
        try makeFolders(of: path)
        try #require(unsafe symlink(target, root + path) == 0)
        made.append(root + path)
    }

    private func makeFolders(of path: String) throws {
        var folder = root
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            if unsafe mkdir(folder, 0o700) == 0 { made.append(folder) } else { try #require(errno == EEXIST) }
        }
    }
}
