#if Node
    internal import CMosquitto

    /// The functions of libmosquitto, which is loaded with the first connection.
    ///
    /// Unchecked, because the compiler cannot see that it holds addresses of functions alone, which never change.
    @safe struct MQTTLibrary: @unchecked Sendable {
        let calls: cmosquitto

        /// The library; nil when it is not installed.
        static let loaded: MQTTLibrary? = {
            let place = UnsafeMutablePointer<cmosquitto>.allocate(capacity: 1)
            defer { unsafe place.deallocate() }
            guard unsafe cmosquitto_load(place) else { return nil }
            return unsafe MQTTLibrary(calls: place.pointee)
        }()

        /// What the library says about a result.
        static func description(of result: CInt) -> String? {
            unsafe loaded?.calls.strerror(result).map { unsafe String(cString: $0) }
        }
    }
#endif
