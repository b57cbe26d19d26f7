internal import InklingKeys

extension RecognitionEngine {
    /// What is remembered of a contact for as long as it is known.
    struct History: Sendable {
        var options: ContactOptions
        var lastConfirmed: Tick?
        var tries = EachTechnology(Tries())
        /// When a session with one of its devices last ended; its address may be another since.
        var sessionEnded: Tick?
        var lastFailure: AttemptFailure?
        var wasSeen = false
        var presentSince: Tick?
        var outsideWindow: Explanation.OutsideWindow?
        var hasArrived = false
        /// When a device last said that it leaves; nil after a handshake.
        var goodbye: Tick?
        /// For each device that has said so, the last epoch whose values are no evidence; none after a handshake with it.
        var silenced: [DeviceIndex: Epoch] = [:]
        /// Evidence up to this moment had run out when the options were last changed.
        var over: Tick?
    }
}
