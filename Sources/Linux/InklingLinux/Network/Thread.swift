internal import CLinux
internal import Glibc

/// Starts a detached thread that runs `body`; returns false if the system gives none. The name, at most fifteen
/// characters, is shown by tools that list threads.
func startThread(named name: StaticString, _ body: @escaping @Sendable () -> Void) -> Bool {
    // The thread retains its body until it ends.
    let context = unsafe Unmanaged.passRetained(ThreadBody(name: name, run: body)).toOpaque()
    var thread = pthread_t()
    let result = unsafe pthread_create(
        &thread, nil,
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().start()
            }
            return nil
        }, context)
    guard result == 0 else {
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).release()
        return false
    }
    pthread_detach(thread)
    return true
}

private final class ThreadBody: Sendable {
    private let name: StaticString
    private let run: @Sendable () -> Void

    init(name: StaticString, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }

    func start() {
        unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
            unsafe inkling_name_thread($0)
        }
        run()
    }
}
