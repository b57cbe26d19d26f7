/// Returns the word that was probably meant: the one of `words` with the smallest edit distance, ignoring case; nil
/// when all differ in more than a third of the characters.
package func nearest(to word: String, among words: [String]) -> String? {
    // No name is as long as this.
    guard word.utf8.count <= 256 else { return nil }
    let limit = max(1, word.count / 3)
    let near = words.map { (word: $0, distance: editDistance(word.lowercased(), $0.lowercased())) }
        .filter { $0.distance <= limit }
    // At equal distance a word that begins with what was typed is preferred.
    return near.min { ($0.distance, $0.word.hasPrefix(word) ? 0 : 1) < ($1.distance, $1.word.hasPrefix(word) ? 0 : 1) }?
        .word
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
private func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var rows = [Array(0...right.count)]
    for row in 1...left.count {
        var current = [row]
        for column in 1...right.count {
            let isSame = left[row - 1] == right[column - 1]
            var best = min(
                rows[row - 1][column] + 1, current[column - 1] + 1, rows[row - 1][column - 1] + (isSame ? 0 : 1))
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                best = min(best, rows[row - 2][column - 2] + 1)
            }
            current.append(best)
        }
        rows.append(current)
    }
    return rows[left.count][right.count]
}
