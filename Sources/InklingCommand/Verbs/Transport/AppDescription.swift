import ArgumentParser
import InklingEngine
import InklingPlatforms

/// An app on a device, written as words: `ios-18.1,background,no-always`.
struct AppDescription: ExpressibleByArgument {
    static let form = """
        A platform, then what differs from an app in the foreground to which everything is allowed, with commas: \
        ios-18.1,iphone-17,background,no-always,low-power. Platforms: ios-VERSION, android, linux. Hardware: \
        iphone-12, iphone-17, aware, legacy, beacon-only. States: foreground, background, locked, suspended, \
        terminated, force-quit, before-unlock. Denied: no-bluetooth, no-central, no-peripheral, no-when-in-use, \
        no-always, no-local-network.
        """

    /// A node on Linux to which everything is allowed.
    static let linuxNode = AppCircumstances(
        Platform(.linux, PlatformVersion(0)), .foreground,
        met: Set(ProfileNeed.allCases).subtracting([.lowPower]))

    let app: AppCircumstances

    init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard let platform = words.first else { return nil }
        let family: Platform.Family
        var version = PlatformVersion(0)
        if let known = Platform.Family(rawValue: platform), known != .iOS {
            family = known
        } else if platform.hasPrefix("ios-"), let known = PlatformVersion(String(platform.dropFirst(4))) {
            (family, version) = (.iOS, known)
        } else {
            return nil
        }
        var traits: Set<Platform.Trait> = []
        var state = AppState.foreground
        var met = Set(ProfileNeed.allCases).subtracting([.lowPower])
        for word in words.dropFirst() {
            if let trait = Platform.Trait(rawValue: word) {
                traits.insert(trait)
            } else if let named = AppState(rawValue: word) {
                state = named
            } else if word == ProfileNeed.lowPower.rawValue {
                met.insert(.lowPower)
            } else if word.hasPrefix("no-"), let need = ProfileNeed(rawValue: String(word.dropFirst(3))) {
                // Who may not use location at all may not use it always.
                met.subtract(need == .whenInUse ? [.whenInUse, .always] : [need])
            } else {
                return nil
            }
        }
        app = AppCircumstances(Platform(family, version, traits: traits), state, met: met)
    }
}

extension Platform {
    /// What the rows know of it, when that is less than everything.
    var coverageRemark: String? {
        switch coverage {
        case .exact: nil
        case .older: "nothing is known of iOS \(version); \(rowOfVersion?.rawValue ?? "") stands for it"
        case .none: "nothing is known of iOS \(version), nor of anything older"
        }
    }
}
