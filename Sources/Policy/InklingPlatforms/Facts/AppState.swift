/// The state of an app (`Specs/platforms.md`, states).
public enum AppState: String, Hashable, Sendable, CaseIterable {
    /// The app is on the screen.
    case foreground
    /// The app is not on the screen; it still runs, or is woken for events.
    case background
    /// The app is in the background, and the screen is locked.
    case locked
    /// The app is in memory, but none of its code runs until an event wakes it.
    case suspended
    /// The system removed the app from memory, or the app crashed.
    case terminated
    /// The user removed the app in the app switcher.
    case forceQuit = "force-quit"
    /// The device was restarted and has not been unlocked since.
    case beforeUnlock = "before-unlock"
}
