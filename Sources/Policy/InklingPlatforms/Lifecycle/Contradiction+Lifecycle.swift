extension Contradiction {
    /// The contradictions that affect only what an app does (`Specs/lifecycle.md`, contradictions).
    static let ofLifecycle: [Contradiction] = [
        Contradiction(
            id: "relaunch-by-read",
            statements: [
                Statement(
                    "'relaunched when a connected central accesses a characteristic'",
                    FactSource(.deepDive, "3 peripheral")
                ),
                Statement(
                    "reads do not trigger a relaunch, 'only notifications and indications do'",
                    FactSource(.deepDive, "4 events")),
            ], holds: "neither reads nor writes do; a subscription to an app that advertises does (TN3115)", facts: []),
        Contradiction(
            id: "advertising-pending",
            statements: [
                Statement(
                    "scanning, connecting and subscribed characteristics are pending", FactSource(.qa1962, "table")),
                Statement("advertising is pending too", FactSource(.tn3115, "table")),
            ], holds: "advertising counts from iOS 15 on", facts: []),
        Contradiction(
            id: "restart-relaunches",
            statements: [
                Statement(
                    "an app is relaunched after a restart or airplane mode", FactSource(.qa1962, "iOS 11"),
                    FactSource(.tn3115, "table")),
                Statement("it is not", FactSource(.qa1962, "iOS 10")),
            ], holds: "it depends on the version", facts: []),
        Contradiction(
            id: "calls-after-termination",
            statements: [
                Statement(
                    "calls are cancelled when the app is terminated", FactSource(.reconnection, "background execution")),
                Statement(
                    "pending requests are kept and relaunch the app", FactSource(.qa1962, "table"),
                    FactSource(.tn3115, "table")
                ),
            ], holds: "they are kept with a restoration identifier; call again in any case", facts: []),
        Contradiction(
            id: "restoration-time-limit",
            statements: [
                Statement("no limit in time", FactSource(.qa1962, "table"), FactSource(.tn3115, "table")),
                Statement("not after 'more than a few hours'", FactSource(.reconnection, "common mistakes")),
            ], holds: "not after three hours", facts: []),
        Contradiction(
            id: "restoration-skips-search",
            statements: [
                Statement("restoration skips retrieval and search", FactSource(.reconnection, "strategy")),
                Statement(
                    "without a bond the identity may have changed, and only a search finds the peer",
                    FactSource(.reconnection, "edge cases")),
            ], holds: "it skips them, except for an unlinked peer whose route is not stable", facts: []),
        Contradiction(
            id: "restored-before-state",
            statements: [
                Statement(
                    "willRestoreState comes 'instead of' the update of the state",
                    FactSource(.wearables, "state restoration")),
                Statement(
                    "before it", FactSource(.deepDive, "4 willRestoreState"),
                    FactSource(.reconnection, "state restoration")),
            ], holds: "before it; until the radio is on, the app only adopts", facts: []),
        Contradiction(
            id: "connect-while-restoring",
            statements: [
                Statement("connect in willRestoreState", FactSource(.deepDive, "4 willRestoreState")),
                Statement("commands need a radio that is on", FactSource(.platform, "CBManagerState")),
            ], holds: "connect after it is on", facts: []),
        Contradiction(
            id: "restored-disconnected",
            statements: [
                Statement(
                    "restored peripherals are connected or connecting", FactSource(.reconnection, "state restoration")),
                Statement("or disconnected", FactSource(.reconnection, "common mistakes")),
            ], holds: "any of them", facts: []),
        Contradiction(
            id: "restored-services",
            statements: [
                Statement("re-add services 'if not already present'", FactSource(.deepDive, "4 willRestoreState")),
                Statement("add each", FactSource(.deepDive, "4 willRestoreState, code")),
            ], holds: "those that are not present", facts: []),
        Contradiction(
            id: "restored-advertising",
            statements: [
                Statement("a restored peripheral advertises again", FactSource(.deepDive, "4 how it works")),
                Statement("on iOS 18.0 it may not", FactSource(.deepDive, "2 iOS 18.0–18.0.1")),
            ], holds: "advertise in any case", facts: []),
        Contradiction(
            id: "execution-window",
            statements: [
                Statement("about 30 s after leaving the foreground", FactSource(.reconnection, "background execution")),
                Statement(
                    "about 10 s, down from 30 s, and 180 s before iOS 13",
                    FactSource(.wearables, "background task limit"),
                    FactSource(.deepDive, "4 pitfalls")),
            ], holds: "10 s for all", facts: []),
        Contradiction(
            id: "network-in-window",
            statements: [
                Statement(
                    "a window is for 'completing in-progress network requests' too",
                    FactSource(.wearables, "background task limit")),
                Statement("no network requests", FactSource(.deepDive, "4 pitfalls")),
            ], holds: "none", facts: []),
        Contradiction(
            id: "minor-of-region",
            statements: [
                Statement("regions wake by the minor", FactSource(.deepDive, "5 UUID strategy")),
                Statement(
                    "the entry carries what was configured, not what was heard", FactSource(.platform, "CLBeaconRegion")
                ),
            ], holds: "ranging, or a region of one minor", facts: []),
        Contradiction(
            id: "always-in-one-step",
            statements: [
                Statement(
                    "call requestAlwaysAuthorization when background detection is switched on",
                    FactSource(.deepDive, "9 permission strategy")),
                Statement("'when in use' must be granted first", FactSource(.deepDive, "5 permissions")),
            ], holds: "two steps", facts: []),
        Contradiction(
            id: "without-location",
            statements: [
                Statement(
                    "without the location 'a clean foreground-only experience'",
                    FactSource(.deepDive, "9 permission strategy")),
                Statement(
                    "Bluetooth's background modes alone, with degraded reliability",
                    FactSource(.deepDive, "9 which workaround")),
            ],
            holds:
                "no-regions works as far as it does, the banner promises nothing, and foreground-only is what the user chooses",
            facts: []),
        Contradiction(
            id: "peer-to-peer-browsing",
            statements: [
                Statement(
                    "browser and listener set includePeerToPeer", FactSource(.deepDive, "8 NWBrowser, NWListener, code")
                ),
                Statement(
                    "peer-to-peer Wi-Fi is for transfers after a contact is identified",
                    FactSource(.deepDive, "8 conclusion")),
                Statement(
                    "it should not be forced where it is not wanted", FactSource(.deepDive, "updates Multipeer")),
            ], holds: "false until a session has agreed on it", facts: []),
        Contradiction(
            id: "ways-of-toggling",
            statements: [
                Statement("toggled through Settings or airplane mode", FactSource(.qa1962, "table")),
                Statement("or Control Center", FactSource(.tn3115, "note 2")),
            ], holds: "all three, in every column", facts: []),
    ]
}
