internal import CNameLines
public import InklingKeys

/// The device keys of all contacts for one period, kept so that further epochs of the period need no tree derivation.
///
/// They are as secret as the period keys from which they are derived, and are wiped when the last reference goes away.
/// Release them when the contacts change or the keys of the period must be erased.
public final class PeriodKeys: Sendable {
    /// The period of the keys.
    public let period: Period
    let shards: [PeriodShard]
    let owners: Owners

    init(_ period: Period, of shards: [PeriodShard], like previous: Owners? = nil) {
        self.period = period
        self.shards = shards
        let lists = shards.map(\.owners)
        // In most periods the owners are the same as before, and epochs can share one list.
        owners = previous.flatMap { $0.are(lists) ? $0 : nil } ?? Owners(lists)
    }

    /// Whether all shards can derive tags as well.
    var withTags: Bool { shards.allSatisfy(\.withTags) }

    /// The memory of keys and midstates in bytes, without those for tags.
    public var byteCount: Int { owners.count * 128 }
}

/// A device of a contact under one audience: a prediction without its epoch.
struct Owner: Hashable, Sendable {
    private let audience: AudienceID
    let contact: ContactID
    // Bits 0 to 3: the device. Bit 4: set for a pair audience.
    private let place: UInt32

    init(_ contact: ContactID, _ audience: HeldAudience, _ device: DeviceIndex) {
        self.contact = contact
        switch audience {
        case .granted(let number): (self.audience, place) = (number, UInt32(device.number))
        case .pair: (self.audience, place) = (0, UInt32(device.number) | 1 << 4)
        }
    }

    @inline(__always)
    func prediction(in epoch: Epoch) -> Prediction {
        Prediction(
            contact: contact, device: DeviceIndex(UInt8(truncatingIfNeeded: place & 15)) ?? .first,
            audience: place >> 4 == 0 ? .granted(audience) : .pair, epoch: epoch)
    }
}

/// All owners of a period; its epochs share them.
@safe
final class Owners: @unchecked Sendable {
    // Sendable because nothing is written after `init`.

    let count: Int
    private let start: UnsafeMutablePointer<Owner>

    /// Creates the concatenation of the owners of all shards.
    init(_ lists: [[Owner]]) {
        count = lists.reduce(0) { $0 + $1.count }
        unsafe start = .allocate(capacity: count)
        var place = 0
        for list in lists {
            unsafe list.withUnsafeBufferPointer { owners in
                if let first = owners.baseAddress {
                    unsafe (start + place).initialize(from: first, count: owners.count)
                }
            }
            place += list.count
        }
    }

    deinit { unsafe start.deallocate() }

    /// Whether the concatenation of these lists is equal to the owners.
    func are(_ lists: [[Owner]]) -> Bool {
        guard lists.reduce(0, { $0 + $1.count }) == count else { return false }
        var place = 0
        for list in lists {
            for owner in list {
                if unsafe start[place] != owner { return false }
                place += 1
            }
        }
        return true
    }

    /// A view of the owners for one epoch; valid while this object lives.
    fileprivate func view(in epoch: Epoch) -> OwnersView { unsafe OwnersView(epoch: epoch, count: count, start: start) }
}

@safe
private struct OwnersView: @unchecked Sendable {
    let epoch: Epoch
    let count: Int
    let start: UnsafeMutablePointer<Owner>
}

/// The owners of up to four consecutive epochs.
///
/// An id is the index of an owner times 4, plus the last two bits of the epoch's number.
@safe
final class OwnersByEpoch: @unchecked Sendable {
    // Sendable because nothing is written after `init`.

    private let owners: [Owners]
    private let views: UnsafeMutablePointer<OwnersView?>

    init(_ parts: [(epoch: Epoch, owners: Owners)]) {
        owners = parts.map(\.owners)
        unsafe views = .allocate(capacity: 4)
        unsafe views.initialize(repeating: nil, count: 4)
        for (epoch, owners) in parts { unsafe views[Int(epoch.number & 3)] = owners.view(in: epoch) }
    }

    deinit { unsafe views.deallocate() }

    /// A view without reference counting; valid while this object lives.
    var view: OwnersOfIDs { unsafe OwnersOfIDs(views: views) }
}

/// Maps ids to predictions.
@safe
struct OwnersOfIDs: @unchecked Sendable {
    // Sendable because it only reads.

    private let views: UnsafeMutablePointer<OwnersView?>

    fileprivate init(views: UnsafeMutablePointer<OwnersView?>) { unsafe self.views = views }

    /// Prefetches the owner of an id into the processor's cache.
    @inline(__always)
    func prefetch(_ id: UInt32) {
        let place = Int(truncatingIfNeeded: id >> 2)
        guard let view = unsafe views[Int(truncatingIfNeeded: id & 3)], place < view.count else { return }
        unsafe name_lines_ask(view.start + place)
    }

    /// Calls `body` with the prediction of an id; does nothing for an unknown id.
    @inline(__always)
    func with(_ id: UInt32, _ body: (Prediction) -> Void) {
        let place = Int(truncatingIfNeeded: id >> 2)
        guard let view = unsafe views[Int(truncatingIfNeeded: id & 3)], place < view.count else { return }
        unsafe body(view.start[place].prediction(in: view.epoch))
    }
}

/// The device keys of some contacts for one period.
final class PeriodShard: Sendable {
    /// The most contacts of a shard; their keys fit into the cache of one core.
    static let contacts = 1024

    let owners: [Owner]
    let withTags: Bool
    private let lanes: [SecretBox<DeviceLanes>]

    init(of contacts: ArraySlice<PredictedContact>, in period: Period, withTags: Bool) {
        self.withTags = withTags
        // Counting touches all trees first, so that their memory accesses overlap.
        let capacity = contacts.reduce(0) { count, contact in
            count + contact.grants.count { $0.tree.value.interval?.contains(period.number) == true }
        }
        var nodes = NodeLanes(covering: period, capacity: capacity)
        var places = [[Int]](repeating: [], count: Int(DeviceIndex.limit))
        var shown = [[Owner]](repeating: [], count: Int(DeviceIndex.limit))
        var lane = 0
        for contact in contacts {
            for grant in contact.grants where nodes.append(grant.tree.value) {
                for device in grant.devices where places[Int(device.number)].last != lane {
                    places[Int(device.number)].append(lane)
                    shown[Int(device.number)].append(Owner(contact.contact, grant.audience, device))
                }
                lane += 1
            }
        }
        // Devices with the same index are derived together, because HMAC lanes share one message.
        let leaves = nodes.leaves()
        var lanes: [SecretBox<DeviceLanes>] = []
        for device in (0..<DeviceIndex.limit).compactMap(DeviceIndex.init) {
            let places = places[Int(device.number)]
            if places.isEmpty { continue }
            lanes.append(
                SecretBox(
                    places.count == leaves.count
                        ? DeviceLanes(device, of: leaves, withTags: withTags)
                        : DeviceLanes(device, of: leaves.picked(places), withTags: withTags)))
        }
        owners = shown.count { !$0.isEmpty } == 1 ? shown.first { !$0.isEmpty } ?? [] : shown.flatMap(\.self)
        self.lanes = lanes
    }

    /// The values of the owners in an epoch of the period, in the owners' order, sorted for indices of this shape.
    func shown(in epoch: Epoch, by shape: NameIndexShape) -> ShownValues {
        var names: [Octets16] = []
        var minors: [UInt16] = []
        var tags: [Octets16] = []
        for lanes in lanes {
            append(lanes.value.nameOctets(epoch), to: &names)
            append(lanes.value.minorValues(epoch), to: &minors)
            if withTags { append(lanes.value.tagOctets(epoch), to: &tags) }
        }
        return ShownValues(
            names: SortedNames(names, by: shape), minors: minors, tags: SortedNames(tags, by: shape))
    }

    private func append<Value>(_ values: [Value], to all: inout [Value]) {
        if all.isEmpty { all = values } else { all += values }
    }
}

/// The values that the owners of a shard show in one epoch: minors in the owners' order, names and tags with their
/// positions in it. `tags` is empty unless the table is made with tags.
struct ShownValues: Sendable {
    let names: SortedNames
    let minors: [UInt16]
    let tags: SortedNames
}
