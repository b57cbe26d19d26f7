#if Node
    import InklingJSON
    import InklingKeys
    import InklingLinux
    import InklingNode
    import NIOHTTP1
    import Synchronization

    /// A page for a browser on this machine: who is near, why and how, the timeline, and the findings of a checkup.
    ///
    /// Everything but the empty page requires the token. The page has no third-party resources, and may load none.
    struct Dashboard: LoopbackSite {
        /// The maximum number of pages that follow the node at a time.
        private static let followerLimit = 4
        /// The interval between checks for changes, and the number of intervals after which the state is always sent.
        private static let pause = Duration.seconds(1), heartbeat = 15

        let name = "the dashboard"
        let setting = Setting.dashboardAddress
        let token = DashboardToken()
        private let served: ServedNode
        private let started = SystemClock().read().unixMilliseconds
        private let history = DashboardHistory()
        private let followers = Followers()
        private let checkup: SharedCheckup

        /// Creates the dashboard of a node.
        init(of node: Node, checkup: Checkup) {
            served = ServedNode(node: node)
            self.checkup = SharedCheckup(checkup)
        }

        /// Collects the timeline until the node ends or the task is cancelled.
        func collect() async {
            var names = ContactNames(of: served.node)
            for await event in served.node.eventsWithoutTexts() { history.note(await names.fact(of: event)) }
        }

        func answer(_ head: HTTPRequestHead) async -> LoopbackAnswer {
            guard head.method == .GET || head.method == .HEAD else { return .otherMethod }
            if head.uri == "/" { return page }
            guard ["/state", "/events", "/findings"].contains(head.uri) else {
                return LoopbackAnswer(.notFound, "see /")
            }
            guard token.isShown(in: head.headers["Authorization"]) else {
                return LoopbackAnswer(.unauthorized, "the token is missing or wrong: 'inkling dashboard' shows it")
            }
            switch head.uri {
            case "/state": return LoopbackAnswer(JSON(encoding: await state()).compact, type: Self.json)
            case "/findings":
                let findings = await checkup.findings().map { FindingFact($0, for: nil) }
                return LoopbackAnswer(JSON(encoding: findings).compact, type: Self.json)
            default:
                guard head.method == .GET, followers.enter(limit: Self.followerLimit) else {
                    return LoopbackAnswer(
                        .serviceUnavailable, "\(Self.followerLimit) pages are already following the node")
                }
                return LoopbackAnswer(events: stream())
            }
        }

        private static let json = "application/json"

        // MARK: Page

        private var page: LoopbackAnswer {
            var generator = SystemRandomNumberGenerator()
            let nonce = String(generator.next() as UInt64, radix: 36) + String(generator.next() as UInt64, radix: 36)
            let text = String(decoding: PackageResources.dashboard_html, as: UTF8.self)
            var answer = LoopbackAnswer(
                text.split(separator: "NONCE", omittingEmptySubsequences: false).joined(separator: nonce),
                type: "text/html; charset=utf-8")
            let rules = [
                "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
                "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            ]
            answer.headers = [
                ("Content-Security-Policy", rules.joined(separator: "; ")), ("Referrer-Policy", "no-referrer"),
                ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ]
            return answer
        }

        // MARK: State

        private func state() async -> DashboardState? {
            guard let status = try? await served.facts(of: Request.Status()).first else { return nil }
            var contacts: [DashboardState.Contact] = []
            var strangers: UInt64 = 0
            for contact in (try? await served.facts(of: Request.Contacts())) ?? [] {
                let explanation = try? await served.facts(of: Request.Explain(contact: contact.id)).first
                strangers = max(strangers, explanation?.strangers ?? 0)
                contacts.append(DashboardState.Contact(contact, explanation))
            }
            return DashboardState(
                version: VersionFact().version, unixMilliseconds: SystemClock().read().unixMilliseconds,
                started: started, status: status, contacts: contacts, strangers: strangers, timeline: history.all)
        }

        // MARK: Server-sent events

        /// Returns a stream of events as they happen, with the state after them and every 15 s.
        private func stream() -> AsyncStream<String> {
            // A page that does not read misses some pieces; the next state that it reads is complete.
            AsyncStream(bufferingPolicy: .bufferingNewest(32)) { pieces in
                let change = Change()
                let following = Task {
                    var names = ContactNames(of: served.node)
                    for await event in served.node.eventsWithoutTexts() {
                        let fact = await names.fact(of: event)
                        pieces.yield(Self.piece("happened", JSON(encoding: fact)))
                        change.note()
                    }
                    pieces.finish()
                }
                let telling = Task {
                    var quiet = 0
                    while !Task.isCancelled {
                        quiet += 1
                        if change.take() || quiet >= Self.heartbeat {
                            quiet = 0
                            pieces.yield(Self.piece("state", JSON(encoding: await state())))
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

        private static func piece(_ event: String, _ data: JSON) -> String {
            "event: \(event)\ndata: \(data.compact)\n\n"
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

    /// The counter of following pages.
    private final class Followers: Sendable {
        private let count = Mutex(0)

        func enter(limit: Int) -> Bool {
            count.withLock { count in
                guard count < limit else { return false }
                count += 1
                return true
            }
        }

        func leave() { count.withLock { $0 -= 1 } }
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
