// The form in which a profile is written. The JSON around it is parsed elsewhere.
extension ApplicationProfile {
    /// The version of the form.
    package static let formVersion = 1
    /// The longest text of a profile, in bytes.
    package static let formLimit = 4096

    /// The value of a member.
    package enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int64)
        /// Any other value.
        case other
    }

    /// Reads a profile from its members, each of which occurs once.
    ///
    /// - Throws: `ProfileError`, in the order of `Specs/profiles.md`.
    package init(_ members: [(name: String, value: Value)]) throws(ProfileError) {
        var values: [Member: Value] = [:]
        for (name, value) in members {
            guard let member = Member(rawValue: name) else { throw .unknownMember(name) }
            values[member] = value
        }
        for member in Member.allCases where values[member] == nil { throw .missing(member) }
        func text(_ member: Member) throws(ProfileError) -> String {
            guard case .text(let text)? = values[member] else { throw .wrongType(member) }
            return text
        }
        func integer(_ member: Member, in range: ClosedRange<Int64>) throws(ProfileError) -> Int64 {
            guard case .integer(let number)? = values[member] else { throw .wrongType(member) }
            guard range.contains(number) else { throw .outOfRange(member) }
            return number
        }
        let version = Int64(Self.formVersion), epoch = Int64(Self.epochSeconds)
        _ = try integer(.profile, in: version...version)
        let name = try text(.name)
        guard Self.isName(name) else { throw .invalid(.name) }
        var uuids: [UUID128] = []
        for member in Member.uuids {
            let text = try text(member)
            guard let uuid = UUID128(text), uuid.description == text else { throw .invalid(member) }
            uuids.append(uuid)
        }
        guard let serviceType = ServiceType(try text(.serviceType)) else { throw .invalid(.serviceType) }
        let power = try integer(
            .measuredPower, in: Int64(Self.measuredPowers.lowerBound)...Int64(Self.measuredPowers.upperBound))
        _ = try integer(.epochSeconds, in: epoch...epoch)
        try self.init(checking: name, uuids, serviceType, measuredPower: Int8(truncatingIfNeeded: power))
    }

    /// The members in the order in which they are written.
    package var members: [(name: String, value: Value)] {
        let uuids = zip(Member.uuids, self.uuids).map { (name: $0.rawValue, value: Value.text($1.description)) }
        return [
            (Member.profile.rawValue, .integer(Int64(Self.formVersion))), (Member.name.rawValue, .text(name)),
        ] + uuids + [
            (Member.serviceType.rawValue, .text(serviceType.description)),
            (Member.measuredPower.rawValue, .integer(Int64(measuredPower))),
            (Member.epochSeconds.rawValue, .integer(Int64(Self.epochSeconds))),
        ]
    }
}
