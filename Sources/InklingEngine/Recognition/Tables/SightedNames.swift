package import InklingKeys

/// Names that were seen, in which predictions are looked up: where the sightings of a day are many more than the contacts,
/// this way round costs one look-up for each prediction, whatever the number of sightings.
///
/// Sightings go into a table for each epoch whose value they may be, and that epoch's predictions through it.
package struct SightedNames: Sendable {
    /// The most names of a table; what is beyond is not found.
    package static let limit = 1 << 31

    private let index: NameIndex

    /// A table of these names, of which many may be the same.
    package init(_ names: [OpaqueServiceName]) { index = NameIndex(names.prefix(Self.limit).map(\.octets)) }

    /// How many names the table holds.
    package var count: Int { index.count }

    /// Hands on, for each predicted name that was seen, its index and the places of all its sightings, in no particular
    /// order.
    package func forEachSighting(of predicted: Span<OpaqueServiceName>, _ body: (Int, Int) -> Void) {
        unsafe predicted.withUnsafeBufferPointer { predicted in
            // A name is its 16 bytes and nothing else.
            unsafe predicted.withMemoryRebound(to: Octets16.self) { octets in
                unsafe index.forEach(of: octets) { prediction, place in body(prediction, Int(place)) }
            }
        }
    }
}
