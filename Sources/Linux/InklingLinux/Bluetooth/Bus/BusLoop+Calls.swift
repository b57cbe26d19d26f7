#if Node
    internal import CSystemd
    internal import InklingKeys

    /// The calls waiting for a reply.
    struct BusCalls {
        fileprivate var pending: [UInt64: PendingCall] = [:]

        /// Fails all calls.
        mutating func endAll() {
            let ended = pending.values
            pending = [:]
            for call in ended { call.finish(.failure(.closed)) }
        }
    }

    /// A call waiting for a reply; used only on the bus thread.
    @safe private final class PendingCall {
        let number: UInt64
        let signature: String?
        unowned let loop: BusLoop
        let finish: @Sendable (Result<[BusValue], BusError>) -> Void
        var slot: OpaquePointer?

        init(
            number: UInt64, signature: String?, loop: BusLoop,
            finish: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
        ) {
            self.number = number
            self.signature = signature
            self.loop = loop
            self.finish = finish
        }

        // Without the slot, sd-bus forgets the call and no longer points at this object.
        deinit { unsafe sd_bus_slot_unref(slot) }
    }

    extension BusLoop {
        /// Sends a call; `finish` is called once, with the reply or an error.
        func call(_ method: BusMethod, finish: @escaping @Sendable (Result<[BusValue], BusError>) -> Void) {
            let call = PendingCall(number: nextNumber(), signature: method.signature, loop: self, finish: finish)
            do throws(BusError) {
                let message = unsafe try newCall(method)
                defer { unsafe sd_bus_message_unref(message) }
                let context = unsafe Unmanaged.passUnretained(call).toOpaque()
                let result = unsafe sd_bus_call_async(
                    bus, &call.slot, message, busReply, context,
                    method.timeoutMilliseconds.map { $0 * 1_000 } ?? .max)
                guard result >= 0 else { throw .closed }
                calls.pending[call.number] = call
            } catch {
                finish(.failure(error))
            }
        }

        /// Sends a call and ignores its reply.
        func callWithoutReply(_ member: String, _ arguments: [BusValue]) {
            let method = BusMethod(
                destination: BusInterface.bus, path: BusInterface.busPath, interface: BusInterface.bus, member: member,
                arguments: arguments, signature: nil,
                timeoutMilliseconds: Bus.openingLimit.wholeMilliseconds)
            call(method) { _ in }
        }

        private func newCall(_ method: BusMethod) throws(BusError) -> OpaquePointer {
            var made: OpaquePointer?
            guard
                unsafe sd_bus_message_new_method_call(
                    bus, &made, method.destination, method.path, method.interface, method.member) >= 0,
                let message = unsafe made
            else { throw .invalidArgument }
            // A call must not start a daemon that the administrator has stopped.
            unsafe sd_bus_message_set_auto_start(message, 0)
            do throws(BusError) {
                try unsafe BusWriter(message).append(method.arguments)
            } catch {
                unsafe sd_bus_message_unref(message)
                throw error
            }
            return unsafe message
        }

        fileprivate func received(reply: OpaquePointer, to call: PendingCall) {
            guard calls.pending.removeValue(forKey: call.number) != nil else { return }
            call.finish(unsafe Self.read(reply, expecting: call.signature))
        }

        private static func read(_ reply: OpaquePointer, expecting signature: String?) -> Result<[BusValue], BusError> {
            if let error = unsafe sd_bus_message_get_error(reply), let name = unsafe error.pointee.name {
                return .failure(BusError(replied: unsafe String(cString: name)))
            }
            let found = unsafe BusReader.signature(of: reply)
            if let signature, found != signature { return .failure(.wrongSignature(found)) }
            do throws(BusError) {
                return .success(try unsafe BusReader.values(of: reply))
            } catch {
                return .failure(error)
            }
        }
    }

    private func busReply(
        _ reply: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
    ) -> CInt {
        guard let reply = unsafe reply, let context = unsafe context else { return 0 }
        let call = unsafe Unmanaged<PendingCall>.fromOpaque(context).takeUnretainedValue()
        unsafe call.loop.received(reply: reply, to: call)
        return 0
    }
#endif
