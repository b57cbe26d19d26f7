internal import InklingEngine
public import InklingPlatforms

extension PhoneSettings {
    /// Creates the settings of a phone of this platform without faults. The latencies come from the facts of
    /// `Specs/platforms.md`; without a fact about background scans, those find nothing.
    public init(of platform: DevicePlatform, lowPower: Bool = false, knowing profiles: PlatformProfiles = .known) {
        self.init()
        version = Int(platform.version.major)
        var met: Set<ProfileNeed> = [.bluetooth, .central, .peripheral, .always]
        if lowPower { met.insert(.lowPower) }
        func time(_ subject: ProfileSubject, _ state: AppState) -> ClosedRange<Duration>? {
            let value = profiles.answer(subject, in: AppCircumstances(platform, state, met: met)).value
            guard case .within(let range) = value else { return nil }
            return range
        }
        scanLatency = time(.scan, .foreground) ?? scanLatency
        callLatency = time(.connect, .foreground) ?? callLatency
        backgroundCallLatency = time(.connect, .background) ?? backgroundCallLatency
        regionEntry = time(.enter, .background) ?? regionEntry
        regionExit = time(.exit, .background) ?? regionExit
        if let latency = time(.scan, .background) {
            backgroundScanLatency = latency
        } else {
            scansInBackground = false
        }
    }
}
