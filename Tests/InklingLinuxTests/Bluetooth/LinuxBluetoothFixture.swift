#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingWire
    import Synchronization
    import Testing

    @testable import InklingLinux

    private let proximity: [UInt8] = [
        0xab, 0xe0, 0xbf, 0x31, 0xf9, 0xd4, 0x8c, 0x5f, 0x81, 0x45, 0x37, 0xff, 0x03, 0x09, 0xdd, 0x60,
    ]

    extension BusValue {
        /// Manufacturer data with the iBeacon frame of a minor.
        static func beacon(_ minor: UInt16, major: UInt8 = 0) -> BusValue {
            SimulatedBlueZ.apple(
                [0x02, 0x15] + proximity + [0, major, UInt8(minor >> 8), UInt8(minor & 0xff), 0xc5])
        }
    }

    extension BlueZSettings {
        /// Settings under which links may be shown.
        static let forLinks = BlueZSettings(
            parsing: "[General]\nPrivacy = device\nName = inkling\nDeviceID = false\n[GATT]\nChannels = 1\n")
    }

    extension RadioPublication {
        /// A minor, and a tag that begins with the same number.
        static func epoch(_ minor: UInt16) -> RadioPublication {
            RadioPublication(minor: BeaconMinor(minor), tag: RecognitionTag(Octets16(high: UInt64(minor), low: 0)))
        }
    }

    extension LinuxBluetooth {
        /// Creates a radio over a private bus, without a file of settings and without links.
        static func over(
            _ bus: PrivateBus, clock: any NodeClock = SteppedClock(),
            _ change: (inout BlueZRadio.Settings) -> Void = { _ in }
        ) -> LinuxBluetooth {
            var settings = BlueZRadio.Settings()
            settings.busAddress = bus.address
            settings.busLimit = PrivateBus.patience
            settings.daemon = { BlueZSettings() }
            settings.makeLinks = nil
            change(&settings)
            return LinuxBluetooth(settings, clock: clock)
        }

        /// As `over`, for a test that needs only the session: a radio that is released closes the connections of its sessions.
        static func kept(
            by bus: PrivateBus, _ change: (inout BlueZRadio.Settings) -> Void = { _ in }
        ) -> LinuxBluetooth {
            let radio = over(bus, change)
            bus.keep(radio)
            return radio
        }
    }

    extension RadioSession {
        /// Returns the first report that is wanted.
        func first(_ isWanted: (RadioReport) -> Bool) async throws -> RadioReport {
            for await report in reports where isWanted(report) { return report }
            throw BusError.closed
        }
    }

    extension RadioReport {
        var isFailure: Bool { if case .failed = self { true } else { false } }
    }

    /// Links that only record the calls to them.
    final class RecordedLinks: BlueZLinks {
        private let notes = Mutex<[String]>([])
        private let daemon: SimulatedBlueZ

        init(_ daemon: SimulatedBlueZ) { self.daemon = daemon }

        var log: [String] { notes.withLock { $0 } }

        func register() async throws(BusError) { note("register, \(daemon.shown.count) sets") }
        func unregister() async { note("unregister") }
        func open(_ tag: RecognitionTag?) -> AsyncStream<any Link> {
            note("open \(tag.map { "\($0.octets.high)" } ?? "without a tag"), \(daemon.shown.count) sets")
            return AsyncStream { $0.finish() }
        }
        func close() async { note("close") }
        func connect(
            to address: DeviceAddress, within timeout: Duration
        ) async throws(LinkError) -> any TaggedLink { throw .timedOut }

        private func note(_ text: String) { notes.withLock { $0.append(text) } }
    }
#endif
