import InklingAccess
import InklingNode
import InklingTerminal
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling send --file`, which sends a file and shows its progress.
struct FileSending {
    let contact: String
    /// The path as the user wrote it.
    let path: String
    let staysInEpoch: Bool
    let isDetached: Bool
    let asJSON: Bool

    func carryOut(for options: HomeOptions) async throws(Failure) {
        let request = Request.SendFile(
            contact: contact, path: try absolutePath(), staysInEpoch: staysInEpoch ? true : nil,
            wait: isDetached ? false : nil)
        let progress = Mutex(Progress(of: "bytes"))
        let last = Mutex<TransferFact?>(nil)
        do throws(Failure) {
            try await options.carryOut(request, on: .runningNode) { transfer in
                last.withLock { $0 = transfer }
                if asJSON {
                    writeFact(transfer, asJSON: true) { _ in "" }
                } else if transfer.size > 0 {
                    let share = Double(transfer.stored) / Double(transfer.size)
                    progress.withLock {
                        $0.show(Int(clamping: transfer.stored), share: share, note: "   \(transfer.state.rawValue)")
                    }
                }
            }
        } catch {
            progress.withLock { $0.clear() }
            throw error
        }
        progress.withLock { $0.clear() }
        guard !asJSON, let transfer = last.withLock({ $0 }) else { return }
        write(isDetached ? transfer.sentence + ".\n" : "Delivered to \(printable(transfer.contact)).\n")
    }

    /// Returns the path for a node, which runs in another folder. Its user is that of this command, so it can read the
    /// same files.
    private func absolutePath() throws(Failure) -> String {
        guard unsafe access(path, R_OK) == 0 else {
            let code = errno
            throw Failure(code == EACCES ? .noPermission : .badData, "\(printable(path)): \(systemMessage(code))")
        }
        guard !path.hasPrefix("/") else { return path }
        guard let folder = unsafe getcwd(nil, 0) else {
            throw Failure(.configuration, "the working directory has no path: \(systemMessage(errno))")
        }
        defer { unsafe free(folder) }
        return unsafe "\(String(cString: folder))/\(path)"
    }
}
