internal import Glibc

/// Starts a thread that runs `body` and ends with it; false when the system gives none.
func startThread(named name: StaticString, _ body: @escaping @Sendable () -> Void) -> Bool {
    // The thread holds what it runs until it ends.
    let context = unsafe Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
    var thread = pthread_t()
    let result = unsafe pthread_create(
        &thread, nil,
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            }
            return nil
        }, context)
    guard result == 0 else {
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).release()
        return false
    }
    unsafe name.withUTF8Buffer { text in
        // At most fifteen characters (pthread_setname_np(3)); a name that does not fit is left out.
        _ = unsafe text.withMemoryRebound(to: CChar.self) { unsafe pthread_setname_np(thread, $0.baseAddress ?? "") }
    }
    pthread_detach(thread)
    return true
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }
}
