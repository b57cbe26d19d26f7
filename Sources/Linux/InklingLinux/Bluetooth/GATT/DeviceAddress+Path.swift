#if Node
    internal import InklingEngine
    internal import InklingKeys

    extension DeviceAddress {
        /// Parses the address in a device's object path like `/org/bluez/hci0/dev_0A_1B_2C_3D_4E_5F`; `nil` otherwise.
        init?(devicePath path: String) {
            guard let name = path.split(separator: "/").last, name.hasPrefix("dev_") else { return nil }
            let groups = name.dropFirst(4).split(separator: "_", omittingEmptySubsequences: false)
            guard groups.count == 6, groups.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
            self.init(groups.joined().lowercased())
        }

        /// Returns the path of the device's object below an adapter's path.
        func devicePath(below adapter: String) -> String {
            let digits = Array(description.uppercased())
            let groups = stride(from: 0, to: digits.count, by: 2).map { String(digits[$0..<min($0 + 2, digits.count)]) }
            return "\(adapter)/dev_\(groups.joined(separator: "_"))"
        }
    }
#endif
