internal import InklingEngine

/// The Bluetooth of a node that has none of its own, and connects through its antennas alone (`Specs/antennas.md`).
struct NoRadio: BluetoothRadio {
    func open(_ publication: RadioPublication?) async throws(RadioError) -> any RadioSession { throw .notUsed }

    func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink {
        throw .closed
    }
}
