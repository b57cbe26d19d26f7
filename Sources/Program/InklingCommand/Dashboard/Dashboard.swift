#if Node
    import InklingAccess
    import InklingJSON
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingTerminal
    import NIOHTTP1
    import Synchronization

    /// A page for a browser on this machine: who is near, why and how, the timeline, the findings of a checkup, and what
    /// a person does about contacts: be visible, invite, rename, read and write messages.
    ///
    /// Everything but the empty page requires the token. The page has no third-party resources, and may load none.
    struct Dashboard: LoopbackSite {
        /// The maximum number of pages that follow the node at a time.
        private static let followerLimit = 4
        /// The interval between checks for changes, and the number of intervals after which the state is always sent. A
        /// page greys what it shows when none has come for 12 s.
        private static let pause = Duration.seconds(1), heartbeat = 5

        let name = "the dashboard"
        let setting = Setting.dashboardAddress
        let token = DashboardToken()
        private let served: ServedNode
        private let requests: DashboardRequests
        /// The clock of the node, by which the page shows all times.
        private let clock: SystemClock
        private let started: UInt64
        private let history = DashboardHistory()
        private let followers = DashboardPlaces(limit: Dashboard.followerLimit)
        private let checkup: SharedCheckup

        /// Creates the dashboard of a node.
        init(of node: Node, checkup: Checkup, clock: SystemClock = SystemClock()) {
            served = ServedNode(node: node)
            self.clock = clock
            requests = DashboardRequests(of: served)
            started = clock.read().unixMilliseconds
            self.checkup = SharedCheckup(checkup)
        }

        /// Collects the timeline and the log until the node ends or the task is cancelled.
        func collect() async {
            var names = ContactNames(of: served.node)
            for await event in served.node.eventsWithoutTexts() {
                history.note(await names.fact(of: event), at: clock.read().unixMilliseconds)
            }
        }

        func answer(_ head: HTTPRequestHead) async -> LoopbackAnswer {
            switch head.uri {
            case "/": return head.method == .GET || head.method == .HEAD ? page : .otherMethod
            case "/state", "/events", "/findings":
                guard head.method == .GET || head.method == .HEAD else { return .otherMethod }
            case "/request":
                guard head.method == .POST else { return .only("POST") }
            default: return LoopbackAnswer(.notFound, "see /")
            }
            guard token.isShown(in: head.headers["Authorization"]) else {
                return LoopbackAnswer(.unauthorized, "the token is missing or wrong: 'inkling dashboard' shows it")
            }
            switch head.uri {
            case "/request":
                guard Self.isJSON(head.headers["Content-Type"]) else {
                    return LoopbackAnswer(.unsupportedMediaType, "a request has the Content-Type \(Self.json)")
                }
                return LoopbackAnswer(reading: DashboardRequests.bodyLimit) { [requests] in requests.answer($0) }
            case "/state":
                return LoopbackAnswer(JSON(encoding: await state(unread: await unread())).compact, type: Self.json)
            case "/findings":
                let findings = await checkup.findings().map { FindingFact($0, for: nil) }
                return LoopbackAnswer(JSON(encoding: findings).compact, type: Self.json)
            default:
                guard head.method == .GET, followers.enter() else {
                    return LoopbackAnswer(
                        .serviceUnavailable, "\(Self.followerLimit) pages are already following the node")
                }
                return LoopbackAnswer(stream(), type: "text/event-stream")
            }
        }

        private static let json = "application/json"

        /// Returns whether a request has the one type that no form of another page can send.
        static func isJSON(_ types: [String]) -> Bool {
            types.count == 1 && types[0].split(separator: ";").first?.lowercased() == json
        }

        // MARK: Page

        private var page: LoopbackAnswer {
            var generator = SystemRandomNumberGenerator()
            let nonce = String(generator.next() as UInt64, radix: 36) + String(generator.next() as UInt64, radix: 36)
            var text = Self.text(PackageResources.dashboard_html)
            for (mark, part) in [
                ("NONCE", nonce), ("/* dashboard.css */", Self.text(PackageResources.dashboard_css)),
                ("/* dashboard.js */", Self.text(PackageResources.dashboard_js)),
            ] {
                text = text.split(separator: mark, omittingEmptySubsequences: false).joined(separator: part)
            }
            var answer = LoopbackAnswer(text, type: "text/html; charset=utf-8")
            let rules = [
                "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
                "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            ]
            answer.headers = [
                ("Content-Security-Policy", rules.joined(separator: "; ")), ("Referrer-Policy", "no-referrer"),
                ("Cross-Origin-Opener-Policy", "same-origin"),
            ]
            return answer
        }

        private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

        // MARK: State

        private func state(unread: [String: Int]) async -> DashboardState? {
            guard let status = try? await served.facts(of: Request.Status()).first else { return nil }
            var contacts: [DashboardState.Contact] = []
            var strangers: UInt64 = 0
            for contact in (try? await served.facts(of: Request.Contacts())) ?? [] {
                let explanation = try? await served.facts(of: Request.Explain(contact: contact.id)).first
                strangers = max(strangers, explanation?.strangers ?? 0)
                contacts.append(DashboardState.Contact(contact, explanation, unread: unread[contact.id] ?? 0))
            }
            return DashboardState(
                version: VersionFact().version, unixMilliseconds: clock.read().unixMilliseconds,
                started: started, status: status, contacts: contacts, strangers: strangers, timeline: history.all,
                log: history.log)
        }

        /// Returns the numbers of unread messages by the ids of contacts.
        private func unread() async -> [String: Int] {
            var unread: [String: Int] = [:]
            for message in (try? await served.node.storedMessages(with: nil)) ?? [] where message.state == .unread {
                unread[message.contact.octets.description, default: 0] += 1
            }
            return unread
        }

        // MARK: Server-sent events

        /// Returns a stream of the state: after each change, and every 5 s.
        private func stream() -> AsyncStream<LoopbackAnswer.Piece> {
            // A page that does not read misses some states; the next that it reads is complete.
            AsyncStream(bufferingPolicy: .bufferingNewest(4)) { pieces in
                let change = Change()
                let following = Task {
                    for await _ in served.node.eventsWithoutTexts() { change.note() }
                    pieces.finish()
                }
                let telling = Task {
                    var (quiet, shown) = (0, [String: Int]())
                    while !Task.isCancelled {
                        quiet += 1
                        // Texts are no events here, so that the page follows the node without them.
                        let unread = await unread()
                        if change.take() || unread != shown || quiet >= Self.heartbeat {
                            (quiet, shown) = (0, unread)
                            let state = JSON(encoding: await state(unread: unread)).compact
                            pieces.yield(.text("event: state\ndata: \(state)\n\n"))
                        }
                        try? await Task.sleep(for: Self.pause)
                    }
                }
                pieces.onTermination = { [followers] _ in
                    following.cancel()
                    telling.cancel()
                    followers.leave()
                }
            }
        }
    }

    /// A flag for changes since the state was last sent.
    private final class Change: Sendable {
        private let isNew = Mutex(true)

        func note() { isNew.withLock { $0 = true } }

        func take() -> Bool {
            isNew.withLock { isNew in
                defer { isNew = false }
                return isNew
            }
        }
    }

    /// A checkup whose findings are shared by all requests within ten seconds.
    private actor SharedCheckup {
        private let checkup: Checkup
        private var latest: (findings: Task<[Finding], Never>, at: ContinuousClock.Instant)?

        init(_ checkup: Checkup) { self.checkup = checkup }

        func findings() async -> [Finding] {
            let now = ContinuousClock.now
            if let latest, latest.at.duration(to: now) < .seconds(10) { return await latest.findings.value }
            let checkup = checkup
            let task = Task {
                var findings: [Finding] = []
                for part in Checkup.Part.allCases { findings += await checkup.findings(of: part) }
                return findings
            }
            latest = (task, now)
            return await task.value
        }
    }
#endif
