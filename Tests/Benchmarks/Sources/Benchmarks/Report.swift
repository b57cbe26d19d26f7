/// A number with two significant digits behind the point.
func hundredths(_ value: Double) -> String {
    let scaled = Int((value * 100).rounded())
    let fraction = scaled % 100
    return "\(scaled / 100).\(fraction < 10 ? "0" : "")\(fraction)"
}

/// A whole number with its thousands apart.
private func grouped(_ value: Double) -> String {
    let digits = Array(String(Int(value.rounded())))
    return String(
        digits.indices.flatMap { index in
            index > 0 && (digits.count - index) % 3 == 0 ? [",", digits[index]] : [digits[index]]
        })
}

private func padded(_ text: String, to width: Int, left: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return left ? space + text : text + space
}

/// The figures as a table for people.
func table(_ figures: [Figure], on machine: Machine, rounds: Int) -> String {
    var lines = [
        "\(machine.processor), \(machine.processorCount) cores, \(machine.system); one core used unless it says otherwise, \(rounds) rounds"
    ]
    var measure = ""
    for figure in figures {
        if figure.measure != measure {
            measure = figure.measure
            let isRate = if case .perSecond = figure.value { true } else { false }
            lines += ["", "\(measure): \(figure.unit)\(isRate ? " per second, and the time for one" : "")"]
        }
        let ratio =
            figure.ratio.map {
                "   ours is \(hundredths($0.median)) × that (\(hundredths($0.lower)) to \(hundredths($0.upper)))"
            } ?? ""
        let mark = figure.promise.map { $0.holds ? "✓" : "✗" } ?? " "
        let promise = figure.promise.map { "   \($0.words)" } ?? ""
        let value =
            switch figure.value {
            case .perSecond(let rate):
                padded(grouped(rate), to: 14, left: true) + padded(hundredths(1e9 / rate), to: 16, left: true) + " ns"
            case .number(let number): padded(hundredths(number), to: 14, left: true) + String(repeating: " ", count: 19)
            }
        lines.append("\(mark) \(padded(figure.contestant, to: 52))\(value)\(ratio)\(promise)")
    }
    return lines.joined(separator: "\n") + "\n"
}

/// The figures as one JSON object.
func json(_ figures: [Figure], on machine: Machine, rounds: Int) -> String {
    func quoted(_ text: String) -> String { "\"" + text.filter { $0 != "\"" && $0 != "\\" } + "\"" }
    func number(_ value: Double) -> String { hundredths(value) }
    let rows = figures.map { figure in
        let ratio =
            figure.ratio.map {
                #","ratio":{"lower":\#(number($0.lower)),"median":\#(number($0.median)),"upper":\#(number($0.upper))}"#
            } ?? ""
        let promise =
            figure.promise.map { #","promise":{"words":\#(quoted($0.words)),"holds":\#($0.holds)}"# } ?? ""
        let value =
            switch figure.value {
            case .perSecond(let rate):
                #""perSecond":\#(number(rate)),"nanoseconds":\#(number(1e9 / rate))"#
            case .number(let value): #""value":\#(number(value))"#
            }
        let names = zip(["measure", "unit", "contestant"], [figure.measure, figure.unit, figure.contestant])
        let members = names.map { #""\#($0)":\#(quoted($1))"# }.joined(separator: ",")
        return "{\(members),\(value)\(ratio)\(promise)}"
    }
    let members = [
        #""processor":\#(quoted(machine.processor))"#, #""processors":\#(machine.processorCount)"#,
        #""system":\#(quoted(machine.system))"#,
    ]
    let place = "{\(members.joined(separator: ","))}"
    return #"{"machine":\#(place),"rounds":\#(rounds),"figures":[\#(rows.joined(separator: ","))]}"# + "\n"
}
