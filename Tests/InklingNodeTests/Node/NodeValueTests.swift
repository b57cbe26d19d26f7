import InklingEngine
import InklingKeys
import InklingPlatforms
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

private let user = UserID(Octets16(high: 1, low: 2))
private let id = #""id":"00000000000000010000000000000002""#
private let now = ClockReading(tick: Tick(milliseconds: 5), unixMilliseconds: 1_785_600_000_000)
private let time = #""time":{"rate":1,"tick":5,"unixMilliseconds":1785600000000}"#
private let epoch = Period.last.firstEpoch
private let message = #""message":"00000000000000030000000000000004""#
private let texts = [TextID(rawValue: Octets16(high: 3, low: 4))].compactMap(\.self)
private var text: TextID { texts[0] }

/// Every fault of a vault, with the JSON of those whose values have names of their own there.
private let vaultFaults: [(VaultError.Fault, String?)] = [
    (.missing, #"{"missing":{}}"#), (.exists, nil),
    (.notAFile(.symbolicLink), #"{"notAFile":{"kind":"symbolicLink"}}"#),
    (.unsafePermissions(mode: 0o644), #"{"unsafePermissions":{"mode":420}}"#), (.foreignOwner(user: 7), nil),
    (.alreadyRunning(process: 42), nil), (.alreadyRunning(process: nil), #"{"alreadyRunning":{}}"#), (.readOnly, nil),
    (.noPermission, nil), (.diskFull, nil), (.system(code: 5), nil), (.tooLarge(bytes: 9, limit: 8), nil),
    (.truncated(bytes: 1, expected: 2), nil), (.foreign, nil), (.newerVersion(found: 2), nil),
    (.damaged(.counter), #"{"damaged":{"part":"counter"}}"#), (.parametersOutOfRange(passes: 1, kibibytes: 2), nil),
    (.wrongClock(vault: .real), #"{"wrongClock":{"vault":{"real":{}}}}"#),
    (.wrongClock(vault: .accelerated(rate: 60, anchor: 5)), nil),
    (.otherKeyNeeded(.keyFile), #"{"otherKeyNeeded":{"method":"key file"}}"#), (.keyMissing(.passphrase), nil),
    (
        .keyLength(.keyFile, bytes: 3, allowed: 32...4096),
        #"{"keyLength":{"allowed":[32,4096],"bytes":3,"method":"key file"}}"#
    ), (.wrongKey(.systemCredential), nil), (.notEnoughMemory(kibibytes: 5), nil),
    (
        .malformedContents(VaultContentsError(offset: 3, reason: .version(7))),
        #"{"malformedContents":{"error":{"offset":3,"reason":{"version":{"version":7}}}}}"#
    ), (.restoredOldCopy(vault: 1, expected: 2), nil), (.counterMissing(vault: 1), nil),
    (.contentsOutOfBounds(.petname), #"{"contentsOutOfBounds":{"bound":"petname"}}"#),
]

private let plan: TransportPlan = {
    let linux = AppCircumstances(DevicePlatform(.linux, PlatformVersion(6, 1)), .foreground, met: [.localNetwork])
    var situation = TransportSituation(own: linux, peer: linux, relation: .contact, purpose: .recognise)
    situation.isOnSameNetwork = true
    return TransportPolicy().plan(for: situation)
}()

/// The values of a node that a program stores, sends or logs.
@Suite struct `Public values of a node` {
    static let events: [CodedValue] = [
        CodedValue(NodeEvent.showing(epoch, over: .lan), #"{"epoch":4194300,"event":"visible","technology":"lan"}"#),
        CodedValue(NodeEvent.silent(.gap, over: .lan), #"{"event":"silent","reason":"gap","technology":"lan"}"#),
        CodedValue(
            NodeEvent.silent(.networkChanged, over: .lan),
            #"{"event":"silent","reason":"network-changed","technology":"lan"}"#),
        CodedValue(
            NodeEvent.silent(.clock(.behind(seconds: 12)), over: .lan),
            #"{"error":{"behind":{"seconds":12}},"event":"silent","reason":"clock","technology":"lan"}"#),
        CodedValue(
            NodeEvent.silent(.discovery(.noNetwork), over: .lan),
            #"{"error":{"noNetwork":{}},"event":"silent","reason":"discovery","technology":"lan"}"#),
        CodedValue(
            NodeEvent.silent(.links(.unreachable(code: 111)), over: .lan),
            #"{"error":{"unreachable":{"code":111}},"event":"silent","reason":"links","technology":"lan"}"#),
        CodedValue(
            NodeEvent.silent(.vault(VaultError(.diskFull, "/v")), over: .lan),
            #"{"error":{"fault":{"diskFull":{}},"path":"/v"},"event":"silent","reason":"vault","technology":"lan"}"#),
        CodedValue(
            NodeEvent.silent(.inviting, over: .bluetooth),
            #"{"event":"silent","reason":"inviting","technology":"bluetooth"}"#),
        CodedValue(NodeEvent.visibility(.nobody), #"{"event":"visibility","to":"nobody"}"#),
        CodedValue(NodeEvent.visibility(.contact(user)), #"{"event":"visibility",\#(id),"to":"contact"}"#),
        CodedValue(NodeEvent.imitated, #"{"event":"imitated"}"#),
        CodedValue(NodeEvent.replayed, #"{"event":"replayed"}"#),
        CodedValue(
            NodeEvent.silent(.radio(.exposed(.privacy)), over: .bluetooth),
            #"{"error":{"exposed":{"_0":"privacy"}},"event":"silent","reason":"radio","technology":"bluetooth"}"#),
        CodedValue(
            NodeEvent.handedOver(user, from: .bluetooth, to: .lan),
            #"{"event":"hand-over","from":"bluetooth",\#(id),"technology":"lan"}"#),
        CodedValue(NodeEvent.contested(user), #"{"event":"contested",\#(id)}"#),
        CodedValue(
            NodeEvent.trouble(.radioDeaf(.powerCycle)),
            #"{"event":"trouble","step":"power-cycle","what":"radio-deaf"}"#),
        CodedValue(NodeEvent.trouble(.radioCrowded), #"{"event":"trouble","what":"radio-crowded"}"#),
        CodedValue(
            NodeEvent.trouble(.antenna(AntennaTrouble("hall", .failed(.wrongKey)))),
            #"{"event":"trouble","trouble":{"antenna":"hall","problem":{"failed":{"_0":{"wrongKey":{}}}}},"what":"antenna"}"#
        ),
        CodedValue(
            NodeEvent.silent(.invisible, over: .lan), #"{"event":"silent","reason":"invisible","technology":"lan"}"#),
        CodedValue(
            NodeEvent.silent(.stopped, over: .lan), #"{"event":"silent","reason":"stopped","technology":"lan"}"#),
        CodedValue(
            NodeEvent.presence(user, .confirmed(at: Tick(milliseconds: 5))),
            #"{"confirmedAt":5,"event":"presence",\#(id),"presence":"confirmed"}"#),
        CodedValue(NodeEvent.arrived(user), #"{"event":"arrived",\#(id)}"#),
        CodedValue(NodeEvent.left(user), #"{"event":"left",\#(id)}"#), CodedValue(NodeEvent.planned(user, plan)),
        CodedValue(
            NodeEvent.confirmed(user, over: .lan, after: .milliseconds(250)),
            #"{"event":"confirmed",\#(id),"milliseconds":250,"technology":"lan"}"#),
        CodedValue(
            NodeEvent.confirmed(user, over: .lan, after: nil), #"{"event":"confirmed",\#(id),"technology":"lan"}"#),
        CodedValue(NodeEvent.outsideWindow(user), #"{"event":"replay-suspected",\#(id)}"#),
        CodedValue(NodeEvent.renewed(user), #"{"event":"renewed",\#(id)}"#),
        CodedValue(NodeEvent.message(user, "hello"), #"{"event":"message",\#(id),"text":"hello"}"#),
        CodedValue(
            NodeEvent.trouble(.notSaved(VaultError(.diskFull, "/v"))),
            #"{"error":{"fault":{"diskFull":{}},"path":"/v"},"event":"trouble","what":"not-saved"}"#),
        CodedValue(
            NodeEvent.trouble(.certificateNotRenewed(.certificates(.allEnded))),
            #"{"error":{"certificates":{"reason":"all-ended"}},"event":"trouble","what":"certificate-not-renewed"}"#),
        CodedValue(
            NodeEvent.trouble(.refused(user, stage: "signature", reason: "invalid")),
            #"{"event":"trouble",\#(id),"reason":"invalid","stage":"signature","what":"refused"}"#),
        CodedValue(NodeEvent.delivered(user, text), #"{"event":"delivered",\#(id),\#(message)}"#),
        CodedValue(NodeEvent.expired(user, text), #"{"event":"expired",\#(id),\#(message)}"#),
        CodedValue(NodeEvent.messagesSkipped(user, 2), #"{"count":2,"event":"messages-skipped",\#(id)}"#),
        CodedValue(
            NodeEvent.trouble(.messages(MessageStoreError(.file(.diskFull), "/m"))),
            #"{"error":{"fault":{"file":{"fault":{"diskFull":{}}}},"path":"/m"},"event":"trouble","what":"messages"}"#),
        CodedValue(
            NodeEvent.trouble(.messagesFound(.restoredOldCopy(generation: 1, expected: 2))),
            #"{"event":"trouble","finding":{"restoredOldCopy":{"expected":2,"generation":1}},"what":"messages-found"}"#),
        CodedValue(NodeEvent.missed(3), #"{"count":3,"event":"missed"}"#),
    ]

    static let silences: [CodedValue] = [
        CodedValue(
            NodeEvent.SilenceReason.highWater(Epoch(1_984_000) ?? Period.last.firstEpoch),
            #"{"epoch":1984000,"reason":"high-water"}"#),
        CodedValue(NodeEvent.SilenceReason.noKeys, #"{"reason":"no-keys"}"#),
        CodedValue(NodeEvent.SilenceReason.unconfirmed(shownFrom: nil), #"{"reason":"unconfirmed"}"#),
        CodedValue(
            NodeEvent.SilenceReason.unconfirmed(shownFrom: Epoch(1_984_000)),
            #"{"epoch":1984000,"reason":"unconfirmed"}"#),
    ]

    static let values: [CodedValue] = [
        CodedValue(
            PresenceChange(contact: user, from: .unseen, to: .probable, time: now),
            #"{"from":{"presence":"unseen"},\#(id),"missed":0,\#(time),"to":{"presence":"probable"}}"#),
        CodedValue(
            ReceivedMessage(id: text, contact: user, text: "hello", time: now, missed: 2),
            #"{\#(id),\#(message),"missed":2,"text":"hello",\#(time)}"#),
        CodedValue(
            ContactSummary(
                user: user, name: "Bo", cardName: "Bob", devices: [.first], recognisedUntil: Period.last,
                recognisesUsUntil: nil, standing: .complete, hasMet: true, needsReview: false, restoredFrom: nil,
                isBlocked: false, chosenDelays: ContactDelays(leave: .seconds(300)),
                delays: ContactDelays(arrive: .zero, leave: .seconds(300), goodbye: .seconds(300)),
                presence: .stale(confirmedAt: Tick(milliseconds: 5)), reachableOver: [.bluetooth, .lan]),
            #"{"blocked":false,"cardName":"Bob","chosenDelays":{"leave":300},"confirmedAt":5,"contact":"Bo","#
                + #""delays":{"arrive":0,"goodbye":300,"leave":300},"devices":[0],\#(id),"met":true,"#
                + #""needsReview":false,"presence":"stale","reachableOver":["lan","bluetooth"],"recognisedUntil":1048575,"#
                + #""standing":"complete"}"#),
        CodedValue(
            NodeStatus(
                visibility: .contact(user), showing: nil, silence: .gap,
                technologies: [
                    NodeStatus.Technology(technology: .lan, showing: nil, silence: .gap, carriesLinks: false)
                ], present: 1, contacts: 2, unfinished: 0, sessions: 3, refusedMessages: 4,
                certifiedUntil: Period.last),
            #"{"antennas":[],"certifiedUntil":1048575,"contacts":2,"present":1,"refusedMessages":4,"sessions":3,"#
                + #""silence":{"reason":"gap"},"technologies":[{"carriesLinks":false,"silence":{"reason":"gap"},"#
                + #""technology":"lan"}],"unfinished":0,"visibility":{\#(id),"to":"contact"}}"#),
        CodedValue(
            NodeStatus(
                visibility: .all, showing: epoch, silence: nil,
                technologies: [
                    NodeStatus.Technology(technology: .bluetooth, showing: epoch, silence: nil, carriesLinks: true)
                ], present: 0, contacts: 0, unfinished: 0, sessions: 0, refusedMessages: 0,
                certifiedUntil: nil),
            #"{"antennas":[],"contacts":0,"epoch":4194300,"present":0,"refusedMessages":0,"sessions":0,"#
                + #""technologies":[{"carriesLinks":true,"epoch":4194300,"technology":"bluetooth"}],"unfinished":0,"#
                + #""visibility":{"to":"all"}}"#),
        CodedValue(LinkError.closed, #"{"closed":{}}"#), CodedValue(LinkError.timedOut),
        CodedValue(LinkError.oversized(announced: 9, limit: 8), #"{"oversized":{"announced":9,"limit":8}}"#),
        CodedValue(DiscoveryError.server(code: -5), #"{"server":{"code":-5}}"#),
    ]

    @Test(arguments: events + silences + values + vaultFaults.map { CodedValue($0.0, $0.1) })
    func `a public value returns from its JSON`(value: CodedValue) throws {
        if let json = value.json { #expect(try value.encoded() == json) }
        #expect(try value.returns())
    }

    @Test(arguments: [
        #"{"event":"departed"}"#, #"{"event":"arrived"}"#, #"{"event":"arrived","id":"Bob"}"#, #"{"event":"silent"}"#,
        #"{"event":"silent","reason":"clock"}"#, #"{"event":"visible","epoch":4194304}"#, #"{"epoch":1}"#,
    ]) func `an event that cannot be is not decoded`(json: String) {
        #expect(throws: DecodingError.self) { try decode(NodeEvent.self, from: json) }
    }

    static let errors: [(any Error, String)] = [
        (NodeError.unknownContact, "there is no such contact"),
        (NodeError.badText(limit: 8192), "a text must have 1 to 8192 bytes"),
        (
            NodeError.notSaved(VaultError(.readOnly, "/v")),
            "the contents were not saved: /v: \(VaultError.Fault.readOnly)"
        ),
        (NodeError.card(.nameNotUTF8), "the card is invalid: the name is not valid UTF-8"),
        (NodeError.grant(.ended), "the grant is invalid: it has expired"),
        (NodeError.tooManyContacts, "the limit of 10000 contacts is reached"),
        (
            NodeError.firstContactFailed(stage: "gate", reason: "mac"),
            "the first contact failed (gate: mac)"
        ),
        (
            NodeError.links(.unreachable(code: 111)),
            "no link could be made: the other side cannot be reached (system error 111)"
        ),
        (
            NodeError.discovery(.server(code: -5)),
            "the local network cannot be used: multicast DNS cannot be used (error -5)"
        ), (LinkError.oversized(announced: 9, limit: 8), "a packet of 9 bytes, where 8 are allowed"),
        (DiscoveryError.noNetwork, "there is no usable network interface"),
        (EndpointError.port, "the port must be 1 to 65535"),
        (VaultContents.Bound.tree, "a tree must have 1 to 38 nodes"),
        (VaultError.Fault.notAFile(.fifo), "is a FIFO, which the vault cannot use; move it away"),
    ]

    @Test func `an error says what is wrong in words`() {
        for (error, text) in Self.errors { #expect("\(error)" == text) }
    }
}
