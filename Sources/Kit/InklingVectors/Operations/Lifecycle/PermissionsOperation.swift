internal import InklingEngine
internal import InklingJSON
internal import InklingPlatforms

/// Computes what an app can still do after each of several changes of its permissions (`Specs/lifecycle.md`).
let permissionsOperation = ShimOperation(
    "permissions",
    [
        .list(
            "states",
            of: .object([
                .code("bluetooth", Permissions.Word.self), .code("location", Permissions.LocationWord.self),
                .code("localNetwork", Permissions.Word.self), .codes("modes", RelaunchSituation.BackgroundMode.self),
                .flag("background"), .flag("asked"), .code("moment", Permissions.Moment.self),
            ]), limit: 64)
    ]
) { arguments throws(ShimRefusal) in
    var before: Permissions?
    var answers: [JSON] = []
    for state in arguments.objects("states") {
        let permissions = Permissions(
            bluetooth: state.code("bluetooth") ?? .denied, location: state.code("location") ?? .denied,
            localNetwork: state.code("localNetwork") ?? .denied, modes: Set(state.codes("modes")),
            wantsBackground: state.flag("background"), hasAskedAlways: state.flag("asked"))
        func list(_ capabilities: [Permissions.Capability]) -> JSON { .list(capabilities.map { .text($0.rawValue) }) }
        var answer: JSONObject = [
            "mode": .text(permissions.mode.rawValue), "works": list(permissions.capabilities),
        ]
        if let before {
            let changes = permissions.changes(from: before)
            answer["starts"] = list(changes.starts)
            answer["stops"] = list(changes.stops)
        }
        answer["banner"] = permissions.banner.map { .text($0.rawValue) }
        answer["ask"] = permissions.question(at: state.code("moment") ?? .launch).map { .text($0.rawValue) }
        answers.append(.object(answer))
        before = permissions
    }
    return ["answers": .list(answers)]
}
