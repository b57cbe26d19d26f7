import InklingKeys
import InklingTesting
import InklingWire
import Testing

@testable import InklingVault

@Suite struct FileQueueTests {
    /// Covers INK-FIL-024.
    @Test func `the list of files is sealed, and a changed one or that of another device is empty`() throws {
        var generator = SeededGenerator(seed: 1)
        let key = NoiseKeyPair(from: &generator)
        let other = NoiseKeyPair(from: &generator)
        let files = (0..<3 as Range<UInt64>).map { number in
            QueuedFile(
                id: TransferID(Octets16(high: number, low: 1)), user: UserID(Octets16(high: 2, low: number)),
                device: number == 0 ? nil : .first, path: "/home/ada/secret plan \(number)", size: number, version: 7,
                isPaused: number == 1, staysInEpoch: number == 2, lastProgress: 1_800_000_000)
        }
        let sealed = FileQueue.seal(files, with: key, using: &generator)
        #expect(FileQueue.open(sealed, with: key) == files)
        #expect(FileQueue.open(sealed, with: other) == [])
        #expect(!String(decoding: sealed, as: UTF8.self).contains("secret"))
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(FileQueue.open(changed, with: key) == [])
        }
        for count in 0..<sealed.count { #expect(FileQueue.open(Array(sealed.prefix(count)), with: key) == []) }
    }
}
