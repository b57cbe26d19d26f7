/// A leak that is built into the traces, and that the games must find.
enum Plant: String, CaseIterable {
    /// 5 % of the devices keep their Bluetooth address.
    case address
    /// A sequence counter in the advertising data goes on over the boundary.
    case counter
    /// The advertising interval differs from device to device by up to 10 ms.
    case interval
    /// Each device has epochs of its own: they begin up to 900 s later than those of others, without silence.
    case phase
    /// A new address is shown with the old minor for 2 s.
    case step
    /// The measured power is that of the hardware, one of eight.
    case power
    /// Half of the devices write the Flags structure behind the frame.
    case order
    /// The host name stays.
    case host
    /// The port stays.
    case port
    /// The first two bytes of the tag stay.
    case prefix
    /// The length of the second message is that of the owner's name.
    case length
    /// A slow timer: the device comes back at its own constant offset.
    case offset
    /// Devices go quiet at one fixed moment before the boundary, so that a goodbye shows the error of the clock.
    case goodbye
    /// One silent gap is drawn for both technologies.
    case joint
}
