/// The reason why stored messages cannot be read or written. It contains no key, no name and no part of a message.
///
/// When it is thrown, the stored messages are unchanged (`Specs/message-store.md`).
public struct MessageStoreError: Error, Hashable, Sendable, Codable {
    /// The reason.
    public let fault: Fault
    /// The path of the file or directory concerned.
    public let path: String

    package init(_ fault: Fault, _ path: String) {
        self.fault = fault
        self.path = path
    }

    /// Creates an error from a vault's error about a file of the home.
    package init(_ error: VaultError) { self.init(.file(error.fault), error.path) }

    /// The kinds of reasons.
    public enum Fault: Error, Hashable, Sendable, Codable {
        /// The file cannot be used, for a reason that a vault has too.
        case file(VaultError.Fault)
        /// The file is not a database of messages.
        case foreign
        /// A later version of this program wrote the file.
        case newerVersion(found: UInt32)
        /// The file is longer than a store may be.
        case tooLarge(bytes: UInt64, limit: UInt64)
        /// A row was damaged after the store was opened.
        case damaged
        /// A body is longer than a row may be.
        case bodyTooLarge(bytes: Int, limit: Int)
        /// The store has been closed, or has failed permanently.
        case closed

        private enum FileCodingKeys: String, CodingKey { case _0 = "fault" }
    }
}

extension MessageStoreError: CustomStringConvertible {
    /// The path, the reason and the remedy.
    public var description: String { "\(path): \(fault)" }
}

extension MessageStoreError.Fault: CustomStringConvertible {
    /// The reason and the remedy, without the path.
    public var description: String {
        switch self {
        case .file(let fault): "\(fault)"
        case .foreign: "not a store of messages; move the file away"
        case .newerVersion(let found): "written by a later release (version \(found)); install that release"
        case .tooLarge(let bytes, let limit):
            "file has \(bytes) bytes, at most \(limit) are allowed; move it away"
        case .damaged: "a stored message was damaged; start the node again"
        case .bodyTooLarge(let bytes, let limit): "a message has \(bytes) bytes, at most \(limit) can be stored"
        case .closed: "cannot be used any more; start the node again"
        }
    }
}
