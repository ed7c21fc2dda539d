import SternaPlatform

/// Threads with the stack that secondary threads have on Apple's systems, 512 KiB.
///
/// Without optimization frames are several times as large, so that four times as much stands for it.
public enum SmallStack {
    #if DEBUG
    public static let bytes = 2 << 20
    #else
    public static let bytes = 512 << 10
    #endif

    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Runs a closure on such a thread, and returns when it has ended.
    public static func run(stack: Int = bytes, _ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            guard let thread = start(stack, body) else { return }
            pthread_join(thread, nil)
        }
    }

    /// Starts a thread that goes on by itself.
    static func begin(_ body: @escaping @Sendable () -> Void) {
        guard let thread = start(bytes, body) else { return }
        pthread_detach(thread)
    }

    private static func start(_ stack: Int, _ body: @escaping () -> Void) -> pthread_t? {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stack)
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let result = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            work.release()
            return nil
        }
        return thread
    }
}
