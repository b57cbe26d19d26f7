#if Node
    internal import InklingKeys
    internal import InklingNode
    internal import InklingWire

    /// Carries out the decisions of `AdvertisingMachine` on one adapter.
    actor BlueZAdvertiser {
        /// The time in which `bluetoothd` must confirm the end of a set.
        static let withdrawalTimeout = Duration.seconds(3)
        /// The time in which it must begin a set.
        static let registrationTimeout = Duration.seconds(10)

        private let bus: Bus
        private let adapter: String
        private let profile: ApplicationProfile
        private let onRelease: @Sendable () -> Void
        private var machine: AdvertisingMachine

        /// Creates an advertiser; `onRelease` is called when `bluetoothd` has ended an active set.
        init(
            bus: Bus, adapter: String, profile: ApplicationProfile, onRelease: @escaping @Sendable () -> Void
        ) {
            self.bus = bus
            self.adapter = adapter
            self.profile = profile
            self.onRelease = onRelease
            machine = AdvertisingMachine(prefix: "/org/inkling/sets\(bus.nextNumber())/set")
        }

        /// Advertises a layout's sets for an epoch, under new addresses.
        ///
        /// - Throws: `RadioError`; then nothing is advertised, and the connection may be closed.
        func show(_ publication: RadioPublication, layout: RadioLayout) async throws(RadioError) {
            try await run(.show(Self.sets(of: publication, layout: layout, profile: profile)))
        }

        /// Withdraws everything and returns when nothing is advertised; to be sure, it may close the connection.
        func hide() async { try? await run(.hide) }

        /// Returns the sets of a layout.
        static func sets(
            of publication: RadioPublication, layout: RadioLayout, profile: ApplicationProfile
        ) -> [AdvertisingSet] {
            // BlueZ writes the flags, length, type and company.
            let frame = Array(profile.beacon(publication.minor).encoded().dropFirst(7))
            switch layout {
            case .beacon: return [AdvertisingSet(isConnectable: false, appleData: frame)]
            case .links:
                return [
                    AdvertisingSet(isConnectable: true, appleData: frame),
                    AdvertisingSet(isConnectable: true, services: [profile.service.description]),
                ]
            }
        }

        private func run(_ event: AdvertisingMachine.Event) async throws(RadioError) {
            var effects = machine.handle(event)
            while !effects.isEmpty {
                switch effects.removeFirst() {
                case .register(let path, let set): effects += machine.handle(await register(path, set))
                case .unregister(let path): effects += machine.handle(await unregister(path))
                case .forget(let path): bus.unexport(path)
                case .disconnect: await bus.close()
                case .shown, .hidden: return
                case .failed(let error): throw error
                }
            }
        }

        private func register(_ path: String, _ set: AdvertisingSet) async -> AdvertisingMachine.Event {
            bus.export(
                BusObject(
                    path: path, interfaces: [BlueZName.advertisement: Self.properties(of: set)],
                    caller: BlueZName.service
                ) { [onRelease] call in
                    guard call.interface == BlueZName.advertisement, call.member == "Release" else {
                        return call.refuse(BusErrorName.unknownMethod)
                    }
                    call.reply()
                    onRelease()
                })
            do throws(BusError) {
                _ = try await bus.call(
                    BlueZName.service, adapter, BlueZName.advertising, "RegisterAdvertisement",
                    [.path(path), .properties([:])], timeout: Self.registrationTimeout)
                return .registered(path: path)
            } catch {
                // Only an error from `bluetoothd` itself means that the set was not begun.
                if case .refused = error { return .refused(path: path, error.radioError) }
                return .unanswered(path: path, error.radioError)
            }
        }

        private func unregister(_ path: String) async -> AdvertisingMachine.Event {
            do throws(BusError) {
                _ = try await bus.call(
                    BlueZName.service, adapter, BlueZName.advertising, "UnregisterAdvertisement", [.path(path)],
                    timeout: Self.withdrawalTimeout)
                return .unregistered(path: path)
            } catch {
                let hasEnded = error.isAbsence || error == .refused(name: BlueZName.doesNotExist)
                return hasEnded ? .unregistered(path: path) : .unconfirmed(path: path)
            }
        }

        /// Returns the exact content: no name and no power level, which BlueZ adds only on request.
        static func properties(of set: AdvertisingSet) -> [String: BusValue] {
            var properties: [String: BusValue] = ["Type": .string(set.isConnectable ? "peripheral" : "broadcast")]
            if !set.appleData.isEmpty {
                properties["ManufacturerData"] = .dictionary(
                    key: "q", value: "v", [.uint16(0x004c): .variant(.bytes(set.appleData))])
            }
            if !set.services.isEmpty { properties["ServiceUUIDs"] = .strings(set.services) }
            return properties
        }
    }
#endif
