public import InklingKeys

/// Reads the first line of a file with a secret, such as a password for another program.
public enum PrivateLine {
    /// Reads the first line of a file that must not be accessible to other users.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: how many bytes the line may have; of a longer one there is one byte more.
    /// - Returns: the line without its line feed.
    /// - Throws: a fault of the file.
    public static func read(_ path: String, limit: Int) throws(VaultError) -> SecretBytes {
        try OpenFile(reading: path, in: nil, path: path, .privateFile).readLine(limit: limit)
    }

    /// Reads the first line of a credential that systemd provides in `CREDENTIALS_DIRECTORY`.
    ///
    /// - Throws: `missing`, also when the variable is not set, or another fault of the file.
    public static func credential(named name: String, limit: Int) throws(VaultError) -> SecretBytes {
        let directory = VaultKey.environment("CREDENTIALS_DIRECTORY")
        let path = "\(directory ?? "$CREDENTIALS_DIRECTORY")/\(name)"
        guard directory != nil, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
            throw VaultError(.missing, path)
        }
        return try OpenFile(reading: path, in: nil, path: path, .systemOwnedFile).readLine(limit: limit)
    }
}
