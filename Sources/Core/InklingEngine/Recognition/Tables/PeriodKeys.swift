public import InklingKeys

/// The device keys of all contacts for one period, kept so that further epochs of the period need no tree derivation,
/// and the tree nodes that shorten the derivation for the next period.
///
/// They are as secret as the trees: they yield the keys of this period and of later ones, and none of an earlier period.
/// They are wiped when the last reference goes away. Release them when the contacts change or the keys of the period must
/// be erased.
public final class PeriodKeys: Sendable {
    /// The period of the keys.
    public let period: Period
    let shards: [PeriodShard]
    let owners: Owners

    init(_ period: Period, of shards: [PeriodShard], after previous: PeriodKeys?, like others: Owners?) {
        self.period = period
        self.shards = shards
        // In most periods the owners are the same as before, and epochs can share one list.
        if let previous, previous.shards.count == shards.count,
            zip(previous.shards, shards).allSatisfy({ $0.owners === $1.owners })
        {
            owners = previous.owners
        } else {
            let lists = shards.map(\.owners.list)
            owners = (previous?.owners ?? others).flatMap { $0.are(lists) ? $0 : nil } ?? Owners(lists)
        }
    }

    /// Whether all shards can derive tags as well.
    var withTags: Bool { shards.allSatisfy(\.withTags) }

    /// The memory of keys and midstates in bytes, without those for tags.
    public var byteCount: Int { owners.count * 128 + shards.reduce(0) { $0 + $1.siblings.byteCount } }
}

/// A device of a contact under one audience: a prediction without its epoch.
@usableFromInline
struct Owner: Hashable, Sendable {
    // The number of a group audience; 0 for a pair audience.
    @usableFromInline let audience: AudienceID
    @usableFromInline let contact: ContactID
    @usableFromInline let device: DeviceIndex
    @usableFromInline let isPair: Bool

    init(_ contact: ContactID, _ audience: HeldAudience, _ device: DeviceIndex) {
        self.contact = contact
        self.device = device
        switch audience {
        case .granted(let number): (self.audience, isPair) = (number, false)
        case .pair: (self.audience, isPair) = (0, true)
        }
    }

    /// Returns the prediction for an epoch. The caller gives the contact, which it has read from elsewhere, so that a
    /// lookup need not wait for this owner's memory before it knows the contact.
    @inlinable @inline(__always)
    func prediction(of contact: ContactID, in epoch: Epoch) -> Prediction {
        Prediction(contact: contact, device: device, audience: isPair ? .pair : .granted(audience), epoch: epoch)
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

    /// Returns a view of the owners for one epoch; valid while this object lives.
    fileprivate func view(in epoch: Epoch) -> OwnersView { unsafe OwnersView(epoch: epoch, count: count, start: start) }
}

@safe @usableFromInline
struct OwnersView: @unchecked Sendable {
    // Sendable because it only reads.

    @usableFromInline let epoch: Epoch
    let count: Int
    @usableFromInline let start: UnsafeMutablePointer<Owner>

    fileprivate init(epoch: Epoch, count: Int, start: UnsafeMutablePointer<Owner>) {
        self.epoch = epoch
        self.count = count
        unsafe self.start = start
    }
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
@safe @usableFromInline
struct OwnersOfIDs: @unchecked Sendable {
    // Sendable because it only reads.

    @usableFromInline let views: UnsafeMutablePointer<OwnersView?>

    fileprivate init(views: UnsafeMutablePointer<OwnersView?>) { unsafe self.views = views }

    /// Returns the prediction of an id that an index of names gives for this contact. The index must have been built
    /// from these owners, so that each of its ids is that of an owner.
    @inlinable @inline(__always)
    func prediction(of contact: ContactID, at id: UInt32) -> Prediction {
        let view = unsafe views[Int(truncatingIfNeeded: id & 3)].unsafelyUnwrapped
        return unsafe view.start[Int(truncatingIfNeeded: id >> 2)].prediction(of: contact, in: view.epoch)
    }

    /// Calls `body` with the prediction of an id; does nothing for an unknown id.
    @inline(__always)
    func with(_ id: UInt32, _ body: (Prediction) -> Void) {
        let place = Int(truncatingIfNeeded: id >> 2)
        guard let view = unsafe views[Int(truncatingIfNeeded: id & 3)], place < view.count else { return }
        let owner = unsafe view.start[place]
        body(owner.prediction(of: owner.contact, in: view.epoch))
    }
}

/// The device keys of some contacts for one period.
final class PeriodShard: Sendable {
    /// The most contacts of a shard; their keys fit into the cache of one core.
    static let contacts = 1024

    /// The owners, which several periods share as long as they are the same.
    final class OwnerList: Sendable {
        let list: [Owner]

        init(_ list: [Owner]) { self.list = list }
    }

    let owners: OwnerList
    let withTags: Bool
    /// The tree nodes that yield the keys of the next periods.
    let siblings: SiblingLanes
    private let lanes: [SecretBox<DeviceLanes>]
    private let grants: Grants

    /// The grants that have a lane, and the lanes of each device.
    private struct Grants: Sendable {
        /// For each lane, the contact's offset in the shard and the offset of the grant.
        var lanes: [(contact: Int, grant: Int)] = []
        /// For each device, the lanes in which it shows itself.
        var places = [[Int]](repeating: [], count: Int(DeviceIndex.limit))
        /// The first period in which other grants than these have keys.
        var end = Period.limit
    }

    /// Derives the keys of a period.
    ///
    /// - Parameters:
    ///   - contacts: the contacts of the shard.
    ///   - period: the period.
    ///   - withTags: whether the keys for tags are derived too.
    ///   - previous: the keys of the same contacts for another period, if there are any.
    convenience init(
        of contacts: ArraySlice<PredictedContact>, in period: Period, withTags: Bool, after previous: PeriodShard?
    ) {
        if let previous, period.number < previous.grants.end,
            var nodes = NodeLanes(covering: period, after: previous.siblings)
        {
            let isComplete = nodes.missing.allSatisfy { lane in
                let place = previous.grants.lanes[lane]
                let contact = contacts.startIndex + place.contact
                guard contacts.indices.contains(contact), contacts[contact].grants.indices.contains(place.grant) else {
                    return false
                }
                return nodes.replace(lane, by: contacts[contact].grants[place.grant].tree.value)
            }
            if isComplete {
                self.init(nodes, of: previous.owners, previous.grants, withTags: withTags)
                return
            }
        }
        // Counting touches all trees first, so that their memory accesses overlap.
        let capacity = contacts.reduce(0) { count, contact in
            count + contact.grants.count { $0.tree.value.interval?.contains(period.number) == true }
        }
        var nodes = NodeLanes(covering: period, capacity: capacity)
        var grants = Grants()
        var shown = [[Owner]](repeating: [], count: Int(DeviceIndex.limit))
        for (offset, contact) in contacts.enumerated() {
            for (number, grant) in contact.grants.enumerated() {
                guard let interval = grant.tree.value.interval else { continue }
                guard nodes.append(grant.tree.value) else {
                    if interval.lowerBound > period.number { grants.end = min(grants.end, interval.lowerBound) }
                    continue
                }
                grants.end = min(grants.end, interval.upperBound + 1)
                let lane = grants.lanes.count
                grants.lanes.append((offset, number))
                for device in grant.devices where grants.places[Int(device.number)].last != lane {
                    grants.places[Int(device.number)].append(lane)
                    shown[Int(device.number)].append(Owner(contact.contact, grant.audience, device))
                }
            }
        }
        let owners = shown.count { !$0.isEmpty } == 1 ? shown.first { !$0.isEmpty } ?? [] : shown.flatMap(\.self)
        self.init(nodes, of: OwnerList(owners), grants, withTags: withTags)
    }

    private init(_ nodes: consuming NodeLanes, of owners: OwnerList, _ grants: Grants, withTags: Bool) {
        var siblings = SiblingLanes()
        let leaves = nodes.leaves(keeping: &siblings)
        // Devices with the same index are derived together, because HMAC lanes share one message.
        var lanes: [SecretBox<DeviceLanes>] = []
        for device in (0..<DeviceIndex.limit).compactMap(DeviceIndex.init) {
            let places = grants.places[Int(device.number)]
            if places.isEmpty { continue }
            lanes.append(
                SecretBox(
                    places.count == leaves.count
                        ? DeviceLanes(device, of: leaves, withTags: withTags)
                        : DeviceLanes(device, of: leaves.picked(places), withTags: withTags)))
        }
        self.owners = owners
        self.withTags = withTags
        self.siblings = siblings
        self.lanes = lanes
        self.grants = grants
    }

    /// Returns the owners' values in an epoch of the period, in the owners' order, sorted for indices of this shape.
    func shown(in epoch: Epoch, by shape: NameIndexShape) -> ShownValues {
        var names: [Octets16] = []
        var minors: [UInt16] = []
        var tags: [Octets16] = []
        for lanes in lanes {
            append(lanes.value.nameOctets(epoch), to: &names)
            append(lanes.value.minorValues(epoch), to: &minors)
            if withTags { append(lanes.value.tagOctets(epoch), to: &tags) }
        }
        let contacts = owners.list.map(\.contact.rawValue)
        return ShownValues(
            names: SortedNames(names, labels: contacts, by: shape), minors: minors,
            tags: SortedNames(tags, labels: contacts, by: shape))
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
