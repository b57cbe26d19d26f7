internal import InklingKeys
internal import InklingSession

/// What this device shows and answers to in one epoch, kept apart from the tree so that the tree can forget the period.
struct OwnEpoch: Sendable {
    let epoch: Epoch
    let name: OpaqueServiceName
    let host: OpaqueHostName
    /// What a caller over TCP must have recognised.
    let context: ConfirmContext

    /// Derives the values of `epoch`, or returns nil when the tree no longer holds its period.
    init?(_ epoch: Epoch, device: DeviceIndex, of tree: borrowing AudienceTree) {
        guard let period = tree.periodKey(epoch.period) else { return nil }
        let keys = period.deviceKeys(device)
        self.epoch = epoch
        name = keys.mdns.serviceName(epoch)
        host = keys.mdns.hostName(epoch)
        context = ConfirmContext(keys, device: device, epoch: epoch, transport: .tcp)
    }

    /// The instance that is published on `port`.
    func instance(port: UInt16) -> ServiceInstance { ServiceInstance(name: name, host: host, port: port) }
}
