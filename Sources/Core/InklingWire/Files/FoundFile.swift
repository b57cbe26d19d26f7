/// The state of an offered file on the receiver's disk.
public enum FoundFile: Hashable, Sendable {
    /// It was never granted, or its remains have expired.
    case nothing
    /// It was granted before, and a part of it is there.
    case part
    /// It has arrived as a whole before.
    case whole
    /// Nothing can be stored now.
    case unusable
}
