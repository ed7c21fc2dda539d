import Dispatch
import SternaPlatform
import Synchronization

/// Turns Ctrl-C and the signals SIGTERM and SIGHUP into a cancellation. A second one ends the process at once.
final class Interrupts: Sendable {
    private let received = Mutex<CInt?>(nil)

    init(_ cancel: @escaping @Sendable () -> Void) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // The source takes the signal's place only if the signal does nothing itself.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler keeps its source, and so it lives as long as the process.
            source.setEventHandler { [self, source] in
                _ = source
                let isFirst = received.withLock { received in
                    defer { received = received ?? number }
                    return received == nil
                }
                guard isFirst else { _exit(128 + number) }
                cancel()
            }
            source.activate()
        }
    }

    /// The exit status for the signal that came; nil for none.
    var status: Int32? { received.withLock { $0.map { 128 + $0 } } }
}
