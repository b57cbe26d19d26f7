import InklingJSON

/// Shows who came to the person at the terminal, who says yes or no.
func agree(to question: JSONObject, always: Bool, json: Bool) -> Bool {
    write(["question": .object(question)], asJSON: json) { _ in
        let known = question["known"]?.flag == true ? " (a contact already)" : ""
        return """
            Name         \(printable(question["name"]?.text ?? ""))\(known)
            Fingerprint  \(question["fingerprint"]?.text ?? "")

            """
    }
    if always { return true }
    guard isTerminal(0) else {
        writeError("inkling: nobody is here to compare the fingerprint; declined (--yes agrees unseen)\n")
        return false
    }
    let prompt = "Does the other person see the same? [y/N] "
    if json { writeError(prompt) } else { write(prompt) }
    return ["y", "yes"].contains((readLine() ?? "").lowercased())
}
