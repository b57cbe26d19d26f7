package import InklingKeys

/// An index of names that were seen, in which predictions are looked up. If sightings far outnumber predictions, as in
/// the log of a day, this direction costs one lookup for each prediction, whatever the number of sightings.
///
/// Each epoch has its own index, with the sightings that may belong to it; the predictions of the epoch are looked up
/// there.
package struct SightedNames: Sendable {
    /// The most names in an index; names beyond it are not found.
    package static let limit = 1 << 31

    private let index: NameIndex

    /// Creates the index of these names, which can repeat.
    package init(_ names: [OpaqueServiceName]) { index = NameIndex(names.prefix(Self.limit).map(\.octets)) }

    /// The number of names in the index.
    package var count: Int { index.count }

    /// Calls `body` with the position of each predicted name that was seen and with the position of each of its
    /// sightings, in no particular order.
    package func forEachSighting(of predicted: Span<OpaqueServiceName>, _ body: (Int, Int) -> Void) {
        unsafe predicted.withUnsafeBufferPointer { predicted in
            // `OpaqueServiceName` has the layout of its only stored property, an `Octets16`.
            unsafe predicted.withMemoryRebound(to: Octets16.self) { octets in
                unsafe index.forEach(of: octets) { prediction, place in body(prediction, Int(place)) }
            }
        }
    }
}
