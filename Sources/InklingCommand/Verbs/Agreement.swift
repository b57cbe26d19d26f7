import InklingJSON

/// Shows who came to the person at the terminal, who says yes or no. `aside` keeps standard output free of it.
func agree(to question: JSONObject, always: Bool, json: Bool, aside: Bool = false) -> Bool {
    let known = question["known"]?.flag == true ? " (a contact already)" : ""
    let text = """
        Name         \(printable(question["name"]?.text ?? ""))\(known)
        Fingerprint  \(question["fingerprint"]?.text ?? "")

        """
    if aside { writeError(text) } else { write(["question": .object(question)], asJSON: json) { _ in text } }
    if always { return true }
    guard isTerminal(0) else {
        writeError("inkling: nobody is here to compare the fingerprint; declined (--yes agrees unseen)\n")
        return false
    }
    let prompt = "Does the other person see the same? [y/N] "
    if json || aside { writeError(prompt) } else { write(prompt) }
    return ["y", "yes"].contains((readLine() ?? "").lowercased())
}
