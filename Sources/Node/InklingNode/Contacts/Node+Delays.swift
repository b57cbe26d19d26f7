internal import InklingEngine
public import InklingKeys
public import InklingVault

extension Node {
    /// Sets when a contact counts as arrived and as left, from now on and in later runs.
    ///
    /// The contact's state is kept: one that has arrived does not arrive again, and one that is present leaves at once
    /// if it has been silent for longer than the new delay.
    /// - Throws: `NodeError.unknownContact`, `.notSaved`.
    public func setDelays(_ delays: ContactDelays, of user: UserID) async throws(NodeError) {
        try await ask { .setDelays(user, delays, $0) }
    }

    /// Returns the options by which a contact is recognised.
    func recognitionOptions(of user: UserID) -> ContactOptions {
        (contents.contact(user)?.delays ?? ContactDelays()).applied(to: contactOptions)
    }

    /// Applies a contact's new delays.
    func delaysChanged(of user: UserID) {
        guard let id = book.roster[user] else { return }
        recognise(.optionsChanged(id, recognitionOptions(of: user)), at: ports.clock.read())
    }
}

extension ContactDelays {
    /// Returns the node's options with these delays replacing its own.
    func applied(to options: ContactOptions) -> ContactOptions {
        var options = options
        if let arrive { options.arriveAfter = arrive }
        if let leave { (options.departAfter, options.leaveAfter) = (leave, leave) }
        if let goodbye { options.leaveAfter = goodbye }
        return options
    }

    /// Creates the delays that these options result in.
    init(_ options: ContactOptions) {
        let policy = RecognitionPolicy()
        let leave = options.departAfter ?? policy.departAfter
        self.init(
            arrive: options.arriveAfter, leave: leave, goodbye: min(options.leaveAfter ?? policy.leaveAfter, leave))
    }
}
