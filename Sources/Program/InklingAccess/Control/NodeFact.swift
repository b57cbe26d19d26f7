package import InklingJSON
package import InklingKeys
package import InklingTerminal

/// A fact as the control socket carries it: an object with one member, whose name is the kind of the fact.
package struct FactLine: Sendable {
    package let kind: String
    package let value: JSON
    /// The secret that follows on a line of its own.
    package var secret: SecretBox<SecretBytes>?

    package init(kind: String, value: JSON, secret: SecretBox<SecretBytes>? = nil) {
        (self.kind, self.value, self.secret) = (kind, value, secret)
    }
}

/// A report of a node about a request: a fact, or one of several kinds of facts.
package protocol Reported: Sendable {
    /// Returns whether a line with a secret follows a fact of this kind.
    static func isFollowedBySecret(_ kind: String) -> Bool
    /// The fact for the socket.
    var factLine: FactLine { get }

    /// Creates the report from a fact of the socket.
    ///
    /// - Throws: `JSONShapeError` when the fact is of another kind or has other members.
    init(_ line: FactLine) throws(JSONShapeError)
}

/// A fact of one kind. The text for people, `--json` and the lines of the control socket are made from the same value.
package protocol NodeFact: Codable, Reported {
    /// The name of the member that carries the fact.
    static var kind: String { get }
}

/// A fact that is followed by a line with a secret.
package protocol SecretFact: NodeFact {
    /// The secret, which is not part of the JSON.
    var secret: SecretBox<SecretBytes>? { get set }
}

extension Reported {
    package static func isFollowedBySecret(_ kind: String) -> Bool { false }
}

extension NodeFact {
    package var factLine: FactLine { FactLine(kind: Self.kind, value: JSON(encoding: self)) }

    package init(_ line: FactLine) throws(JSONShapeError) {
        guard line.kind == Self.kind else { throw JSONShapeError(path: [line.kind], what: "was not asked for") }
        self = try line.value.decoded()
    }
}

extension SecretFact {
    package static func isFollowedBySecret(_ kind: String) -> Bool { kind == Self.kind }

    package var factLine: FactLine { FactLine(kind: Self.kind, value: JSON(encoding: self), secret: secret) }

    package init(_ line: FactLine) throws(JSONShapeError) {
        guard line.kind == Self.kind else { throw JSONShapeError(path: [line.kind], what: "was not asked for") }
        self = try line.value.decoded()
        secret = line.secret
    }
}

extension Never: Reported {
    package var factLine: FactLine { switch self {} }

    package init(_ line: FactLine) throws(JSONShapeError) {
        throw JSONShapeError(path: [line.kind], what: "was not asked for")
    }
}

/// A fact of one of two kinds.
package enum OneOf<First: NodeFact, Second: NodeFact>: Reported {
    case first(First)
    case second(Second)

    package var factLine: FactLine {
        switch self {
        case .first(let fact): fact.factLine
        case .second(let fact): fact.factLine
        }
    }

    package init(_ line: FactLine) throws(JSONShapeError) {
        self = line.kind == First.kind ? .first(try First(line)) : .second(try Second(line))
    }
}
