public import InklingKeys

extension ApplicationProfile {
    /// A member of the file of a profile, in the order of the file.
    public enum Member: String, Hashable, Sendable, CaseIterable {
        /// The version of the form.
        case profile
        /// The name of the application.
        case name
        /// The proximity UUID of the beacon.
        case proximity
        /// The UUID of the GATT service.
        case service
        /// The UUID of the characteristic that holds the rotating tag.
        case tag
        /// The UUID of the characteristic to which a central writes.
        case input = "in"
        /// The UUID of the characteristic that notifies a central.
        case output = "out"
        /// The type of the service on the local network.
        case serviceType
        /// The measured power of the beacon at one metre, in dBm.
        case measuredPower
        /// The length of an epoch, in seconds.
        case epochSeconds

        static let uuids: [Self] = [.proximity, .service, .tag, .input, .output]

        /// The permitted values, in words.
        var expectation: String {
            switch self {
            case .profile: "the version of the form, \(ApplicationProfile.formVersion)"
            case .name: "1 to 64 characters of ASCII without a space at either end"
            case .proximity, .service, .tag, .input, .output:
                "a UUID in lower case, such as \(UUID128.proximity)"
            case .serviceType:
                "_service._tcp with 1 to 15 lowercase letters, digits and single hyphens, at least one letter"
            case .measuredPower:
                "\(ApplicationProfile.measuredPowers.lowerBound) to \(ApplicationProfile.measuredPowers.upperBound) dBm"
            case .epochSeconds: "\(ApplicationProfile.epochSeconds), which is the same in every profile"
            }
        }
    }
}

/// The reason a profile is refused.
///
/// `stage` and `reason` are the codes of `Specs/profiles.md`.
public enum ProfileError: Refusal, Hashable {
    /// The text is not JSON, or has more than 4,096 bytes.
    case malformed
    /// The text is not an object of JSON.
    case notObject
    /// No profile has a member of this name.
    case unknownMember(String)
    /// A member is missing.
    case missing(ApplicationProfile.Member)
    /// A member is not of its type, text or whole number.
    case wrongType(ApplicationProfile.Member)
    /// A member does not have the required form.
    case invalid(ApplicationProfile.Member)
    /// A number is not one of the permitted ones.
    case outOfRange(ApplicationProfile.Member)
    /// The UUID is that of a sample which many programs contain.
    case sample(ApplicationProfile.Member)
    /// The UUID is a form of a short one, which others assign, or all zeros.
    case assigned(ApplicationProfile.Member)
    /// The service UUID has the overflow bit that sets up an Apple Watch.
    case setUpBit
    /// The value is one of Inkling's, in a profile that is not Inkling's.
    case ofInkling(ApplicationProfile.Member)
    /// The UUID is that of an earlier member.
    case repeated(ApplicationProfile.Member)

    /// The refused member; nil when the whole document is refused.
    public var member: ApplicationProfile.Member? {
        switch self {
        case .malformed, .notObject, .unknownMember: nil
        case .missing(let member), .wrongType(let member), .invalid(let member), .outOfRange(let member),
            .sample(let member), .assigned(let member), .ofInkling(let member), .repeated(let member):
            member
        case .setUpBit: .service
        }
    }

    /// The member in which the error is, or `document`.
    public var stage: String {
        switch member {
        case nil: "document"
        case .serviceType: "service-type"
        case .measuredPower: "measured-power"
        case .epochSeconds: "epoch-seconds"
        case .profile?, .name, .proximity, .service, .tag, .input, .output: member?.rawValue ?? ""
        }
    }

    /// The kind of error.
    public var reason: String {
        switch self {
        case .malformed: "malformed"
        case .notObject: "not-object"
        case .unknownMember: "unknown-member"
        case .missing: "missing"
        case .wrongType: "wrong-type"
        case .invalid: "invalid"
        case .outOfRange: "out-of-range"
        case .sample: "sample"
        case .assigned: "assigned"
        case .setUpBit: "overflow-bit"
        case .ofInkling: "of-inkling"
        case .repeated: "repeated"
        }
    }

    /// The refused member's fault, and the expected value.
    public var description: String {
        switch self {
        case .malformed: "not a profile: the text is not JSON of at most \(ApplicationProfile.formLimit) bytes"
        case .notObject: "not a profile: the text is not an object"
        case .unknownMember: "a profile has no such member"
        case .missing(let member): "\(member.rawValue) is missing: expected \(member.expectation)"
        case .wrongType(let member), .invalid(let member), .outOfRange(let member):
            "invalid \(member.rawValue): expected \(member.expectation)"
        case .sample(let member):
            "\(member.rawValue) is the UUID of a sample that many programs contain: its devices would mix with all of theirs"
        case .assigned(let member):
            "\(member.rawValue) is all zeros or a form of a short UUID: expected a UUID of the application's own"
        case .setUpBit:
            "service has the overflow bit 66, with which phones show a dialogue to set up a watch: expected another UUID"
        case .ofInkling(let member): "\(member.rawValue) is Inkling's own: expected a value of the application's own"
        case .repeated(let member):
            "\(member.rawValue) is the same UUID as an earlier one: expected five different ones"
        }
    }
}
