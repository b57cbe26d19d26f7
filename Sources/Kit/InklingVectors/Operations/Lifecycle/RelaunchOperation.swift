internal import InklingEngine
internal import InklingJSON
internal import InklingPlatforms

/// Determines whether the system relaunches an app for an event, and why (`Specs/lifecycle.md`).
let relaunchOperation = ShimOperation(
    "relaunch",
    [
        .integer("version", in: 1...99), .code("fate", RelaunchSituation.Fate.self),
        .codes("changes", RelaunchSituation.Change.self), .codes("modes", RelaunchSituation.BackgroundMode.self),
        .flag("identifier"), .flag("always"), .integer("hours", in: 0...100_000),
        .codes("pending", RelaunchSituation.Pending.self), .code("event", RelaunchSituation.Event.self),
    ]
) { arguments throws(ShimRefusal) in
    guard let fate: RelaunchSituation.Fate = arguments.code("fate"),
        let event: RelaunchSituation.Event = arguments.code("event")
    else { throw .arguments("out-of-range") }
    var situation = RelaunchSituation(
        version: Int(arguments.u32("version")), fate: fate, pending: Set(arguments.codes("pending")), event: event)
    situation.changes = Set(arguments.codes("changes"))
    situation.modes = Set(arguments.codes("modes"))
    situation.hasIdentifier = arguments.flag("identifier")
    situation.mayAlwaysLocate = arguments.flag("always")
    situation.hours = Int(arguments.u32("hours"))
    let answer = situation.answer
    var result: JSONObject = [
        "outcome": .text(answer.outcome.rawValue), "rule": .text(answer.rule.code),
        "next": .text(answer.next.rawValue), "column": .text(answer.column.rawValue),
        "document": .text(answer.source.document.rawValue), "place": .text(answer.source.place),
        "confidence": .text(answer.confidence.rawValue),
    ]
    if let note = answer.note { result["note"] = .text(note.rawValue) }
    return result
}
