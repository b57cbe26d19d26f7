import InklingJSON
import InklingTesting
import Testing

@Suite struct `inkling transport` {
    private let phones = [
        "transport", "plan", "--own", "ios-18.1,background", "--peer", "ios-17.4", "--purpose", "passive",
    ]

    @Test func `a plan ranks what can be used, and says why the rest is not`() throws {
        let facts = try Program.run(phones + ["--json"]).facts()
        #expect(facts.compactMap { $0["transport"]?.text } == ["beacon", "ble"])
        #expect(facts.count == 11)
        #expect(facts.first?["completes"]?.integer == 33_334)
        let refused = facts.first { $0["refused"]?.text == "multipeer" }
        #expect(refused?["number"]?.integer == 1)
    }

    @Test func `with --why every step names its facts and their sources`() throws {
        let outcome = try Program.run(phones + ["--why"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("ios/enter/always: 5000-30000 ms (iOS BLE Deep Dive, 5 latency; reported)"))
        #expect(outcome.output.contains("multipeer       1       deprecated"))
    }

    @Test func `when nothing can be used it says what to wait for, and the exit code is 1`() throws {
        let outcome = try Program.run("transport", "plan", "--own", "ios-18.1,force-quit")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("wait: nothing can be used now; nearest is beacon"))
    }

    @Test(arguments: [
        ["--own", "ios18"], ["--own", "ios-18,sleeping"], ["--own", ""], ["--relation", "friend"],
        ["--payload", "99999999999999"], ["--failed", "gatt:0:5"], ["--failed", "gatt:1"],
        ["--linked", "carrier-pigeon"],
    ]) func `what cannot be understood is a fault of usage`(options: [String]) throws {
        #expect(try Program.run(["transport", "plan"] + options).status == 64)
    }

    @Test func `what is known of a platform is shown, with what is not known`() throws {
        let facts = try Program.run("transport", "profiles", "--of", "ios-18.0.2,background", "--json").facts()
        #expect(facts.count == 23)
        #expect(facts.allSatisfy { $0["coverage"]?.text == "older" })
        let text = try Program.run("transport", "profiles", "--of", "ios-18.0.2,background").output
        #expect(text.hasPrefix("nothing is known of iOS 18.0.2; ios-18.0 stands for it\n"))
        #expect(text.contains("nothing is promised"))
    }

    @Test func `facts and contradictions are listed`() throws {
        let scans = try Program.run("transport", "profiles", "--subject", "scan", "--json").facts()
        #expect(scans.count > 10)
        #expect(scans.allSatisfy { $0["subject"]?.text == "scan" && $0["document"]?.text != nil })
        let contradictions = try Program.run("transport", "profiles", "--contradictions", "--json").facts()
        #expect(contradictions.count == 24)
        #expect(try Program.run("transport", "profiles", "--contradictions", "--row", "ios").status == 64)
    }

    @Test func `the article of the documentation is what the data say`() throws {
        let article = try Program.run("transport", "profiles", "--article").output
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let written = try bytesOfFile("\(root)/Sources/InklingEngine/InklingPlatforms.docc/WhatAPhoneLetsYouDo.md")
        #expect(article == String(decoding: written, as: UTF8.self))
    }

    @Test func `every cost has its source`() throws {
        let facts = try Program.run("transport", "profiles", "--costs", "--json").facts()
        #expect(facts.count == 11)
        #expect(facts.allSatisfy { $0["place"]?.text?.isEmpty == false && $0["confidence"]?.text != nil })
    }

    @Test func `guidance has what to declare, to ask in order, and to promise`() throws {
        let facts = try Program.run("transport", "profiles", "--guidance", "--json").facts()
        #expect(Set(facts.compactMap { $0["kind"]?.text }).count == 7)
        #expect(
            facts.filter { $0["kind"]?.text == "step" }.compactMap { $0["guidance"]?.text } == [
                "step/1", "step/2", "step/3", "step/4", "step/5",
            ])
    }
}
