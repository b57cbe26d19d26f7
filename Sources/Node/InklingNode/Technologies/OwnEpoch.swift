internal import InklingKeys
internal import InklingWire

/// The identifiers of this device in one epoch, and the keys to answer initiators over one technology. Separate from
/// the audience tree, so that the tree can forget the period.
struct OwnEpoch: Sendable {
    let epoch: Epoch
    let name: OpaqueServiceName
    let host: OpaqueHostName
    let minor: BeaconMinor
    let tag: RecognitionTag
    /// The one contact that is answered under these values, in a pair audience; nil in an audience of several contacts.
    let reader: UserID?
    /// The keys with which an initiator is answered.
    let context: ConfirmContext

    /// Derives the values of `epoch`; returns nil if the tree does not hold the key of its period.
    init?(
        _ epoch: Epoch, device: DeviceIndex, of tree: borrowing AudienceTree, transport: Transport,
        reader: UserID? = nil
    ) {
        guard let period = tree.periodKey(epoch.period) else { return nil }
        let keys = period.deviceKeys(device)
        self.epoch = epoch
        self.reader = reader
        name = keys.mdns.serviceName(epoch)
        host = keys.mdns.hostName(epoch)
        minor = keys.beacon.minor(epoch)
        tag = keys.gatt.tag(epoch)
        context = ConfirmContext(keys, device: device, epoch: epoch, transport: transport)
    }

    /// Returns the service instance to publish with this TCP port.
    func instance(port: UInt16) -> ServiceInstance { ServiceInstance(name: name, host: host, port: port) }
}
