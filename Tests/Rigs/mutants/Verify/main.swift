import Foundation
import InklingVectors

// Verifies vector files, the paths of the arguments, up to the first difference. `check` reads what it prints.
var agreed = 0
for path in CommandLine.arguments.dropFirst() {
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    // A debug build is too slow for more outputs of a digest.
    let outcome = VectorVerification(of: try VectorDocument(parsing: bytes), outputLimit: 2000)
    if let difference = outcome.differences.first {
        print("differs: \(path) \(difference.id)")
        exit(1)
    }
    agreed += outcome.agreed
}
print("\(agreed) vectors agree")
