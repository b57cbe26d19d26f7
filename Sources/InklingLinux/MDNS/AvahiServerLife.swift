#if Node
    internal import CAvahi
    internal import Glibc
    internal import InklingKeys
    internal import InklingNode
    internal import Synchronization
    internal import CLinux

    /// An avahi server with its thread, from its start to its end.
    ///
    /// `@unchecked Sendable`: everything mutable is touched only with the lock of avahi's threaded poll held (its own
    /// thread holds it in every callback), before that thread starts, or after it has been joined.
    @safe final class AvahiServerLife: @unchecked Sendable {
        static let openResolutions = 4

        let events: AsyncStream<DiscoveryEvent>
        private let continuation: AsyncStream<DiscoveryEvent>.Continuation
        private let poll: OpaquePointer
        private var server: OpaquePointer?
        private var announced: [PublishedRecord] = []
        private var answered: [PublishedRecord] = []
        private var addresses: [NetworkPicture.Published] = []
        private var own: Set<OpaqueServiceName> = []
        private var names = NameTable()
        private var reporting: OpaquePointer?
        private var resolutions: [OpaqueServiceName: Resolution] = [:]
        private var loopbacks: Set<UInt32> = []
        private var announcedName: OpaqueServiceName?
        private var hasConflict = false
        /// Guards the end; true once it has begun.
        private let ended = Mutex(false)

        init(_ publication: Publication) throws(DiscoveryError) {
            var picture = NetworkPicture()
            guard let route = RouteSocket(listening: false), route.fill(&picture), !picture.published.isEmpty else {
                throw .noNetwork
            }
            guard let poll = unsafe avahi_threaded_poll_new() else { throw .server(code: CInt(AVAHI_ERR_NO_MEMORY)) }
            unsafe self.poll = poll
            (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(512))
            addresses = picture.published
            loopbacks = picture.loopbackInterfaces
            do {
                try start(publication, denying: picture.deniedInterfaces)
            } catch {
                stop(goodbye: false)
                throw error
            }
        }

        // MARK: From the session

        func resolve(_ name: OpaqueServiceName) {
            unsafe withLock { server in
                guard resolutions[name] == nil else { return }
                guard !own.contains(name), resolutions.count < Self.openResolutions else {
                    continuation.yield(.unresolved(name))
                    return
                }
                let resolution = unsafe Resolution(
                    name, server: server, poll: avahi_threaded_poll_get(poll),
                    isLoopback: { [loopbacks] in loopbacks.contains($0) },
                    onEnd: { [unowned self] in end($0) })
                resolutions[name] = resolution
                if !resolution.start() {
                    resolution.stop()
                    end(resolution)
                }
            }
        }

        func answer(_ instances: [ServiceInstance]) {
            unsafe withLock { server in
                for record in answered { record.remove() }
                answered = []
                own = Set(announcedName.map { [$0] } ?? []).union(instances.map(\.name))
                for instance in instances { _ = unsafe publish(instance, isAnnounced: false, in: server) }
            }
        }

        func stop(goodbye: Bool) {
            ended.withLock { ended in
                guard !ended else { return }
                ended = true
                // Joins the thread: no callback runs from here on. It was never started when `start` failed.
                unsafe avahi_threaded_poll_stop(poll)
                for resolution in resolutions.values { resolution.stop() }
                resolutions = [:]
                if let timer = unsafe reporting { unsafe avahi_threaded_poll_get(poll).pointee.timeout_free(timer) }
                unsafe reporting = nil
                if let server = unsafe server {
                    if !goodbye { for record in announced { unsafe record.silence(in: server) } }
                    // Sends the goodbyes, and answers that were still waiting for their random delay, before it returns.
                    unsafe avahi_server_free(server)
                }
                unsafe server = nil
                for record in announced + answered { record.release() }
                announced = []
                answered = []
                unsafe avahi_threaded_poll_free(poll)
                continuation.finish()
            }
        }

        // MARK: From avahi

        private func changed(_ state: AvahiServerState) {
            guard state == AVAHI_SERVER_FAILURE else { return }
            fail(unsafe server.map { unsafe avahi_server_errno($0) } ?? CInt(AVAHI_ERR_FAILURE))
        }

        private func changed(_ state: AvahiEntryGroupState) {
            if state == AVAHI_ENTRY_GROUP_FAILURE { return fail(CInt(AVAHI_ERR_FAILURE)) }
            guard state == AVAHI_ENTRY_GROUP_COLLISION, !hasConflict else { return }
            hasConflict = true
            continuation.yield(.conflict)
        }

        private func browsed(_ event: AvahiBrowserEvent, _ name: OpaqueServiceName, at place: NameTable.Place) {
            guard !own.contains(name) else { return }
            if event == AVAHI_BROWSER_NEW {
                names.add(name, at: place)
                report()
            } else if event == AVAHI_BROWSER_REMOVE, names.remove(name, at: place) {
                continuation.yield(.vanished(name))
            }
        }

        private func report() {
            for name in names.due(at: Self.milliseconds()) { continuation.yield(.appeared(name)) }
            guard names.isWaiting else { return }
            var when = timeval()
            unsafe avahi_elapse_time(&when, 100, 0)
            let api = unsafe avahi_threaded_poll_get(poll)
            if let timer = unsafe reporting {
                unsafe api?.pointee.timeout_update(timer, &when)
                return
            }
            unsafe reporting = api?.pointee.timeout_new(
                api, &when, { _, context in unsafe AvahiServerLife.from(context)?.report() }, context)
        }

        private func end(_ resolution: Resolution) {
            resolutions[resolution.name] = nil
            let endpoints = resolution.endpoints
            continuation.yield(
                endpoints.isEmpty ? .unresolved(resolution.name) : .resolved(resolution.name, endpoints))
        }

        private func fail(_ code: CInt) {
            continuation.yield(.failed(.server(code: code)))
        }

        // MARK: Starting

        private func start(_ publication: Publication, denying denied: [[UInt8]]) throws(DiscoveryError) {
            unsafe server = try newServer(publication, denying: denied)
            guard let server = unsafe server else { throw .server(code: CInt(AVAHI_ERR_FAILURE)) }
            announcedName = publication.announced?.name
            own = Set(publication.answered.map(\.name)).union(announcedName.map { [$0] } ?? [])
            if let instance = publication.announced {
                guard unsafe publish(instance, isAnnounced: true, in: server) else {
                    throw .server(code: unsafe avahi_server_errno(server))
                }
            }
            for instance in publication.answered {
                guard unsafe publish(instance, isAnnounced: false, in: server) else {
                    throw .server(code: unsafe avahi_server_errno(server))
                }
            }
            if publication.browses { try unsafe browse(server) }
            guard unsafe avahi_threaded_poll_start(poll) == 0 else { throw .server(code: CInt(AVAHI_ERR_FAILURE)) }
            continuation.yield(.established)
        }

        private func newServer(
            _ publication: Publication, denying denied: [[UInt8]]
        ) throws(DiscoveryError) -> OpaquePointer {
            var config = unsafe AvahiServerConfig()
            unsafe avahi_server_config_init(&config)
            defer { unsafe avahi_server_config_free(&config) }
            // No record carries this name, but without it avahi would ask for the machine's.
            unsafe config.host_name = avahi_strdup(publication.announced?.host.description ?? "inkling")
            unsafe config.publish_hinfo = 0
            unsafe config.publish_addresses = 0
            unsafe config.publish_workstation = 0
            unsafe config.publish_domain = 0
            unsafe config.enable_wide_area = 0
            unsafe config.enable_reflector = 0
            unsafe config.add_service_cookie = 0
            // A packet that was routed here does not come from this network (RFC 6762, section 11).
            unsafe config.check_response_ttl = 1
            unsafe config.n_cache_entries_max = 2_048
            unsafe config.ratelimit_interval = 1_000_000
            unsafe config.ratelimit_burst = 200
            for name in denied {
                unsafe config.deny_interfaces = avahi_string_list_add_arbitrary(
                    config.deny_interfaces, name, name.count)
            }
            // Avahi draws its delays from rand(): a sequence that went on from epoch to epoch would tie them together.
            srand(UInt32.random(in: 0...UInt32.max))
            var code: CInt = 0
            let server = unsafe avahi_server_new(
                avahi_threaded_poll_get(poll), &config,
                { _, state, context in unsafe AvahiServerLife.from(context)?.changed(state) }, context, &code)
            guard let server = unsafe server else {
                throw code == CInt(AVAHI_ERR_NO_NETWORK) ? .noNetwork : .server(code: code)
            }
            return unsafe server
        }

        private func browse(_ server: OpaquePointer) throws(DiscoveryError) {
            let browser = unsafe avahi_s_service_browser_new(
                server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), Zone.serviceType,
                Zone.domain, AVAHI_LOOKUP_USE_MULTICAST,
                { _, interface, family, event, name, type, domain, _, context in
                    guard let life = unsafe AvahiServerLife.from(context) else { return }
                    if event == AVAHI_BROWSER_FAILURE { return life.fail(CInt(AVAHI_ERR_FAILURE)) }
                    // Anything but 32 digits under our type is dropped here, before anything is allocated for it.
                    guard let name = unsafe name, unsafe strlen(name) == 32,
                        let service = unsafe label(name, count: 32),
                        let type = unsafe type, unsafe strcmp(type, Zone.serviceType) == 0,
                        let domain = unsafe domain, unsafe strcmp(domain, Zone.domain) == 0
                    else { return }
                    life.browsed(event, service, at: NameTable.Place(interface: interface, family: family))
                }, context)
            // It is freed with the server.
            guard unsafe browser != nil else { throw .server(code: unsafe avahi_server_errno(server)) }
        }

        /// Adds the records of one instance: SRV, TXT and the addresses of its host, and PTR only when it is announced.
        private func publish(_ instance: ServiceInstance, isAnnounced: Bool, in server: OpaquePointer) -> Bool {
            let everywhere = AvahiIfIndex(AVAHI_IF_UNSPEC)
            var isComplete = true
            func add(_ record: UnsafeMutablePointer<AvahiRecord>?, on interface: AvahiIfIndex, isUnique: Bool = true) {
                let published = unsafe PublishedRecord(
                    adding: record, to: server, interface: interface, isUnique: isUnique, isAnnounced: isAnnounced,
                    onChange: { _, _, state, context in unsafe AvahiServerLife.from(context)?.changed(state) },
                    context: context)
                guard let published = published else { return isComplete = false }
                if isAnnounced { announced.append(published) } else { answered.append(published) }
            }
            unsafe add(Record.service(instance), on: everywhere)
            unsafe add(Record.text(of: instance.name), on: everywhere)
            for published in addresses {
                unsafe add(
                    Record.address(published.address, of: instance.host), on: AvahiIfIndex(published.interface))
            }
            // Last: who hears of the instance can then ask for the rest.
            if isAnnounced { unsafe add(Record.pointer(to: instance.name), on: everywhere, isUnique: false) }
            return isComplete
        }

        // MARK: The boundary

        /// What avahi hands back to us. Not retained: `stop` has joined avahi's thread before `self` can go.
        private var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

        private static func from(_ context: UnsafeMutableRawPointer?) -> AvahiServerLife? {
            guard let context = unsafe context else { return nil }
            return unsafe Unmanaged<AvahiServerLife>.fromOpaque(context).takeUnretainedValue()
        }

        private func withLock(_ body: (OpaquePointer) -> Void) {
            ended.withLock { ended in
                guard !ended, let server = unsafe server else { return }
                unsafe avahi_threaded_poll_lock(poll)
                unsafe body(server)
                unsafe avahi_threaded_poll_unlock(poll)
            }
        }

        private static func milliseconds() -> UInt64 {
            var now = timespec()
            unsafe clock_gettime(CLOCK_BOOTTIME, &now)
            return UInt64(now.tv_sec) * 1000 + UInt64(now.tv_nsec) / 1_000_000
        }
    }
#endif
