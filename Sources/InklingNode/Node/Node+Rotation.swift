internal import InklingEngine
internal import InklingKeys
internal import InklingSession

// Carrying out what the rotation machine decides, in its order.
extension Node {
    func perform(_ effects: [RotationMachine.Effect]) async {
        var mayPublish = true
        for effect in effects {
            switch effect {
            case .goQuiet(let goodbye): await goQuiet(goodbye: goodbye, because: .gap)
            case .closeUnconfirmedLinks: await closeLinks()
            case .retire(let epoch):
                ownEpochs.removeAll { $0.epoch < epoch }
                responder.forget(before: epoch)
            case .forget(let period): await forget(before: period)
            case .prepare(let epoch): prepare(epoch)
            case .highWater(let epoch):
                contents.highWaterEpoch = epoch
                // Without it nothing may be published: a restart could show the epoch under another address.
                mayPublish = await saveOrFallSilent()
            case .publish(let epoch): if mayPublish { await publish(epoch) }
            case .wake(let tick): rotationWake = tick
            }
        }
    }

    private func saveOrFallSilent() async -> Bool {
        do throws(VaultError) {
            try await keeper.save(contents)
            return true
        } catch {
            fallSilent(.vault(error))
            return false
        }
    }

    /// Emits nothing any more. Names that were seen are forgotten, because nobody listens for their end.
    func goQuiet(goodbye: Bool, because reason: NodeEvent.SilenceReason) async {
        guard let session = discovery else { return }
        discovery = nil
        discoveryNumber += 1
        fallSilent(reason)
        await session.close(goodbye: goodbye)
        recognise(.namesForgotten, at: ports.clock.read())
        for name in Array(searches.keys) { finishSearches(for: name, with: []) }
    }

    /// Ends sessions too, not only links without one: what goes on over a link during the gap, with the same ports
    /// before and after, would connect this epoch with the next. Contacts confirm each other anew.
    private func closeLinks() async {
        for id in Array(sessions.keys) {
            guard let farewell = endSession(id, sayingClose: true) else { continue }
            await farewell()
        }
        await listener?.close()
        listener = nil
    }

    private func forget(before period: Period) async {
        // The epoch that was just shown must still be answered until the skew allowance has passed: it is kept apart.
        contents.forgetPast(before: period)
        await save()
    }

    /// Derives what an epoch shows and what contacts show in it, ahead of time.
    private func prepare(_ epoch: Epoch) {
        if !ownEpochs.contains(where: { $0.epoch == epoch }), let audience = contents.audiences.first,
            let own = OwnEpoch(epoch, device: contents.device, of: audience.tree.value)
        {
            ownEpochs.append(own)
        }
        preparedTables[epoch] = PredictedTable(of: predictedContacts(), around: epoch, reusing: table)
    }

    private func publish(_ epoch: Epoch) async {
        let now = ports.clock.read()
        if let prepared = preparedTables.removeValue(forKey: epoch) { table = prepared }
        preparedTables = preparedTables.filter { $0.key > epoch }
        recognise(.tableReplaced(table), at: now)
        guard let own = ownEpochs.first(where: { $0.epoch == epoch }) else { return fallSilent(.gap) }
        do throws(LinkError) {
            try await listen()
        } catch {
            return fallSilent(.links(error))
        }
        visibleEpoch = own.epoch
        guard await openDiscovery() else { return }
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
        if let discovery {
            self.discovery = nil
            discoveryNumber += 1
            await discovery.close(goodbye: false)
        }
        do throws(DiscoveryError) {
            let session = try await ports.discovery.open(publication)
            discovery = session
            discoveryNumber += 1
            let number = discoveryNumber
            spawn { [weak self] in
                for await event in session.events { await self?.enqueue(.discovery(event, session: number)) }
            }
            return true
        } catch {
            fallSilent(.discovery(error))
            return false
        }
    }

    /// Brings what is answered without announcement up to date, opening or closing the server where that is needed.
    func republish() async {
        if let discovery {
            if visibleEpoch == nil, rendezvous == nil {
                await goQuiet(goodbye: false, because: silence ?? .asked)
            } else {
                await discovery.answer(publication.answered)
            }
        } else if rendezvous != nil {
            _ = await openDiscovery()
        }
    }

    private var publication: Publication {
        let port = listener?.port
        let now = ports.clock.read().unixSeconds
        let own = ownEpochs.first { $0.epoch == visibleEpoch }
        return Publication(
            announced: own.flatMap { own in port.map { own.instance(port: $0) } },
            answered: port.flatMap { port in rendezvous?.instance(port: port, at: now) }.map { [$0] } ?? [],
            browses: own != nil)
    }
}
