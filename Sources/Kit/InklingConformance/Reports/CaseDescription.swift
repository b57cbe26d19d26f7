internal import InklingJSON

extension ConformanceCase: CustomStringConvertible {
    /// The whole case as text: every value on its own line, and the request and the reply.
    public var description: String {
        var lines = ["\(id)  \(comment)", "  \(specification)  \(requirements.joined(separator: " "))"]
        if let arguments {
            lines += ["", "  \(operation ?? "")"]
            lines += Self.block(arguments)
        }
        if let accumulated {
            lines.append("  \(accumulated.operation), \(accumulated.count) requests, of which the first is shown")
        }
        if let intermediates {
            lines += ["", "  intermediate values"] + Self.block(intermediates)
        }
        lines.append("")
        if let error = expected["error"]?.object {
            lines.append("  must be rejected")
            lines += Self.block(error)
        } else if let result = expected["result"]?.object {
            lines.append("  must be answered")
            lines += Self.block(result)
        } else {
            lines.append("  must be answered with `unsupported`")
        }
        let request = shortened(String(decoding: line, as: UTF8.self), to: 4096)
        lines += ["", "  send     \(request)"]
        if accumulated == nil { lines.append("  receive  \(JSON.object(expected).compact)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func block(_ members: JSONObject) -> [String] {
        let width = members.names.map(\.count).max() ?? 0
        return members.members.map { name, value in
            "    \(name)\(String(repeating: " ", count: width - name.count + 2))\(value.text ?? value.compact)"
        }
    }
}
