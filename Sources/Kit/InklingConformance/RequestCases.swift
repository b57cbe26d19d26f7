internal import InklingJSON
internal import InklingVectors

/// Lines that are not requests, and requests for unknown operations. Their handling is part of the protocol between
/// runner and shim, and is in no vector file (`Specs/conformance.md`, Requests and replies).
let requestCases: [ConformanceCase] = {
    let refusals: [(comment: String, line: String, id: JSON, reason: String)] = [
        ("an empty line", "", .null, "not-json"),
        ("a word", "hello", .null, "not-json"),
        ("an object that does not end", #"{"id":1,"op":"epoch""#, .null, "not-json"),
        ("two values on one line", #"{"id":1,"op":"epoch"} {}"#, .null, "not-json"),
        ("a list", "[]", .null, "not-an-object"),
        ("a number", "17", .null, "not-an-object"),
        ("no id", #"{"op":"capabilities"}"#, .null, "bad-id"),
        ("an id below zero", #"{"id":-1,"op":"capabilities"}"#, .null, "bad-id"),
        ("an id of 2^53", #"{"id":9007199254740992,"op":"capabilities"}"#, .null, "bad-id"),
        ("an id with a fraction", #"{"id":1.5,"op":"capabilities"}"#, .null, "bad-id"),
        ("an id that is null", #"{"id":null,"op":"capabilities"}"#, .null, "bad-id"),
        (
            "an id of 65 characters", #"{"id":"\#(String(repeating: "a", count: 65))","op":"capabilities"}"#, .null,
            "bad-id"
        ),
        ("no operation", #"{"id":1}"#, .integer(1), "bad-op"),
        ("an operation that is a number", #"{"id":"a","op":7}"#, .text("a"), "bad-op"),
        ("arguments that are a list", #"{"id":2,"op":"epoch","args":[]}"#, .integer(2), "bad-args"),
        ("arguments that are null", #"{"id":3,"op":"epoch","args":null}"#, .integer(3), "bad-args"),
        ("an unexpected member", #"{"id":4,"op":"epoch","args":{},"more":1}"#, .integer(4), "bad-args"),
    ]
    var cases = refusals.map { one in
        make(
            one.comment, "INK-CNF-002", one.line,
            ConformanceCase.reply(id: one.id, .refusal(stage: "request", reason: one.reason)))
    }
    let long = #"{"id":5,"op":"\#(String(repeating: "a", count: Shim.lineLimit))"}"#
    cases.append(
        make(
            "a line above its bound", "INK-CNF-002", long,
            ConformanceCase.reply(id: .null, .refusal(stage: "request", reason: "too-long"))))
    cases.append(
        make(
            "an unknown operation", "INK-CNF-003", #"{"id":6,"op":"predict-weather","args":{}}"#,
            ["id": .integer(6), "unsupported": .flag(true)]))
    cases.append(
        make(
            "an id of 64 characters and no arguments", "INK-CNF-001",
            #"{"id":"\#(String(repeating: "b", count: 64))","op":"predict-weather"}"#,
            ["id": .text(String(repeating: "b", count: 64)), "unsupported": .flag(true)]))
    // New cases are appended, because an id is never reused.
    let later: [(comment: String, line: String, reason: String)] = [
        ("a member named twice", #"{"id":7,"id":7,"op":"predict-weather"}"#, "not-json"),
        ("an argument named twice", #"{"id":8,"op":"predict-weather","args":{"day":1,"day":1}}"#, "not-json"),
        ("half of a surrogate pair", #"{"id":9,"op":"predict-weather","args":{"day":"\ud800"}}"#, "not-json"),
        ("an id with a fraction of zero", #"{"id":10.0,"op":"predict-weather"}"#, "bad-id"),
    ]
    cases += later.map { one in
        make(
            one.comment, "INK-CNF-002", one.line,
            ConformanceCase.reply(id: .null, .refusal(stage: "request", reason: one.reason)))
    }
    return cases.enumerated().map { number, one in
        let digits = String(number + 1)
        return make(
            one.comment, one.requirements[0], String(decoding: one.line, as: UTF8.self), one.expected,
            id: "request-" + String(repeating: "0", count: 4 - digits.count) + digits)
    }
}()

private func make(
    _ comment: String, _ requirement: String, _ line: String, _ expected: JSONObject, id: String = ""
) -> ConformanceCase {
    ConformanceCase(
        id: id, family: "request", operation: nil, specification: "Specs/conformance.md", comment: comment,
        requirements: [requirement], arguments: nil, line: Array(line.utf8), expected: expected)
}
