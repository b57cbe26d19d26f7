#if Node
    import NIOHTTP1

    /// What is served at a loopback address.
    protocol LoopbackSite: Sendable {
        /// What is served, after "cannot serve".
        var name: String { get }
        /// The setting of its address.
        var setting: Setting { get }

        /// Answers a request that has no body and whose host is this machine.
        func answer(_ head: HTTPRequestHead) async -> LoopbackAnswer
    }

    /// An answer to a request by HTTP.
    struct LoopbackAnswer: Sendable {
        enum Body: Sendable {
            case text(String)
            /// Pieces that are sent as they come, until the stream or the connection ends.
            case stream(AsyncStream<String>)
        }

        var status = HTTPResponseStatus.ok
        var type = "text/plain; charset=utf-8"
        var headers: [(name: String, value: String)] = []
        let body: Body

        /// A page that exists, with another type than plain text.
        init(_ text: String, type: String) { (self.type, body) = (type, .text(text)) }

        /// A refusal with its reason.
        init(_ status: HTTPResponseStatus, _ reason: String) { (self.status, body) = (status, .text(reason + "\n")) }

        /// A stream of server-sent events.
        init(events: AsyncStream<String>) { (type, body) = ("text/event-stream", .stream(events)) }

        /// A request with another method than GET and HEAD.
        static var otherMethod: LoopbackAnswer {
            var answer = LoopbackAnswer(.methodNotAllowed, "GET alone")
            answer.headers = [("Allow", "GET, HEAD")]
            return answer
        }
    }
#endif
