public import InklingKeys

/// Functions that read a secret, such as a password for another program, from the first line of a file.
public enum PrivateLine {
    /// Reads the first line of a file that must not be accessible to other users.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: the maximum length of the line in bytes; of a longer one, one byte more is returned.
    /// - Returns: the line without its line feed.
    /// - Throws: a fault of the file.
    public static func read(_ path: String, limit: Int) throws(VaultError) -> SecretBytes {
        try OpenFile(reading: path, in: nil, path: path, .privateFile).readLine(limit: limit)
    }

    /// Reads the first line of a credential that systemd provides in `CREDENTIALS_DIRECTORY`.
    ///
    /// - Throws: `missing`, also if the variable is not set, or another fault of the file.
    public static func credential(named name: String, limit: Int) throws(VaultError) -> SecretBytes {
        let directory = VaultKey.environment("CREDENTIALS_DIRECTORY")
        let path = "\(directory ?? "$CREDENTIALS_DIRECTORY")/\(name)"
        guard directory != nil, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
            throw VaultError(.missing, path)
        }
        return try OpenFile(reading: path, in: nil, path: path, .systemOwnedFile).readLine(limit: limit)
    }
}
