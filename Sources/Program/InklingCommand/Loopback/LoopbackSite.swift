#if Node
    import InklingTerminal
    import NIOHTTP1

    /// A site that is served at a loopback address.
    protocol LoopbackSite: Sendable {
        /// The name of the site, to follow "cannot serve".
        var name: String { get }
        /// The setting of its address.
        var setting: Setting { get }

        /// Answers a request that has no body and whose host is this machine.
        func answer(_ head: HTTPRequestHead) async -> LoopbackAnswer
    }

    /// An answer to an HTTP request.
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

        /// Creates the answer with a page of this type.
        init(_ text: String, type: String) { (self.type, body) = (type, .text(text)) }

        /// Creates a refusal with its reason.
        init(_ status: HTTPResponseStatus, _ reason: String) { (self.status, body) = (status, .text(reason + "\n")) }

        /// Creates a stream of server-sent events.
        init(events: AsyncStream<String>) { (type, body) = ("text/event-stream", .stream(events)) }

        /// The answer to a request with a method other than GET and HEAD.
        static var otherMethod: LoopbackAnswer {
            var answer = LoopbackAnswer(.methodNotAllowed, "only GET and HEAD")
            answer.headers = [("Allow", "GET, HEAD")]
            return answer
        }
    }
#endif
