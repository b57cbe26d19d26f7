import InklingJSON

/// One line about a contact.
func contactLine(_ fact: JSONObject) -> String {
    let name = printable(fact["contact"]?.text ?? "")
    let state = fact["presence"]?.text ?? ""
    let until = fact["recognisedUntil"]?.text.map { "recognisable until \($0)" } ?? "no grant from it yet"
    let review = fact["needsReview"]?.flag == true ? "  (look at it: inkling recover --reviewed)" : ""
    return padded(name, to: 20) + padded(state, to: 12) + until + review + "\n"
}
