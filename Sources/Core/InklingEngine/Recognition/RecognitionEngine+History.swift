internal import InklingKeys

extension RecognitionEngine {
    /// The record of a contact, kept for as long as it is known.
    struct History: Sendable {
        var options: ContactOptions
        var lastConfirmed: Tick?
        var tries = EachTechnology(Tries())
        /// When a session with one of its devices last ended; the device may have another address since.
        var sessionEnded: Tick?
        var lastFailure: AttemptFailure?
        var wasSeen = false
        var presentSince: Tick?
        var outsideWindow: Explanation.OutsideWindow?
        var hasArrived = false
        /// When a device last said goodbye; nil after a handshake.
        var goodbye: Tick?
        /// For each device that said goodbye, the last epoch whose values are no evidence; none after a handshake with
        /// it.
        var silenced: [DeviceIndex: Epoch] = [:]
        /// The moment up to which evidence had run out when the options last changed.
        var over: Tick?
    }
}
