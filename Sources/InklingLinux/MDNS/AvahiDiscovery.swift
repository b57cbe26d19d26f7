#if Node
    internal import CAvahi
    public import InklingKeys
    public import InklingNode

    /// Multicast DNS by avahi's library inside this process, with only our own five records (`Specs/mdns.md`).
    ///
    /// Every `open` starts a server of its own: with nothing cached, no name of this machine, and a thread that ends in
    /// `close`.
    public struct AvahiDiscovery: ServiceDiscovery {
        /// The only instance needed.
        public init() {}

        /// Starts a fresh server with these records and nothing remembered from before.
        ///
        /// - Throws: `DiscoveryError.noNetwork` when no interface has an address that may be published, else
        ///   `DiscoveryError.server` with avahi's error number.
        public func open(_ publication: Publication) async throws(DiscoveryError) -> any DiscoverySession {
            _ = Self.quietLibrary
            return AvahiSession(try AvahiServerLife(publication))
        }

        /// Avahi's log function belongs to the whole process and would print names to standard error.
        private static let quietLibrary: Void = unsafe avahi_set_log_function { _, _ in }
    }

    /// One avahi server, from `open` to `close`.
    public final class AvahiSession: DiscoverySession {
        /// What happens, in order, to a single consumer; ends after `close`. The newest 512 wait for it.
        public let events: AsyncStream<DiscoveryEvent>
        private let life: AvahiServerLife

        init(_ life: AvahiServerLife) {
            self.life = life
            events = life.events
        }

        // The server holds its own thread; the last one to let go of the session stops it.
        deinit { life.stop(goodbye: false) }

        /// Asks for one instance by its exact name; the answer is an event, within three seconds.
        public func resolve(_ name: OpaqueServiceName) async { life.resolve(name) }

        /// Replaces the instances that are answered without announcement.
        public func answer(_ instances: [ServiceInstance]) async { life.answer(instances) }

        /// Stops; returns when nothing more will be sent. With `goodbye`, our announced records are withdrawn first.
        public func close(goodbye: Bool) async { life.stop(goodbye: goodbye) }
    }
#endif
