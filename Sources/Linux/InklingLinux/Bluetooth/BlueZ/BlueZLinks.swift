#if Node
    internal import InklingEngine
    internal import InklingKeys
    internal import InklingNode

    /// Links over GATT on one adapter. They are registered once, and open from one quiet period to the next.
    protocol BlueZLinks: Sendable {
        /// Registers the service with BlueZ, if it is not registered.
        ///
        /// - Throws: `BusError`
        func register() async throws(BusError)
        /// Withdraws the service.
        func unregister() async
        /// Starts showing a tag, accepting links and allowing calls; returns the accepted links. Without a tag it only
        /// allows calls.
        func open(_ tag: RecognitionTag?) -> AsyncStream<any Link>
        /// Closes every link and returns when all devices are disconnected.
        func close() async
        /// Connects to a device that was heard, while a session is open.
        ///
        /// - Throws: `LinkError`
        func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink
    }
#endif
