import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

@Suite(.runsPrograms) struct `inkling-kit transport` {
    private let phones = [
        "transport", "plan", "--own", "ios-18.1,background", "--peer", "ios-17.4", "--purpose", "passive",
    ]

    @Test func `ranks the transports and gives the reason for each one that is not used`() throws {
        let facts = try Kit.run(phones + ["--json"]).facts()
        #expect(facts.compactMap { $0["transport"]?.text } == ["beacon", "ble"])
        #expect(facts.count == 11)
        #expect(facts.first?["completes"]?.integer == 33_334)
        let refused = facts.first { $0["refused"]?.text == "multipeer" }
        #expect(refused?["number"]?.integer == 1)
    }

    @Test func `--why prints the facts of each step with their sources`() throws {
        let outcome = try Kit.run(phones + ["--why"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("ios/enter/always: 5000-30000 ms (iOS BLE Deep Dive, 5 latency; reported)"))
        #expect(outcome.output.contains("multipeer       1       deprecated"))
    }

    @Test func `exits with 1 and names the nearest refusal when no transport can be used`() throws {
        let outcome = try Kit.run("transport", "plan", "--own", "ios-18.1,force-quit")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("wait: no transport can be used now; the closest is beacon"))
    }

    @Test(arguments: [
        ["--own", "ios18"], ["--own", "ios-18,sleeping"], ["--own", ""], ["--relation", "friend"],
        ["--payload", "99999999999999"], ["--failed", "gatt:0:5"], ["--failed", "gatt:1"],
        ["--linked", "carrier-pigeon"], ["--own-transports", "gatt,"], ["--peer-transports", "smoke"],
    ]) func `rejects options that it cannot parse`(options: [String]) throws {
        #expect(try Kit.run(["transport", "plan"] + options).status == 64)
    }

    /// Covers INK-TPT-014.
    @Test func `a Linux node has only the transports of this program`() throws {
        let plan = ["transport", "plan", "--peer", "linux", "--same-network"]
        let facts = try Kit.run(plan + ["--json"]).facts()
        let used = facts.compactMap { $0["transport"]?.text }
        #expect(Set(used).isSubset(of: ["network"]))
        let gatt = facts.first { $0["refused"]?.text == "gatt" }
        #expect(gatt?["reason"]?.text == "no-back-end")
        #expect(try Kit.run(plan + ["--why"]).output.contains("our program does not implement it"))
        let asked = try Kit.run(plan + ["--own-transports", "network,gatt", "--json"]).facts()
        #expect(asked.compactMap { $0["transport"]?.text } == ["network", "gatt"])
        let other = try Kit.run(
            plan + ["--own-transports", "all", "--peer-transports", "network", "--why"]
        ).output
        #expect(other.contains("the peer's program does not implement it"))
    }

    /// Covers INK-TPT-015.
    @Test func `a plan to recognise ends in a handshake`() throws {
        let plan = ["transport", "plan", "--own", "ios-18.1,terminated", "--peer", "android"]
        let steps = try Kit.run(plan + ["--json"]).facts().filter { $0["transport"] != nil }
        #expect(steps.compactMap { $0["transport"]?.text } == ["beacon"])
        #expect(steps.first?["next"]?.text == "gatt")
        #expect(try Kit.run(plan).output.contains("beacon, gatt"))
    }

    @Test func `shows what is known about a platform and what is not`() throws {
        let facts = try Kit.run("transport", "profiles", "--of", "ios-18.0.2,background", "--json").facts()
        #expect(facts.count == 25)
        #expect(facts.allSatisfy { $0["coverage"]?.text == "older" })
        let text = try Kit.run("transport", "profiles", "--of", "ios-18.0.2,background").output
        #expect(text.hasPrefix("no facts are known about iOS 18.0.2; those about ios-18.0 are used\n"))
        #expect(text.contains("nothing is promised"))
    }

    @Test func `lists facts and contradictions`() throws {
        let scans = try Kit.run("transport", "profiles", "--subject", "scan", "--json").facts()
        #expect(scans.count > 10)
        #expect(scans.allSatisfy { $0["subject"]?.text == "scan" && $0["document"]?.text != nil })
        let contradictions = try Kit.run("transport", "profiles", "--contradictions", "--json").facts()
        #expect(contradictions.count == 30)
        #expect(try Kit.run("transport", "profiles", "--contradictions", "--row", "ios").status == 64)
    }

    @Test func `the article of the documentation is the output of the program`() throws {
        let article = try Kit.run("transport", "profiles", "--article").output
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let catalog = "\(root)/Sources/Policy/InklingPlatforms/InklingPlatforms.docc"
        let written = try bytesOfFile("\(catalog)/WhatAPhoneLetsYouDo.md")
        #expect(article == String(decoding: written, as: UTF8.self))
    }

    @Test func `every cost has its source`() throws {
        let facts = try Kit.run("transport", "profiles", "--costs", "--json").facts()
        #expect(facts.count == 11)
        #expect(facts.allSatisfy { $0["place"]?.text?.isEmpty == false && $0["confidence"]?.text != nil })
    }

    @Test func `prints what to declare, what to ask in which order, and what to promise`() throws {
        let facts = try Kit.run("transport", "profiles", "--guidance", "--json").facts()
        #expect(Set(facts.compactMap { $0["kind"]?.text }).count == 7)
        #expect(
            facts.filter { $0["kind"]?.text == "step" }.compactMap { $0["guidance"]?.text } == [
                "step/1", "step/2", "step/3", "step/4", "step/5",
            ])
    }
}
