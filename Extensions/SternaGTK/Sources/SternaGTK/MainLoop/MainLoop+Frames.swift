extension MainLoop {
    /// Waits until a widget's next frame, behind which its layout is up to date. A widget that is not visible has no frames: then it waits
    /// until it is, or ends.
    public static func nextFrame(of widget: WidgetPointer) async {
        await withCheckedContinuation { continuation in
            let waiter = FrameWaiter(continuation)
            onFrames(of: widget) { _ in
                waiter.resume()
                return false
            }
        }
    }
}

/// Resumes a continuation once, also if the widget ends before its frame.
@MainActor final class FrameWaiter {
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

    func resume() { continuation.take()?.resume() }

    isolated deinit { continuation?.resume() }
}
