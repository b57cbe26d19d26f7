public import CInkling
internal import InklingVectors

@c @implementation
public func inkling_vectors_verify(
    _ file: UnsafePointer<UInt8>?, _ count: Int, _ onDifference: inkling_on_difference?,
    _ user: UnsafeMutableRawPointer?, _ agreed: UnsafeMutablePointer<UInt64>?,
    _ differing: UnsafeMutablePointer<UInt64>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let (agreed, differing) = (try unsafe Out(agreed), try unsafe Out(differing))
        let bytes = try unsafe withInput(file, count, limit: vectorFileLimit) { bytes in
            bytes.indices.map { bytes[$0] }
        }
        let document: VectorDocument
        do throws(VectorFileError) {
            document = try VectorDocument(parsing: bytes)
        } catch {
            throw Fault(INKLING_REFUSED, stage: "vector-file", reason: "malformed")
        }
        let outcome = VectorVerification(of: document)
        if let onDifference = unsafe onDifference {
            for difference in outcome.differences {
                unsafe difference.id.withCString { id in
                    unsafe difference.comment.withCString { comment in
                        unsafe difference.expected.withCString { expected in
                            unsafe difference.got.withCString { unsafe onDifference(id, comment, expected, $0, user) }
                        }
                    }
                }
            }
        }
        agreed.set(UInt64(outcome.agreed))
        differing.set(UInt64(outcome.differences.count))
    }
}

/// `INKLING_VECTOR_FILE_LIMIT`; Swift does not import the macro because it contains a cast.
private let vectorFileLimit = 1 << 26
