internal import InklingEngine

/// A command of `BluetoothTechnology` to its ports.
enum BluetoothCommand: Sendable {
    /// Go on the air; the outcome carries the same number.
    case open(Int, RadioPublication)
    case close
}

/// A report of the ports to `BluetoothTechnology`, with the number of the command that opened the radio.
enum BluetoothOutcome: Sendable {
    /// The radio is on the air, and carries links or does not; or it could not be opened.
    case opened(Int, Result<Bool, RadioError>)
    case report(Int, RadioReport)
}

/// Carries out the commands of `BluetoothTechnology`, one after the other.
///
/// It alone owns the open radio, so that a command to close always reaches what an earlier command has opened.
struct BluetoothPorts: Sendable {
    let radio: any BluetoothRadio
    let commands: AsyncStream<BluetoothCommand>

    /// Runs until the commands end, and closes what is still open.
    ///
    /// - Parameters:
    ///   - report: delivers an outcome to the node and returns when the node has processed it, so that at most one
    ///     report of a radio is queued, however many strangers there are.
    ///   - serve: takes ownership of an accepted link.
    func run(
        report: @escaping @Sendable (BluetoothOutcome) async -> Void,
        serve: @escaping @Sendable (any Link) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            var session: (any RadioSession)?
            for await command in commands {
                await session?.close()
                session = nil
                guard case .open(let number, let publication) = command else { continue }
                do throws(RadioError) {
                    let opened = try await radio.open(publication)
                    session = opened
                    await report(.opened(number, .success(opened.carriesLinks)))
                    group.addTask { for await one in opened.reports { await report(.report(number, one)) } }
                    group.addTask { for await link in opened.links { await serve(link) } }
                } catch {
                    await report(.opened(number, .failure(error)))
                }
            }
            await session?.close()
        }
    }
}
