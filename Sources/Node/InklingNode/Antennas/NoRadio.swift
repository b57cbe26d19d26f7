internal import InklingEngine

/// The Bluetooth radio of a node that has none and connects through its antennas only (`Specs/antennas.md`).
struct NoRadio: BluetoothRadio {
    func open(_ publication: RadioPublication?) async throws(RadioError) -> any RadioSession { throw .notUsed }

    func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink {
        throw .closed
    }
}
