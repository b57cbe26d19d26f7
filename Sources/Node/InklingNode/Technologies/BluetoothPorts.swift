internal import InklingEngine

/// A command of `BluetoothTechnology` to its ports.
enum BluetoothCommand: Sendable {
    /// Go on the air, or only listen if there is nothing to show; the outcome carries the same number.
    case open(Int, RadioPublication?)
    case close
    /// Reply once the earlier commands have been carried out.
    case settled(Reply<Void>)
}

/// A report of the ports to `BluetoothTechnology`, with the number of the command that opened the radio.
enum BluetoothOutcome: Sendable {
    /// The radio is on the air, with or without links; or it could not be opened.
    case opened(Int, Result<Bool, RadioError>)
    case report(Int, RadioReport)
}

/// The executor of `BluetoothTechnology`'s commands, one after the other.
///
/// It alone owns the open radio, so that a command to close always reaches what an earlier command has opened.
struct BluetoothPorts: Sendable {
    /// A radio that is open or being opened.
    private struct Current: Sendable {
        /// A stream that ends when the radio must go off the air.
        let orders: AsyncStream<Never>
        let order: AsyncStream<Never>.Continuation
        /// The signal that the radio is off the air.
        let isOff = Reply<Void>()

        init() { (orders, order) = AsyncStream.makeStream() }

        /// Closes the radio, and returns once it is off the air.
        func close() async {
            order.finish()
            await isOff.value()
        }
    }

    private enum Step: Sendable {
        case opened(Result<any RadioSession, RadioError>)
        /// The node knows that the radio is open.
        case reported(any RadioSession)
        case mustClose
        case ended
    }

    let radio: any BluetoothRadio
    let commands: AsyncStream<BluetoothCommand>

    /// Runs until the commands end, and closes what is still open.
    ///
    /// - Parameters:
    ///   - report: delivers an outcome to the node and returns once the node has processed it, so that at most one
    ///     report of a radio is queued, however many strangers there are.
    ///   - serve: takes ownership of an accepted link.
    func run(
        report: @escaping @Sendable (BluetoothOutcome) async -> Void,
        serve: @escaping @Sendable (any Link) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            var current: Current?
            for await command in commands {
                if case .settled(let reply) = command {
                    reply.send(())
                    continue
                }
                await current?.close()
                current = nil
                guard case .open(let number, let publication) = command else { continue }
                let next = Current()
                current = next
                group.addTask { await open(publication, number, as: next, report: report, serve: serve) }
            }
            await current?.close()
        }
    }

    /// Opens a radio, passes on its reports and links, and closes it when ordered to. A boundary does not wait for a
    /// daemon that does not reply: the order cancels the opening.
    private func open(
        _ publication: RadioPublication?, _ number: Int, as current: Current,
        report: @escaping @Sendable (BluetoothOutcome) async -> Void,
        serve: @escaping @Sendable (any Link) async -> Void
    ) async {
        // Child tasks only, so that a simulation runs them.
        await withTaskGroup(of: Step.self) { group in
            group.addTask { .opened(await opened(publication)) }
            group.addTask {
                for await _ in current.orders {}
                return .mustClose
            }
            var session: (any RadioSession)?
            var mustClose = false
            while let step = await group.next() {
                switch step {
                case .opened(.failure(let error)):
                    current.isOff.send(())
                    group.cancelAll()
                    return await report(.opened(number, .failure(error)))
                case .opened(.success(let opened)) where mustClose:
                    await opened.close()
                    current.isOff.send(())
                case .opened(.success(let opened)):
                    session = opened
                    group.addTask {
                        await report(.opened(number, .success(opened.carriesLinks)))
                        return .reported(opened)
                    }
                case .reported(let opened):
                    group.addTask {
                        for await one in opened.reports { await report(.report(number, one)) }
                        return .ended
                    }
                    group.addTask {
                        for await link in opened.links { await serve(link) }
                        return .ended
                    }
                case .mustClose:
                    mustClose = true
                    guard let session else {
                        group.cancelAll()
                        continue
                    }
                    await session.close()
                    current.isOff.send(())
                case .ended: continue
                }
            }
        }
    }

    private func opened(_ publication: RadioPublication?) async -> Result<any RadioSession, RadioError> {
        do throws(RadioError) { return .success(try await radio.open(publication)) } catch { return .failure(error) }
    }
}
