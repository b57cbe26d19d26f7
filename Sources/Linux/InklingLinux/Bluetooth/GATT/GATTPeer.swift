#if Node
    internal import InklingWire

    /// The characteristics of Inkling on a connected device, by object path.
    struct GATTPeer: Hashable, Sendable {
        let tag: String
        let input: String
        let output: String
        /// The ATT MTU of the link in bytes; `nil` if BlueZ does not report it, as before 5.62.
        let mtu: Int?

        /// Finds the service of a device among BlueZ's objects; `nil` unless it is there exactly once and complete.
        init?(
            of device: String, in objects: [String: [String: [String: BusValue]]], profile: ApplicationProfile
        ) {
            let services = objects.filter { path, interfaces in
                path.hasPrefix(device + "/")
                    && UUID128(interfaces[BlueZName.gattService]?["UUID"]?.asString ?? "") == profile.service
            }
            guard services.count == 1, let service = services.keys.first else { return nil }
            var found: [UUID128: (path: String, properties: [String: BusValue])] = [:]
            for (path, interfaces) in objects where path.hasPrefix(service + "/") {
                guard let properties = interfaces[BlueZName.gattCharacteristic],
                    let uuid = UUID128(properties["UUID"]?.asString ?? "")
                else { continue }
                guard found.updateValue((path, properties), forKey: uuid) == nil else { return nil }
            }
            func path(_ uuid: UUID128, _ flag: String) -> String? {
                guard let one = found[uuid], one.properties["Flags"]?.asStrings?.contains(flag) == true else {
                    return nil
                }
                return one.path
            }
            guard let tag = path(profile.tag, "read"),
                let input = path(profile.input, "write-without-response"),
                let output = path(profile.output, "notify")
            else { return nil }
            self.tag = tag
            self.input = input
            self.output = output
            mtu = found[profile.input]?.properties["MTU"]?.asUInt16.map(Int.init)
        }
    }
#endif
