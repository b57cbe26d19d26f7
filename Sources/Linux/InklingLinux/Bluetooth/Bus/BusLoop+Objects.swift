#if Node
    internal import CSystemd

    /// The objects exported by this connection, and the unanswered calls to them.
    struct BusObjects {
        /// The largest number of calls waiting for our answer; further ones are refused.
        fileprivate static let openLimit = 256

        fileprivate var entries: [String: BusObject] = [:]
        fileprivate var open: [UInt64: HeldMessage] = [:]

        /// Forgets all objects and calls.
        mutating func endAll() {
            entries = [:]
            open = [:]
        }
    }

    /// A message kept until it is answered; used only on the bus thread.
    @safe private final class HeldMessage {
        let message: OpaquePointer

        init(_ message: OpaquePointer) { unsafe self.message = sd_bus_message_ref(message) }

        deinit { unsafe sd_bus_message_unref(message) }
    }

    extension BusLoop {
        /// Exports an object.
        func export(_ object: BusObject) {
            if let caller = object.caller { watchOwner(of: caller) }
            objects.entries[object.path] = object
            guard let manager = manager(above: object.path) else { return }
            emit(
                manager, BusInterface.objectManager, "InterfacesAdded",
                [.path(object.path), Self.interfaces(of: object)])
        }

        /// Withdraws an object.
        func unexport(_ path: String) {
            guard let object = objects.entries.removeValue(forKey: path), let manager = manager(above: path) else {
                return
            }
            emit(
                manager, BusInterface.objectManager, "InterfacesRemoved",
                [.path(path), .strings(object.interfaces.keys.sorted())])
        }

        /// Changes a property of an exported object.
        func set(_ path: String, _ interface: String, _ property: String, _ value: BusValue) {
            guard objects.entries[path]?.interfaces[interface] != nil else { return }
            objects.entries[path]?.interfaces[interface]?[property] = value
            emit(
                path, BusInterface.properties, "PropertiesChanged",
                [.string(interface), .properties([property: value]), .strings([])])
        }

        /// Sends a signal.
        func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
            var made: OpaquePointer?
            guard unsafe sd_bus_message_new_signal(bus, &made, path, interface, member) >= 0,
                let message = unsafe made
            else { return }
            defer { unsafe sd_bus_message_unref(message) }
            guard (try? unsafe BusWriter(message).append(arguments)) != nil else { return }
            unsafe sd_bus_send(bus, message, nil)
        }

        /// Handles a call; returns false if sd-bus itself should answer it.
        func received(call message: OpaquePointer) -> Bool {
            guard let path = unsafe text(sd_bus_message_get_path(message)),
                let member = unsafe text(sd_bus_message_get_member(message)),
                let sender = unsafe text(sd_bus_message_get_sender(message))
            else { return false }
            let interface = unsafe text(sd_bus_message_get_interface(message)) ?? ""
            guard interface != "org.freedesktop.DBus.Peer" else { return false }
            do throws(BusFault) {
                guard let object = objects.entries[path] else { throw BusFault(name: BusErrorName.unknownObject) }
                if let caller = object.caller, !subscriptions.isOwner(sender, of: caller) {
                    throw BusFault(name: BusErrorName.accessDenied)
                }
                guard let arguments = try? unsafe BusReader.values(of: message),
                    objects.open.count < BusObjects.openLimit
                else { throw BusFault(name: BusErrorName.limitsExceeded) }
                if let values = try answer(interface, member, arguments, of: object) {
                    unsafe answer(message, .success(values))
                    return true
                }
                let number = nextNumber()
                objects.open[number] = unsafe HeldMessage(message)
                object.handler(
                    BusCall(sender: sender, path: path, interface: interface, member: member, arguments: arguments) {
                        [weak self] result in self?.post { $0.answer(number, result) }
                    })
            } catch {
                unsafe answer(message, .failure(error))
            }
            return true
        }

        /// Answers the calls common to all objects: reading properties, and listing the objects below. Returns `nil`
        /// for a call that the object itself must answer.
        private func answer(
            _ interface: String, _ member: String, _ arguments: [BusValue], of object: BusObject
        ) throws(BusFault) -> [BusValue]? {
            switch (interface, member) {
            case (BusInterface.properties, "Get"):
                guard arguments.count == 2, let name = arguments[0].asString, let property = arguments[1].asString,
                    let value = object.interfaces[name]?[property]
                else { throw BusFault(name: BusErrorName.unknownProperty) }
                return [.variant(value)]
            case (BusInterface.properties, "GetAll"):
                guard let name = arguments.first?.asString, let properties = object.interfaces[name] else {
                    throw BusFault(name: BusErrorName.unknownInterface)
                }
                return [.properties(properties)]
            case (BusInterface.objectManager, "GetManagedObjects") where object.isManager:
                var listed: [BusValue: BusValue] = [:]
                for other in objects.entries.values where other.path.isBelow(object.path) {
                    listed[.path(other.path)] = Self.interfaces(of: other)
                }
                return [.dictionary(key: "o", value: "a{sa{sv}}", listed)]
            default: return nil
            }
        }

        private func answer(_ number: UInt64, _ result: Result<[BusValue], BusFault>) {
            guard let held = objects.open.removeValue(forKey: number) else { return }
            unsafe answer(held.message, result)
        }

        private func answer(_ call: OpaquePointer, _ result: Result<[BusValue], BusFault>) {
            guard unsafe sd_bus_message_get_expect_reply(call) > 0 else { return }
            switch result {
            case .success(let values):
                var made: OpaquePointer?
                guard unsafe sd_bus_message_new_method_return(call, &made) >= 0, let reply = unsafe made else { return }
                defer { unsafe sd_bus_message_unref(reply) }
                guard (try? unsafe BusWriter(reply).append(values)) != nil else {
                    return unsafe answer(call, .failure(BusFault(name: BusErrorName.failed)))
                }
                unsafe sd_bus_send(bus, reply, nil)
            case .failure(let fault):
                unsafe fault.name.withCString { name in
                    var error = unsafe sd_bus_error(name: name, message: name, _need_free: 0)
                    unsafe sd_bus_reply_method_error(call, &error)
                }
            }
        }

        private func manager(above path: String) -> String? {
            objects.entries.values.first { $0.isManager && path.isBelow($0.path) }?.path
        }

        private static func interfaces(of object: BusObject) -> BusValue {
            var interfaces: [BusValue: BusValue] = [:]
            for (name, properties) in object.interfaces { interfaces[.string(name)] = .properties(properties) }
            return .dictionary(key: "s", value: "a{sv}", interfaces)
        }
    }

    extension String {
        /// Returns whether this object path lies below another.
        fileprivate func isBelow(_ path: String) -> Bool { path == "/" ? self != "/" : hasPrefix(path + "/") }
    }
#endif
