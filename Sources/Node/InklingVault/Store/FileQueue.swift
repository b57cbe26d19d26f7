package import InklingKeys
package import InklingWire

/// A file on its way to a contact, until the contact's node has kept it.
package struct QueuedFile: Hashable, Sendable {
    package let id: TransferID
    package let user: UserID
    /// The device that has accepted it; nil before.
    package var device: DeviceIndex?
    package let path: String
    package let size: UInt64
    package let version: UInt64
    /// Whether the user has paused it.
    package var isPaused: Bool
    /// Whether it is paused at the next epoch boundary.
    package let staysInEpoch: Bool
    /// The time at which the receiver last stored bytes of it, or at which it was queued, in Unix seconds.
    package var lastProgress: UInt64

    /// Creates a file of the queue.
    package init(
        id: TransferID, user: UserID, device: DeviceIndex? = nil, path: String, size: UInt64, version: UInt64,
        isPaused: Bool = false, staysInEpoch: Bool, lastProgress: UInt64
    ) {
        self.id = id
        self.user = user
        self.device = device
        self.path = path
        self.size = size
        self.version = version
        self.isPaused = isPaused
        self.staysInEpoch = staysInEpoch
        self.lastProgress = lastProgress
    }
}

/// The codec of the list of queued files, which is sealed beside the vault because it names contacts and paths.
package enum FileQueue {
    /// The maximum number of queued files.
    package static let limit = 64
    /// The maximum length of a path, in bytes.
    package static let pathLimit = 4096
    private static let version: UInt8 = 1
    private static let cipher = AuthenticatedCipher.xChaCha20Poly1305

    /// Returns the list, sealed with a random nonce under a key derived from the device's private key.
    package static func seal(
        _ files: [QueuedFile], with deviceKey: borrowing NoiseKeyPair,
        using randomness: inout some RandomNumberGenerator
    ) -> [UInt8] {
        var plain: [UInt8] = []
        plain.append(u8: version)
        for file in files.prefix(limit) {
            plain.append(file.id.octets)
            plain.append(file.user.octets)
            plain.append(u8: file.device?.number ?? .max)
            plain.append(u8: (file.isPaused ? 1 : 0) | (file.staysInEpoch ? 2 : 0))
            for number in [file.size, file.version, file.lastProgress] { plain.append(u64: number) }
            let path = Array(file.path.utf8.prefix(pathLimit))
            plain.append(u16: UInt16(path.count))
            plain.append(path.span)
        }
        var sealed: [UInt8] = []
        for _ in 0..<3 { sealed.append(u64: randomness.next()) }
        let nonce = sealed
        // The key and the nonce have the right lengths.
        try? cipher.seal(
            plain.span, key: deviceKey.key(for: DerivationLabel.fileQueue), nonce: nonce.span, associatedData: Span(),
            appendingTo: &sealed)
        return sealed
    }

    /// Returns the files of a sealed list; none if it was changed or belongs to another device.
    package static func open(_ sealed: [UInt8], with deviceKey: borrowing NoiseKeyPair) -> [QueuedFile] {
        guard sealed.count > cipher.nonceByteCount else { return [] }
        let nonce = sealed.span.extracting(first: cipher.nonceByteCount)
        let text = sealed.span.extracting(cipher.nonceByteCount...)
        guard
            let plain = try? cipher.open(
                text, key: deviceKey.key(for: DerivationLabel.fileQueue), nonce: nonce, associatedData: Span())
        else { return [] }
        return plain.withBytes { parse($0) }
    }

    private static func parse(_ input: Span<UInt8>) -> [QueuedFile] {
        var fields = ByteReader()
        guard fields.u8(of: input) == version else { return [] }
        var files: [QueuedFile] = []
        while files.count < limit, let id = fields.octets16(of: input), let user = fields.octets16(of: input),
            let device = fields.u8(of: input), let flags = fields.u8(of: input), let size = fields.u64(of: input),
            let version = fields.u64(of: input), let lastProgress = fields.u64(of: input),
            let count = fields.u16(of: input), let place = fields.skip(Int(count), of: input),
            let path = String(validating: place.map { input[$0] }, as: UTF8.self)
        {
            files.append(
                QueuedFile(
                    id: TransferID(id), user: UserID(user), device: DeviceIndex(device), path: path, size: size,
                    version: version, isPaused: flags & 1 != 0, staysInEpoch: flags & 2 != 0,
                    lastProgress: lastProgress))
        }
        return files
    }
}
