import ArgumentParser
import InklingEngine
import InklingPlatforms

/// The description of an app on the command line: `ios-18.1,background,no-always`.
struct AppDescription: ExpressibleByArgument {
    static let form = """
        Describe an app by its platform and, separated by commas, by what differs from an app in the foreground with \
        every permission: ios-18.1,iphone-17,background,no-always,low-power. Platforms: ios-VERSION, android, linux. \
        Hardware: iphone-12, iphone-17, aware, legacy, beacon-only. States: foreground, background, locked, suspended, \
        terminated, force-quit, before-unlock. Missing: no-bluetooth, no-central, no-peripheral, no-when-in-use, \
        no-always, no-local-network.
        """

    /// A node on Linux with every permission.
    static let linuxNode = AppCircumstances(
        DevicePlatform(.linux, PlatformVersion(0)), .foreground,
        met: Set(ProfileNeed.allCases).subtracting([.lowPower]))

    let app: AppCircumstances

    init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard let platform = words.first else { return nil }
        let family: DevicePlatform.Family
        var version = PlatformVersion(0)
        if let known = DevicePlatform.Family(rawValue: platform), known != .iOS {
            family = known
        } else if platform.hasPrefix("ios-"), let known = PlatformVersion(String(platform.dropFirst(4))) {
            (family, version) = (.iOS, known)
        } else {
            return nil
        }
        var traits: Set<DevicePlatform.Trait> = []
        var state = AppState.foreground
        var met = Set(ProfileNeed.allCases).subtracting([.lowPower])
        for word in words.dropFirst() {
            if let trait = DevicePlatform.Trait(rawValue: word) {
                traits.insert(trait)
            } else if let named = AppState(rawValue: word) {
                state = named
            } else if word == ProfileNeed.lowPower.rawValue {
                met.insert(.lowPower)
            } else if word.hasPrefix("no-"), let need = ProfileNeed(rawValue: String(word.dropFirst(3))) {
                // Without location while in use there is no location at all times either.
                met.subtract(need == .whenInUse ? [.whenInUse, .always] : [need])
            } else {
                return nil
            }
        }
        app = AppCircumstances(DevicePlatform(family, version, traits: traits), state, met: met)
    }
}

extension DevicePlatform {
    /// A remark for a version that no row covers; nil for one that a row covers.
    var coverageRemark: String? {
        switch coverage {
        case .exact: nil
        case .older: "no facts are known about iOS \(version); those about \(rowOfVersion?.rawValue ?? "") are used"
        case .none: "no facts are known about iOS \(version) or older versions"
        }
    }
}
