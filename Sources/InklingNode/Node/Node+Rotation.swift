internal import InklingEngine
internal import InklingKeys
internal import InklingSession

// Carrying out what the rotation machine decides, in its order.
extension Node {
    func perform(_ effects: [RotationMachine.Effect], because reason: NodeEvent.SilenceReason = .gap) async {
        for effect in effects {
            switch effect {
            case .goQuiet(let goodbye): await goQuiet(goodbye: goodbye, because: reason)
            case .closeUnauthenticatedLinks: await closeLinks()
            case .retire(let epoch):
                ownEpochs.removeAll { $0.epoch < epoch }
                responder.forget(before: epoch)
            case .forget(let period): await forget(before: period)
            case .prepare(let epoch): prepare(epoch)
            case .highWater(let epoch):
                contents.highWaterEpoch = epoch
                isHighWaterStored = false
            case .publish(let epoch): await publish(epoch)
            case .wake(let tick): rotationWake = tick
            }
        }
    }

    /// Emits nothing any more. Names that were seen are forgotten, because nobody listens for their end.
    func goQuiet(goodbye: Bool, because reason: NodeEvent.SilenceReason) async {
        fallSilent(reason)
        await closeDiscovery(goodbye: goodbye)
        recognise(.namesForgotten, at: ports.clock.read())
    }

    /// Closes the server, if there is one, and ends the questions to it.
    private func closeDiscovery(goodbye: Bool) async {
        discoveryNumber += 1
        let session = discovery
        discovery = nil
        for name in searches.keys.sorted(by: { $0.octets < $1.octets }) { finishSearches(for: name, with: []) }
        await session?.close(goodbye: goodbye)
    }

    /// Ends sessions too, not only links without one: what goes on over a link during the gap, with the same ports
    /// before and after, would connect this epoch with the next. Contacts confirm each other anew.
    func closeLinks() async {
        round += 1
        forgetLinks()
        // Beside the inputs, because a contact that reads nothing could hold them up.
        for session in openSessions { endSession(session.id, sayingClose: true).map(spawn) }
        for call in calls.values { spawn { await call.close() } }
        calls = [:]
        let listener = listener
        self.listener = nil
        await listener?.close()
    }

    private func forget(before period: Period) async {
        // The epoch that was just shown must still be answered until the skew allowance has passed: it is kept apart.
        contents.forgetPast(before: period)
        if let keys = periodKeys, keys.period < period { periodKeys = nil }
        await save()
        // Certificates begin and end with the hours.
        indexDevices()
    }

    /// Derives what an epoch shows and what contacts show in it, ahead of time.
    private func prepare(_ epoch: Epoch) {
        if !ownEpochs.contains(where: { $0.epoch == epoch }), let audience = contents.audiences.first,
            let own = OwnEpoch(epoch, device: contents.device, of: audience.tree.value)
        {
            ownEpochs.append(own)
        }
        prepareTable(epoch)
    }

    /// Begins to make the table of an epoch, beside everything else and on all processors.
    func prepareTable(_ epoch: Epoch) {
        preparationCount += 1
        let number = preparationCount
        preparedTables[epoch] = PreparedTable(
            number: number,
            preparation: TablePreparation(of: predictedContacts(), around: epoch, reusing: table, keys: periodKeys))
        spawn { [weak self] in await self?.makeTable(number, for: epoch) }
    }

    /// Makes a table unless that has been begun elsewhere, or it is not wanted any more.
    private func makeTable(_ number: UInt64, for epoch: Epoch) async {
        guard let prepared = preparedTables[epoch], prepared.number == number, !prepared.isBegun else { return }
        preparedTables[epoch]?.isBegun = true
        let made = await prepared.preparation.carriedOut()
        if preparedTables[epoch]?.number == number { preparedTables[epoch]?.made = made }
    }

    /// Puts the prepared table of an epoch in the place of the one in force.
    private func swapTable(for epoch: Epoch) async {
        while let prepared = preparedTables[epoch] {
            // Should it not be there yet, it is made here: nobody may be left to run the other's task.
            preparedTables[epoch]?.isBegun = true
            let made =
                if let made = prepared.made { made } else { await prepared.preparation.carriedOut() }
            // When the contacts changed while we waited, another table is wanted.
            guard preparedTables[epoch]?.number == prepared.number else { continue }
            table = made.table
            // Keys of an hour that has passed are to be forgotten, and nothing is derived from them any more.
            periodKeys = made.keys.flatMap { $0.period < epoch.period ? nil : $0 }
            break
        }
        preparedTables = preparedTables.filter { $0.key > epoch }
    }

    private func publish(_ epoch: Epoch) async {
        await swapTable(for: epoch)
        let now = ports.clock.read()
        recognise(.tableReplaced(table), at: now)
        retryWake = now.tick.advanced(byMilliseconds: Self.retryInterval)
        guard let own = ownEpochs.first(where: { $0.epoch == epoch }) else { return fallSilent(.gap) }
        if !isHighWaterStored {
            // Without it nothing may be published: a restart could show the epoch under another address.
            if let error = await save() { return fallSilent(.vault(error)) }
            isHighWaterStored = true
        }
        do throws(LinkError) {
            try await listen()
        } catch {
            return fallSilent(.links(error))
        }
        visibleEpoch = own.epoch
        guard await openDiscovery() else { return }
        retryWake = nil
        silence = nil
        emit.yield(.showing(epoch))
    }

    /// Starts to accept links on a port of this epoch, unless it is done already.
    func listen() async throws(LinkError) {
        guard listener == nil else { return }
        let listener = try await ports.links.listen()
        self.listener = listener
        spawn { [weak self] in
            for await link in listener.links { await self?.serve(link) }
        }
    }

    /// Starts a discovery server with what is to be shown now. False, and silent, when that is not possible.
    func openDiscovery() async -> Bool {
        await closeDiscovery(goodbye: false)
        do throws(DiscoveryError) {
            let session = try await ports.discovery.open(publication)
            discovery = session
            discoveryNumber += 1
            let number = discoveryNumber
            spawn { [weak self] in
                // One event at a time waits among the inputs, however many strangers there are.
                for await event in session.events {
                    do { try await self?.inTurn { await $0.take(event, from: number) } } catch { return }
                }
            }
            return true
        } catch {
            fallSilent(.discovery(error))
            return false
        }
    }

    /// Brings what is answered without announcement up to date, opening or closing the server where that is needed.
    func republish() async {
        if visibleEpoch == nil, !isMeeting {
            await closeDiscovery(goodbye: false)
            let listener = listener
            self.listener = nil
            await listener?.close()
            return
        }
        // In the silent gap even an invitation waits until everything is shown together.
        guard !isAboutToShow else { return }
        do throws(LinkError) { if rendezvous?.isOpen == true { try await listen() } } catch { return }
        if let discovery {
            await discovery.answer(publication.answered)
        } else if isMeeting {
            _ = await openDiscovery()
        }
    }

    /// Whether a first contact needs the server, whatever else is shown.
    private var isMeeting: Bool { rendezvous?.isOpen == true || acceptances > 0 }

    /// Whether the silent gap will end in a publication.
    var isAboutToShow: Bool {
        isVisible && isTimeAccepted && visibleEpoch == nil && retryWake == nil && silence != .conflict
    }

    private var publication: Publication {
        let port = listener?.port
        let now = ports.clock.read().unixSeconds
        let own = ownEpochs.first { $0.epoch == visibleEpoch }
        return Publication(
            announced: own.flatMap { own in port.map { own.instance(port: $0) } },
            answered: port.flatMap { port in rendezvous.flatMap { $0.isOpen ? $0.instance(port: port, at: now) : nil } }
                .map { [$0] } ?? [],
            browses: own != nil)
    }
}
