#if Node
    internal import CSystemd

    /// The streams of signals, and the owners of their senders' names.
    struct BusSubscriptions {
        fileprivate struct Subscription {
            let rules: [BusRule]
            let continuation: AsyncStream<BusEvent>.Continuation
        }

        fileprivate var entries: [UInt64: Subscription] = [:]
        /// The unique names of the owners of well-known names; `nil` for a name without an owner.
        fileprivate(set) var owners: [String: String?] = [:]

        /// Ends every stream.
        mutating func endAll() {
            let ended = entries.values
            entries = [:]
            for entry in ended { entry.continuation.finish() }
        }

        /// Returns whether a message's sender, a unique name, owns a well-known name.
        func isOwner(_ sender: String, of name: String) -> Bool {
            // The bus itself sends under its well-known name.
            name == BusInterface.bus ? sender == name : owners[name] == .some(.some(sender))
        }
    }

    extension BusLoop {
        /// Adds a stream of signals.
        func subscribe(_ number: UInt64, _ rules: [BusRule], _ continuation: AsyncStream<BusEvent>.Continuation) {
            subscriptions.entries[number] = BusSubscriptions.Subscription(rules: rules, continuation: continuation)
            for rule in rules {
                watchOwner(of: rule.sender)
                callWithoutReply("AddMatch", [.string(rule.text)])
            }
        }

        /// Ends a stream of signals.
        func unsubscribe(_ number: UInt64) {
            guard let entry = subscriptions.entries.removeValue(forKey: number) else { return }
            for rule in entry.rules { callWithoutReply("RemoveMatch", [.string(rule.text)]) }
            entry.continuation.finish()
        }

        /// Tracks the owner of a well-known name from now on.
        func watchOwner(of name: String) {
            guard name != BusInterface.bus, subscriptions.owners[name] == nil else { return }
            subscriptions.owners[name] = .some(nil)
            callWithoutReply("AddMatch", [.string(BusRule.owner(of: name).text)])
            // The bus preserves order, so the reply comes before every signal that a later rule lets through. The call
            // has no timeout: without the reply, all signals of this name would be dropped.
            let method = BusMethod(
                destination: BusInterface.bus, path: BusInterface.busPath, interface: BusInterface.bus,
                member: "GetNameOwner", arguments: [.string(name)], signature: "s",
                timeoutMilliseconds: nil)
            call(method) { [weak self] result in
                // This runs on the bus thread.
                guard case .success(let values) = result, let owner = values.first?.asString else { return }
                self?.subscriptions.owners[name] = owner
            }
        }

        func received(signal message: OpaquePointer) {
            guard let path = unsafe text(sd_bus_message_get_path(message)),
                let interface = unsafe text(sd_bus_message_get_interface(message)),
                let member = unsafe text(sd_bus_message_get_member(message)),
                let sender = unsafe text(sd_bus_message_get_sender(message))
            else { return }
            let isFromBus = sender == BusInterface.bus
            guard isFromBus || subscriptions.entries.values.contains(where: { $0.wants(interface, member) }) else {
                return
            }
            let signal = BusSignal(
                path: path, interface: interface, member: member,
                arguments: (try? unsafe BusReader.values(of: message)) ?? [])
            if isFromBus { noteOwner(signal) }
            for entry in subscriptions.entries.values
            where entry.rules.contains(where: { subscriptions.isOwner(sender, of: $0.sender) && $0.matches(signal) }) {
                entry.give(signal)
            }
        }

        private func noteOwner(_ signal: BusSignal) {
            guard signal.interface == BusInterface.bus, signal.member == "NameOwnerChanged",
                signal.arguments.count == 3, let name = signal.arguments[0].asString,
                let owner = signal.arguments[2].asString, subscriptions.owners[name] != nil
            else { return }
            subscriptions.owners[name] = .some(owner.isEmpty ? nil : owner)
        }
    }

    extension BusSubscriptions.Subscription {
        fileprivate func wants(_ interface: String, _ member: String) -> Bool {
            rules.contains { $0.interface == interface && ($0.member == nil || $0.member == member) }
        }

        /// Adds a signal. The last slot of the buffer is for `lost`, so that it always follows the kept signals; until
        /// the consumer has read something, further ones are dropped.
        fileprivate func give(_ signal: BusSignal) {
            if case .enqueued(remaining: 1) = continuation.yield(.signal(signal)) { continuation.yield(.lost) }
        }
    }

    /// Returns the text of a C string; `nil` for a null pointer.
    func text(_ start: UnsafePointer<CChar>?) -> String? { unsafe start.map { unsafe String(cString: $0) } }
#endif
