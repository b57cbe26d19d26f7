internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// The disk work of the transfers, outside the queue of inputs: one task reads and another writes, each in the order of
/// the requests. The transfers' windows bound the waiting work.
struct FileWork: Sendable {
    /// A read request.
    enum Reading: Sendable {
        case prefix(QueuedFile, round: UInt64, count: UInt64)
        case read(TransferID, round: UInt64, offset: UInt64, count: Int)
        case digest(TransferID, round: UInt64)
        case close(TransferID)
    }

    /// A write request.
    enum Writing: Sendable {
        case loadQueue
        case saveQueue([UInt8])
        case removeUntouched(seconds: UInt64)
        case find(TransferID, PartialName)
        case open(TransferID, PartialName, size: UInt64)
        case restart(TransferID)
        case write(TransferID, [UInt8])
        case sync(TransferID)
        case judge(TransferID, digest: Octets32)
        case close(TransferID)
        case discard(TransferID, PartialName)
    }

    /// The number of bytes of a file read at once for a digest.
    private static let block = 1 << 16

    private let storage: any FileStorage
    private let readings: AsyncStream<Reading>
    private let writings: AsyncStream<(KnownDevice?, Writing)>
    private let wantReading: AsyncStream<Reading>.Continuation
    private let wantWriting: AsyncStream<(KnownDevice?, Writing)>.Continuation

    init(_ storage: any FileStorage) {
        self.storage = storage
        (readings, wantReading) = AsyncStream.makeStream()
        (writings, wantWriting) = AsyncStream.makeStream()
    }

    func want(_ reading: Reading) { wantReading.yield(reading) }

    func want(_ writing: Writing, of device: KnownDevice? = nil) { wantWriting.yield((device, writing)) }

    /// Ends both queues.
    func finish() {
        wantReading.finish()
        wantWriting.finish()
    }

    // MARK: Reading

    private struct Source {
        let file: any FileSource
        var digest = RunningSHA256()
        var position: UInt64 = 0
    }

    /// Carries out read requests until `finish`.
    func read(report: @Sendable (FileInput) async -> Void) async {
        var sources: [TransferID: Source] = [:]
        for await reading in readings {
            switch reading {
            case .prefix(let file, let round, let count):
                let digest = await prefix(of: file, count: count, in: &sources)
                await report(.outgoing(file.id, .prefix(round: round, digest)))
            case .read(let id, let round, let offset, let count):
                let bytes = await next(of: id, at: offset, count: count, in: &sources)
                await report(.outgoing(id, .read(round: round, bytes)))
            case .digest(let id, let round):
                let isUnchanged = await sources[id]?.file.isUnchanged() == true
                let digest = isUnchanged ? sources[id]?.digest.digest() : nil
                sources[id] = nil
                await report(.outgoing(id, .digest(round: round, digest)))
            case .close(let id): sources[id] = nil
            }
        }
    }

    private func prefix(
        of file: QueuedFile, count: UInt64, in sources: inout [TransferID: Source]
    ) async -> Octets32? {
        sources[file.id] = nil
        guard let opened = try? await storage.openSource(file.path), opened.size == file.size,
            opened.version == file.version
        else { return nil }
        sources[file.id] = Source(file: opened)
        while let position = sources[file.id]?.position, position < count {
            let step = Int(min(UInt64(Self.block), count - position))
            guard await next(of: file.id, at: position, count: step, in: &sources) != nil else { return nil }
        }
        return sources[file.id]?.digest.digest()
    }

    /// Reads exactly `count` bytes and adds them to the running digest; returns nil if that is not possible.
    private func next(
        of id: TransferID, at offset: UInt64, count: Int, in sources: inout [TransferID: Source]
    ) async -> [UInt8]? {
        guard let source = sources[id], source.position == offset,
            let bytes = try? await source.file.read(at: offset, count: count), bytes.count == count
        else { return nil }
        sources[id]?.digest.append(bytes.span)
        sources[id]?.position += UInt64(count)
        return bytes
    }

    // MARK: Writing

    private struct Target {
        let file: any PartialFile
        var digest = RunningSHA256()
        var length: UInt64 = 0
    }

    /// Carries out write requests until `finish`.
    func write(report: @Sendable (FileInput) async -> Void) async {
        var targets: [TransferID: Target] = [:]
        for await (device, writing) in writings {
            switch writing {
            case .loadQueue: await report(.queueLoaded(await storage.loadQueue()))
            case .saveQueue(let sealed):
                do throws(FileFault) { try await storage.saveQueue(sealed) } catch {
                    await report(.queueNotSaved(error))
                }
            case .removeUntouched(let seconds): await storage.removeUntouched(forSeconds: seconds)
            case .find(let id, let name):
                if let device { await report(.incoming(device, .found(id, await storage.find(name)))) }
            case .discard(let id, let name):
                targets[id] = nil
                await storage.discard(name)
            case .close(let id): targets[id] = nil
            case .open, .restart, .write, .sync, .judge:
                guard let device else { continue }
                let result: FileInput?
                do throws(FileFault) {
                    result = try await carryOut(writing, of: device, in: &targets)
                } catch {
                    if let id = writing.id {
                        targets[id] = nil
                        result = .incoming(device, .incoming(id, .failed))
                    } else {
                        result = nil
                    }
                }
                if let result { await report(result) }
            }
        }
    }

    private func carryOut(
        _ writing: Writing, of device: KnownDevice, in targets: inout [TransferID: Target]
    ) async throws(FileFault) -> FileInput? {
        switch writing {
        case .open(let id, let name, let size):
            var target = Target(file: try await storage.openPartial(name, size: size))
            let length = try await target.file.length()
            while target.length < length {
                let step = Int(min(UInt64(Self.block), length - target.length))
                let bytes = try await target.file.read(at: target.length, count: step)
                guard !bytes.isEmpty else { throw .changed }
                target.digest.append(bytes.span)
                target.length += UInt64(bytes.count)
            }
            targets[id] = target
            return .incoming(
                device, .incoming(id, .opened(offset: target.length, digest: target.digest.digest())))
        case .restart(let id):
            guard let file = targets[id]?.file else { return nil }
            try await file.empty()
            targets[id] = Target(file: file)
            return nil
        case .write(let id, let bytes):
            guard let file = targets[id]?.file else { return nil }
            try await file.append(bytes)
            targets[id]?.digest.append(bytes.span)
            targets[id]?.length += UInt64(bytes.count)
            return nil
        case .sync(let id):
            guard let target = targets[id] else { return nil }
            try await target.file.sync()
            return .incoming(device, .incoming(id, .written(offset: target.length)))
        case .judge(let id, let digest):
            guard let target = targets.removeValue(forKey: id) else { return nil }
            guard target.digest.digest() == digest else { return .judged(device, id, isRight: false, path: nil) }
            let path = try await target.file.keep()
            return .judged(device, id, isRight: true, path: path)
        case .loadQueue, .saveQueue, .removeUntouched, .find, .close, .discard: return nil
        }
    }
}

extension FileWork.Writing {
    /// The transfer that the request is about.
    fileprivate var id: TransferID? {
        switch self {
        case .open(let id, _, _), .restart(let id), .write(let id, _), .sync(let id), .judge(let id, _),
            .close(let id), .discard(let id, _), .find(let id, _):
            id
        case .loadQueue, .saveQueue, .removeUntouched: nil
        }
    }
}

/// An event about a file that a node processes as an input.
enum FileInput: Sendable {
    case outgoing(TransferID, OutgoingFile.Event)
    case incoming(KnownDevice, FileExchange.Event)
    /// A digest was compared; if it was right, the file has this path.
    case judged(KnownDevice, TransferID, isRight: Bool, path: String?)
    case queueLoaded([UInt8]?)
    case queueNotSaved(FileFault)
}
