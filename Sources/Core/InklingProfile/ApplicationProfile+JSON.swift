package import InklingJSON
package import InklingWire

// The text of a profile (`Specs/profiles.md`), which is its file format.
extension ApplicationProfile {
    /// Parses the text of a profile.
    ///
    /// - Throws: `ProfileError`.
    package init(parsing text: [UInt8]) throws(ProfileError) {
        guard text.count <= Self.formLimit, let json = try? JSON(parsing: text) else { throw .malformed }
        guard let object = json.object else { throw .notObject }
        try self.init(
            object.members.map { member in
                let value: Value =
                    switch member.value {
                    case .text(let text): .text(text)
                    case .number: member.value.integer.map { .integer($0) } ?? .other
                    case .null, .flag, .list, .object: .other
                    }
                return (member.name, value)
            })
    }

    /// The profile as an object, with its members in the order in which they are written.
    package var json: JSON {
        var object = JSONObject()
        for (name, value) in members {
            switch value {
            case .text(let text): object[name] = .text(text)
            case .integer(let number): object[name] = .integer(number)
            case .other: continue
            }
        }
        return .object(object)
    }
}
