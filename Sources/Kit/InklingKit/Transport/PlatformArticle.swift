import InklingEngine
import InklingKeys
import InklingPlatforms

/// The article of the documentation about what a phone lets an app do, with tables made from the facts.
enum PlatformArticle {
    static let text = """
        # What a phone lets you do

        What an app on a phone can notice and show in each of its states, how late, and for how long.

        ## Overview

        The system decides most of this, not the app. The tables hold what sources report; where they contradict each \
        other, usually the pessimistic value is taken. `PlatformProfiles` returns the values for one device, and \
        `TransportPolicy` makes plans from them. `inkling-kit transport profiles --article` writes this page from the facts.

        ## What is noticed and shown

        For an app with every permission. An empty cell means no, or not promised.

        \(table(ofPhone: "iOS 17.6", DevicePlatform(.iOS, PlatformVersion(17, 6), traits: [.iPhone12])))
        \(table(ofPhone: "iOS 26", DevicePlatform(.iOS, PlatformVersion(26), traits: [.iPhone12])))
        \(table(ofPhone: "iOS 26 on iPhone 17", DevicePlatform(.iOS, PlatformVersion(26), traits: [.iPhone17])))
        ## How versions differ

        In the background, with both background modes and location always.

        \(versions)
        ## What must be declared

        \(guidance(.key, "key", "without it"))
        ## What reviews look for

        \(guidance(.review, "rule", "otherwise"))
        ## The order of permissions

        \(guidance(.step, "step", "when the user declines"))
        ## What can be promised

        \(guidance(.promise, "state", "not promised"))
        \(Guidance.known.filter { $0.kind == .statement }.map { "> \($0.text)\n" }.joined())
        ## Where sources contradict each other

        | contradiction | statements | what holds |
        |---|---|---|
        \(contradictions)
        ## What sources leave open

        \(gaps)
        ## What this does not protect

        Facts age: a new version of a system can change any of them without notice. Silence never proves that no contact \
        is near.

        """

    private static let shown: [(subject: ProfileSubject, title: String)] = [
        (.advertise, "is found"), (.beacon, "shows a beacon"), (.scan, "scan reports within"),
        (.enter, "region entered within"),
        (.exit, "region left within"), (.ranging, "ranges"), (.links, "keeps links"), (.connect, "connects within"),
        (.find, "finds on a network"), (.aware, "Wi-Fi Aware"), (.bluetoothRange, "Bluetooth reaches"),
        (.awdlRange, "the direct link reaches"),
    ]
    private static let granted: Set<ProfileNeed> = [.bluetooth, .central, .peripheral, .always, .localNetwork]

    private static func table(ofPhone name: String, _ platform: DevicePlatform) -> String {
        let states = AppState.allCases
        let head = "| \(name) | " + states.map(\.rawValue).joined(separator: " | ") + " |"
        let rule = "|---|" + states.map { _ in "---|" }.joined()
        let rows = shown.map { subject, title in
            "| \(title) | "
                + states.map { state in
                    words(
                        PlatformProfiles.known.answer(subject, in: AppCircumstances(platform, state, met: granted))
                            .value)
                }.joined(separator: " | ") + " |"
        }
        return ([head, rule] + rows).joined(separator: "\n") + "\n"
    }

    private static var versions: String {
        let names = ["10", "12", "15", "16", "17", "17.6", "18", "18.1", "18.2", "26"]
        let rows = names.compactMap(PlatformVersion.init).map { version in
            let app = AppCircumstances(DevicePlatform(.iOS, version), .background, met: granted)
            let values = [ProfileSubject.scan, .callbacks, .gap].map { subject in
                let value = PlatformProfiles.known.answer(subject, in: app).value
                return subject == .callbacks && value == .yes ? "no limit is known" : words(value)
            }
            return "| \(version) | \(values.joined(separator: " | ")) |"
        }
        let head = [
            "| iOS | scan reports within | reports go on for | silent on leaving the foreground |", "|---|---|---|---|",
        ]
        return (head + rows).joined(separator: "\n") + "\n"
    }

    private static func guidance(_ kind: Guidance.Kind, _ first: String, _ last: String) -> String {
        let rows = Guidance.known.filter { $0.kind == kind }.map { one in
            "| \(kind == .key ? "`\(one.id)`" : String(one.id.split(separator: "/").last ?? "")) | \(one.text) | "
                + "\(one.otherwise ?? "") | \(one.source.document.rawValue), \(one.source.place) |"
        }
        return (["| \(first) | | \(last) | source |", "|---|---|---|---|"] + rows).joined(separator: "\n") + "\n"
    }

    private static var contradictions: String {
        Contradiction.known.map { one in
            let said = one.statements.map { statement in
                let sources = statement.sources.map { "\($0.document.rawValue), \($0.place)" }
                return "\(statement.text) (\(sources.joined(separator: "; ")))"
            }
            return "| `\(one.id)` | \(said.joined(separator: "; ")) | \(one.holds) |\n"
        }.joined()
    }

    private static var gaps: String {
        SourceGap.known.map { "- \($0.announced) (\($0.source.document.rawValue), \($0.source.place))\n" }.joined()
    }

    private static func words(_ value: ProfileValue) -> String {
        switch value {
        case .no: ""
        case .yes: "yes"
        case .overflow: "by iPhones, and Linux nodes"
        case .window: "in the execution window"
        case .within(let range):
            range.lowerBound == range.upperBound
                ? time(range.upperBound) : "\(time(range.lowerBound)) to \(time(range.upperBound))"
        case .metres(let length): "\(length) m"
        }
    }

    private static func time(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
