public import CInkling
internal import InklingKeys

@c @implementation
public func inkling_tree_new(
    _ root: UnsafePointer<UInt8>?, _ count: Int, _ tree: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(tree)
        out.set(try HandleTable.shared.add(AudienceTree(root: try unsafe secretKey(root, count))))
    }
}

@c @implementation
public func inkling_tree_random(_ tree: UnsafeMutablePointer<inkling_handle>?) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(tree)
        var generator = Randomness()
        out.set(try HandleTable.shared.add(AudienceTree(root: SecretBytes(count: 32, from: &generator))))
    }
}

@c @implementation
public func inkling_tree_of_pair(
    _ ownPresence: UnsafePointer<UInt8>?, _ ownCount: Int, _ peerPresence: UnsafePointer<UInt8>?, _ peerCount: Int,
    _ advertising: UInt32, _ tree: UnsafeMutablePointer<inkling_handle>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(tree)
        let isAdvertising = try flag(advertising)
        let peer = try unsafe publicKey(peerPresence, peerCount)
        let own = PresenceKey(try unsafe secretKey(ownPresence, ownCount))
        let root = try refusing { () throws(KeyAgreementError) in
            try PairAudience.root(own: own, peer: peer, advertising: isAdvertising)
        }
        out.set(try HandleTable.shared.add(AudienceTree(root: root)))
    }
}

@c @implementation
public func inkling_tree_part(
    _ tree: inkling_handle, _ fromPeriod: UInt32, _ toPeriod: UInt32, _ part: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(part)
        let (from, to) = (try inRange(Period(fromPeriod)), try inRange(Period(toPeriod)))
        guard from <= to else { throw Fault(INKLING_OUT_OF_RANGE) }
        let part = try HandleTable.shared.with(tree, AudienceTree.self) { tree throws(Fault) in
            guard let part = tree.constrained(from: from, to: to) else { throw Fault(INKLING_NOT_HELD) }
            return part
        }
        out.set(try HandleTable.shared.add(part))
    }
}

@c @implementation
public func inkling_tree_periods(
    _ tree: inkling_handle, _ first: UnsafeMutablePointer<UInt32>?, _ last: UnsafeMutablePointer<UInt32>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let (first, last) = (try unsafe Out(first), try unsafe Out(last))
        let periods = try HandleTable.shared.with(tree, AudienceTree.self) { $0.interval }
        guard let periods else { throw Fault(INKLING_NOT_HELD) }
        first.set(periods.lowerBound)
        last.set(periods.upperBound)
    }
}

@c @implementation
public func inkling_tree_forget(_ tree: inkling_handle, _ beforePeriod: UInt32) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let period = try inRange(Period(beforePeriod))
        try HandleTable.shared.with(tree, AudienceTree.self) { $0.forget(before: period) }
    }
}

@c @implementation
public func inkling_tree_values(
    _ tree: inkling_handle, _ device: UInt8, _ epoch: UInt32, _ values: UnsafeMutablePointer<inkling_values>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(values)
        let (device, epoch) = (try inRange(DeviceIndex(device)), try inRange(Epoch(epoch)))
        let key = try HandleTable.shared.with(tree, AudienceTree.self) { tree throws(Fault) in
            guard let key = tree.periodKey(epoch.period) else { throw Fault(INKLING_NOT_HELD) }
            return key
        }
        out.set { $0 = key.values(of: device, in: epoch) }
    }
}

@c @implementation
public func inkling_period_key_of_tree(
    _ tree: inkling_handle, _ number: UInt32, _ key: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(key)
        let period = try inRange(Period(number))
        let key = try HandleTable.shared.with(tree, AudienceTree.self) { tree throws(Fault) in
            guard let key = tree.periodKey(period) else { throw Fault(INKLING_NOT_HELD) }
            return HeldPeriodKey(key: key, period: period)
        }
        out.set(try HandleTable.shared.add(key))
    }
}

@c @implementation
public func inkling_period_key_new(
    _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ number: UInt32, _ key: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(key)
        let period = try inRange(Period(number))
        let key = PeriodKey(try unsafe secretKey(bytes, count))
        out.set(try HandleTable.shared.add(HeldPeriodKey(key: key, period: period)))
    }
}

@c @implementation
public func inkling_period_key_values(
    _ key: inkling_handle, _ device: UInt8, _ epoch: UInt32, _ values: UnsafeMutablePointer<inkling_values>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(values)
        let (device, epoch) = (try inRange(DeviceIndex(device)), try inRange(Epoch(epoch)))
        let values = try HandleTable.shared.with(key, HeldPeriodKey.self) { key throws(Fault) in
            guard epoch.period == key.period else { throw Fault(INKLING_OUT_OF_RANGE) }
            return key.key.values(of: device, in: epoch)
        }
        out.set { $0 = values }
    }
}

/// A period key and its period.
private struct HeldPeriodKey: ~Copyable, Sendable {
    let key: PeriodKey
    let period: Period
}

extension PeriodKey {
    fileprivate borrowing func values(of device: DeviceIndex, in epoch: Epoch) -> inkling_values {
        let keys = deviceKeys(device)
        let name = keys.mdns.serviceName(epoch)
        var values = inkling_values()
        values.minor = keys.beacon.minor(epoch).value
        write(keys.gatt.tag(epoch).octets, to: &values.tag)
        write(name.octets, to: &values.name)
        write(name.description, to: &values.name_text)
        write(keys.mdns.hostName(epoch).description, to: &values.host_text)
        return values
    }
}

extension inkling_values: Sized {
    static var leastSize: Int { 108 }
}
