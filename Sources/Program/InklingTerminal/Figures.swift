import FoundationEssentials

/// Formats a number with `digits` significant digits and no exponent: 0.00581 with two is 0.0058.
package func figure(_ value: Double, digits: Int = 2) -> String {
    guard value.isFinite, value != 0 else { return value == 0 ? "0" : "\(value)" }
    var places = digits - 1
    var top = 1.0
    while abs(value) >= top * 10 {
        top *= 10
        places -= 1
    }
    while abs(value) < top, places < 12 {
        top /= 10
        places += 1
    }
    guard places > 0 else { return "\(Int64(value.rounded()))" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = Int64((abs(value) * scale).rounded())
    let whole = scaled / Int64(scale)
    let rest = String(scaled % Int64(scale))
    let sign = value < 0 && scaled != 0 ? "-" : ""
    return "\(sign)\(whole).\(String(repeating: "0", count: places - rest.count))\(rest)"
}

/// Formats a probability, 0 to 1, in per cent; above 99.95 % it returns `> 99.9 %`.
package func percentage(_ probability: Double) -> String {
    probability > 0.9995 ? "> 99.9 %" : "\(figure(probability * 100, digits: probability > 0.99 ? 3 : 2)) %"
}

/// Formats a time in Unix seconds as RFC 3339 in UTC.
package func timestamp(_ unixSeconds: UInt64) -> String {
    Date(timeIntervalSince1970: TimeInterval(unixSeconds)).formatted(.iso8601)
}

/// Returns a count and its noun, with an s unless the count is 1.
package func plural(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}
