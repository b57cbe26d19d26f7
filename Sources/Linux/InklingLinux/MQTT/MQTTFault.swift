#if Node
    internal import CMosquitto
    internal import Glibc

    /// A reason why there is no connection to a broker.
    public enum MQTTFault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The broker cannot be reached; `code` is the system's error number.
        case unreachable(code: Int32)
        /// The name of the broker is unknown.
        case unknownHost
        /// The broker rejects the user name and password, or requires them.
        case wrongPassword
        /// The broker refuses the connection for another reason, with this MQTT 3.1.1 code.
        case refused(code: Int32)
        /// The broker does not support TLS, or its certificate is invalid or for another name.
        case tls
        /// The certificate authorities, the certificate or its key cannot be used.
        case unusableFiles
        /// The broker did not answer in time.
        case timedOut
        /// The broker closed the connection, or it was lost.
        case closed
        /// The broker takes messages too slowly.
        case tooSlow
        /// The library libmosquitto is not installed.
        case notInstalled
        /// Another error of the library.
        case library(code: Int32)

        /// The fault in words.
        public var description: String {
            switch self {
            case .unreachable(let code): unsafe String(cString: strerror(code)).lowercased()
            case .unknownHost: "the name of the broker is unknown"
            case .wrongPassword: "the broker does not accept the user name and the password"
            case .refused(let code): "the broker refuses the connection (code \(code))"
            case .tls: "no TLS with a valid certificate of that name"
            case .unusableFiles: "the file of certificates, the certificate or its key cannot be used"
            case .timedOut: "the broker does not answer"
            case .closed: "the connection was closed"
            case .tooSlow: "the broker takes messages too slowly"
            case .notInstalled: "libmosquitto is not installed: apt-get install libmosquitto1"
            case .library(let code): MQTTLibrary.description(of: code) ?? "error \(code)"
            }
        }

        /// Creates the fault for a library result; `systemError` is `errno` after the call.
        init(_ result: CInt, systemError: CInt) {
            switch mosq_err_t(result) {
            case MOSQ_ERR_ERRNO: self = .unreachable(code: systemError)
            case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP: self = .unknownHost
            case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: self = .tls
            case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN: self = .closed
            case MOSQ_ERR_KEEPALIVE, MOSQ_ERR_TIMEOUT: self = .timedOut
            default: self = .library(code: result)
            }
        }

        /// Creates the fault for a broker's refusal code.
        init(refusal code: CInt) { self = code == 4 || code == 5 ? .wrongPassword : .refused(code: code) }
    }
#endif
