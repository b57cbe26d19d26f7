/// A contact that shows a value, or may have shown it.
struct OwnerFact: Encodable {
    let contact: String
    let device: UInt8
    let epoch: UInt32
}
