import InklingEngine
import InklingPlatforms
import Testing

/// Every combination of permissions.
private let all: [Permissions] = Permissions.Word.allCases.flatMap { bluetooth in
    Permissions.LocationWord.allCases.flatMap { location in
        Permissions.Word.allCases.flatMap { network in
            [[], [.central], [.peripheral], [.central, .peripheral]].flatMap { modes in
                [(true, true), (true, false), (false, true), (false, false)].map { wants, asked in
                    Permissions(
                        bluetooth: bluetooth, location: location, localNetwork: network, modes: modes,
                        wantsBackground: wants, hasAskedAlways: asked)
                }
            }
        }
    }
}

private let full = Permissions(
    bluetooth: .allowed, location: .always, localNetwork: .allowed, modes: [.central, .peripheral],
    wantsBackground: true)

@Suite struct `Permissions of an app` {
    @Test func `there are 1280 combinations, each with a mode, and codes always work`() {
        #expect(all.count == 1280)
        #expect(Set(all.map(\.mode)) == Set(Permissions.Mode.allCases))
        for permissions in all { #expect(permissions.capabilities.first == .codes) }
    }

    /// Covers INK-LIF-090, INK-PLT-009.
    @Test func `the capabilities follow from the mode`() {
        for permissions in all {
            let works = Set(permissions.capabilities)
            switch permissions.mode {
            case .full: #expect(works.count >= 6 && works.contains(.regions))
            case .regions: #expect(works.contains(.regions))
            case .noRegions: #expect(works.contains(.restoration) && !works.contains(.regions))
            case .foregroundOnly: #expect(works.subtracting([.localNetwork]) == [.codes, .foreground])
            case .networkOnly: #expect(works == [.codes, .localNetwork])
            case .nothing: #expect(works == [.codes])
            }
        }
    }

    /// Covers INK-LIF-092, INK-PLT-008.
    @Test func `asks for nothing at launch, and for location only when background detection is switched on`() {
        for permissions in all {
            #expect(permissions.question(at: .launch) == nil)
            let inUse = permissions.question(at: .use)
            #expect(inUse != .locationWhenInUse && inUse != .locationAlways)
        }
    }

    /// Covers INK-PLT-008.
    @Test func `asks for location at all times once, and only after location in use was granted`() {
        var asked = 0
        for permissions in all {
            for moment in Permissions.Moment.allCases where permissions.question(at: moment) == .locationAlways {
                #expect(permissions.location == .whenInUse && !permissions.hasAskedAlways)
                asked += 1
            }
        }
        #expect(asked > 0)
    }

    /// Covers INK-PLT-009.
    @Test func `does not ask again for a denied permission`() {
        var questions: Set<Permissions.Question> = []
        for permissions in all {
            for moment in Permissions.Moment.allCases {
                if let question = permissions.question(at: moment) { questions.insert(question) }
                switch permissions.question(at: moment) {
                case .bluetooth: #expect(permissions.bluetooth == .notDetermined)
                case .localNetwork: #expect(permissions.localNetwork == .notDetermined)
                case .locationWhenInUse: #expect(permissions.location == .notDetermined)
                case .locationAlways, .settings, nil: break
                }
            }
        }
        #expect(questions == Set(Permissions.Question.allCases))
    }

    @Test func `the foreground-only mode that the user chose shows no banner and does not ask for location`() {
        var chosen = full
        (chosen.wantsBackground, chosen.location) = (false, .denied)
        #expect(chosen.mode == .foregroundOnly)
        #expect(chosen.banner == nil)
        #expect(chosen.question(at: .setting) == nil)
    }

    @Test func `a permission that is withdrawn ends only the capabilities that need it`() {
        var reduced = full
        reduced.location = .whenInUse
        #expect(reduced.changes(from: full).stops == [.regions])
        #expect(reduced.mode == .noRegions)
        #expect(reduced.banner == .backgroundDisabled)
        reduced.bluetooth = .denied
        #expect(
            reduced.changes(from: full).stops
                == [.foreground, .backgroundScanning, .backgroundAdvertising, .restoration, .regions])
        #expect(full.changes(from: reduced).starts == reduced.changes(from: full).stops)
    }
}
