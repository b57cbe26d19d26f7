#if Node
    internal import CMosquitto

    /// The functions of libmosquitto, loaded with the first connection.
    ///
    /// Unchecked, because the compiler cannot see that it only holds function addresses, which never change.
    @safe struct MQTTLibrary: @unchecked Sendable {
        let calls: cmosquitto

        /// The library; `nil` if it is not installed.
        static let loaded: MQTTLibrary? = {
            let place = UnsafeMutablePointer<cmosquitto>.allocate(capacity: 1)
            defer { unsafe place.deallocate() }
            guard unsafe cmosquitto_load(place) else { return nil }
            return unsafe MQTTLibrary(calls: place.pointee)
        }()

        /// Returns the library's description of a result.
        static func description(of result: CInt) -> String? {
            unsafe loaded?.calls.strerror(result).map { unsafe String(cString: $0) }
        }
    }
#endif
