#if !os(Linux)
import Dispatch

/// The memory pressure that Dispatch reports.
struct DispatchMemoryPressureSource: MemoryPressureSource {
    func begin(_ report: @escaping @Sendable (MemoryPressure.Level) -> Void) -> @Sendable () -> Void {
        #if canImport(Darwin)
        let source = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical], queue: DispatchQueue(label: "sterna.memory"))
        source.setEventHandler { [weak source] in
            guard let source else { return }
            report(source.data.contains(.critical) ? .critical : .warning)
        }
        source.activate()
        return { source.cancel() }
        #else
        return {}
        #endif
    }
}
#endif
