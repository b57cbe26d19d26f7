public import InklingKeys

/// The arguments for Apple's Network framework with which a device is found on a local network (`Specs/apple.md`).
public struct BonjourService: Hashable, Sendable {
    /// `type` of `NWListener.Service` and of `NWBrowser.Descriptor.bonjour`, and the only entry of `NSBonjourServices`
    /// in the property list.
    public static let type = "_inkling._tcp"
    /// `domain` of both.
    public static let domain = "local"
    /// `txtRecord` of `NWListener.Service` as `Data`: the string `v=1`, preceded by its length.
    public static let textRecord: [UInt8] = [0x03, 0x76, 0x3d, 0x31]
    /// `noAutoRename` of `NWListener.Service`: on a conflict, the system must not append a number to the name.
    public static let prohibitsRenaming = true

    /// `name` of `NWListener.Service`: the 32 digits of the name of the current epoch.
    public let name: String

    /// Creates the service of a device with this name.
    public init(_ name: OpaqueServiceName) { self.name = name.description }

    /// The descriptor to browse for: `NWBrowser(for: .bonjour(type:domain:), using:)`.
    ///
    /// Do not use `.bonjourWithTXTRecord`: it queries the TXT record of every instance, which is always the same.
    public struct Browser: Hashable, Sendable {
        /// `type` of the descriptor.
        public let type = BonjourService.type
        /// `domain` of the descriptor.
        public let domain = BonjourService.domain
        /// `includePeerToPeer` of `NWParameters`. On Apple's peer-to-peer Wi-Fi, a browser shows the phone to every
        /// device that browses too, under an address that the app does not choose.
        public let includesPeerToPeer = false

        /// Creates the descriptor.
        public init() {}
    }
}
