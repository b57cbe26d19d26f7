/// The state of an app (`Specs/platforms.md`, states).
public enum AppState: String, Hashable, Sendable, CaseIterable {
    /// On the screen.
    case foreground
    /// Has left the screen and still runs, or is woken for its events.
    case background
    /// As in the background, and the screen is locked.
    case locked
    /// In memory, and no code of it runs until an event wakes it.
    case suspended
    /// Removed from memory by the system, or crashed.
    case terminated
    /// Removed by its user in the app switcher.
    case forceQuit = "force-quit"
    /// The device was restarted and has not been unlocked since.
    case beforeUnlock = "before-unlock"
}
