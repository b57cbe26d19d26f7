import Glibc

/// Ends the program with a message.
func fail(_ message: String) -> Never {
    let line = Array("benchmarks: \(message)\n".utf8)
    write(STDERR_FILENO, line, line.count)
    exit(1)
}

/// What can be measured, each by itself.
let parts = ["micro", "derive", "tables", "epoch", "match", "predict", "c-interface", "delivery"]

var rounds = 21
var milliseconds = 50
var isJSON = false
var chosen = parts
var arguments = CommandLine.arguments.dropFirst()

@MainActor func number(after option: String) -> Int {
    guard let value = arguments.popFirst().flatMap({ Int($0) }), value > 0 else { fail("\(option) takes a number") }
    return value
}

while let argument = arguments.popFirst() {
    switch argument {
    case "--json": isJSON = true
    case "--rounds": rounds = number(after: argument)
    case "--milliseconds": milliseconds = number(after: argument)
    case "--only":
        chosen = (arguments.popFirst() ?? "").split(separator: ",").map(String.init)
        guard !chosen.isEmpty, chosen.allSatisfy(parts.contains) else {
            fail("--only takes some of: \(parts.joined(separator: ", "))")
        }
    default:
        fail(
            """
            unknown option \(argument)
            usage: Benchmarks [--only PARTS] [--json] [--rounds N] [--milliseconds N]
            """)
    }
}

@MainActor func figures(of measures: [Measure]) -> [Figure] {
    measures.flatMap { measure in
        guard let measured = measure.figures(rounds: rounds, milliseconds: milliseconds) else {
            fail("the contestants of '\(measure.name)' do not compute the same")
        }
        return measured
    }
}

var measured: [Figure] = []
for part in parts where chosen.contains(part) {
    switch part {
    case "micro": measured += figures(of: keyMeasures() + handshakeMeasures() + recordMeasures())
    case "derive": measured += figures(of: laneMeasures())
    case "tables": measured += figures(of: tableMeasures()) + tableFigures()
    case "epoch": measured += await epochFigures(rounds: rounds)
    case "predict": measured += figures(of: predictMeasures())
    case "c-interface": measured += figures(of: cInterfaceMeasures())
    case "delivery":
        measured += await deliveryFigures(rounds: rounds)
        measured += figures(of: radioMeasures()) + (await radioFigures())
    default: measured += matchFigures(rounds: rounds, milliseconds: milliseconds)
    }
}
let machine = Machine()
print(
    isJSON ? json(measured, on: machine, rounds: rounds) : table(measured, on: machine, rounds: rounds), terminator: "")
