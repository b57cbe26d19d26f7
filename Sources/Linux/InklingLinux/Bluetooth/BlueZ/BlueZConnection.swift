#if Node
    internal import InklingNode
    internal import InklingWire
    internal import Synchronization

    /// A connection to `bluetoothd` for one adapter and one layout. It survives quiet periods, because the links'
    /// service must not change with the epoch; any failure closes it, which also ends everything it advertises.
    final class BlueZConnection: Sendable {
        let bus: Bus
        let adapter: BlueZAdapter
        let layout: RadioLayout
        let profile: ApplicationProfile
        let advertiser: BlueZAdvertiser
        let scanner: BlueZScanner
        /// `nil` if the radio offers no links.
        let links: (any BlueZLinks)?
        private let released: Callback<Void>
        private let found: Callback<String>

        /// Creates a connection over a bus.
        init(
            bus: Bus, adapter: BlueZAdapter, layout: RadioLayout, profile: ApplicationProfile,
            links: (any BlueZLinks)?
        ) {
            self.bus = bus
            self.adapter = adapter
            self.layout = layout
            self.profile = profile
            self.links = links
            let released = Callback<Void>()
            let found = Callback<String>()
            (self.released, self.found) = (released, found)
            advertiser = BlueZAdvertiser(bus: bus, adapter: adapter.path, profile: profile) { released.call(()) }
            scanner = BlueZScanner(bus: bus, adapter: adapter, profile: profile) { found.call($0) }
        }

        /// Sets the callback for when `bluetoothd` ends a set by itself, replacing the previous one.
        func onRelease(_ body: (@Sendable () -> Void)?) {
            guard let body else { return released.set(nil) }
            released.set { _ in body() }
        }

        /// Sets the callback for each device that the scanner finds, replacing the previous one.
        func onFound(_ body: (@Sendable (_ device: String) -> Void)?) { found.set(body) }

        /// Stops advertising and keeps the connection. No scan runs while a set ends. BlueZ takes two seconds to end a
        /// link, so the sets end meanwhile and no new device connects.
        func goOff() async {
            await scanner.stop()
            async let closing: Void? = links?.close()
            await advertiser.hide()
            await closing
        }

        /// Stops advertising and closes the connection.
        func close() async {
            await goOff()
            await bus.close()
        }

        /// The power of the adapter.
        var power: AdapterPower { AdapterPower(bus: bus, adapter: adapter.path) }

        private final class Callback<Argument>: Sendable {
            private let body = Mutex<(@Sendable (Argument) -> Void)?>(nil)

            func set(_ body: (@Sendable (Argument) -> Void)?) { self.body.withLock { $0 = body } }

            func call(_ argument: Argument) { body.withLock { $0 }?(argument) }
        }
    }
#endif
