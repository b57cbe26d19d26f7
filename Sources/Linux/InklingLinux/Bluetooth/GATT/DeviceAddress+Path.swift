#if Node
    internal import InklingEngine
    internal import InklingKeys

    extension DeviceAddress {
        /// Parses the address out of the path of a device's object, such as `/org/bluez/hci0/dev_0A_1B_2C_3D_4E_5F`; nil for
        /// any other path.
        init?(devicePath path: String) {
            guard let name = path.split(separator: "/").last, name.hasPrefix("dev_") else { return nil }
            let groups = name.dropFirst(4).split(separator: "_", omittingEmptySubsequences: false)
            guard groups.count == 6, groups.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
            self.init(groups.joined().lowercased())
        }

        /// The path of the device's object below that of an adapter.
        func devicePath(below adapter: String) -> String {
            let digits = Array(description.uppercased())
            let groups = stride(from: 0, to: digits.count, by: 2).map { String(digits[$0..<min($0 + 2, digits.count)]) }
            return "\(adapter)/dev_\(groups.joined(separator: "_"))"
        }
    }
#endif
