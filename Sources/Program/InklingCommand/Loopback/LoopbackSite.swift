#if Node
    import InklingAccess
    import InklingKeys
    import InklingTerminal
    import NIOHTTP1

    /// A site that is served at a loopback address.
    protocol LoopbackSite: Sendable {
        /// The name of the site, to follow "cannot serve".
        var name: String { get }
        /// The setting of its address.
        var setting: Setting { get }

        /// Answers a request whose host is this machine, and which no page of another origin has sent.
        func answer(_ head: HTTPRequestHead) async -> LoopbackAnswer
    }

    /// An answer to an HTTP request.
    struct LoopbackAnswer: Sendable {
        enum Body: Sendable {
            case text(String)
            /// Pieces that are sent as they come, until the stream or the connection ends.
            case stream(AsyncStream<Piece>)
            /// The answer to the body of the request, which is read only now, up to `limit` bytes.
            case reading(limit: Int, answer: @Sendable (_ body: [UInt8]) async -> LoopbackAnswer)
        }

        /// A piece of a stream.
        enum Piece: Sendable {
            case text(String)
            /// Bytes that are wiped when they have left.
            case secret(SecretBox<SecretBytes>)
        }

        var status = HTTPResponseStatus.ok
        var type = "text/plain; charset=utf-8"
        var headers: [(name: String, value: String)] = []
        let body: Body

        /// Creates the answer with a page of this type.
        init(_ text: String, type: String) { (self.type, body) = (type, .text(text)) }

        /// Creates a refusal with its reason.
        init(_ status: HTTPResponseStatus, _ reason: String) { (self.status, body) = (status, .text(reason + "\n")) }

        /// Creates a stream of this type.
        init(_ pieces: AsyncStream<Piece>, type: String) { (self.type, body) = (type, .stream(pieces)) }

        /// Creates an answer that depends on the body of the request; a longer one is refused.
        init(reading limit: Int, answer: @escaping @Sendable (_ body: [UInt8]) async -> LoopbackAnswer) {
            body = .reading(limit: limit, answer: answer)
        }

        /// Returns the answer to a request with another method than these.
        static func only(_ methods: String) -> LoopbackAnswer {
            var answer = LoopbackAnswer(.methodNotAllowed, "only \(methods)")
            answer.headers = [("Allow", methods)]
            return answer
        }

        /// The answer to a request with a method other than GET and HEAD.
        static var otherMethod: LoopbackAnswer { only("GET, HEAD") }
    }
#endif
