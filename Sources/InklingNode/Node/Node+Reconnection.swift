internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// A device with which a handshake was made in this epoch, and by which attempt.
struct LinkedDevice {
    let attempt: Attempt
    /// How often its link was made anew since.
    var renewals = 0
}

// Making links anew that were lost within an epoch (`Specs/lifecycle.md`).
extension Node {
    /// How often in an epoch a link to one device is made anew: whoever cuts links learns no more than so often that
    /// somebody here wants them.
    static let renewalLimit = 3

    /// For how many seconds before the end of an epoch no link is made anew: the others may be silent already.
    private static let lastSeconds: UInt64 = 5

    /// Links to contacts that proved themselves; their addresses are known and need no search.
    static let reconnectionPolicy = ReconnectionPolicy(services: [], steps: [.authentication])

    /// From now on, until the end of the epoch, the link to this device is made anew when it is lost.
    func keepLinked(_ device: KnownDevice, _ attempt: Attempt, at route: Endpoint) {
        linkedDevices[device] = LinkedDevice(attempt: attempt)
        let now = ports.clock.read().tick
        _ = reconnection.handle(.ready, at: now)
        // It is linked and confirmed, so that there is nothing to look up.
        _ = reconnection.handle(.wanted(device, known: route, isStable: true, lastReceived: nil), at: now)
        reconnect(.linked(device, route))
        reconnect(.stepDone(device, .authentication))
    }

    /// A device said farewell, was removed, or has a better session: its link is not made anew.
    func letGo(_ device: KnownDevice) {
        guard linkedDevices.removeValue(forKey: device) != nil else { return }
        reconnect(.unwanted(device))
    }

    /// The epoch is over, and with it every address.
    func forgetLinks() {
        linkedDevices = [:]
        reconnection = Reconnection(policy: Self.reconnectionPolicy)
        reconnectionWake = nil
    }

    /// Gives an event to the machine and carries out what it answers.
    func reconnect(_ event: Reconnection<KnownDevice, Endpoint>.Event) {
        for effect in reconnection.handle(event, at: ports.clock.read().tick) {
            switch effect {
            case .call(let device, let route):
                let now = ports.clock.read().unixSeconds
                guard let linked = linkedDevices[device], linked.renewals < Self.renewalLimit,
                    now % Epoch.seconds + Self.lastSeconds < Epoch.seconds
                else {
                    letGo(device)
                    continue
                }
                linkedDevices[device]?.renewals += 1
                spawn { [weak self] in await self?.callAgain(device, for: linked.attempt, at: route) }
            case .wake(let tick):
                reconnectionWake = tick
                schedule()
            case .lookUp, .lookUpAttached, .beginSearch, .endSearch, .adopt, .remember:
                // Whoever is announced anew comes by way of recognition.
                break
            case .perform, .cancel, .overdue, .reconnected:
                // The call itself confirms who is there, and closes what comes to nothing.
                break
            }
        }
    }
}
