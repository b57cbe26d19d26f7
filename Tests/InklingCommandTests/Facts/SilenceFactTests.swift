import ArgumentParser
import InklingAccess
import InklingEngine
import InklingKeys
import Testing

@testable import InklingCommand
@testable import InklingNode
@testable import InklingVault

/// Every cause of silence. `isListed` does not compile when one is missing there.
private let reasons: [NodeEvent.SilenceReason] = [
    .gap, .networkChanged, .clock(.unsupported), .clock(.behind(seconds: 300)), .clock(.ahead(seconds: 9_000_000)),
    .highWater(Epoch(1_984_000) ?? Period.last.firstEpoch), .noKeys, .unconfirmed(shownFrom: nil),
    .unconfirmed(shownFrom: Epoch(1_984_000) ?? Period.last.firstEpoch), .discovery(.noNetwork),
    .discovery(.server(code: 98)),
    .links(.unreachable(code: 98)), .radio(.bus(code: 2)), .radio(.notUsed), .radio(.noDaemon), .radio(.noReply),
    .radio(.noAdapter), .radio(.poweredOff),
    .radio(.notPermitted), .radio(.refused), .radio(.exposed(.privacy)), .vault(VaultError(.diskFull, "/home/ada")),
    .asleep, .inviting, .invisible, .stopped,
]

private func isListed(_ reason: NodeEvent.SilenceReason) -> Bool {
    switch reason {
    case .gap, .networkChanged, .clock(.unsupported), .clock(.behind), .clock(.ahead), .highWater, .noKeys,
        .unconfirmed, .discovery(.noNetwork), .discovery(.server), .links, .radio(.bus), .radio(.notUsed),
        .radio(.noDaemon), .radio(.noReply),
        .radio(.noAdapter),
        .radio(.poweredOff), .radio(.notPermitted), .radio(.refused), .radio(.exposed), .vault, .asleep, .inviting,
        .invisible, .stopped:
        reasons.contains(reason)
    }
}

/// Returns whether the program accepts these arguments.
private func isCommand(_ words: String) -> Bool {
    do {
        _ = try Inkling.parseAsRoot(words.split(separator: " ").map(String.init))
        return true
    } catch {
        return false
    }
}

@Suite struct `Why a node is silent` {
    /// Covers INK-RSP-011.
    @Test(arguments: reasons)
    func `every cause has one sentence, and ends by itself or by a command that the program takes`(
        reason: NodeEvent.SilenceReason
    ) throws {
        #expect(isListed(reason))
        let fact = SilenceFact(reason)
        #expect(!reason.sentence.isEmpty && !reason.sentence.contains("\n") && !reason.sentence.contains(". "))
        #expect(fact.passes || !fact.remedies.isEmpty, "\(fact)")
        let systemPrograms: Set = ["timedatectl", "bluetoothctl", "rfkill", "systemctl"]
        for remedy in fact.remedies {
            let words = remedy.command.split(separator: " ").map(String.init)
            if words.first == "inkling" {
                #expect(isCommand(words.dropFirst().joined(separator: " ")), "\(remedy.command)")
            } else {
                #expect(systemPrograms.contains(words.first ?? ""), "\(remedy.command)")
            }
        }
    }

    @Test func `what is no command of the program is noticed`() {
        #expect(!isCommand("visibel all"))
        #expect(!isCommand("recover --clocks"))
        #expect(!isCommand("recover"))
        #expect(isCommand("recover --clock"))
    }

    @Test func `causes have different words, apart from the sizes of errors`() {
        #expect(Set(reasons.map { SilenceFact($0).cause }).count == reasons.count)
    }

    @Test func `commands of the program name the home as the person did, and others do not`() throws {
        let options = try HomeOptions.parse(["--home", "my home"])
        let named = SilenceFact(.clock(.behind(seconds: 300))).naming(options)
        #expect(
            named.remedies.map(\.command) == ["timedatectl set-ntp true", "inkling recover --clock --home 'my home'"])
        for reason in [NodeEvent.SilenceReason.unconfirmed(shownFrom: nil), .noKeys] {
            let fact = SilenceFact(reason)
            #expect(fact.naming(options) == fact && !fact.remedies.isEmpty, "its commands are for another device")
        }
        #expect(
            named.lines.last
                == "          if it is right now and was ahead before, stop the node, then: "
                + "inkling recover --clock --home 'my home'")
    }

    @Test func `the text of the status has the cause in its first line and the commands below it`() throws {
        let status = NodeStatus(
            visibility: .nobody, showing: nil, silence: .invisible,
            technologies: [
                NodeStatus.Technology(technology: .lan, showing: nil, silence: .invisible, carriesLinks: false),
                NodeStatus.Technology(
                    technology: .bluetooth, showing: nil, silence: .radio(.poweredOff), carriesLinks: false),
            ], present: 0, contacts: 0, unfinished: 0, sessions: 0, refusedMessages: 0, certifiedUntil: nil)
        let fact = StatusFact(status, to: VisibilityFact(.nobody) { _ in "" }, lacking: [])
        #expect(fact.silenceCause?.cause == "invisible")
        #expect(fact.technologies.map { $0.silenceCause?.cause } == ["invisible", "bluetooth-off"])
        let lines = fact.text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "node      silent: invisible, as asked")
        #expect(lines[1] == "          to be visible to all contacts: inkling visible all")
        #expect(lines.contains("          to switch it on: bluetoothctl power on"))
        #expect(lines.count { $0.contains("inkling visible all") } == 1)
    }
}
