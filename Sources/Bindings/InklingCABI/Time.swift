public import CInkling
internal import InklingKeys

@c @implementation
public func inkling_epoch_at(_ unixSeconds: UInt64, _ epoch: UnsafeMutablePointer<UInt32>?) -> inkling_status {
    catchingFaults { () throws(Fault) in
        try unsafe Out(epoch).set(try inRange(Epoch(containing: unixSeconds)).number)
    }
}

@c @implementation
public func inkling_epoch_bounds(
    _ epoch: UInt32, _ start: UnsafeMutablePointer<UInt64>?, _ end: UnsafeMutablePointer<UInt64>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let (start, end) = (try unsafe Out(start), try unsafe Out(end))
        let epoch = try inRange(Epoch(epoch))
        start.set(epoch.start)
        end.set(epoch.end)
    }
}

@c @implementation
public func inkling_epoch_on_air(
    _ epoch: UInt32, _ minutes: UInt32, _ onAir: UnsafeMutablePointer<UInt32>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let onAir = try unsafe Out(onAir)
        let schedule = try inRange(RotationSchedule(minutes: minutes))
        onAir.set(schedule.effectiveEpoch(for: try inRange(Epoch(epoch))).number)
    }
}

@c @implementation
public func inkling_epochs_observed(
    _ unixSeconds: UInt64, _ skewSeconds: UInt64, _ epochs: UnsafeMutablePointer<UInt32>?,
    _ count: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let (epochs, count) = (try unsafe Out(epochs), try unsafe Out(count))
        let skew = try inRange(SkewAllowance(seconds: skewSeconds))
        let observed = skew.observedEpochs(at: unixSeconds)
        guard !observed.isEmpty else { throw Fault(INKLING_OUT_OF_RANGE) }
        for (index, epoch) in observed.enumerated() { epochs.set(epoch.number, at: index) }
        count.set(observed.count)
    }
}
