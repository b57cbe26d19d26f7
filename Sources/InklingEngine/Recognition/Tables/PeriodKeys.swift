internal import CNameLines
public import InklingKeys

/// The keys of one period of all contacts' devices, kept so that another epoch of the period needs no step of a tree.
///
/// They are worth as much as the keys that they come from, and wiped with the last reference. Whoever keeps them lets go
/// when the contacts change or the period is to be forgotten.
public final class PeriodKeys: Sendable {
    /// The period.
    public let period: Period
    let shards: [PeriodShard]
    let owners: Owners

    init(_ period: Period, of shards: [PeriodShard], like previous: Owners? = nil) {
        self.period = period
        self.shards = shards
        let lists = shards.map(\.owners)
        // In most periods they are the same people, and one list is enough for all epochs.
        owners = previous.flatMap { $0.are(lists) ? $0 : nil } ?? Owners(lists)
    }

    /// Whether `shards` yield tags too.
    var withTags: Bool { shards.allSatisfy(\.withTags) }

    /// Bytes of keys and midstates, without those of tags.
    public var byteCount: Int { owners.count * 128 }
}

/// Whose device under which audience: what a prediction says apart from its epoch.
struct Owner: Hashable, Sendable {
    private let audience: AudienceID
    let contact: ContactID
    // The device below, and whether the audience is the pair's above.
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

/// All owners of a period, shared by its epochs.
@safe
final class Owners: @unchecked Sendable {
    // Sendable because nothing is written after `init`.

    let count: Int
    private let start: UnsafeMutablePointer<Owner>

    /// The owners of all shards, one after the other.
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

    /// Whether these are the owners, one list after the other.
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

    /// The owners as they appear in an epoch, for as long as this object lives.
    fileprivate func view(in epoch: Epoch) -> OwnersView { unsafe OwnersView(epoch: epoch, count: count, start: start) }
}

@safe
private struct OwnersView: @unchecked Sendable {
    let epoch: Epoch
    let count: Int
    let start: UnsafeMutablePointer<Owner>
}

/// The owners of neighbouring epochs, at most four.
///
/// An id is the place of an owner, times 4, plus the last two bits of the epoch's number.
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

    /// For whoever holds this object, without a reference to count.
    var view: OwnersOfIDs { unsafe OwnersOfIDs(views: views) }
}

/// Whose prediction an id means.
@safe
struct OwnersOfIDs: @unchecked Sendable {
    // Sendable because it only reads.

    private let views: UnsafeMutablePointer<OwnersView?>

    fileprivate init(views: UnsafeMutablePointer<OwnersView?>) { unsafe self.views = views }

    /// Asks for the memory of the owner that an id means.
    @inline(__always)
    func ask(_ id: UInt32) {
        let place = Int(truncatingIfNeeded: id >> 2)
        guard let view = unsafe views[Int(truncatingIfNeeded: id & 3)], place < view.count else { return }
        unsafe name_lines_ask(view.start + place)
    }

    /// Hands on the prediction that an id means, if it means one.
    @inline(__always)
    func with(_ id: UInt32, _ body: (Prediction) -> Void) {
        let place = Int(truncatingIfNeeded: id >> 2)
        guard let view = unsafe views[Int(truncatingIfNeeded: id & 3)], place < view.count else { return }
        unsafe body(view.start[place].prediction(in: view.epoch))
    }
}

/// The keys of one period of some contacts.
final class PeriodShard: Sendable {
    /// How many contacts a shard has, so that their keys fit into a processor's own cache.
    static let contacts = 1024

    let owners: [Owner]
    let withTags: Bool
    private let lanes: [SecretBox<DeviceLanes>]

    init(of contacts: ArraySlice<PredictedContact>, in period: Period, withTags: Bool) {
        self.withTags = withTags
        // The count goes through all trees before one of them is waited for.
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
        // All contacts side by side, then the devices with the same index: what they show comes of the same messages.
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

    /// What the owners show in an epoch of the period, in their order, for indices of this shape.
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

/// What the owners of a shard show in one epoch: minors in their order, names and tags with their places in it. Tags
/// only when they were asked for.
struct ShownValues: Sendable {
    let names: SortedNames
    let minors: [UInt16]
    let tags: SortedNames
}
