public import CInkling
internal import InklingKeys
internal import InklingWire

/// The receiving end of a link: bytes and packets that the caller has not consumed yet.
private struct IncomingLink: Sendable {
    private enum Bytes: Sendable {
        case stream(FrameDecoder)
        case values(FragmentReassembler)
    }

    /// The largest number of waiting packets on a GATT link.
    private static let waitingLimit = 16

    private var bytes: Bytes
    private var waiting: [[UInt8]] = []

    init(_ transport: LinkBytes, isUnauthenticated: Bool) {
        switch transport {
        case .stream:
            let first = Packet.firstMessageByteCount
            bytes = .stream(isUnauthenticated ? FrameDecoder(accepting: first...first) : FrameDecoder())
        case .values:
            bytes = .values(
                isUnauthenticated ? FragmentReassembler(accepting: PacketType.firstMessages) : FragmentReassembler())
        }
    }

    mutating func trust() {
        switch bytes {
        case .stream(var decoder):
            decoder.lengths = Packet.leastByteCount...Packet.byteLimit
            bytes = .stream(decoder)
        case .values(var reassembler):
            reassembler.types = Set(PacketType.allCases)
            bytes = .values(reassembler)
        }
    }

    /// Accepts bytes of the stream, or one GATT value.
    ///
    /// - Throws: `INKLING_FULL`, or the `FragmentError` as a refusal.
    mutating func take(_ input: Span<UInt8>, at tick: UInt64) throws(Fault) {
        switch bytes {
        case .stream(var decoder):
            guard decoder.remainder.count + input.count <= inputLimit else { throw Fault(INKLING_FULL) }
            // Drops the second reference to the buffer, so that the append does not copy it.
            bytes = .stream(FrameDecoder())
            decoder.append(input)
            bytes = .stream(decoder)
        case .values(var reassembler):
            guard waiting.count < Self.waitingLimit else { throw Fault(INKLING_FULL) }
            defer { bytes = .values(reassembler) }
            do throws(FragmentError) {
                if let packet = try reassembler.append(input, at: tick) { waiting.append(packet.bytes) }
            } catch {
                throw Fault(error)
            }
        }
    }

    /// Returns the next packet, which stays in the link until `drop`; `nil` if none is complete.
    ///
    /// - Throws: the `FrameError` as a refusal.
    mutating func next() throws(Fault) -> [UInt8]? {
        if case .stream(var decoder) = bytes, waiting.isEmpty {
            defer { bytes = .stream(decoder) }
            do throws(FrameError) {
                if let packet = try decoder.next() { waiting.append(packet) }
            } catch {
                throw Fault(error)
            }
        }
        return waiting.first
    }

    mutating func drop() { waiting.removeFirst() }

    var deadline: UInt64? {
        guard case .values(let reassembler) = bytes else { return nil }
        return reassembler.deadline
    }
}

/// The way in which a transport carries packets.
private enum LinkBytes: Sendable {
    case stream
    case values

    init(_ transport: UInt32) throws(Fault) {
        switch try code(transport) {
        case .tcp: self = .stream
        case .gatt: self = .values
        case .nan: throw Fault(INKLING_OUT_OF_RANGE)
        }
    }
}

@c @implementation
public func inkling_link_bytes(
    _ packet: UnsafePointer<UInt8>?, _ count: Int, _ transport: UInt32, _ mtu: UInt32,
    _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let transport = try LinkBytes(transport)
        let mtu = Int(mtu)
        guard transport == .stream ? mtu == 0 : Packet.mtuRange.contains(mtu) else { throw Fault(INKLING_OUT_OF_RANGE) }
        let packet = try unsafe parsed(packet, count)
        var bytes: [UInt8] = []
        switch transport {
        case .stream: packet.appendFrame(to: &bytes)
        case .values: for value in packet.gattFragments(mtu: mtu) { bytes += value }
        }
        try out.set(bytes.span)
    }
}

@c @implementation
public func inkling_link_new(
    _ transport: UInt32, _ isUnauthenticated: UInt32, _ link: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(link)
        let incoming = IncomingLink(try LinkBytes(transport), isUnauthenticated: try flag(isUnauthenticated))
        out.set(try HandleTable.shared.add(incoming))
    }
}

@c @implementation
public func inkling_link_trust(_ link: inkling_handle) -> inkling_status {
    catchingFaults { () throws(Fault) in
        try HandleTable.shared.with(link, IncomingLink.self) { $0.trust() }
    }
}

@c @implementation
public func inkling_link_take(
    _ link: inkling_handle, _ start: UnsafePointer<UInt8>?, _ count: Int, _ tick: UInt64,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        try unsafe withInput(start, count) { bytes throws(Fault) in
            try HandleTable.shared.with(link, IncomingLink.self) { link throws(Fault) in
                try link.take(bytes, at: tick)
            }
        }
    }
}

@c @implementation
public func inkling_link_next(
    _ link: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        try HandleTable.shared.with(link, IncomingLink.self) { link throws(Fault) in
            guard let packet = try link.next() else { return try out.expect(0) }
            try out.set(packet.span)
            link.drop()
        }
    }
}

@c @implementation
public func inkling_link_deadline(
    _ link: inkling_handle, _ tick: UnsafeMutablePointer<UInt64>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(tick)
        let deadline = try HandleTable.shared.with(link, IncomingLink.self) { $0.deadline }
        guard let deadline else { throw Fault(INKLING_UNKNOWN) }
        out.set(deadline)
    }
}
