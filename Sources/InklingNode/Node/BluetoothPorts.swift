internal import InklingEngine

/// A command of `BluetoothTechnology` to its ports.
enum BluetoothCommand: Sendable {
    /// Go on the air; the outcome carries the same number.
    case open(Int, RadioPublication)
    case close
    /// Reply when the commands before are carried out.
    case settled(Reply<Void>)
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
    private typealias Opening = Task<Result<any RadioSession, RadioError>, Never>

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
            var current: Opening?
            for await command in commands {
                if case .settled(let reply) = command {
                    reply.send(())
                    continue
                }
                await close(current)
                current = nil
                guard case .open(let number, let publication) = command else { continue }
                // A boundary must not wait for a daemon that does not reply.
                let opening = Opening { [radio] in
                    do throws(RadioError) {
                        return .success(try await radio.open(publication))
                    } catch {
                        return .failure(error)
                    }
                }
                current = opening
                group.addTask {
                    switch await opening.value {
                    case .failure(let error): await report(.opened(number, .failure(error)))
                    case .success(let session):
                        await report(.opened(number, .success(session.carriesLinks)))
                        await withDiscardingTaskGroup { group in
                            group.addTask { for await one in session.reports { await report(.report(number, one)) } }
                            group.addTask { for await link in session.links { await serve(link) } }
                        }
                    }
                }
            }
            await close(current)
        }
    }

    /// Closes a radio that is open or being opened, and returns when it is off the air.
    private func close(_ opening: Opening?) async {
        opening?.cancel()
        if case .success(let session)? = await opening?.value { await session.close() }
    }
}
