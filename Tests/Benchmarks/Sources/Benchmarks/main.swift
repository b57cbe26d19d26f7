import Glibc

/// Ends the program with a message.
func fail(_ message: String) -> Never {
    let line = Array("benchmarks: \(message)\n".utf8)
    write(STDERR_FILENO, line, line.count)
    exit(1)
}

var rounds = 21
var milliseconds = 50
var isJSON = false
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--tune": await tune(Int(arguments.popFirst() ?? "1000") ?? 1000); exit(0)
    case "--json": isJSON = true
    case "--rounds":
        guard let value = arguments.popFirst().flatMap({ Int($0) }), value > 0 else { fail("--rounds takes a number") }
        rounds = value
    case "--milliseconds":
        guard let value = arguments.popFirst().flatMap({ Int($0) }), value > 0 else {
            fail("--milliseconds takes a number")
        }
        milliseconds = value
    default:
        fail("unknown option \(argument)\nusage: Benchmarks [--json] [--rounds N] [--milliseconds N]")
    }
}

var figures: [Figure] = []
for measure in keyMeasures() + laneMeasures() + handshakeMeasures() {
    guard let measured = measure.figures(rounds: rounds, milliseconds: milliseconds) else {
        fail("the contestants of '\(measure.name)' do not compute the same")
    }
    figures += measured
}
let machine = Machine()
print(isJSON ? json(figures, on: machine, rounds: rounds) : table(figures, on: machine, rounds: rounds), terminator: "")
