internal import InklingKeys

extension RecognitionEngine {
    /// The record of a contact, kept for as long as it is known.
    struct History: Sendable {
        var options: ContactOptions
        var lastConfirmed: Tick?
        var tries = EachTechnology(Tries())
        /// The end of the last session with one of its devices, which may have another address since.
        var sessionEnded: Tick?
        var lastFailure: AttemptFailure?
        var wasSeen = false
        var presentSince: Tick?
        var outsideWindow: Explanation.OutsideWindow?
        var hasArrived = false
        /// The time of the last goodbye from a device; nil after a handshake.
        var goodbye: Tick?
        /// For each device that said goodbye, the last epoch whose values are no evidence; none after a handshake with
        /// it.
        var silenced: [DeviceIndex: Epoch] = [:]
        /// The moment up to which evidence had run out when the options last changed.
        var over: Tick?
    }
}
